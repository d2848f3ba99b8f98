package import GuardModel

/// A look at one account, which an app asked for by `Remediate` (design, accounts, section 5; ledger CA).
struct Remediation: Sendable, Hashable {
  enum Stage: Sendable, Hashable {
    /// For the accounts before it, and for facts that are read after it was asked for.
    case waiting
    /// For its person.
    case asking
    case over(ComplianceStatus)
  }

  let request: String
  let account: AccountID
  /// Nobody is asked.
  let isSilent: Bool
  /// The program that asked; nil for one that asked an earlier daemon.
  var instance: InstanceID?
  /// Facts count that were read later than this reading.
  var reading: UInt64 = 0
  /// Milliseconds since 1970.
  let askedAt: UInt64
  /// It is not looked at before: a program that asks again and again waits.
  var notBefore: UInt64 = 0
  var stage = Stage.waiting
  /// How the question to its person ended: it is asked once.
  var unlock: UnlockResult?
  /// Calls that were dropped since it was under way.
  var repeats = 0
  /// A program of its app was told what came of it.
  var isTold = false

  var isOpen: Bool { status == nil }

  /// What came of it.
  var status: ComplianceStatus? {
    if case .over(let status) = stage { status } else { nil }
  }
}

/// What came of a look at an account, and has not been told yet.
package struct RemediationResult: Sendable, Hashable {
  package var person: UInt32
  package var app: String
  package var account: AccountID
  package var request: String
  package var status: ComplianceStatus
  /// How the question to the person ended.
  package var unlock: UnlockResult?
}

/// The looks at accounts: one account of an app and a person after another (ledger CA-04).
///
///     Remediate(a), Remediate(b), Remediate(a)    // a, then b; the last is dropped, and has the request of the first
///
/// A look stays until its app was told what came of it, over ends of the app and of the daemon. Its result is made at the
/// end and never kept: what an earlier daemon found makes no account more trusted. The attack: a program asks without end.
/// Each account is looked at once a second, the repeats are counted, and no more than `mostOfApp` wait.
package struct RemediationBook: Sendable {
  /// In the order of the calls.
  var queues: [AccountHolder: [Remediation]] = [:]
  /// Those with an account that waits.
  var open: Set<AccountHolder> = []
  /// Looks that ended since the last call of `takeResults`.
  private var results: [RemediationResult] = []
  /// When the first app that was not told counts as gone.
  var due = UInt64.max
  var count: UInt64 = 0
  /// The number of the latest reading of facts that began, and of the latest that ended.
  private(set) var begun: UInt64 = 0
  private(set) var ended: UInt64 = 0
  /// The latest fetch of the policy failed.
  var isOffline = false
  var isChanged = false

  package init() {}

  /// Looks of one app of one person, those included whose result `List` shows.
  package static let mostOfApp = 64
  /// Milliseconds between two looks at an account.
  package static let pause: UInt64 = 1_000
  /// Milliseconds after which an app that did not come back is not told any more.
  package static let longest: UInt64 = 3_600_000

  /// Whether `runRemediations` may have something to do: a cheap question.
  package func isDue(at time: UInt64) -> Bool { !open.isEmpty || due <= time }

  /// The looks that ended since the last call.
  package mutating func takeResults() -> [RemediationResult] {
    guard !results.isEmpty else { return [] }
    defer { results = [] }
    return results
  }

  mutating func add(_ result: RemediationResult) { results.append(result) }

  /// Facts that are read from now on have this number.
  package mutating func beginReading() -> UInt64 {
    begun += 1
    return begun
  }

  mutating func endReading(_ number: UInt64) { ended = max(ended, number) }

  /// Some look waits for facts that nobody reads yet.
  package var wantsReading: Bool {
    open.contains { queues[$0]?.first(where: \.isOpen).map { $0.stage == .waiting && $0.reading >= begun } ?? false }
  }

  /// The latest look at an account.
  func latest(_ account: AccountID, of holder: AccountHolder) -> Remediation? {
    queues[holder]?.last { $0.account == account }
  }
}
