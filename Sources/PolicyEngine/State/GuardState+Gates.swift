package import GuardModel
internal import URLRules

/// Whether an account may be shown: the conditions that must hold first, whatever source reports them (ledger IS-02,
/// MI-22).
extension GuardState {
  /// Why the account may not be shown; nil when it may.
  ///
  /// An account in bad standing never may. If a protection wants the app's gates, `success` counts only from an app
  /// that the policy trusts for it; if none does, a gate that did not open counts all the same.
  ///
  /// - Parameter gates: the app's word about its gates; nil when it says nothing.
  package func refusal(
    of identity: Identity, gates: SwitchResult?, in id: InstanceID, _ snapshot: Snapshot
  ) -> SwitchResult? {
    guard case .account(let account) = identity, let instance = instance(id) else { return nil }
    guard accounts[account].state == .active else { return .failed }
    guard instance.isManaged(identity, accounts) else { return nil }
    let isTrusted = instance.app.map { snapshot.apps[Int($0)].unlocks } ?? false
    if instance.mustUnlock(identity, accounts, snapshot), gates ?? .failed == .success, !isTrusted { return .failed }
    let said = gates ?? (instance.mustUnlock(identity, accounts, snapshot) ? .failed : .success)
    return said == .success ? nil : said
  }

  /// Sets the identity of the process or of a window for an app that says nothing of its gates. An account that may not
  /// be shown is not set, and nothing passes there until the app names another: it may show that account all the same.
  ///
  /// - Returns: the previous identity, and the reason why it stays if the account was refused.
  package mutating func state(
    _ identity: Identity, ofWindow window: String?, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> (previous: Identity, refusal: SwitchResult?) {
    if let refusal = refusal(of: identity, gates: nil, in: id, snapshot) {
      let name = Array((window ?? "").utf8)
      let previous = window == nil ? instance(id)?.process : instance(id)?.identity(ofWindow: name.span)
      if window != nil { try requireMultiMode(id, snapshot) }
      refuse(identity, ofWindow: window, in: id)
      return (previous ?? .absent, refusal)
    }
    guard let window else { return (try setProcessIdentity(identity, in: id, snapshot), nil) }
    return (try setIdentity(identity, ofWindow: window, in: id, snapshot), nil)
  }

  /// The same for a window that shows several accounts together: each of them has to be one that may be shown.
  package mutating func state(
    _ identities: [Identity], ofWindow window: String, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> (previous: Identity, refusal: SwitchResult?) {
    for identity in identities {
      guard refusal(of: identity, gates: nil, in: id, snapshot) != nil else { continue }
      return try state(identity, ofWindow: window, in: id, snapshot)
    }
    return (try setIdentities(identities, ofWindow: window, in: id, snapshot), nil)
  }
}

extension Instance {
  /// Whether a protection that binds the account wants it unlocked before it is shown.
  func mustUnlock(_ identity: Identity, _ accounts: AccountTable, _ snapshot: Snapshot) -> Bool {
    guard case .account(let account) = identity else { return false }
    return snapshot.first(of: protections(of: account, accounts)) { $0.unlock == .app } != nil
  }
}
