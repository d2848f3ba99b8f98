package import GuardModel
package import JSONText

/// The reply to `OwnPrograms`: the facts that a user may know about his own programs (ledger DC-06).
package struct OwnProgramsReply: Reply, Sendable, Hashable {
  package var generation = Generation()
  package var contract = FailureContract()
  /// The problems of the service that concern this user.
  package var problems: [HealthProblemCode] = []
  /// A policy is in force, and no part of it only monitors.
  package var isEnforced = false
  /// The last check-in; nil when none is on record.
  package var checkIn: CheckInStatus?
  /// Seconds since the last check-in, by the service's clock; nil when none is on record, or its time lies ahead.
  package var policyAge: UInt64?
  /// Number of programs, including those left out.
  package var programCount = 0
  package var programs: [Program] = []
  /// The person's accounts in the apps that the caller may know of.
  package var accounts: [ListedAccount] = []

  package init() {}

  package struct Program: Sendable, Hashable {
    package var app: String
    /// The instance, as the log names it.
    package var instance: String
    package var connections: Int
    package var mustState: Bool
    package var accounts: [String]
    package var protections: [String]
    package var viewerCount: Int
    package var viewers: [Viewer]

    package init(
      app: String, instance: String, connections: Int, mustState: Bool, accounts: [String], protections: [String],
      viewerCount: Int, viewers: [Viewer]
    ) {
      (self.app, self.instance, self.connections, self.mustState) = (app, instance, connections, mustState)
      (self.accounts, self.protections) = (accounts, protections)
      (self.viewerCount, self.viewers) = (viewerCount, viewers)
    }
  }

  package struct Viewer: Sendable, Hashable {
    package var name: String
    package var viewerClass: String?
    /// The same value as in the reply to `RegisterViewer`.
    package var resolved: StateReply

    package init(name: String, viewerClass: String?, resolved: StateReply) {
      (self.name, self.viewerClass, self.resolved) = (name, viewerClass, resolved)
    }
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("generation", generation.number)
    writer.member("digest", generation.digest)
    writer.key("contract")
    writer.value(contract)
    writer.member("problems", problems.map(\.rawValue))
    writer.member("enforced", isEnforced)
    writer.member("checkedInAt", ifPresent: checkIn?.time)
    writer.member("policyAge", ifPresent: policyAge)
    writer.member("programCount", programCount)
    writer.key("programs")
    writer.beginArray()
    for program in programs { Self.write(program, to: &writer) }
    writer.endArray()
    writer.key("accounts")
    writer.beginArray()
    for account in accounts { Self.write(account, to: &writer) }
    writer.endArray()
  }

  private static func write(_ account: ListedAccount, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("app", account.app)
    writer.member("account", account.account)
    writer.member("state", account.state.rawValue)
    writer.member("reason", ifPresent: account.reason?.rawValue)
    writer.member("sources", account.sources.map(\.rawValue))
    writer.member("result", ifPresent: account.result?.rawValue)
    writer.member("enrolled", ifPresent: account.enrolledAt)
    writer.member("tried", ifPresent: account.triedAt)
    writer.member("checkedIn", ifPresent: account.checkedInAt)
    writer.endObject()
  }

  private static func write(_ program: Program, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("app", program.app)
    writer.member("instance", program.instance)
    writer.member("connections", program.connections)
    writer.member("mustState", program.mustState)
    writer.member("accounts", program.accounts)
    writer.member("protections", program.protections)
    writer.member("viewerCount", program.viewerCount)
    writer.key("viewers")
    writer.beginArray()
    for viewer in program.viewers {
      writer.beginObject()
      writer.member("viewer", viewer.name)
      writer.member("class", ifPresent: viewer.viewerClass)
      viewer.resolved.writeParameters(to: &writer)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
  }
}
