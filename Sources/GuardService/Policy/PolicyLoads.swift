internal import CLinux
internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import Logging
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles

/// Loading the policy, beside the event loop, and what came of it.
struct PolicyLoads {
  let roots: [String]
  /// Where the failure contract lies for clients that have not spoken to the daemon yet.
  let contractFile: String
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
  /// Who waits for the next load.
  var asked: [EventLoopPromise<ReloadReply>] = []

  init(roots: [String], contractFile: String) {
    self.roots = roots
    self.contractFile = contractFile
  }

  /// Reads the configuration. Can take long; not for the event loop.
  static func load(_ roots: [String]) -> LoadResult {
    ConfigurationLoader(roots: roots).load().trusted(roots: roots)
  }
}

extension GuardCore {
  /// Loads the policy anew. A load that fails leaves the old one in force; the answer says why.
  /// The answer never comes before this returns: the call that asks may still be being read.
  func reload() -> EventLoopFuture<ReloadReply> {
    let answer = loop.makePromise(of: ReloadReply.self)
    loads.asked.append(answer)
    if !loads.isLoading { beginLoad() }
    return answer.futureResult
  }

  /// One load at a time. Who asks while one is under way gets the next: the files may have changed since it read them.
  private func beginLoad() {
    let asked = loads.asked
    guard !asked.isEmpty else { return }
    loads.asked = []
    loads.isLoading = true
    let roots = loads.roots
    let bound = NIOLoopBound((self, asked), eventLoop: loop)
    LoaderThread.run(on: loop) { PolicyLoads.load(roots) }.whenComplete { loaded in
      let (core, asked) = bound.value
      let result = loaded.flatMap { loaded in Result { () throws -> ReloadReply in try core.adopt(loaded) } }
      core.loads.isLoading = false
      for answer in asked { answer.completeWith(result) }
      core.submit()
      core.beginLoad()
    }
  }

  /// Puts a loaded policy in force.
  func adopt(_ result: LoadResult) throws(AdminError) -> ReloadReply {
    let lines = result.diagnostics.sorted.map(\.description)
    guard let policy = result.policy, let settings = result.settings, !result.diagnostics.hasErrors else {
      refuse(lines)
      throw .loadFailed(lines)
    }
    let isChanged = result.digest != snapshot.generation.digest
    loads.lastError = nil
    loads.places = policy.places
    loads.loadedAt = clock.now()
    if isChanged {
      self.settings.contract = settings.contract
      self.settings.graceSeconds = settings.graceSeconds
      loads.policy = policy
      renewSnapshot()
    }
    writeContract()
    recordLoad(isLoaded: true, errors: 0)
    for line in lines { logger.warning("\(line)") }
    logger.notice(
      "policy loaded", metadata: ["generation": "\(snapshot.generation.number)", "changed": "\(isChanged)"])
    return ReloadReply(generation: snapshot.generation, diagnostics: lines, isChanged: isChanged)
  }

  /// Puts the failure contract beside the sockets, as a whole.
  func writeContract() {
    var contract = JSONWriter()
    contract.value(settings.contract)
    contract.endDocument(UInt8(ascii: "\n"))
    do throws(SystemError) {
      try SmallFile.replace(loads.contractFile, with: contract.bytes, mode: 0o644)
    } catch {
      logger.error("the failure contract cannot be written", metadata: ["error": "\(error)"])
    }
  }

  /// Makes a snapshot of the policy as it is now, and puts it in force.
  func renewSnapshot() {
    guard let policy = loads.policy else { return }
    let seconds = Int64(clock.now() / 1000)
    snapshot = policy.snapshot(generation: snapshot.generation.number + 1, at: seconds)
    loads.nextExpiry = policy.nextExpiry(after: seconds).map { UInt64($0) * 1000 } ?? .max
    let standings = standings
    state.adopt(snapshot)
    for session in sessions.values { recordRepeats(session.actions.clear()) }
    tellOfPolicy(standings)
  }

  private func refuse(_ lines: [String]) {
    if !snapshot.hasPolicy { writeContract() }
    loads.lastError = lines.joined(separator: "\n")
    recordLoad(isLoaded: false, errors: lines.count)
    for line in lines { logger.error("\(line)") }
    logger.error("\(consequence)", metadata: ["generation": "\(snapshot.generation.number)"])
  }

  private var consequence: String {
    if snapshot.hasPolicy { return "policy not loaded; the one before stays in force" }
    return snapshot.policyRequired
      ? "no policy is loaded: everything is blocked"
      : "no policy is loaded, and none is required: everything is allowed"
  }

  private func recordLoad(isLoaded: Bool, errors: Int) {
    if isLoaded { metrics.loads += 1 } else { metrics.failedLoads += 1 }
    var load = PolicyLoad()
    load.isLoaded = isLoaded
    load.generation = snapshot.generation
    load.roots = loads.roots
    load.errors = errors
    guard recorder?.hasRoom() ?? false else { return }
    recorder?.record { $0.encode(load, at: clock.now(), into: &$1) }
  }
}
