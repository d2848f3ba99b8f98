internal import GuardModel
internal import URLRules
internal import URLStandard

/// The words of a file's label, of the table and of its origin about the owner. Each of them raises protection; none, and no
/// word of an app, lowers what another says (ledger FO-01, RX-02, SX-01; design, accounts, section 8).
extension GuardState {
  /// The owner of the event's data: the first managed one of the file's words and the app's. All managed owners that differ
  /// from it stand beside it, since each of them has to agree.
  ///
  /// An owner that nobody can name and one that may not work stay in it, also an unmanaged one: each of them ends the
  /// procedure by itself, and none of them may hide another.
  mutating func ownerOfFile(
    said: EventAccount, _ event: borrowing Event, _ question: Question, of id: InstanceID
  ) -> (owner: EventAccount, beside: [Party]) {
    let all = fileOwners(event, question, of: id) + [said]
    guard all.count > 1 else { return (said, []) }
    var owner = all.first { $0.party != .unmanaged } ?? said
    owner.isUnknown = all.contains(where: \.isUnknown)
    owner.isSaid = owner.isSaid || owner.isUnknown
    if let stopped = all.first(where: { $0.state.blockReason != nil }) { owner.state = stopped.state }
    return (owner, all.map(\.party).filter { $0.contradicts(owner.party) })
  }

  /// The owner that the table has for the file; nil when it has none.
  mutating func tableOwner(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> EventAccount? {
    owner(event.keptOwner, event, question, of: id)
  }

  /// The owners that label, table and origin name, as many as speak.
  mutating func fileOwners(
    _ event: borrowing Event, _ question: Question, of id: InstanceID
  ) -> [EventAccount] {
    [
      owner(event.labelOwner, event, question, of: id), tableOwner(event, question, of: id),
      originOwner(event, question, of: id),
    ].compactMap(\.self)
  }

  /// A label speaks of managed owners only: an account that no protection binds any more, or that the policy does not know,
  /// is a managed owner that nobody can name. Where such owners are only watched, one that was wiped still ends everything.
  private mutating func owner(
    _ claim: FileOwnerClaim, _ event: borrowing Event, _ question: Question, of id: InstanceID
  ) -> EventAccount? {
    switch claim {
    case .none: return nil
    case .unread, .unknown: return EventAccount(isSaid: true, isUnknown: true)
    case .account(let slot):
      let named = named(slot, event, of: id, question.snapshot)
      guard named.party == .unmanaged else { return named }
      return EventAccount(isSaid: true, isUnknown: true, state: named.state)
    }
  }

  /// The owner by the URL that the file came from: the account of the place that a rule names; else, where a rule calls the
  /// URL internal, the account that asks, and for a private one a managed owner that nobody can name. A default verdict says
  /// nothing of the URL, and an exception lets a person see a site that stays nobody's.
  private mutating func originOwner(
    _ event: borrowing Event, _ question: Question, of id: InstanceID
  ) -> EventAccount? {
    guard let origin = event.origin, question.viewer.rules != .none else { return nil }
    var asked = MatchInput()
    asked.url.read(event.bytes(origin))
    guard asked.url.kind == .url else { return nil }
    asked.purposes = .download
    // The event's own URL is judged and recorded, whatever is asked about this one.
    swap(&asked, &input)
    defer { swap(&asked, &input) }
    runner.beginDecision(subjectBytes: input.subjectBytes)
    if let ruled = placeOfInput(question, of: id) { return ruled.account }
    guard anyRuleSet(of: question, where: { $0.callsOriginInternal(question, $1) }) else { return nil }
    return question.party == .unmanaged ? EventAccount(isSaid: true, isUnknown: true) : question.ownPlace
  }

  /// One rule set that calls the site the organisation's is enough, whatever the others say of it: their external URLs are
  /// those that other viewers do not open.
  private mutating func anyRuleSet(
    of question: Question, where holds: (inout GuardState, RuleSetIndex) -> Bool
  ) -> Bool {
    switch question.viewer.rules {
    case .none: return false
    case .ruleSet(let index): return holds(&self, index)
    case .strictest: return question.app.strictestRuleSets.contains { holds(&self, $0) }
    }
  }

  /// Rules for downloads come first; most rules speak of pages alone, and of the sites that files come from by that.
  private mutating func callsOriginInternal(_ question: Question, _ index: RuleSetIndex) -> Bool {
    for purpose in [Purposes.download, .page] {
      input.purposes = purpose
      if let said = namedVerdict(of: index, question)?.verdict { return said.verdict == .internal }
    }
    return false
  }
}
