internal import GuardModel
internal import URLRules
internal import URLStandard

/// Who asks, in which viewer, as whom: steps 2 to 4 of every procedure, and the decision so far.
struct Question {
  let snapshot: Snapshot
  let appIndex: Int32
  let viewer: ResolvedViewer
  let identity: ResolvedIdentity
  /// The account's standing with the organisation.
  let accountState: AccountState
  /// The protection that binds the identity; nil when it is nobody or unmanaged.
  let protection: Int32?
  /// The protection that binds the accounts of the asking user's groups.
  let groupProtection: Int32?
  let appNumber: Int32
  let user: Int
  /// The identity of the asking connection's scope, where scopes count.
  let scope: Identity
  /// The viewer's window shows several accounts, one of them managed.
  let isLockedDown: Bool
  let features: ClientFeatures
  /// Its program has not said again, to this daemon, whose data the viewer shows.
  let owesIdentity: Bool
  /// The page that the viewer shows.
  let document: URLRecord?
  /// Some viewer of the instance once opened a page that enforcing would not have opened.
  let mayShowAdvised: Bool

  init(
    _ event: borrowing Event, _ instance: borrowing Instance, _ appIndex: Int32, _ accounts: AccountTable,
    _ snapshot: Snapshot
  ) {
    self.snapshot = snapshot
    self.appIndex = appIndex
    groupProtection = instance.groupProtection
    appNumber = instance.appNumber
    user = instance.user
    viewer =
      event.viewer.map { instance.resolve(event.bytes($0), in: snapshot.apps[Int(appIndex)]) } ?? ResolvedViewer()
    // An app in single mode has one identity; a scope left from before a reload says nothing.
    scope = snapshot.apps[Int(appIndex)].identityMode == .single ? .absent : event.scope
    identity = instance.identity(of: viewer, scope: scope, accounts, snapshot)
    isLockedDown = instance.isLockedDown(viewer, scope: scope, accounts)
    document = viewer.index.flatMap { instance.viewers[$0].document }
    mayShowAdvised = instance.mayShowAdvised
    features = instance.features
    owesIdentity = instance.owesIdentity(of: viewer, as: identity)
    if case .account(let id) = identity.identity {
      accountState = accounts[id].state
      protection = instance.protection(of: id, accounts)
    } else {
      accountState = .active
      protection = nil
    }
  }

  var app: App { _read { yield snapshot.apps[Int(appIndex)] } }

  var isManaged: Bool { protection != nil }

  /// The settings in force: those of the identity, or, where rules apply always, the strictest there are.
  var settings: Protection? {
    (protection ?? snapshot.strictestProtection).map { snapshot.protections[Int($0)] }
  }

  /// Why nothing restricts an action that counts as nobody's or as an unmanaged account's.
  var unrestrictedReason: Reason {
    switch identity.identity {
    case .absent: .noIdentity
    case .nobody: .noManagedIdentity
    case .account: .unmanaged
    }
  }

  /// Steps 3 and 4: the end of the procedure, when the app has not said whose data it shows and must, or when the
  /// account may not work.
  var gate: Decision? {
    if owesIdentity || (identity.identity == .absent && app.untilIdentity == .block) {
      return answer(.block, .noIdentity)
    }
    return accountState.blockReason.map { answer(.block, $0) }
  }

  /// As `gate`, for everything but navigation: through a view of several accounts nothing passes, whatever their
  /// settings (ledger FC-06, CB-12, D-26).
  var dataGate: Decision? { gate ?? (isLockedDown ? answer(.block, .mixedViewLockdown) : nil) }

  /// The end of the procedure when the policy does not know an account that the event names, or when that may not work.
  func gate(_ named: NamedAccount) -> Decision? {
    if named.isUnknown, !snapshot.lifting.reachesUnknownAccounts { return answer(.block, .unknownAccount) }
    return named.state.blockReason.map { answer(.block, $0) }
  }

  /// The viewer's identity as a side of a transfer.
  var party: Party {
    guard case .account(let account) = identity.identity, let protection else { return .unmanaged }
    return .managed(account, protection)
  }

  /// A decision with everything known so far.
  func answer(_ outcome: Outcome, _ reason: Reason) -> Decision {
    var decision = Decision(outcome, reason)
    decision.viewerIsUnknown = viewer.isUnknown
    decision.policy = viewer.policy
    decision.policySource = viewer.source
    decision.viewerClass = viewer.viewerClass
    decision.app = appIndex
    decision.identity = identity.identity
    decision.identityLevel = identity.level
    decision.protection = protection
    if viewer.isUnprotected { decision.notes = .unprotectedViewer }
    return decision
  }
}

extension AccountState {
  /// Why an account in this state may not work; nil when it may.
  fileprivate var blockReason: Reason? {
    switch self {
    case .active: nil
    case .blocked: .accountBlocked
    case .nonCompliant: .accountNotCompliant
    case .wiped: .accountWiped
    }
  }
}
