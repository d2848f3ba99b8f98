package import GuardModel
package import URLRules

/// A site that an administrator lets in for a limited time: a URL of it counts as internal although a rule set calls it
/// external.
///
/// It lifts nothing else. Accounts that may not work, URLs with credentials, unregistered viewers, and the settings for
/// clips, files and programs hold as before.
package struct TimedException: Sendable, Hashable {
  /// Unlike that of any other exception: `k7m2q9xw`
  package var id: String
  package var host: HostName
  /// The hosts below it are included.
  package var takesHostsBelow: Bool
  /// Nil: of every app.
  package var app: String?
  /// As the administrator spelled it; nil: every account, and no account.
  package var account: String?
  /// The purposes that the URL may serve.
  package var subjects: Purposes
  /// The time of the grant, in milliseconds since 1970.
  package var since: UInt64
  /// The first moment in which it no longer holds, likewise: a whole second.
  package var until: UInt64
  package var grantor: Administrator
  /// In the grantor's words.
  package var cause: String
  /// It ends with the daemon, too, and is kept nowhere.
  package var endsWithDaemon = false

  package init(
    id: String, host: HostName, takesHostsBelow: Bool, subjects: Purposes = .excepted, since: UInt64, until: UInt64,
    grantor: Administrator, cause: String
  ) {
    self.id = id
    self.host = host
    self.takesHostsBelow = takesHostsBelow
    self.subjects = subjects
    self.since = since
    self.until = until
    self.grantor = grantor
    self.cause = cause
  }

  /// The host as text: `files.example`
  package var hostText: String { String(decoding: host.bytes, as: UTF8.self) }

  package var report: ExceptionReport {
    let site = "\(takesHostsBelow ? "domain" : "host") `\(hostText)`"
    return ExceptionReport(id: id, site: site, grantor: grantor.words, cause: cause, until: until)
  }
}

/// A person at the admin socket.
package struct Administrator: Sendable, Hashable {
  package var uid: UInt32
  /// The name that the system had for the number; nil when it had none.
  package var user: String?

  package init(uid: UInt32, user: String?) {
    self.uid = uid
    self.user = user
  }

  /// `alice (uid 1000)`
  package var words: String { user.map { "\($0) (uid \(uid))" } ?? "uid \(uid)" }
}

extension Purposes {
  /// The purposes of an exception that names none: the parts that make up a page. Files only if they are named.
  package static let excepted: Purposes = [.page, .frame, .resource]
}

/// The exceptions in force, oldest first, ready to be looked up by a URL's host.
///
/// Looking up costs one probe for each label of the host, and nothing while there are none.
package struct TimedExceptions: Sendable {
  package let list: [TimedException]
  private let reports: [ExceptionReport]
  /// The accounts in lower case, as bytes where they are ASCII.
  private let accounts: [[UInt8]?]
  /// The first exception of each name; those after it follow in `next`.
  private var hosts = ByteTable<Int32>()
  private var domains = ByteTable<Int32>()
  private var next: [Int32]

  /// The exceptions of a list; the caller leaves out expired ones.
  package init(_ list: [TimedException] = []) {
    self.list = list
    reports = list.map(\.report)
    accounts = list.map { exception in
      let folded = exception.account.map { Array(AccountName.fold($0).utf8) }
      return folded?.allSatisfy { $0 < 0x80 } == true ? folded : nil
    }
    next = Array(repeating: -1, count: list.count)
    for index in list.indices.reversed() {
      let name = list[index].host.bytes
      if list[index].takesHostsBelow {
        next[index] = domains.value(for: name.span) ?? -1
        domains.set(Int32(index), for: name.span)
      } else {
        next[index] = hosts.value(for: name.span) ?? -1
        hosts.set(Int32(index), for: name.span)
      }
    }
  }

  package var isEmpty: Bool { list.isEmpty }

  /// The oldest exception for a host, in the parser's form, that also covers this question; nil when there is none.
  func first(for host: Span<UInt8>, where holds: (ExceptionIndex) -> Bool) -> ExceptionIndex? {
    var found = first(after: hosts.value(for: host), where: holds)
    for start in host.indices where start == 0 || host[start - 1] == UInt8(ascii: ".") {
      let below = first(after: domains.value(for: host.extracting(start...)), where: holds)
      if let below { found = min(found ?? below, below) }
    }
    return found.map(ExceptionIndex.init(place:))
  }

  subscript(index: ExceptionIndex) -> TimedException { list[Int(index.place)] }

  func report(of index: ExceptionIndex) -> ExceptionReport { reports[Int(index.place)] }

  private func first(after start: Int32?, where holds: (ExceptionIndex) -> Bool) -> Int32? {
    var index = start ?? -1
    while index >= 0 {
      if holds(ExceptionIndex(place: index)) { return index }
      index = next[Int(index)]
    }
    return nil
  }

  /// Whether an exception covers data of this account.
  func isFor(_ account: Identity, _ index: ExceptionIndex, _ accounts: borrowing AccountTable) -> Bool {
    guard let name = self[index].account else { return true }
    guard case .account(let id) = account else { return false }
    let folded = self.accounts[Int(index.place)]
    return (folded.map { accounts.number(ofFolded: $0.span) } ?? accounts.number(ofKnown: name)) == id
  }
}

