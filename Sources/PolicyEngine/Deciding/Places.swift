internal import GuardModel
internal import URLRules

/// Saving, opening, downloading and uploading: ledger E.3 with places in the part of the other program.
extension GuardState {
  /// The owner's settings are asked for the place, then those of the place's owner for what comes in (SL-01, SL-02).
  /// One account on both sides gives no bypass (D-31).
  ///
  /// - Parameter source: the place that a downloaded file comes from, where a rule names one: its account owns the file, too.
  mutating func save(
    _ event: borrowing Event, _ question: Question, of id: InstanceID, from source: RuledPlace? = nil
  ) -> Decision {
    if let end = question.dataGate { return end }
    let named = namedAccounts(event, .place, question, of: id)
    let owners = Owners(named, place: question.ownPlace, source: source?.account)
    if event.isChooser, event.kind == .save, !event.isInPlace { return chooser(.save, owners, question, named) }
    let ruled = ruledPlace(event, .save, question, of: id)
    let gate = question.gate(named.owner) ?? source.flatMap { question.gate($0.account) }
    var (decision, place) = judgePlaces(event, named.other, .save, ruled, shows: owners.first.party) { place in
      gate ?? question.gate(place.account) ?? judgeSave(event, question, owners, place)
    }
    if !named.owner.isSaid { keepFile(&decision, event, question, of: id) }
    decision = decision.at(place, named.ownerNote)
    if let source { decision = source.toldAsSource(decision) }
    return ruled?.told(decision) ?? decision
  }

  /// Judges the place that a rule names; also the place that the app names, if the app states a different or unknown
  /// account. The stricter answer counts.
  private func judgePlaces(
    _ event: borrowing Event, _ named: EventAccount, _ direction: Place.Direction, _ ruled: RuledPlace?,
    shows party: Party, _ judge: (Place) -> Decision
  ) -> (Decision, Place) {
    guard let ruled else {
      let place = Place(event, named, direction, shows: party)
      return (judge(place), place)
    }
    let place = Place(event, ruled, direction)
    let decision = judge(place)
    let said = Place(event, named, direction, shows: party, at: ruled.location)
    guard decision.outcome == .allow, named.isSaid,
      said.account.isUnknown || said.account.party != place.account.party
    else { return (decision, place) }
    return (judge(said), said)
  }

  /// May a person be shown the dialogue in which a place is chosen? Yes, if some place is allowed (ledger DT-15). The
  /// event for the chosen place is asked later.
  private func chooser(
    _ direction: Place.Direction, _ owners: Owners, _ question: Question, _ named: EventAccounts
  ) -> Decision {
    if let end = question.gate(named.owner) { return end.noting(named.ownerNote) }
    let refusal =
      direction == .save
      ? owners.refusal { question.refusalOfEveryPlace($0, direction) }
      : question.refusalOfEveryPlace(question.party, direction)
    if let refusal { return question.answer(refusal) }
    let party = direction == .save ? owners.first.party : question.party
    guard party != .unmanaged else {
      return question.answer(.allow, direction == .save ? owners.first.freeReason : question.unrestrictedReason)
    }
    return question.answer(.allow, question.isExcepted(party, direction) ? .locationAllowed : .transferAllowed)
  }

  /// A new file belongs to the identity of file tasks, if its data is unmanaged and the app names no owner (ledger
  /// FO-02). Only a window can show another identity than that; actions in an unmanaged viewer are unmanaged, files
  /// included.
  private mutating func keepFile(
    _ decision: inout Decision, _ event: borrowing Event, _ question: Question, of id: InstanceID
  ) {
    guard decision.outcome == .allow, decision.reason != .inPlace, decision.setOwner == nil, decision.tagAs == nil,
      question.identity.level == .window, let files = fileQuestion(event, of: id, question.snapshot)
    else { return }
    decision.setOwner = files.party.account
    decision.flags[.mustEncrypt] = files.snapshot.first(of: files.party.protections) { $0.encrypt } != nil
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
    return transfer.allow(isExcepted ? .locationAllowed : .transferAllowed, from: owners, to: destination)
  }

  /// The mirror image of saving: the receiver's settings are asked for the place, then those of the data's owner for
  /// what goes out (OL-01, OL-02).
  mutating func open(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate ?? (event.isInPlace ? nil : question.uploadGate) { return end }
    let named = namedAccounts(event, .place, question, of: id)
    if event.isChooser, !event.isInPlace {
      return chooser(.open, Owners(named, place: named.other), question, named)
    }
    let ruled = ruledPlace(event, .open, question, of: id)
    let (decision, place) = judgePlaces(event, named.other, .open, ruled, shows: question.party) { place in
      question.gate(named.owner) ?? question.gate(place.account)
        ?? judgeOpen(event, question, Owners(named, place: place.account), place)
    }
    let told = decision.at(place, named.ownerNote)
    return ruled?.told(told) ?? told
  }

