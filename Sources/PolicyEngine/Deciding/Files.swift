internal import GuardModel
internal import URLRules

/// Files that pass between a viewer and the web: the rules for `download` and `upload`, and then the places they go to
/// and come from.
extension GuardState {
  mutating func download(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate { return end }
    let asked = fileRules(event, question, of: id)
    if case .refused(let decision) = asked { return decision }
    var decision = save(event, question, of: id)
    if decision.reason == .outgoingDisallowed { decision.reason = .downloadBlocked }
    if case .said(let rules) = asked { decision = decision.decided(by: rules) }
    return decision
  }

  /// A file goes into the viewer, and from there to where the rules say it goes.
  mutating func upload(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate ?? question.uploadGate { return end }
    let asked = fileRules(event, question, of: id)
    if case .refused(let decision) = asked { return decision }
    let named = namedAccounts(event, .place, of: id, question.snapshot)
    let place = Place(event, named.other, .open, shows: question.party)
    if let end = question.gate(named.owner) ?? question.gate(place.account) { return end.at(place, named.ownerNote) }
    let owners = Owners(named.owner, place: place.account)
    var decision = judgeOpen(event, question, owners, place)
    // What is not the organisation's own is nobody's place.
    if case .said(let rules) = asked {
      if decision.outcome == .allow, rules.standing == .external {
        let outside = Transfer.Side(party: .unmanaged, program: .guarded)
        let transfer = Transfer(question: question)
        if let refusal = owners.refusal({ transfer.refusal(of: $0, to: outside, event) }) {
          decision = question.answer(refusal)
        }
      }
      decision = decision.decided(by: rules)
    }
    return decision.at(place, named.ownerNote)
  }

  /// The end of a paste into a page that takes no uploads: a rule blocks them, and with them what is pasted or dropped there
  /// (ledger WT-18). Where the app does not say which page it is, no rule can.
  mutating func pageRefusal(
    _ event: borrowing Event, _ question: Question, of id: InstanceID
  ) -> Decision? {
    guard question.isManaged || question.rulesAlwaysApply, question.viewer.rules != .none, let page = event.from else {
      return nil
    }
    readInput(event, question, of: id)
    input.url.read(event.bytes(page))
    guard input.url.kind == .url else { return nil }
    input.purposes = .upload
    runner.beginDecision(subjectBytes: input.subjectBytes)
    guard let rules = verdictOrException(question), rules.standing == .external, question.action(of: rules) == .block
    else { return nil }
    return question.answer(.block, .blockedByRule).decided(by: rules)
  }

  /// Asks the viewer's rules, where the identity is managed or the class says always, and where there are any.
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

/// What the rules said of a file's URL.
private enum FileRules {
  case notAsked
  case said(AskedRules)
  case refused(Decision)
}
