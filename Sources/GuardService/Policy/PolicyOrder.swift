internal import DecisionLog
internal import GuardProtocol
internal import NIOCore
internal import PolicyFiles

/// An order about the policy.
enum PolicyOrder: Sendable, Hashable {
  case reload(ReloadCall)
  case rollback(RollbackCall)
}

/// An order that is carried out, and the caller that waits for the result.
struct PolicyRequest {
  let order: PolicyOrder
  let asked: [EventLoopPromise<ReloadReply>]
  /// Those of them who asked over the admin socket; none where a signal did.
  let askers: [Asker]

  /// The log's word for the cause of the load.
  var cause: PolicyLoad.Order {
    switch order {
    case .reload: askers.isEmpty ? .signal : .reload
    case .rollback: .rollback
    }
  }

  /// Whether obstacles are ignored.
  var isForced: Bool {
    if case .reload(let call) = order { call.force ?? false } else { false }
  }
}
