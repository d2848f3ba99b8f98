package import GuardModel
internal import URLRules

/// The identity of an action, and its source.
package struct ResolvedIdentity: Sendable, Hashable {
  package var identity: Identity
  package var level: IdentityLevel
}

extension GuardState {
  /// Whether data of this identity is private: no account's, or an account's that no protection binds. URLs and names
  /// there stay out of the log.
  package func isPrivate(_ identity: Identity, in id: InstanceID) -> Bool {
    guard case .account(let account) = identity, isLive(id) else { return true }
    return instances[id.place]?.protections(of: account, accounts).isEmpty ?? true
  }

  /// Whether a viewer shows private data now.
  ///
  /// - Parameter scope: the identity of the asking connection's scope.
  package func isPrivate(
    viewer name: String, scope: Identity, in id: InstanceID, _ snapshot: Snapshot
  ) -> Bool {
    guard let instance = instance(id), let app = instance.app else { return true }
    let viewer = instance.resolve(Array(name.utf8).span, in: snapshot.viewerPolicies(of: app))
    let scope = snapshot[app].identityMode == .single ? .absent : scope
    return isPrivate(instance.identity(of: viewer, scope: scope, accounts).identity, in: id)
  }
}

extension Instance {
  /// The identity of UI tasks in a window: scope, then window, then process (ledger MI-15). `absent` inherits, `nobody`
  /// stops.
  package func effectiveUI(window: Span<UInt8>?, scope: Identity) -> ResolvedIdentity {
    if !scope.isAbsent { return ResolvedIdentity(identity: scope, level: .scope) }
    if let window {
      let identity = identity(ofWindow: window)
      if !identity.isAbsent { return ResolvedIdentity(identity: identity, level: .window) }
    }
    return effectiveFile(scope: .absent)
  }

  /// The identity of file tasks: scope, then process; windows do not count.
  package func effectiveFile(scope: Identity) -> ResolvedIdentity {
    if !scope.isAbsent { return ResolvedIdentity(identity: scope, level: .scope) }
    return ResolvedIdentity(identity: process, level: process.isAbsent ? .none : .process)
  }

  /// The identity of actions in a resolved viewer.
  func identity(of viewer: ResolvedViewer, scope: Identity, _ accounts: AccountTable) -> ResolvedIdentity {
    if viewer.isUnknown { return strictestIdentity(scope: scope, accounts) }
    if viewer.policy == .unmanaged { return ResolvedIdentity(identity: .nobody, level: .viewer) }
    guard let window = windowName(of: viewer) else { return effectiveUI(window: nil, scope: scope) }
    return effectiveUI(window: window.span, scope: scope)
  }

  /// Whether its program still has to name the identity of this viewer. An unknown viewer may show any data.
  func owesIdentity(of viewer: ResolvedViewer, as resolved: ResolvedIdentity) -> Bool {
    guard isUnstated || !owedWindows.isEmpty, resolved.level != .scope, resolved.level != .viewer else {
      return false
    }
    if viewer.isUnknown, owesIdentity || !owedWindows.isEmpty { return true }
    if let window = windowName(of: viewer), owedWindows.contains(WindowKey.key(of: window.span)) { return true }
    return isUnstated && resolved.identity == .absent
  }

  /// The same of file tasks. Windows do not matter for those, unless one was refused and nothing else says whose they
  /// are.
  func owesIdentity(ofFilesAs resolved: ResolvedIdentity) -> Bool {
    guard resolved.level != .scope else { return false }
    return isUnstated || !owedWindows.isEmpty && resolved.identity == .absent
  }

  /// The identity that stands for everything that this instance shows: the identity of a viewer in an unknown window,
  /// until each of them is decided (`decideEach`).
  func strictestIdentity(scope: Identity, _ accounts: AccountTable) -> ResolvedIdentity {
    if !scope.isAbsent { return ResolvedIdentity(identity: scope, level: .scope) }
    var best = effectiveFile(scope: .absent)
    windows.forEach { _, identity in
      guard stricter(identity, than: best.identity, accounts) else { return }
      best = ResolvedIdentity(identity: identity, level: .strictest)
    }
    for identity in scopes.values where stricter(identity, than: best.identity, accounts) {
      best = ResolvedIdentity(identity: identity, level: .strictest)
    }
    return best
  }

  /// The identity that stands for several; `absent` for none.
  func strictest(_ identities: [Identity], _ accounts: AccountTable) -> Identity {
    var best = Identity.absent
    for identity in identities where stricter(identity, than: best, accounts) { best = identity }
    return best
  }

  /// Looks up again which identity stands for a window that shows several.
  mutating func rankMixedWindows(_ accounts: AccountTable) {
    var ranked: [(window: [UInt8], identity: Identity)] = []
    mixedWindows.forEach { window, identities in ranked.append((window, strictest(identities, accounts))) }
    for (window, identity) in ranked { windows.set(identity, for: window.span) }
  }

  /// The protections that bind an account in this instance; none when it is unmanaged here.
  func protections(of account: AccountID, _ accounts: AccountTable) -> ProtectionSet {
    accounts[account].protections.union(groupProtections)
  }

  /// Which of two identities stands for both: an account in bad standing, a managed account, an unmanaged one, nobody,
  /// nothing; then by name, so that the order of registration never matters. No setting ranks them: an identity's
  /// answer is known only once it is decided.
  func stricter(_ left: Identity, than right: Identity, _ accounts: AccountTable) -> Bool {
    let (one, other) = (rank(left, accounts), rank(right, accounts))
    if one != other { return one > other }
    guard case .account(let first) = left, case .account(let second) = right else { return false }
    return accounts[first].sortName < accounts[second].sortName
  }

  private func rank(_ identity: Identity, _ accounts: AccountTable) -> Int {
    switch identity {
    case .absent: 0
    case .nobody: 1
    case .account(let id) where state(of: id, accounts) != .active: 4
    case .account(let id): protections(of: id, accounts).isEmpty ? 2 : 3
    }
  }
}

extension Identity {
  /// To compare with `==` costs a call of another module's witness.
  var isAbsent: Bool { if case .absent = self { true } else { false } }
}
