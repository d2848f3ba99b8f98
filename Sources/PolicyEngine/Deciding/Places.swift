internal import GuardModel
internal import URLRules

/// Saving, opening, downloading and uploading: ledger E.3 with places in the part of the other program.
extension GuardState {
  /// The owner's settings are asked for the place, then those of the place's owner for what comes in (SL-01, SL-02).
  /// That both are one account gives no bypass (D-31).
  mutating func save(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate { return end }
    let named = namedAccounts(event, .place, of: id, question.snapshot)
    let owners = Owners(named.owner, place: question.ownPlace)
    let place = Place(event, named.other, .save, shows: owners.first.party)
    let end = question.gate(named.owner) ?? question.gate(place.account)
    return (end ?? judgeSave(event, question, owners, place)).at(place, named.ownerNote)
  }

  private func judgeSave(
    _ event: borrowing Event, _ question: Question, _ owners: Owners, _ place: Place
  ) -> Decision {
    if event.isInPlace { return question.answer(.allow, .inPlace) }
    if let refusal = owners.refusal({ question.refusal(of: $0, .save, place.location) }) {
      return question.answer(refusal)
    }
    let transfer = Transfer(question: question)
    let destination = place.account.party
    if let refusal = owners.refusal({ transfer.refusal(of: destination, from: Transfer.Side(party: $0), event) }) {
      return question.answer(refusal)
    }
    if owners.first.party == .unmanaged, destination == .unmanaged {
      return question.answer(.allow, owners.first.freeReason)
    }
    let isExcepted = question.isExcepted(owners.first.party, .save)
    return transfer.allow(isExcepted ? .locationAllowed : .transferAllowed, from: owners.first.party, to: destination)
  }

  /// The mirror image of saving: the receiver's settings are asked for the place, then those of the data's owner for
  /// what goes out (OL-01, OL-02).
  mutating func open(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate { return end }
    let named = namedAccounts(event, .place, of: id, question.snapshot)
    let place = Place(event, named.other, .open, shows: question.party)
    let owners = Owners(named.owner, place: place.account)
    let end = question.gate(named.owner) ?? question.gate(place.account)
    return (end ?? judgeOpen(event, question, owners, place)).at(place, named.ownerNote)
  }

  func judgeOpen(
    _ event: borrowing Event, _ question: Question, _ owners: Owners, _ place: Place
  ) -> Decision {
    if event.isInPlace, event.kind == .open { return question.answer(.allow, .inPlace) }
    let destination = question.party
    if let refusal = question.refusal(of: destination, .open, place.location) { return question.answer(refusal) }
    let transfer = Transfer(question: question)
    let side = Transfer.Side(party: destination)
    if let refusal = owners.refusal({ transfer.refusal(of: $0, to: side, event) }) { return question.answer(refusal) }
    if owners.first.party == .unmanaged, destination == .unmanaged {
      return question.answer(.allow, question.unrestrictedReason)
    }
    let isExcepted = question.isExcepted(destination, .open)
    return transfer.allow(isExcepted ? .locationAllowed : .transferAllowed, from: owners.first.party, to: destination)
  }
}

extension Decision {
  /// Says where it was judged, and what was not known.
  func at(_ place: Place, _ notes: DecisionNotes) -> Decision {
    var decision = self
    decision.location = place.location
    decision.notes.formUnion(place.notes)
    decision.notes.formUnion(notes)
    return decision
  }
}
