package import JSONText

/// The reason for not granting an exception.
package enum ExceptionRefusal: String, Sendable, Hashable, CaseIterable {
  case noSite
  case badSite
  case publicSuffix
  case unknownApp
  case unknownAccount
  case badTime
  case badReason
  case tooMany
  case noState
  case logUnavailable
}

/// The way in which an exception ended.
package enum ExceptionEnd: String, Sendable, Hashable, CaseIterable {
  case over
  case removed
}

/// A timed exception as administrators see it.
package struct ListedException: Sendable, Hashable {
  package var id = ""
  package var host = ""
  /// The exception covers the hosts below it as well.
  package var isDomain = false
  package var app: String?
  package var account: String?
  package var subjects: [ClassifySubject] = []
  package var cause = ""
  /// In milliseconds since 1970.
  package var since: UInt64 = 0
  /// In milliseconds since 1970.
  package var until: UInt64 = 0
  package var endsWithDaemon = false
  package var uid: UInt32 = 0
  package var user: String?
  /// Nil while it is in force.
  package var end: ExceptionEnd?
  /// In milliseconds since 1970.
  package var endedAt: UInt64?
  package var endedBy: UInt32?

  package init() {}

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("id", id)
    if isDomain { writer.member("domain", host) } else { writer.member("host", host) }
    writer.member("app", ifPresent: app)
    writer.member("account", ifPresent: account)
    writer.member("subjects", subjects.map(\.rawValue))
    writer.member("reason", cause)
    writer.member("since", since)
    writer.member("until", until)
    writer.member("untilRestart", ifTrue: endsWithDaemon)
    writer.member("uid", UInt64(uid))
    writer.member("user", ifPresent: user)
    writer.member("ended", ifPresent: end?.rawValue)
    writer.member("endedAt", ifPresent: endedAt)
    writer.member("endedBy", ifPresent: endedBy.map { UInt64($0) })
    writer.endObject()
  }
}

/// The reply to `AddException` and to `RemoveException`.
package struct ExceptionReply: Reply, Sendable, Hashable {
  package var exception: ListedException
  /// The number of the policy in force from now on.
  package var generation: UInt64

  package init(_ exception: ListedException, generation: UInt64) {
    self.exception = exception
    self.generation = generation
  }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.key("exception")
    exception.write(to: &writer)
    writer.member("generation", generation)
  }
}

/// The reply to `ListExceptions`.
package struct ExceptionsReply: Reply, Sendable, Hashable {
  package var exceptions: [ListedException]

  package init(_ exceptions: [ListedException]) { self.exceptions = exceptions }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.key("exceptions")
    writer.beginArray()
    for exception in exceptions { exception.write(to: &writer) }
    writer.endArray()
  }
}
