package import GuardModel
internal import URLRules
internal import URLStandard

/// The asking app, viewer and identity: steps 2 to 4 of every procedure, and the decision so far.
struct Question {
  let snapshot: Snapshot
  let appIndex: AppIndex
  let viewer: ResolvedViewer
  let identity: ResolvedIdentity
  /// The account's standing with the organisation.
  let accountState: AccountState
  /// The protections that bind the identity; none when it is unmanaged.
  let binding: ProtectionSet
  /// The protections that bind the accounts of the asking user's groups.
  let groupProtections: ProtectionSet
  let appNumber: AppNumber
  let user: Int
  /// The identity of the asking connection's scope, if scopes count.
  let scope: Identity
  /// The viewer's window shows several accounts, one of them managed.
  let isLockedDown: Bool
  /// One of several possible identities, taken for the one; nil if there is only one, or none was chosen.
  let assumed: Identity?
  /// The app may show several identities there, and none was chosen yet.
  let mayCountAsSeveral: Bool
  /// What the program and the asking connection can.
  let features: ClientFeatures
  /// Its program must name the identity that the viewer shows, and has not done so, or not again to this daemon.
  let owesIdentity: Bool
  /// The standing of the account that its program named last, if that account may not be shown.
  let refusedState: AccountState
  /// The URL that rules with `same` compare with; nil when it is not known.
  let document: URLRecord?
  /// The viewer shows a page that is external, or that was not judged.
  let showsExternal: Bool
  /// It uses the app's files and names no viewer: viewers do not matter for it.
  let isInBackground: Bool
  /// Some viewer of the instance once opened a page that enforcing would not have opened.
  let mayShowAdvised: Bool

  /// - Parameter isFileTask: it counts as the identity of file tasks, whatever its window shows.
  init(
    _ event: borrowing Event, _ instance: borrowing Instance, _ appIndex: AppIndex, as assumed: Identity?,
    isFileTask: Bool, _ accounts: borrowing AccountTable, _ snapshot: Snapshot
  ) {
    self.snapshot = snapshot
    self.appIndex = appIndex
    groupProtections = instance.groupProtections
    appNumber = instance.appNumber
    user = instance.user
    viewer =
      event.viewer.map { instance.resolve(event.bytes($0), in: snapshot.viewerPolicies(of: appIndex)) }
      ?? ResolvedViewer()
    // An app in single mode has one identity; a scope left from before a reload says nothing.
    scope = snapshot[appIndex].identityMode == .single ? .absent : event.scope
    self.assumed = isFileTask ? nil : assumed
    isInBackground = isFileTask && event.viewer == nil
    mayCountAsSeveral =
      !isFileTask && assumed == nil && event.kind.countsAsIdentity && instance.showsSeveral(in: viewer, scope: scope)
    if isFileTask {
      identity = instance.effectiveFile(scope: scope)
    } else if let assumed {
      identity = instance.resolved(assumed, in: viewer)
    } else {
      identity = instance.identity(of: viewer, scope: scope, accounts)
    }
    isLockedDown = !isFileTask && instance.isLockedDown(viewer, scope: scope, accounts)
    document = viewer.index.flatMap {
      instance.viewers[$0].pages.shown.document(forMainFrame: event.isMainFrameNavigation)
    }
    showsExternal = viewer.index.map { instance.viewers[$0].pages.shown.showsExternal } ?? false
    mayShowAdvised = instance.mayShowAdvised
    features = instance.features.subtracting(event.lacking)
    refusedState = instance.refused.map { instance.state(of: $0, accounts) } ?? .active
    // If all protections that could bind an account only monitor, the identity does not matter.
    let owes = isFileTask ? instance.owesIdentity(ofFilesAs: identity) : instance.owesIdentity(of: viewer, as: identity)
    owesIdentity = owes && !snapshot.lifting.reachesUnknownAccounts
    if case .account(let id) = identity.identity {
      accountState = instance.state(of: id, accounts)
      binding = instance.protections(of: id, accounts)
    } else {
      accountState = .active
      binding = ProtectionSet()
    }
  }

  var app: App { _read { yield snapshot[appIndex] } }

  var isManaged: Bool { !binding.isEmpty }

  /// The protections that decide about URLs: those that bind the identity, or all of them if rules apply always.
  var inForce: ProtectionSet { binding.isEmpty ? snapshot.allProtections : binding }

  /// Why nothing restricts an action that counts as unmanaged.
  var unrestrictedReason: Reason {
    switch identity.identity {
    case .absent: .noIdentity
    case .nobody: .noManagedIdentity
    case .account: .unmanaged
    }
  }

  /// Steps 3 and 4: ends the procedure when the app must name its identity and has not, or when the account may not
  /// work.
  var gate: Decision? {
    let waits = app.identityMode == .multi && app.untilIdentity == .block
    if owesIdentity || (waits && identity.identity == .absent) {
      return answer(.block, owesIdentity ? refusedState.blockReason ?? .noIdentity : .noIdentity)
    }
    return accountState.blockReason.map { answer(.block, $0) }
  }

  /// As `gate`, for everything but navigation: through a view of several accounts nothing passes, whatever their
  /// settings (ledger FC-06, CB-12, D-26).
  var dataGate: Decision? { gate ?? (isLockedDown ? answer(.block, .mixedViewLockdown) : nil) }

  /// Ends the procedure when the policy does not know an account that the event names, or when that account may not
  /// work.
  func gate(_ named: EventAccount) -> Decision? {
    if named.isUnknown, !snapshot.lifting.reachesUnknownAccounts { return answer(.block, .unknownAccount) }
    return named.state.blockReason.map { answer(.block, $0) }
  }

  /// The viewer's identity as a side of a transfer.
  var party: Party {
    guard case .account(let account) = identity.identity, !binding.isEmpty else { return .unmanaged }
    return .managed(account, binding)
  }

  /// A decision with everything known so far.
  ///
  /// - Parameter deciding: the protection that gave the deciding value; nil if no setting decides.
  func answer(_ outcome: Outcome, _ reason: Reason, by deciding: ProtectionIndex? = nil) -> Decision {
    var decision = Decision(outcome, reason)
    if !isInBackground {
      decision.flags[.viewerIsUnknown] = viewer.isUnknown
      decision.policy = viewer.policy
      decision.policySource = viewer.source
      decision.viewerClass = viewer.viewerClass
    }
    decision.app = appIndex
    decision.identity = identity.identity
    decision.identityLevel = identity.level
    decision.decider = deciding
    decision.protection = binding.isEmpty ? nil : deciding ?? snapshot.first(of: binding) { _ in true }
    if viewer.isUnprotected { decision.notes = .unprotectedViewer }
    return decision
  }
}

extension Event {
  /// It counts as the identity of file tasks: a backup, and work with files in the background, which names no viewer
  /// (ledger MI-09, MI-15).
  var isFileTask: Bool {
    switch kind {
    case .exchange: channel == .backup
    case .save, .open, .receive, .download: viewer == nil
    default: false
    }
  }
}

extension AccountState {
  /// Why an account in this state may not work; nil when it may.
  package var blockReason: Reason? {
    switch self {
    case .active: nil
    case .blocked: .accountBlocked
    case .nonCompliant: .accountNotCompliant
    case .wiped: .accountWiped
    case .policyRequired: .policyRequired
    case .notAllowed: .accountNotAllowed
    case .notChecked: .notChecked
    case .locked: .locked
    }
  }
}
