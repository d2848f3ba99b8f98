internal import GuardModel

/// What a look at an account finds.
struct ComplianceFinding: Sendable, Hashable {
  var status: ComplianceStatus
  var notice: AccountNotice
  /// The time that the notice names, in milliseconds since 1970.
  var date: UInt64?
  /// The person has to be asked first.
  var needsPerson = false

  init(_ status: ComplianceStatus, _ notice: AccountNotice, date: UInt64? = nil) {
    (self.status, self.notice, self.date) = (status, notice, date)
  }
}

/// From the point of an account's life to the word and the text for its person (ledger CA-05 to CA-09).
extension GuardState {
  /// What is found of an account now, for a program.
  ///
  /// The trap: `interactionRequired` has the app call again, and then its person is asked. Such a call never ends with
  /// `interactionRequired`, or the app would call without end (ledger CA-09).
  func finding(of look: Remediation, in id: InstanceID, _ snapshot: Snapshot) -> ComplianceFinding {
    guard let instance = instance(id) else { return ComplianceFinding(.serviceFailure, .notChecked) }
    if let wipe = wipeBook.lock(on: instance.holder, look.account) { return finding(of: wipe) }
    switch instance.state(of: look.account, accounts) {
    case .active: return activeFinding(of: look.account, instance, snapshot)
    case .nonCompliant:
      return isForNetwork(look.account, in: id, snapshot)
        ? ComplianceFinding(.networkFailure, .offline) : ComplianceFinding(.notCompliant, .notCompliant)
    case .notChecked:
      return isForNetwork(look.account, in: id, snapshot)
        ? ComplianceFinding(.networkFailure, .offline) : ComplianceFinding(.serviceFailure, .notChecked)
    case .locked: return lockedFinding(of: look)
    case .policyRequired: return ComplianceFinding(look.isSilent ? .interactionRequired : .notCompliant, .signIn)
    case .notAllowed: return ComplianceFinding(.notCompliant, .otherAccount)
    case .blocked: return ComplianceFinding(.notCompliant, .blocked)
    case .wiped: return ComplianceFinding(.notCompliant, .wiped)
    }
  }

  private func finding(of wipe: Wipe) -> ComplianceFinding {
    switch wipe.phase {
    case .locked: ComplianceFinding(.notCompliant, .blocked)
    case .pending:
      ComplianceFinding(.notCompliant, .wipeAnnounced, date: time + (wipe.delay > wipe.ran ? wipe.delay - wipe.ran : 0))
    case .asking: ComplianceFinding(.notCompliant, .wiped)
    }
  }

  /// It may work. A provider that is silent is a failure all the same: nobody knows whether the conditions hold.
  private func activeFinding(
    of account: AccountID, _ instance: Instance, _ snapshot: Snapshot
  ) -> ComplianceFinding {
    let binding = instance.protections(of: account, accounts)
    guard let silence = book.silence(of: binding, snapshot) else { return ComplianceFinding(.compliant, .compliant) }
    return remediations.isOffline && silence.check == OwnFact.policyAge.rawValue
      ? ComplianceFinding(.networkFailure, .offline)
      : ComplianceFinding(.serviceFailure, .checkSilent, date: silence.end)
  }

  private func lockedFinding(of look: Remediation) -> ComplianceFinding {
    guard !look.isSilent else { return ComplianceFinding(.interactionRequired, .locked) }
    switch look.unlock {
    case nil:
      var finding = ComplianceFinding(.interactionRequired, .locked)
      finding.needsPerson = true
      return finding
    // It was unlocked, and locked again since.
    case .unlocked, .dismissed, .timedOut: return ComplianceFinding(.userCancelled, .notUnlocked)
    case .refused: return ComplianceFinding(.notCompliant, .locked)
    case .noAgent, .noChallenge, .serviceFailure: return ComplianceFinding(.serviceFailure, .cannotAsk)
    }
  }

  /// The policy is too old for a condition, and the latest fetch of it failed.
  private func isForNetwork(_ account: AccountID, in id: InstanceID, _ snapshot: Snapshot) -> Bool {
    remediations.isOffline && decidingCondition(of: account, in: id, snapshot)?.check == OwnFact.policyAge.rawValue
  }

