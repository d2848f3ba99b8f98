package import DecisionLog
package import GuardModel
package import GuardProtocol
internal import JSONText
package import Logging
package import NIOCore
internal import Platform
package import PolicyEngine
package import PolicyFiles

/// The policy in force, as the event loop knows it: where it came from, its exceptions, and the orders to load another.
package struct ActivePolicy: ~Copyable {
  let roots: [String]
  let logger: Logger
  /// Those of the start. A load brings another failure contract and another time of grace.
  package private(set) var settings: DaemonSettings
  /// The loaded files, of which snapshots are made; nil before any loaded.
  private(set) var loaded: LoadedPolicy?
  private(set) var loadedAt: UInt64?
  /// Its origin.
  private(set) var origin = PolicyOrigin.disk
  /// The places of its values.
  private(set) var places = PolicyPlaces()
  /// When the next rule expires, in milliseconds since 1970.
  package private(set) var nextExpiry = UInt64.max
  /// Timed exceptions granted by administrators.
  var exceptions = ExceptionBook()
  /// The last word from the distributor of the policy.
  package var checkIns = CheckIns()
  /// A policy is in force, and no part of it only monitors.
  private(set) var isEnforced = false

  /// Why the last load failed; nil when it did not.
  package private(set) var lastError: String?
  private(set) var lastLoad: LoadAttempt?
  /// Loads since the start, by their results.
  package private(set) var loads: UInt64 = 0
  package private(set) var failedLoads: UInt64 = 0
  /// The next orders, and their callers.
  private var asked: [(order: PolicyOrder, asker: Asker?, answer: EventLoopPromise<ReloadReply>)] = []
  /// A load is under way.
  private(set) var isLoading = false
  /// The order that is being carried out, and its caller; nil at the start.
  private(set) var request: PolicyRequest?
  private var isEnding = false
  /// The work that is under way beside the event loop.
  var beside: EventLoopFuture<Void>?

  /// The directory that keeps policies; nil when nothing outlives the daemon.
  let store: KeptPolicies?
  /// The policies that are kept, the newest first.
  var kept: [KeptPolicy] = []
  /// Why the policy in force is not among them, or one of them cannot be used.
  var keepError: String?
  /// The digests rolled back from, and to; nil when no rollback holds.
  var mark: RollbackMark?

  /// The file of the failure contract, for clients that have not spoken to the daemon yet.
  private let contractFile: String
  /// The directory of orders for the helper: `/run/webviewguard/wipe`, beside the contract.
  let orderDirectory: String
  /// Which file that is, once it is written.
  private var contractIdentity: FileIdentity?

  package init(
    _ settings: DaemonSettings, roots: [String], contractFile: String, store: KeptPolicies? = nil, logger: Logger
  ) {
    self.settings = settings
    self.roots = roots
    self.contractFile = contractFile
    orderDirectory = contractFile[..<(contractFile.lastIndex(of: "/") ?? contractFile.startIndex)] + "/wipe"
    self.store = store
    self.logger = logger
  }

  /// Reads the configuration, as it was at one moment. Can take long; not for the event loop.
  static func load(_ roots: [String]) -> LoadResult { SteadyLoader(roots: roots).load().trusted(roots: roots) }

  // MARK: Orders

  /// - Parameter asker: nil for a signal.
  package mutating func ask(_ order: PolicyOrder, by asker: Asker?, _ answer: EventLoopPromise<ReloadReply>) {
    guard !isEnding else { return answer.fail(AdminError.loadFailed(["the daemon is ending"])) }
    asked.append((order, asker, answer))
  }

  /// Nothing more is begun. Returns the promises to those who wait: their answers may reach the policy again.
  package mutating func end() -> [EventLoopPromise<ReloadReply>] {
    isEnding = true
    defer { asked = [] }
    return asked.map(\.answer)
  }

  /// Begins the next order, with everybody who asked for just that: one load answers them all. Nil while one is under
  /// way, and when there is none.
  package mutating func beginNext() -> PolicyRequest? {
    guard !isLoading, let order = asked.first?.order else { return nil }
    let same = asked.filter { $0.order == order }
    asked.removeAll { $0.order == order }
    request = PolicyRequest(order: order, asked: same.map(\.answer), askers: same.compactMap(\.asker))
    isLoading = true
    return request
  }

  /// Something is done beside the loop that the next order waits for.
  mutating func beginKeeping() { isLoading = true }

  package mutating func finish() { (isLoading, request) = (false, nil) }

  /// The caller who asked for the order under way, for the journal.
  func askedBy(_ metadata: Logger.Metadata = [:]) -> Logger.Metadata {
    guard let request, !request.askers.isEmpty else { return metadata }
    return metadata.merging(["by": "\(request.askers.map(\.words).joined(separator: ", "))"]) { own, _ in own }
  }

  // MARK: Loads

  /// Takes a loaded policy over.
  ///
  /// - Parameter isChanged: it is not the one that is in force already.
  package mutating func take(
    _ policy: LoadedPolicy, _ settings: DaemonSettings, from origin: PolicyOrigin, at time: UInt64, isChanged: Bool
  ) {
    self.origin = origin
    places = policy.places
    loadedAt = time
    guard isChanged else { return }
    self.settings.contract = settings.contract
    self.settings.graceSeconds = settings.graceSeconds
    self.settings.postureDirectory = settings.postureDirectory
    loaded = policy
  }

  /// A load has brought its policy in force.
  package mutating func noteSuccess(of digest: String, from origin: PolicyOrigin, at time: UInt64) {
    if origin == .disk { mark = nil }
    lastError = nil
    lastLoad = LoadAttempt(time: time, succeeded: true, digest: digest)
  }

  /// Says that a configuration does not come into force: for its errors, or for another cause. Returns the record of it.
  ///
  /// - Parameters:
  ///   - cause: why, where it has no errors; in words, and in the word of the log.
  ///   - tellsConsequence: false where the caller tells which policy is in force in its place.
  package mutating func refuse(
    _ result: LoadResult, because cause: (words: String, word: String)?, tellsConsequence: Bool, at time: UInt64,
    under snapshot: Snapshot
  ) -> PolicyLoad {
    let lines = cause.map { [$0.words] } ?? result.lines
    if !snapshot.hasPolicy { writeContract() }
    lastError = lines.joined(separator: "\n")
    lastLoad = LoadAttempt(time: time, succeeded: false, digest: result.digest, error: lastError)
    for line in lines { logger.error("\(line)") }
    if tellsConsequence {
      logger.error(
        "\(Self.consequence(under: snapshot))", metadata: askedBy(["generation": "\(snapshot.generation.number)"]))
    }
    return noteFailure(errors: cause == nil ? lines.count : 0, refusal: cause?.word, under: snapshot.generation)
  }

  private static func consequence(under snapshot: Snapshot) -> String {
    if snapshot.hasPolicy { return "policy not loaded; the one before stays in force" }
    return snapshot.policyRequired
      ? "no policy is loaded: everything is blocked"
      : "no policy is loaded, and none is required: everything is allowed"
  }

  /// The record of a load that did not come into force.
  ///
  /// - Parameter refusal: why, where it has no errors.
  mutating func noteFailure(errors: Int, refusal: String?, under generation: Generation) -> PolicyLoad {
    failedLoads += 1
    var load = record(under: generation)
    load.errors = errors
    load.refusal = refusal
    return load
  }

  /// The record of a load that came into force.
  ///
  /// - Parameter replaced: the digest of the policy that was rolled back from.
  mutating func noteLoad(insteadOf replaced: String?, under generation: Generation) -> PolicyLoad {
    loads += 1
    var load = record(under: generation)
    load.isLoaded = true
    if origin != .disk { load.source = origin.rawValue }
    load.rolledBackFrom = replaced
    return load
  }

  private func record(under generation: Generation) -> PolicyLoad {
    var load = PolicyLoad()
    load.generation = generation
    load.roots = roots
    load.order = request?.cause ?? .start
    load.askers = request?.askers ?? []
    load.isForced = request?.isForced ?? false
    load.isCheckIn = request?.isCheckIn ?? false
    return load
  }

  // MARK: Snapshots

  /// The snapshot of a policy, as the generation after another.
  ///
  /// - Parameter seconds: since 1970.
  func snapshot(of policy: LoadedPolicy, after generation: Generation, at seconds: Int64) -> Snapshot {
    policy.snapshot(generation: generation.number + 1, at: seconds, exceptions: exceptions.snapshot)
  }

  /// The next snapshot of the policy in force; nil when none is.
  package mutating func nextSnapshot(after generation: Generation, at time: UInt64) -> Snapshot? {
    guard let loaded else { return nil }
    let seconds = Int64(time / 1000)
    nextExpiry = loaded.nextExpiry(after: seconds).map { UInt64($0) * 1000 } ?? .max
    isEnforced = loaded.monitoredParts.allSatisfy { $0.until <= seconds }
    return snapshot(of: loaded, after: generation, at: seconds)
  }

  /// The rules that expired by `now`, in milliseconds since 1970, and the parts whose monitoring did; nil when nothing is
  /// due. Costs a comparison then.
  package func expired(at now: UInt64) -> (rules: [String], monitoring: [String])? {
    guard now >= nextExpiry, let loaded else { return nil }
    let due = Int64(nextExpiry / 1000)
    return (
      loaded.rulesExpiring(after: due - 1, through: Int64(now / 1000)),
      loaded.monitoringEnding(after: due - 1, through: Int64(now / 1000))
    )
  }

  /// The record of a snapshot in which rules have expired, or monitoring is over.
  func record(of expired: (rules: [String], monitoring: [String]), under generation: Generation) -> PolicyLoad {
    var load = PolicyLoad()
    load.isLoaded = true
    load.generation = generation
    load.roots = roots
    load.expired = expired.rules
    load.enforced = expired.monitoring
    return load
  }

  // MARK: The failure contract

  /// Puts the failure contract beside the sockets, as a whole.
  package mutating func writeContract() {
    var contract = JSONWriter()
    contract.value(settings.contract)
    contract.endDocument(UInt8(ascii: "\n"))
    do throws(SystemError) {
      contractIdentity = try SmallFile.replace(contractFile, with: contract.bytes, mode: 0o644)
    } catch {
      logger.error("the failure contract cannot be written", metadata: ["error": "\(error)"])
    }
  }

  /// Writes the failure contract again when it is gone, or another file lies in its place: clients that have not spoken to
  /// the daemon yet go by it.
  package mutating func checkContract() {
    guard let contractIdentity, FileIdentity(path: contractFile) != contractIdentity else { return }
    logger.warning(
      "the failure contract was removed or replaced, and is written again", metadata: ["file": "\(contractFile)"])
    writeContract()
  }

  // MARK: Keeping

  /// Lists the kept policies anew.
  mutating func listKept() {
    kept = store?.entries ?? []
    if store == nil { keepError = KeepError.noPlace.description }
  }

  /// The policies that are kept now, and why the one in force is not among them.
  mutating func noteKept(_ entries: [KeptPolicy], _ error: KeepError?) {
    kept = entries
    keepError = error?.description
    guard let error else { return }
    logger.error(
      "the policy in force is not kept; a bad configuration at the next start could not fall back to it",
      metadata: ["cause": "\(error)"])
  }
}
