package import DecisionLog
package import GuardProtocol
package import NIOCore
internal import PolicyFiles

/// An order about the policy.
package enum PolicyOrder: Sendable, Hashable {
  case reload(ReloadCall)
  case rollback(RollbackCall)
}

/// An order that is carried out, and the caller that waits for the result.
package struct PolicyRequest {
  package let order: PolicyOrder
  package let asked: [EventLoopPromise<ReloadReply>]
  /// Those of them who asked over the admin socket; none where a signal did.
  package let askers: [Asker]

  /// The log's word for the cause of the load.
  package var cause: PolicyLoad.Order {
    switch order {
    case .reload: askers.isEmpty ? .signal : .reload
    case .rollback: .rollback
    }
  }

  /// Whether the caller fetched the configuration just now.
  var isCheckIn: Bool {
    if case .reload(let call) = order { call.checkedIn ?? false } else { false }
  }

  /// Whether obstacles are ignored.
  var isForced: Bool {
    if case .reload(let call) = order { call.force ?? false } else { false }
  }
}
