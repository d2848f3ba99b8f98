package import GuardModel
internal import URLRules

/// Actions that may count as several identities: in a window that shows several accounts, and in an unregistered
/// viewer. Each of them is decided, and the strictest outcome is the answer (amendments, several identities).
extension GuardState {
  /// The answer to a question. If several identities are possible, each is judged on trial; then the one with the
  /// strictest outcome is judged once more, with all its effects.
  mutating func judgeEach(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    guard question.mayCountAsSeveral else { return judgeOrWarn(event, question, of: id) }
    collectPossible(question, of: id)
    var chosen = question
    var strictest: Decision?
    let isProbe = isTrial
    isTrial = true
    for identity in possible.indices {
      guard let one = self.question(event, of: id, as: possible[identity], question.snapshot) else { continue }
      let decision = judgeOrWarn(event, one, of: id)
      if let strictest, !isStricter(decision, one, than: strictest, chosen, of: id) { continue }
      (chosen, strictest) = (one, decision)
    }
    isTrial = isProbe
    return judgeOrWarn(event, chosen, of: id)
  }

  /// Among equally strict outcomes, the identity that stands for both is reported.
  private func isStricter(
    _ decision: Decision, _ question: Question, than other: Decision, _ asked: Question, of id: InstanceID
  ) -> Bool {
    if decision.isStricter(than: other) { return true }
    guard !other.isStricter(than: decision), let instance = instances[id.place] else { return false }
    return instance.stricter(question.identity.identity, than: asked.identity.identity, accounts)
  }

  /// Fills `possible`, with the identity that stands for all first: it is reported if outcomes are equally strict.
  private mutating func collectPossible(_ question: Question, of id: InstanceID) {
    possible.removeAll(keepingCapacity: true)
    possible.append(question.identity.identity)
    guard let instance = instances[id.place] else { return }
    if question.viewer.isUnknown {
      instance.forEachIdentity { collect($0, instance) }
    } else {
      for identity in instance.identities(of: question.viewer) ?? [] { collect(identity, instance) }
    }
  }

  /// One of several identities with the same answer is enough. Managed accounts are distinguished by their protections:
  /// with two of them in one window nothing passes but pages, and settings judge those.
  private mutating func collect(_ identity: Identity, _ instance: Instance) {
    for known in possible.indices where instance.isAnsweredAs(possible[known], identity, accounts) {
      if instance.stricter(identity, than: possible[known], accounts) { possible[known] = identity }
      return
    }
    possible.append(identity)
  }
}

extension Instance {
  /// Whether an action in the viewer may count as more than one identity.
  func showsSeveral(in viewer: ResolvedViewer, scope: Identity) -> Bool {
    guard scope.isAbsent else { return false }
    if viewer.isUnknown { return !windows.isEmpty || !mixedWindows.isEmpty || !scopes.isEmpty }
    return !mixedWindows.isEmpty && identities(of: viewer) != nil
  }

  /// One of several identities, with the level at which it is shown.
  func resolved(_ identity: Identity, in viewer: ResolvedViewer) -> ResolvedIdentity {
    guard viewer.isUnknown else { return ResolvedIdentity(identity: identity, level: .window) }
    if identity == process { return effectiveFile(scope: .absent) }
    return ResolvedIdentity(identity: identity, level: .strictest)
  }

  fileprivate func isAnsweredAs(_ one: Identity, _ other: Identity, _ accounts: AccountTable) -> Bool {
    guard case .account(let left) = one, case .account(let right) = other else { return one == other }
    return state(of: left, accounts) == state(of: right, accounts)
      && protections(of: left, accounts) == protections(of: right, accounts)
  }
}

extension EventKind {
  /// A question counts as one identity; a report is recorded for all that is shown.
  package var countsAsIdentity: Bool { self != .clipboardChanged && self != .dragEnd && self != .unknown }

  /// It concerns the content of a selection, and may change its owner.
  package var isOfSelections: Bool { self == .copy || self == .paste || self == .clipboardChanged || self == .dragEnd }
}

extension Decision {
  /// By the outcome first, then by the place where it happens instead.
  fileprivate func isStricter(than other: Decision) -> Bool {
    outcome == other.outcome
      ? target.strictness > other.target.strictness : outcome.isStricter(than: other.outcome)
  }
}

extension Target {
  /// A managed program keeps data that an unmanaged one does not.
  fileprivate var strictness: Int {
    switch self {
    case .none: 0
    case .schemeHandler, .exemptLink: 1
    case .schemeClassProgram, .unmanagedBrowser: 2
    case .managedLink, .managedBrowser: 3
    }
  }
}

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
