internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles

/// Carries out one order about the policy, from top to bottom, on a thread that may block: it reads, checks and previews; the
/// event loop adopts; then it keeps the policy. Each step on the loop is short.
struct PolicyReload: Sendable {
  let roots: [String]
  /// The directory that keeps policies; nil when nothing outlives the daemon.
  let store: KeptPolicies?
  /// The digest of the policy in force.
  let digest: String
  /// The rollback that holds. Orders come one after the other, so no other changes it meanwhile.
  let mark: RollbackMark?
  let core: NIOLoopBound<GuardCore>

  func carryOut(_ order: PolicyOrder) -> Result<ReloadReply, AdminError> {
    Result { () throws(AdminError) in
      switch order {
      case .reload(let call): try reload(call)
      case .rollback(let call): try rollBack(call)
      }
    }
  }

  // MARK: Reload

  /// Loads the policy anew. A failed load leaves the old policy in force, and the error says why.
  private func reload(_ call: ReloadCall) throws(AdminError) -> ReloadReply {
    let isPreview = call.preview ?? false
    let roots = roots
    let result = LoaderThread.run { ActivePolicy.load(roots) }
    guard let policy = result.policy, !result.diagnostics.hasErrors else {
      if !isPreview { try onLoop { $0.refuse(result) } }
      throw .loadFailed(result.lines)
    }
    let preview = isPreview || call.hasMaximum ? try preview(policy) : nil
    guard !isPreview else {
      return try onLoop {
        ReloadReply(
          generation: $0.snapshot.generation, diagnostics: result.lines, isChanged: false, preview: preview)
      }
    }
    if let obstacle = obstacle(to: result, call, preview) {
      try onLoop { $0.refuse(result, because: (obstacle.words, obstacle.word)) }
      throw obstacle
    }
    var reply = try onLoop { core in
      Result { () throws(AdminError) in
        let reply = try core.adopt(result)
        if call.checkedIn == true { core.noteCheckIn(of: result.digest) }
        if let number = call.allowWipes { core.allowWipes(number) }
        return reply
      }
    }.get()
    reply.preview = preview
    keep(result)
    return reply
  }

  /// Why a good configuration does not come into force.
  private func obstacle(to result: LoadResult, _ call: ReloadCall, _ preview: PolicyPreview?) -> AdminError? {
    if let preview, let maximum = call.maximum(of: preview.weighed), preview.loosened > maximum {
      return .tooManyChanges(preview, maximum: maximum)
    }
    if call.force != true, let mark, mark.from.contains(result.digest) { return .rolledBack(result.digest) }
    return nil
  }

  /// Judges recent events under the policy in force and under another.
  private func preview(_ policy: LoadedPolicy) throws(AdminError) -> PolicyPreview {
    let run = try onLoop { $0.previewRun(of: policy) }
    return run.judgeAll()
  }

  // MARK: Keeping

  /// Keeps the policy that just came into force from disk, and takes the mark of a rollback away. A policy that cannot be kept
  /// is in force all the same, and the journal says so.
  func keep(_ result: LoadResult) {
    guard let store else {
      try? onLoop { $0.policy.keepError = KeepError.noPlace.description }
      return
    }
    var failure: KeepError?
    do throws(KeepError) {
      // First the mark: with the copy and without it, the configuration on disk is the one to load.
      try store.setMark(nil)
      try store.keep(result, at: (try? onLoop { $0.journal.now() }) ?? 0, sparing: [])
    } catch {
      failure = error
    }
    try? onLoop { [failure, entries = store.entries] in $0.policy.noteKept(entries, failure) }
  }

  // MARK: Rollback

  /// Goes back to a policy that was in force before.
  private func rollBack(_ call: RollbackCall) throws(AdminError) -> ReloadReply {
    let (result, mark): (LoadResult, RollbackMark)
    do throws(AdminError) { (result, mark) = try prepare(call) } catch {
      try onLoop { $0.noteNoRollback(error) }
      throw error
    }
    let entries = store?.entries ?? []
    return try onLoop { core in
      Result { () throws(AdminError) in
        let reply = try core.adopt(result, rolledBackBy: mark)
        core.policy.kept = entries
        return reply
      }
    }.get()
  }

  /// Loads the policy to go back to, and writes down that it is the one: a daemon that crashes before it is in force goes back
  /// at the start.
  private func prepare(_ call: RollbackCall) throws(AdminError) -> (LoadResult, RollbackMark) {
    guard let store else { throw .nothingToRollBackTo }
    let entry = try target(call, among: store.entries)
    let mark = RollbackMark(to: entry.digest, from: digest, after: store.mark)
    let loaded = LoaderThread.run { Result { () throws(KeepError) in try store.load(entry) } }
    do throws(KeepError) {
      let result = try loaded.get()
      try store.setMark(mark)
      return (result, mark)
    } catch {
      throw .loadFailed([error.description])
    }
  }

  private func target(_ call: RollbackCall, among entries: [KeptPolicy]) throws(AdminError) -> KeptPolicy {
    if let wanted = call.to {
      let fitting = entries.filter { $0.digest.hasPrefix(wanted) }
      guard wanted.utf8.count >= Self.shortestPrefix, let entry = fitting.first, fitting.count == 1 else {
        throw .unknownPolicy(String(wanted.prefix(64)))
      }
      guard entry.digest != digest else { throw .nothingToRollBackTo }
      return entry
    }
    let older = entries.firstIndex { $0.digest == digest }.map { entries[($0 + 1)...] } ?? entries[...]
    guard let entry = older.first else { throw .nothingToRollBackTo }
    return entry
  }

  /// Fewer digits are a slip of the hand.
  private static let shortestPrefix = 8

  // MARK: The loop

  /// Does a short step on the event loop, and waits for it.
  private func onLoop<Value: Sendable>(
    _ step: @escaping @Sendable (GuardCore) -> Value
  ) throws(AdminError) -> Value {
    do {
      return try core.eventLoop.submit {
        defer { core.value.submit() }
        return step(core.value)
      }.wait()
    } catch {
      throw .loadFailed(["the daemon is ending"])
    }
  }
}

extension ReloadCall {
  fileprivate var hasMaximum: Bool { maxChange != nil || maxChangePercent != nil }

  /// The most answers that may be looser, of so many that were judged; nil when there is no limit.
  fileprivate func maximum(of judged: Int) -> Int? {
    [maxChange, maxChangePercent.map { judged * $0 / 100 }].compactMap(\.self).min()
  }
}

extension AdminError {
  /// The word of the log for it: `nothingToRollBackTo`.
  var word: String {
    let name = "\(qualifiedName)".split(separator: ".").last ?? ""
    return name.prefix(1).lowercased() + name.dropFirst()
  }

  /// The words for the journal.
  var words: String {
    switch self {
    case .loadFailed(let lines): lines.joined(separator: "\n")
    case .tooManyChanges(let preview, let maximum):
      "\(preview.loosened) of \(preview.weighed) recent events would be answered less strictly, more than \(maximum)"
    case .rolledBack: "this configuration was rolled back from; `webviewguard reload --force` puts it in force"
    case .unknownPolicy: "no such policy is kept"
    case .nothingToRollBackTo: "no policy before the one in force is kept"
    case .exceptionRefused, .unknownException, .exceptionNotKept, .accountRefused: "\(qualifiedName)"
    }
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
