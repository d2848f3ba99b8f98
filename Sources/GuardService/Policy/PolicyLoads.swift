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
  /// Where the decision log grows; nil when it is off.
  var logFile: String?
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

extension GuardCore {
  /// One load at a time. A caller who asks while one is under way gets the next: the files may have changed since it
  /// read them.
  func beginLoad() {
    guard let request = loads.next() else { return }
    loads.isLoading = true
    loads.request = request
    supervision.reloading(atMicroseconds: SystemClock.monotonicMicroseconds)
    let work = PolicyWork(
      order: request.order, roots: loads.roots, kept: loads.store, digest: snapshot.generation.digest)
    let bound = NIOLoopBound((self, request), eventLoop: loop)
    awaiting(LoaderThread.run(on: loop) { work.run() }).whenSuccess { product in
      let (core, request) = bound.value
      core.proceed(request, product)
    }
  }

  /// Does work that waits for the disk beside the event loop.
  func besideLoop<Product: Sendable>(_ work: @escaping @Sendable () throws -> Product) -> EventLoopFuture<Product> {
    awaiting(NIOThreadPool.singleton.runIfActive(eventLoop: loop, work))
  }

  /// Keeps track of the work beside the event loop; the daemon does not end before it.
  private func awaiting<Product: Sendable>(_ product: EventLoopFuture<Product>) -> EventLoopFuture<Product> {
    let ended = product.map { _ in }.recover { _ in }
    loads.beside = ended
    let bound = NIOLoopBound(self, eventLoop: loop)
    ended.whenComplete { _ in
      // Its result may have begun the next already.
      if bound.value.loads.beside === ended { bound.value.loads.beside = nil }
    }
    return product
  }

  /// Puts a loaded policy in force.
  ///
  /// - Parameter replaced: the digest of the policy that was rolled back from.
  func adopt(
    _ result: LoadResult, from origin: PolicyOrigin = .disk, insteadOf replaced: String? = nil
  ) throws(AdminError) -> ReloadReply {
    let lines = result.lines
    guard let policy = result.policy, let settings = result.settings, !result.diagnostics.hasErrors else {
      refuse(result)
      throw .loadFailed(lines)
    }
    let isChanged = result.digest != snapshot.generation.digest
    loads.lastError = nil
    loads.origin = origin
    loads.lastLoad = LoadAttempt(time: clock.now(), succeeded: true, digest: result.digest)
    loads.places = policy.places
    loads.loadedAt = clock.now()
    if isChanged {
      self.settings.contract = settings.contract
      self.settings.graceSeconds = settings.graceSeconds
      loads.policy = policy
      renewSnapshot()
      tellOfSockets()
    }
    writeContract()
    recordLoad(isLoaded: true, errors: 0, from: origin, insteadOf: replaced)
    for line in lines { logger.warning("\(line)") }
    logger.notice(
      "policy loaded",
      metadata: askedBy(["generation": "\(snapshot.generation.number)", "changed": "\(isChanged)"]))
    return ReloadReply(generation: snapshot.generation, diagnostics: lines, isChanged: isChanged)
  }

  /// Puts the failure contract beside the sockets, as a whole.
  func writeContract() {
    var contract = JSONWriter()
    contract.value(settings.contract)
    contract.endDocument(UInt8(ascii: "\n"))
    do throws(SystemError) {
      try SmallFile.replace(loads.contractFile, with: contract.bytes, mode: 0o644)
      loads.contractIdentity = FileIdentity(path: loads.contractFile)
    } catch {
      logger.error("the failure contract cannot be written", metadata: ["error": "\(error)"])
    }
  }

  /// The snapshot of a policy, as the next generation.
  func nextSnapshot(of policy: LoadedPolicy, at seconds: Int64) -> Snapshot {
    policy.snapshot(generation: snapshot.generation.number + 1, at: seconds, exceptions: exceptions.snapshot)
  }

  /// Makes a snapshot of the policy as it is now, and puts it in force.
  func renewSnapshot() {
    guard let policy = loads.policy else { return }
    finishCalls()
    let seconds = Int64(clock.now() / 1000)
    let standings = standings
    let before = snapshot
    engine.adopt(nextSnapshot(of: policy, at: seconds))
    metrics.adopt(snapshot, after: before)
    loads.nextExpiry = policy.nextExpiry(after: seconds).map { UInt64($0) * 1000 } ?? .max
    recentEvents.adopt(snapshot)
    for session in sessions.values { recordRepeats(session.actions.clear()) }
    tellOfPolicy(standings)
  }

  /// Says that a configuration does not come into force: for its errors, or for another cause. If `tellsConsequence` is
  /// false, the caller tells which policy is in force in its place.
  ///
  /// - Parameters:
  ///   - cause: why, where it has no errors; in words, and in the word of the log.
  func refuse(
    _ result: LoadResult, because cause: (words: String, word: String)? = nil, tellsConsequence: Bool = true
  ) {
    let lines = cause.map { [$0.words] } ?? result.lines
    if !snapshot.hasPolicy { writeContract() }
    loads.lastError = lines.joined(separator: "\n")
    loads.lastLoad = LoadAttempt(
      time: clock.now(), succeeded: false, digest: result.digest, error: loads.lastError)
    recordLoad(isLoaded: false, errors: cause == nil ? lines.count : 0, refusal: cause?.word)
    for line in lines { logger.error("\(line)") }
    guard tellsConsequence else { return }
    logger.error("\(consequence)", metadata: askedBy(["generation": "\(snapshot.generation.number)"]))
  }

  private var consequence: String {
    if snapshot.hasPolicy { return "policy not loaded; the one before stays in force" }
    return snapshot.policyRequired
      ? "no policy is loaded: everything is blocked"
      : "no policy is loaded, and none is required: everything is allowed"
  }

  /// The caller who asked for the order under way, for the journal.
  func askedBy(_ metadata: Logger.Metadata = [:]) -> Logger.Metadata {
    guard let request = loads.request, !request.askers.isEmpty else { return metadata }
    return metadata.merging(["by": "\(request.askers.map(\.words).joined(separator: ", "))"]) { own, _ in own }
  }

  /// Records a load, or why there was none.
  ///
  /// - Parameter refusal: why it did not come into force, where it has no errors.
  func recordLoad(
    isLoaded: Bool, errors: Int, from origin: PolicyOrigin = .disk, insteadOf replaced: String? = nil,
    refusal: String? = nil
  ) {
    if isLoaded { metrics.loads += 1 } else { metrics.failedLoads += 1 }
    var load = PolicyLoad()
    load.isLoaded = isLoaded
    load.generation = snapshot.generation
    load.roots = loads.roots
    load.errors = errors
    if origin != .disk { load.source = origin.rawValue }
    load.rolledBackFrom = replaced
    load.order = loads.request?.cause ?? .start
    load.askers = loads.request?.askers ?? []
    load.isForced = loads.request?.isForced ?? false
    load.refusal = refusal
    guard recorder?.hasRoom() ?? false else { return }
    recorder?.record { $0.encode(load, at: clock.now(), into: &$1) }
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
}