/// The parts that a snapshot removes from its original policy, so that the remaining policy can be asked alone.
enum Lifting: Sendable, Hashable {
  /// Nothing: the policy as it is written.
  case nothing
  /// The settings of some protections.
  case someProtections
  /// The settings of all protections, so that an unknown account is not restricted either.
  case allProtections
  /// Every restriction: protections, rules, and the apps' own settings.
  case everything

  /// The protections that would bind an unknown account are lifted as well.
  var reachesUnknownAccounts: Bool { self == .allProtections || self == .everything }
}

extension Protection {
  /// The same protection without any restriction. Its accounts stay, and so do the duties of apps that store data:
  /// ownership and encryption.
  func lifted() -> Protection {
    var lifted = Protection(name: name)
    lifted.accountPatterns = accountPatterns
    lifted.groups = groups
    (lifted.encrypt, lifted.encryptBy) = (encrypt, encryptBy)
    lifted.receive = receive == .anyTagOrg ? .anyTagOrg : .any
    lifted.managedApps = managedApps
    lifted.clipboard.replacement = clipboard.replacement
    lifted.location = location
    return lifted
  }
}

extension App {
  /// The same app without any restriction of its own.
  func lifted() -> App {
    var lifted = self
    lifted.untilIdentity = .allow
    lifted.popups = .inherit
    return lifted
  }
}

/// The snapshots that answer for a policy that does not enforce everything: each is the policy with some parts removed.
struct LiftedSnapshots: Sendable {
  /// Without the restrictions of monitored protections and rules; nil when none is monitored.
  private(set) var withoutMonitored: Snapshot?
  /// Without any restriction, for apps that are monitored; nil when none is.
  private(set) var withoutAll: Snapshot?
  /// For each kind of event that protections warn of, by its number: the policy without the settings of those
  /// protections.
  private var withoutWarning: [Snapshot?] = []

  init() {}

  /// - Parameter monitoring: also lifts monitored parts; false if that has happened already.
  init(of policy: SnapshotContents, monitoring: Bool) {
    let protections = policy.protections
    let monitorsRules = policy.ruleSets.contains(where: \.mayMonitor)
    if monitoring, monitorsRules || protections.contains(where: \.isMonitored) {
      let contents = policy.liftingMonitored()
      withoutMonitored = Snapshot(contents, lifted: LiftedSnapshots(of: contents, monitoring: false))
    }
    if monitoring, policy.apps.contains(where: \.isMonitored) {
      withoutAll = Snapshot(policy.liftingEverything(), lifted: LiftedSnapshots())
    }
    guard protections.contains(where: { !$0.warn.isEmpty }) else { return }
    withoutWarning = EventKind.allCases.map { kind in
      guard protections.contains(where: { $0.warn.contains(kind) }) else { return nil }
      return Snapshot(policy.lifting { $0.warn.contains(kind) }, lifted: LiftedSnapshots())
    }
  }

  /// The policy without the settings of the protections that warn of such events; nil when none does.
  func withoutWarning(of kind: EventKind) -> Snapshot? {
    withoutWarning.isEmpty ? nil : withoutWarning[Int(kind.rawValue)]
  }
}
