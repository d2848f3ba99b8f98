package import GuardModel
internal import URLRules

/// Whose an action is, and where that came from.
package struct ResolvedIdentity: Sendable, Hashable {
  package var identity: Identity
  package var level: IdentityLevel
}

extension Instance {
  /// The identity of UI tasks in a window: scope, then window, then process (ledger MI-15). `absent` inherits, `nobody`
  /// stops.
  package func effectiveUI(window: Span<UInt8>?, scope: Identity) -> ResolvedIdentity {
    if scope != .absent { return ResolvedIdentity(identity: scope, level: .scope) }
    if let window {
      let identity = identity(ofWindow: window)
      if identity != .absent { return ResolvedIdentity(identity: identity, level: .window) }
    }
    return effectiveFile(scope: .absent)
  }

  /// The identity of file tasks: scope, then process; windows do not count.
  package func effectiveFile(scope: Identity) -> ResolvedIdentity {
    if scope != .absent { return ResolvedIdentity(identity: scope, level: .scope) }
    return ResolvedIdentity(identity: process, level: process == .absent ? .none : .process)
  }

  /// The identity of what happens in a resolved viewer.
  func identity(
    of viewer: ResolvedViewer, scope: Identity, _ accounts: AccountTable, _ snapshot: Snapshot
  ) -> ResolvedIdentity {
    if viewer.isUnknown { return strictestIdentity(scope: scope, accounts, snapshot) }
    if viewer.policy == .unmanaged { return ResolvedIdentity(identity: .nobody, level: .viewer) }
    guard let window = windowName(of: viewer) else { return effectiveUI(window: nil, scope: scope) }
    var resolved = effectiveUI(window: window.span, scope: scope)
    if resolved.level == .window { resolved.identity = inForce(resolved.identity, in: window, accounts, snapshot) }
    return resolved
  }

  /// Whether its program said to a daemon before this one whose data this viewer shows, and has not said it again. Of a
  /// viewer that nobody knows, it may have said anything.
  func owesIdentity(of viewer: ResolvedViewer, as resolved: ResolvedIdentity) -> Bool {
    guard owesIdentity || !owedWindows.isEmpty, resolved.level != .scope, resolved.level != .viewer else {
      return false
    }
    if viewer.isUnknown { return true }
    if let window = windowName(of: viewer), owedWindows.contains(WindowKey.key(of: window.span)) { return true }
    return owesIdentity && resolved.identity == .absent
  }

  /// The identity of a window that is known under the whole policy. Where something of that is lifted, another one may be
  /// the strictest of several.
  private func inForce(
    _ known: Identity, in window: [UInt8], _ accounts: AccountTable, _ snapshot: Snapshot
  ) -> Identity {
    guard snapshot.lifting != .nothing, !mixedWindows.isEmpty else { return known }
    return mixedWindows.value(for: window.span).map { strictest($0, accounts, snapshot) } ?? known
  }

  /// The strictest identity that this instance shows anywhere: what a viewer counts as whose window nobody knows.
  func strictestIdentity(scope: Identity, _ accounts: AccountTable, _ snapshot: Snapshot) -> ResolvedIdentity {
    if scope != .absent { return ResolvedIdentity(identity: scope, level: .scope) }
    var best = effectiveFile(scope: .absent)
    windows.forEach { window, known in
      let identity = inForce(known, in: window, accounts, snapshot)
      guard stricter(identity, than: best.identity, accounts, snapshot) else { return }
      best = ResolvedIdentity(identity: identity, level: .strictest)
    }
    for identity in scopes.values where stricter(identity, than: best.identity, accounts, snapshot) {
      best = ResolvedIdentity(identity: identity, level: .strictest)
    }
    return best
  }

  /// The strictest of several identities; `absent` of none.
  func strictest(_ identities: [Identity], _ accounts: AccountTable, _ snapshot: Snapshot) -> Identity {
    var best = Identity.absent
    for identity in identities where stricter(identity, than: best, accounts, snapshot) { best = identity }
    return best
  }

  /// Looks up again which identity of a window that shows several is the strictest.
  mutating func rankMixedWindows(_ accounts: AccountTable, _ snapshot: Snapshot) {
    var ranked: [(window: [UInt8], identity: Identity)] = []
    mixedWindows.forEach { window, identities in ranked.append((window, strictest(identities, accounts, snapshot))) }
    for (window, identity) in ranked { windows.set(identity, for: window.span) }
  }

  /// The protection that binds an account in this instance; nil when it is unmanaged here.
  func protection(of account: AccountID, _ accounts: AccountTable) -> Int32? {
    accounts[account].protection ?? groupProtection
  }

  /// Strictness: an account in bad standing, a managed account by its web transfer, an unmanaged one, nobody, nothing;
  /// then by name, so that the order of registration never matters.
  private func stricter(
    _ left: Identity, than right: Identity, _ accounts: AccountTable, _ snapshot: Snapshot
  ) -> Bool {
    let (one, other) = (rank(left, accounts, snapshot), rank(right, accounts, snapshot))
    if one != other { return one > other }
    guard case .account(let first) = left, case .account(let second) = right else { return false }
    return accounts[first].sortName < accounts[second].sortName
  }

  private func rank(_ identity: Identity, _ accounts: AccountTable, _ snapshot: Snapshot) -> Int {
    switch identity {
    case .absent: return 0
    case .nobody: return 1
    case .account(let id):
      if accounts[id].state != .active { return 100 }
      guard let protection = protection(of: id, accounts) else { return 2 }
      return 10 + Int(snapshot.protections[Int(protection)].webTransfer.rawValue)
    }
  }
}
