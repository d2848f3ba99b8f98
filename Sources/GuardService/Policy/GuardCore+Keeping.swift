internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles

/// Keeping the policies that were in force.
extension GuardCore {
  /// Keeps the policy that just came into force from disk, beside the event loop, and takes the mark of a rollback
  /// away; then calls `done`. A policy that cannot be kept is in force all the same, and the journal says so.
  func keep(_ result: LoadResult, then done: @escaping () -> Void) {
    guard let store = loads.store else {
      loads.keepError = KeepError.noPlace.description
      return done()
    }
    let time = clock.now()
    let bound = NIOLoopBound((self, done), eventLoop: loop)
    besideLoop { Self.keep(result, in: store, at: time) }.whenComplete { kept in
      let (core, done) = bound.value
      core.didKeep(kept)
      done()
    }
  }

  /// Writes down that the policy was rolled back, beside the event loop, before that is in force: a daemon that crashes
  /// in between goes back at the start. Then calls `done`, with the error if it failed.
  func keep(_ mark: RollbackMark, then done: @escaping (KeepError?) -> Void) {
    guard let store = loads.store else { return done(.noPlace) }
    let bound = NIOLoopBound(done, eventLoop: loop)
    besideLoop { () -> KeepError? in
      do throws(KeepError) { try store.setMark(mark) } catch { return error }
      return nil
    }.whenSuccess { bound.value($0) }
  }

  private static func keep(
    _ result: LoadResult, in store: KeptPolicies, at time: UInt64
  ) -> (entries: [KeptPolicy], error: KeepError?) {
    do throws(KeepError) {
      // First the mark: with the copy and without it, the configuration on disk is the one to load.
      try store.setMark(nil)
      try store.keep(result, at: time, sparing: [])
      return (store.entries, nil)
    } catch {
      return (store.entries, error)
    }
  }

  private func didKeep(_ kept: Result<(entries: [KeptPolicy], error: KeepError?), any Error>) {
    guard case .success(let kept) = kept else { return }
    loads.kept = kept.entries
    loads.keepError = kept.error?.description
    guard let error = kept.error else { return }
    logger.error(
      "the policy in force is not kept; a bad configuration at the next start could not fall back to it",
      metadata: ["cause": "\(error)"])
  }

  /// Lists the kept policies anew.
  func listKept() {
    loads.kept = loads.store?.entries ?? []
    if loads.store == nil { loads.keepError = KeepError.noPlace.description }
  }

  /// The policy's part of `Status`.
  var policyStatus: PolicyStatus {
    var status = PolicyStatus()
    status.origin = snapshot.hasPolicy ? loads.origin : nil
    status.lastLoad = loads.lastLoad
    status.kept = loads.kept.map { KeptPolicyStatus(digest: $0.digest, since: $0.since) }
    status.keepError = loads.keepError
    status.rolledBackFrom = loads.mark?.from ?? []
    return status
  }
}