  /// The words for a person about the result of a look, in the languages of a program: the text of the condition that
  /// fails, or the policy's own, or the built-in one.
  ///
  ///     state.complianceWords(of: result, in: instance, snapshot)
  ///     // ("You have to confirm something", "Unlock the account anna@contoso.com first.")
  package func complianceWords(
    of result: RemediationResult, in id: InstanceID, _ snapshot: Snapshot
  ) -> (title: String, text: String) {
    let languages = instance(id)?.languages ?? []
    let account = accounts.displayName(result.account)
    let found = wording(of: result, in: id, snapshot)
    let reason = instance(id)?.state(of: result.account, accounts).blockReason
    let title = result.status.title(in: languages)
    if let reason, isOfStanding(found.notice), let own = ownText(for: reason, result.account, in: id, snapshot) {
      var values = TextValues(naming: snapshot.texts, languages)
      (values.app, values.account) = (instance(id)?.appName ?? "", account)
      return (title, values.filling(own))
    }
    let date = found.date.map(Self.shownDate) ?? ""
    return (title, text(of: found.notice, account: account, date: date, in: id, snapshot))
  }

  /// The notice that goes with the result. Its cause may have changed since, so that only one of the same result counts.
  private func wording(
    of result: RemediationResult, in id: InstanceID, _ snapshot: Snapshot
  ) -> ComplianceFinding {
    var look = Remediation(
      request: result.request, account: result.account, isSilent: result.status == .interactionRequired, askedAt: 0)
    look.unlock = result.unlock
    let found = finding(of: look, in: id, snapshot)
    guard found.status != result.status else { return found }
    switch result.status {
    case .compliant: return ComplianceFinding(.compliant, .compliant)
    case .notCompliant: return ComplianceFinding(.notCompliant, .notCompliant)
    case .serviceFailure: return ComplianceFinding(.serviceFailure, .notChecked)
    case .networkFailure: return ComplianceFinding(.networkFailure, .offline)
    case .interactionRequired: return ComplianceFinding(.interactionRequired, .locked)
    case .userCancelled: return ComplianceFinding(.userCancelled, .notUnlocked)
    }
  }

  /// The text of the failing condition, or the policy's own for the reason.
  private func ownText(
    for reason: Reason, _ account: AccountID, in id: InstanceID, _ snapshot: Snapshot
  ) -> String? {
    let ofCondition =
      [.accountNotCompliant, .notChecked].contains(reason)
      ? decidingCondition(of: account, in: id, snapshot)?.message : nil
    return ofCondition ?? snapshot.texts.words(instance(id)?.languages ?? []) { $0.reasons[reason] }?.text
  }

  /// The notice says why the account may not work, as the text of its reason does.
  private func isOfStanding(_ notice: AccountNotice) -> Bool {
    switch notice {
    case .signIn, .otherAccount, .blocked, .notCompliant, .notChecked, .notCheckedSince, .locked, .wiped: true
    case .signInSilent, .wipeAnnounced, .compliant, .checkSilent, .offline, .notUnlocked, .cannotAsk, .restart: false
    }
  }

  /// `2026-11-27 10:05 UTC`: people read no seconds.
  private static func shownDate(_ time: UInt64) -> String {
    let text = RFC3339.text(time)
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5)) UTC"
  }
}

extension ConditionBook {
  /// The first condition of some protections of which nothing is known, and that may block: until when accounts go on.
  func silence(of protections: ProtectionSet, _ snapshot: Snapshot) -> (check: String, end: UInt64)? {
    var found: (check: String, end: UInt64)?
    protections.forEach { index in
      let protection = snapshot[index]
      for condition in protection.conditions
      where !condition.isOfProgram && condition.action != .warn && !protection.isMonitored {
        guard let since = times[condition.key(in: protection.name)]?.unknownSince else { continue }
        let end = since + protection.notCheckedAfter
        if found.map({ end < $0.end }) ?? true { found = (condition.check, end) }
      }
    }
    return found
  }
}
