internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import PolicyEngine

/// Statements of apps about the identity they show that are not believed: the log has them, with both accounts where
/// two do not fit (ledger MI-28, AA-05).
extension GuardCore {
  /// Records a statement about identities, or the answer to a switch, that was refused.
  func recordRefusal(_ error: Refusal, of change: StateChange, _ session: Session, by peer: Peer) {
    var refusal = RefusedChange(shortened(change), error.refusalReason)
    if case .accountLocked(let stated) = error { refusal.stated = stated }
    if case .secondManagedAccount(let shown) = error { refusal.shown = shown }
    journal.record(refusal, of: session, by: peer)
  }

  /// Records a switch that was answered with another result than success.
  func recordRefusal(
    _ result: SwitchResult, of change: StateChange, _ session: Session, by peer: Peer
  ) {
    let named = change.accounts.isEmpty ? [change.account].compactMap(\.self) : change.accounts
    let states = named.map { state.standing(of: $0, in: session.instance, snapshot).state }
    var change = shortened(change)
    change.result = result
    journal.record(
      RefusedChange(change, states.lazy.compactMap(\.refusalReason).first ?? result.refusalReason), of: session,
      by: peer)
  }

  private func shortened(_ change: StateChange) -> StateChange {
    var change = change
    change.window = change.window.flatMap(nameIfShort)
    change.account = change.account.flatMap(nameIfShort)
    change.accounts = change.accounts.prefix(state.limits.accountsPerWindow).compactMap(nameIfShort)
    return change
  }

  /// A name that is too long to be one would be half a megabyte of pseudonym's work; that it was is the reason.
  private func nameIfShort(_ name: String) -> String? { name.utf8.count <= state.limits.nameBytes ? name : nil }
}

extension Refusal {
  /// Why a change of identity was refused, in the log's words.
  fileprivate var refusalReason: RefusedChange.Reason {
    switch self {
    case .unknownAccount: .unknownAccount
    case .accountLocked: .accountLocked
    case .secondManagedAccount: .secondManagedAccount
    case .identityModeSingle: .identityModeSingle
    case .limitReached: .limitReached
    case .noApp: .noApp
    default: .refused
    }
  }
}

extension SwitchResult {
  fileprivate var refusalReason: RefusedChange.Reason {
    switch self {
    case .canceled: .canceled
    case .notAllowed: .notAllowed
    case .failed: .failed
    case .success: .refused
    }
  }
}

extension AccountState {
  fileprivate var refusalReason: RefusedChange.Reason? {
    switch self {
    case .active: nil
    case .blocked: .accountBlocked
    case .nonCompliant: .accountNotCompliant
    case .wiped: .accountWiped
    }
  }
}
