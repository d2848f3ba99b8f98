internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Platform
internal import PolicyEngine
internal import PolicyFiles

/// Orders about the policy, one after the other: `PolicyReload` carries each out beside the event loop.
extension GuardCore {
  /// Loads the policy anew. A failed load leaves the old policy in force; the answer says why. The answer never comes
  /// before this returns: the call that asks may still be being read.
  ///
  /// - Parameter connection: the caller; nil for a signal.
  func reload(_ call: ReloadCall = ReloadCall(), by connection: Connection? = nil) -> EventLoopFuture<ReloadReply> {
    carryOut(.reload(call), by: connection)
  }

  /// Goes back to a policy that was in force before.
  func rollBack(_ call: RollbackCall, by connection: Connection) -> EventLoopFuture<ReloadReply> {
    carryOut(.rollback(call), by: connection)
  }

  private func carryOut(_ order: PolicyOrder, by connection: Connection?) -> EventLoopFuture<ReloadReply> {
    let answer = loop.makePromise(of: ReloadReply.self)
    policy.ask(order, by: connection.map(Asker.init), answer)
    beginLoad()
    return answer.futureResult
  }

  /// Nothing more is begun, and those who wait hear it.
  func endLoading() {
    for answer in policy.end() { answer.fail(AdminError.loadFailed(["the daemon is ending"])) }
  }

  /// One load at a time. A caller who asks while one is under way gets the next: the files may have changed since it
  /// read them.
  private func beginLoad() {
    guard let request = policy.beginNext() else { return }
    vitals.supervision.reloading(atMicroseconds: SystemClock.monotonicMicroseconds)
    let (reload, order) = (policyReload, request.order)
    let bound = NIOLoopBound((self, request), eventLoop: loop)
    besideLoop { reload.carryOut(order) }.whenComplete { ended in
      let (core, request) = bound.value
      core.finish(request, ended.flatMap { $0.mapError { $0 as any Error } })
    }
  }

  private var policyReload: PolicyReload {
    PolicyReload(
      roots: policy.roots, store: policy.store, digest: snapshot.generation.digest, mark: policy.mark,
      core: NIOLoopBound(self, eventLoop: loop))
  }

  private func finish(_ request: PolicyRequest, _ result: Result<ReloadReply, any Error>) {
    policy.finish()
    vitals.supervision.ready(standing)
    for answer in request.asked { answer.completeWith(result) }
    submit()
    beginLoad()
  }

  /// Keeps the policy of the start beside the loop; the first order waits for that.
  func keepFirst(_ result: LoadResult) {
    policy.beginKeeping()
    let reload = policyReload
    let bound = NIOLoopBound(self, eventLoop: loop)
    besideLoop { reload.keep(result) }.whenComplete { _ in
      bound.value.policy.finish()
      bound.value.beginLoad()
    }
  }

  // MARK: Steps of an order

  /// The recent events, and copies of the state as it is now, for a preview of another policy.
  func previewRun(of loaded: LoadedPolicy) -> PreviewRun {
    let now = journal.now()
    let next = policy.snapshot(of: loaded, after: snapshot.generation, at: Int64(now / 1000))
    return PreviewRun(
      vitals.recentEvents, before: engine.fork(), after: engine.fork(under: next), at: now,
      redaction: policy.settings.log.redaction)
  }

  // MARK: Beside the loop

  /// Does work that waits for the disk beside the event loop.
  func besideLoop<Product: Sendable>(_ work: @escaping @Sendable () throws -> Product) -> EventLoopFuture<Product> {
    awaiting(NIOThreadPool.singleton.runIfActive(eventLoop: loop, work))
  }

  /// Keeps track of the work beside the event loop; the daemon does not end before it.
  private func awaiting<Product: Sendable>(_ product: EventLoopFuture<Product>) -> EventLoopFuture<Product> {
    let ended = product.map { _ in }.recover { _ in }
    policy.beside = ended
    let bound = NIOLoopBound(self, eventLoop: loop)
    ended.whenComplete { _ in
      // Its result may have begun the next already.
      if bound.value.policy.beside === ended { bound.value.policy.beside = nil }
    }
    return product
  }
}
