internal import GuardModel
internal import URLRules

/// Views that show data of several accounts (ledger MI-24, FC-06, CB-12).
extension Instance {
  /// Whether the viewer's window shows several accounts, one of them managed. A viewer in an unknown window may be in
  /// any: it counts as a view of all managed accounts that the instance shows.
  func isLockedDown(_ viewer: ResolvedViewer, scope: Identity, _ accounts: AccountTable) -> Bool {
    if viewer.isUnknown {
      return showsManagedMixture(accounts) || scope == .absent && showsSeveralManaged(accounts)
    }
    guard !mixedWindows.isEmpty, viewer.policy != .unmanaged, let window = windowName(of: viewer) else { return false }
    return mixedWindows.value(for: window.span).map { holdsManaged($0, accounts) } ?? false
  }

  /// The possible identities of a managed action in the viewer: those of its window.
  func identities(of viewer: ResolvedViewer) -> [Identity]? {
    guard viewer.policy != .unmanaged, let window = windowName(of: viewer) else { return nil }
    return mixedWindows.value(for: window.span)
  }

  /// A managed account that the instance shows and that is not `identity`; nil when there is none.
  func otherManaged(than identity: Identity, _ accounts: AccountTable) -> AccountID? {
    var found: AccountID?
    forEachIdentity { shown in
      guard found == nil, shown != identity, case .account(let account) = shown else { return }
      if !protections(of: account, accounts).isEmpty { found = account }
    }
    return found
  }

  /// Every identity that is set at some level.
  func forEachIdentity(_ body: (Identity) -> Void) {
    body(process)
    windows.forEach { _, identity in body(identity) }
    mixedWindows.forEach { _, identities in identities.forEach(body) }
    scopes.values.forEach(body)
  }

  private func showsManagedMixture(_ accounts: AccountTable) -> Bool {
    var found = false
    mixedWindows.forEach { _, identities in found = found || holdsManaged(identities, accounts) }
    return found
  }

  private func showsSeveralManaged(_ accounts: AccountTable) -> Bool {
    otherManaged(than: .absent, accounts).flatMap { otherManaged(than: .account($0), accounts) } != nil
  }

  private func holdsManaged(_ identities: [Identity], _ accounts: AccountTable) -> Bool {
    identities.contains { isManaged($0, accounts) }
  }

  func isManaged(_ identity: Identity, _ accounts: AccountTable) -> Bool {
    guard case .account(let account) = identity else { return false }
    return !protections(of: account, accounts).isEmpty
  }
}
