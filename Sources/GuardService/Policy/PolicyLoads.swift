internal import CLinux
internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Platform
internal import PolicyEngine
internal import PolicyFiles

/// Loading the policy, beside the event loop, and the results.
struct PolicyLoads {
  let roots: [String]
  /// Where the failure contract lies for clients that have not spoken to the daemon yet.
  let contractFile: String
  /// Which file that is, once it is written.
  var contractIdentity: FileIdentity?
  var loadedAt: UInt64?
  /// Why the last load failed; nil when it did not.
  var lastError: String?
  /// The policy in force, of which snapshots are made; nil before one loaded.
  var policy: LoadedPolicy?
  /// When the next rule expires, in milliseconds since 1970.
  var nextExpiry = UInt64.max
  /// Where the values of the policy in force were stated.
  var places = PolicyPlaces()
  /// A load is under way.
  var isLoading = false
  /// The next orders, and their callers.
  private var asked: [(order: PolicyOrder, asker: Asker?, answer: EventLoopPromise<ReloadReply>)] = []
  /// The order that is being carried out, and its caller; nil at the start.
  var request: PolicyRequest?
  private var isEnding = false
  /// The work that is under way beside the event loop.
  var beside: EventLoopFuture<Void>?
  /// Where policies are kept; nil when nothing outlives the daemon.
  var store: KeptPolicies?
  /// The policies that are kept, the newest first.
  var kept: [KeptPolicy] = []
  /// Why the policy in force is not among them, or one of them cannot be used.
  var keepError: String?
  /// Where the policy in force came from.
  var origin = PolicyOrigin.disk
  var lastLoad: LoadAttempt?
  /// The digests rolled back from, and to; nil when no rollback holds.
  var mark: RollbackMark?

  init(roots: [String], contractFile: String) {
    self.roots = roots
    self.contractFile = contractFile
  }

  /// Reads the configuration, as it was at one moment. Can take long; not for the event loop.
  static func load(_ roots: [String]) -> LoadResult { SteadyLoader(roots: roots).load().trusted(roots: roots) }

  /// - Parameter asker: nil for a signal.
  mutating func ask(_ order: PolicyOrder, by asker: Asker?, _ answer: EventLoopPromise<ReloadReply>) {
    guard !isEnding else { return answer.fail(AdminError.loadFailed(["the daemon is ending"])) }
    asked.append((order, asker, answer))
  }

  /// Nothing more is begun.
  mutating func end() {
    isEnding = true
    for (_, _, answer) in asked { answer.fail(AdminError.loadFailed(["the daemon is ending"])) }
    asked = []
  }

  /// The next order, with everybody who asked for just that: one load answers them all.
  mutating func next() -> PolicyRequest? {
    guard let order = asked.first?.order else { return nil }
    let same = asked.filter { $0.order == order }
    asked.removeAll { $0.order == order }
    return PolicyRequest(order: order, asked: same.map(\.answer), askers: same.compactMap(\.asker))
  }
}

extension LoadResult {
  /// The same, unless another user may have written the files: then it is an error, and neither policy nor settings are
  /// believed.
  func trusted(_ check: PlaceCheck = PlaceCheck(), roots: [String]) -> LoadResult {
    let lists = policy?.lists.map(\.path) ?? []
    let findings = check.configurationFindings(roots: roots, files: files + lists)
    guard !findings.isEmpty else { return self }
    var result = self
    result.policy = nil
    result.settings = nil
    for finding in findings {
      result.diagnostics.error(
        .notTrusted, at: SourceLocation(file: finding.path), "this place \(finding.problem)", hint: finding.remedy)
    }
    return result
  }

  /// The loader's findings, one text for each: first those that kept the policy from loading, since many tools show one
  /// line only.
  var lines: [String] {
    let sorted = diagnostics.sorted
    return (sorted.filter { $0.severity == .error } + sorted.filter { $0.severity != .error }).map(\.description)
  }
}