  func judgeOpen(
    _ event: borrowing Event, _ question: Question, _ owners: Owners, _ place: Place,
    into page: PageReceiver = PageReceiver()
  ) -> Decision {
    if event.isInPlace, event.kind == .open { return question.answer(.allow, .inPlace) }
    let destination = page.party(question.party, question.snapshot)
    if let refusal = question.refusal(of: destination, .open, place.location) { return question.answer(refusal) }
    let transfer = Transfer(question: question)
    let side = Transfer.Side(party: question.party)
    if let refusal = owners.refusal({ transfer.refusal(of: $0, to: side, event) }) { return question.answer(refusal) }
    if owners.first.party == .unmanaged, question.party == .unmanaged {
      return question.answer(.allow, question.unrestrictedReason)
    }
    let isExcepted = question.isExcepted(destination, .open)
    return transfer.allow(isExcepted ? .locationAllowed : .transferAllowed, from: owners, to: destination)
  }
}

extension Decision {
  /// Adds the judged place, and notes about unknowns.
  func at(_ place: Place, _ notes: DecisionNotes) -> Decision {
    var decision = self
    decision.location = place.location
    decision.notes.formUnion(place.notes)
    decision.notes.formUnion(notes)
    return decision
  }
}

/// Files that pass between a viewer and the web: the rules for `download` and `upload` come first, then the places that
/// files go to and come from.
extension GuardState {
  mutating func download(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate { return end }
    let source = ruledSource(event, question, of: id)
    let asked = fileRules(event, question, of: id)
    if case .refused(let decision) = asked { return decision }
    var decision = save(event, question, of: id, from: source)
    if decision.reason == .outgoingDisallowed { decision.reason = .downloadBlocked }
    if case .said(let rules) = asked { decision = decision.decided(by: rules) }
    return decision
  }

  /// A file goes into the viewer, and from there to the place that the rules name.
  mutating func upload(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate ?? question.uploadGate { return end }
    let page = pageOfUpload(event, question, of: id)
    let receiver = ruledReceiver(event, question, of: id)
    let asked = fileRules(event, question, of: id)
    if case .refused(let decision) = asked { return decision }
    let named = namedAccounts(event, .place, question, of: id)
    let place = Place(event, named.other, .open, shows: question.party)
    let gate = question.gate(named.owner) ?? question.gate(place.account)
    if let end = gate ?? receiver.flatMap({ question.gate($0.account) }) { return end.at(place, named.ownerNote) }
    let owners = Owners(named, place: place.account)
    var decision = judgeOpen(event, question, owners, place, into: page)
    if decision.outcome == .allow, let refusal = refusalOutside(event, question, owners, asked, page) {
      decision = question.answer(refusal)
    }
    if decision.outcome == .allow, let receiver { decision = judge(decision, receiver, event, question, owners) }
    if case .said(let rules) = asked { decision = decision.decided(by: rules) }
    let asking = owners.protections.union(question.binding)
    decision = page.told(decision.at(place, named.ownerNote), asking, question.snapshot)
    guard let receiver else { return decision }
    decision.location = receiver.location
    return receiver.told(decision)
  }

  /// An upload to a place is saved there: its owner's settings are asked for the place, and both sides' for the other.
  private func judge(
    _ decision: Decision, _ receiver: RuledPlace, _ event: borrowing Event, _ question: Question, _ owners: Owners
  ) -> Decision {
    if let refusal = owners.refusal({ question.refusal(of: $0, .save, receiver.location) }) {
      return question.answer(refusal)
    }
    let transfer = Transfer(question: question)
    let destination = receiver.account.party
    if let refusal = owners.refusal({ transfer.refusal(of: $0, to: Transfer.Side(party: destination), event) }) {
      return question.answer(refusal)
    }
    if let refusal = owners.refusal({ transfer.refusal(of: destination, from: Transfer.Side(party: $0), event) }) {
      return question.answer(refusal)
    }
    guard decision.reason == .transferAllowed, question.isExcepted(owners.first.party, .save) else { return decision }
    var listed = decision
    listed.reason = .locationAllowed
    return listed
  }

  /// Why a file may not leave the organisation, if it would: a place that its rules call external is unmanaged, and
  /// so is an external page under protections that say so.
  private func refusalOutside(
    _ event: borrowing Event, _ question: Question, _ owners: Owners, _ asked: FileRules, _ page: PageReceiver
  ) -> Denial? {
    let outside = Transfer.Side(party: .unmanaged, program: .guarded)
    let transfer = Transfer(question: question)
    if case .said(let rules) = asked, rules.standing == .external {
      return owners.refusal { transfer.refusal(of: $0, to: outside, event) }
    }
    return owners.refusal { transfer.refusal(of: page.owner($0, question.snapshot), to: outside, event) }
  }

  /// Asks the viewer's rules if there are any, and if the identity is managed or the class says always.
  private mutating func fileRules(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> FileRules {
    guard question.isManaged || question.rulesAlwaysApply, question.viewer.rules != .none else { return .notAsked }
    readInput(event, question, of: id)
    switch input.url.kind {
    case .absent, .invalid, .script: return .refused(question.answer(.block, .invalidURL))
    case .madeByPage: input.url.judgeAs(input.from)
    case .url: break
    }
    runner.beginDecision(subjectBytes: input.subjectBytes)
    guard let rules = verdictOrException(question) else { return .notAsked }
    guard rules.standing == .external, question.action(of: rules) == .block else { return .said(rules) }
    return .refused(question.answer(.block, .blockedByRule).decided(by: rules))
  }
}

/// The rules' answer for a file's URL.
private enum FileRules {
  case notAsked
  case said(AskedRules)
  case refused(Decision)
}
