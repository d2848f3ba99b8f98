internal import GuardModel
internal import URLRules

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
    let named = namedAccounts(event, .place, of: id, question.snapshot)
    let place = Place(event, named.other, .open, shows: question.party)
    let gate = question.gate(named.owner) ?? question.gate(place.account)
    if let end = gate ?? receiver.flatMap({ question.gate($0.account) }) { return end.at(place, named.ownerNote) }
    let owners = Owners(named.owner, place: place.account)
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
