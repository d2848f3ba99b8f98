internal import GuardModel
internal import URLRules
internal import URLStandard

/// The words of a file's label, of the table and of its origin about the owner. Each of them raises protection; none, and no
/// word of an app, lowers what another says (ledger FO-01, RX-02, SX-01; design, accounts, section 8).
extension GuardState {
  /// The owner of the event's data: the strictest of the app's word and the file's. All managed owners that differ from it
  /// stand beside it, since each of them has to agree.
  mutating func ownerOfFile(
    said: EventAccount, _ event: borrowing Event, _ question: Question, of id: InstanceID
  ) -> (owner: EventAccount, beside: [Party]) {
    var all = fileOwners(event, question, of: id)
    guard !all.isEmpty else { return (said, []) }
    all.append(said)
    let strictest = all.dropFirst().reduce(all[0]) { $1.isStricter(than: $0) ? $1 : $0 }
    guard strictest.isUnknown || strictest.party != .unmanaged else { return (said, []) }
    return (strictest, all.map(\.party).filter { $0.contradicts(strictest.party) })
  }

  /// The owners that label, table and origin name, as many as speak.
  mutating func fileOwners(
    _ event: borrowing Event, _ question: Question, of id: InstanceID
  ) -> [EventAccount] {
    [
      owner(event.labelOwner, event, question, of: id), owner(event.keptOwner, event, question, of: id),
      originOwner(event, question, of: id),
    ].compactMap(\.self)
  }

  /// A label speaks of managed owners only: an account that no protection binds any more, or that the policy does not know,
  /// is a managed owner that nobody can name.
  private mutating func owner(
    _ claim: FileOwnerClaim, _ event: borrowing Event, _ question: Question, of id: InstanceID
  ) -> EventAccount? {
    switch claim {
    case .none: return nil
    case .unread, .unknown: return EventAccount(isSaid: true, isUnknown: true)
    case .account(let slot):
      let named = named(slot, event, of: id, question.snapshot)
      return named.party == .unmanaged ? EventAccount(isSaid: true, isUnknown: true) : named
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
    // Rules for downloads come first; most rules speak of pages alone, and of the sites that files come from by that.
    for purpose in [Purposes.download, .page] {
      input.purposes = purpose
      guard let said = verdict(question)?.verdict, said.rule != nil else { continue }
      guard said.verdict == .internal else { return nil }
      return question.party == .unmanaged ? EventAccount(isSaid: true, isUnknown: true) : question.ownPlace
    }
    return nil
  }
}

extension EventAccount {
  /// Nobody can name it; it may not work; it is managed; it is not.
  fileprivate var strictness: Int {
    if isUnknown { return 3 }
    if state != .active { return 2 }
    return party == .unmanaged ? 0 : 1
  }

  fileprivate func isStricter(than other: EventAccount) -> Bool { strictness > other.strictness }
}
