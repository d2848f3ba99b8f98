internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import Logging
internal import Platform
internal import PolicyEngine
internal import PolicyFiles

/// Putting a policy in force, and saying why one is not.
extension GuardCore {
  /// Puts a loaded policy in force. If it has errors, the old one stays.
  ///
  /// - Parameter replaced: the digest of the policy that was rolled back from.
  func adopt(
    _ result: LoadResult, from origin: PolicyOrigin = .disk, insteadOf replaced: String? = nil
  ) throws(AdminError) -> ReloadReply {
    guard let reply = putInForce(result, from: origin, insteadOf: replaced) else {
      refuse(result)
      throw .loadFailed(result.lines)
    }
    if origin == .disk { loads.mark = nil }
    loads.lastError = nil
    loads.lastLoad = LoadAttempt(time: journal.now(), succeeded: true, digest: result.digest)
    return reply
  }

  /// As `adopt`, for a policy in place of the configuration on disk, whose errors `Status` goes on to show. Nil when it has
  /// errors itself.
  func putInForce(
    _ result: LoadResult, from origin: PolicyOrigin, insteadOf replaced: String? = nil
  ) -> ReloadReply? {
    guard let policy = result.policy, let settings = result.settings, !result.diagnostics.hasErrors else { return nil }
    let isChanged = result.digest != snapshot.generation.digest
    loads.origin = origin
    loads.places = policy.places
    loads.loadedAt = journal.now()
    if isChanged {
      self.settings.contract = settings.contract
      self.settings.graceSeconds = settings.graceSeconds
      loads.policy = policy
      renewSnapshot()
      tellOfSockets()
    }
    writeContract()
    recordLoad(isLoaded: true, errors: 0, from: origin, insteadOf: replaced)
    let lines = result.lines
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
    let seconds = Int64(journal.now() / 1000)
    let standings = standings
    let before = snapshot
    engine.adopt(nextSnapshot(of: policy, at: seconds))
    metrics.adopt(snapshot, after: before)
    loads.nextExpiry = policy.nextExpiry(after: seconds).map { UInt64($0) * 1000 } ?? .max
    recentEvents.adopt(snapshot)
    for session in sessions.values { journal.recordRepeats(session.actions.clear()) }
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
      time: journal.now(), succeeded: false, digest: result.digest, error: loads.lastError)
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
    journal.record { $0.encode(load, at: $1, into: &$2) }
  }
}
