internal import GuardModel
internal import URLRules

/// The place that the viewer's rules name for a URL, with its account as the policy knows it.
struct RuledPlace: Sendable {
  let location: Location
  let account: NamedAccount
  /// The rule that names it.
  let rules: AskedRules

  /// The decision with a note about the place.
  func told(_ decision: Decision) -> Decision {
    let told = decision.noting(account.isUnknown ? [.namedByRule, .unknownLocationAccount] : .namedByRule)
    return told.ruleSet == nil ? told.decided(by: rules) : told
  }

  /// The same where the data comes from the place.
  func toldAsSource(_ decision: Decision) -> Decision {
    decision.noting(account.isUnknown ? [.namedByRule, .unknownOwner] : .namedByRule)
  }
}

/// URLs that are places (ledger SL-05, SL-09): a rule that takes the URL says which, and whose.
///
/// The policy's word about a URL wins over the app's word about its kind. Both count for the account: the app's word
/// never lowers the known protection. A file with a path lies on this machine, whatever URL the app gives with it.
extension GuardState {
  /// The place that a `Save` goes to, or that an `Open` comes from; nil if no rule names one.
  mutating func ruledPlace(
    _ event: borrowing Event, _ direction: Place.Direction, _ question: Question, of id: InstanceID
  ) -> RuledPlace? {
    guard event.kind == (direction == .save ? .save : .open), event.path == nil, let url = event.url else { return nil }
    return ruledPlace(url, direction == .save ? .upload : .download, event, question, of: id)
  }

  /// The place that an uploaded file goes to: the URL's; the page's if the app gives no URL.
  mutating func ruledReceiver(
    _ event: borrowing Event, _ question: Question, of id: InstanceID
  ) -> RuledPlace? {
    guard let url = event.url ?? event.from else { return nil }
    return ruledPlace(url, .upload, event, question, of: id)
  }

  /// The place that a downloaded file comes from.
  mutating func ruledSource(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> RuledPlace? {
    guard event.kind == .download, let url = event.url else { return nil }
    return ruledPlace(url, .download, event, question, of: id)
  }

  private mutating func ruledPlace(
    _ url: TextSlot, _ purpose: Purposes, _ event: borrowing Event, _ question: Question, of id: InstanceID
  ) -> RuledPlace? {
    guard question.snapshot.namesPlaces, question.viewer.rules != .none else { return nil }
    readInput(event, question, of: id)
    input.url.read(event.bytes(url))
    if input.url.kind == .madeByPage { input.url.judgeAs(input.from) }
    guard input.url.kind == .url else { return nil }
    input.purposes = purpose
    runner.beginDecision(subjectBytes: input.subjectBytes)
    guard let (place, rules) = placeByRules(question) else { return nil }
    return RuledPlace(location: place.location, account: account(of: place, question, of: id), rules: rules)
  }

  /// The answer of the viewer's rules; several rule sets have to name the same place.
  private mutating func placeByRules(_ question: Question) -> (NamedPlace, AskedRules)? {
    switch question.viewer.rules {
    case .none: return nil
    case .ruleSet(let index): return place(by: index, question)
    case .strictest:
      var named: (place: NamedPlace, rules: AskedRules)?
      for index in question.app.strictestRuleSets {
        guard let found = place(by: index, question), named == nil || named?.place == found.0 else { return nil }
        named = named ?? found
      }
      return named.map { ($0.place, $0.rules) }
    }
  }

  /// A site that an exception lets in is no longer subject to the rule that the exception lifts.
  private mutating func place(by index: Int32, _ question: Question) -> (NamedPlace, AskedRules)? {
    let ruleSet = question.snapshot.askedRuleSets[Int(index)]
    let said = excepted(AskedRules(ruleSet: index, verdict: ruleSet.verdict(on: input, runner)), question)
    guard said.exception == nil, let rule = said.verdict.rule, let place = ruleSet.rules[Int(rule)].place else {
      return nil
    }
    return (place, said)
  }

  private mutating func account(of place: NamedPlace, _ question: Question, of id: InstanceID) -> NamedAccount {
    switch place.owner {
    case .nobody: NamedAccount(isSaid: true)
    case .own: question.ownPlace
    case .account(let name): namedAccount(name, of: id, question.snapshot)
    }
  }
}
