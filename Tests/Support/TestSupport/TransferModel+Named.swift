internal import GuardModel
internal import PolicyEngine
internal import URLRules

/// Places that rules name (ledger SL-05, SL-09).
extension TransferModel {
  struct Named {
    var location: Location
    /// Empty: nobody's.
    var account: String
    var said: NavigationModel.Said
  }

  /// The place that the viewer's rules call a URL. Where all the app's rule sets are asked, all have to name the same.
  func named(_ text: String?, _ purpose: Purposes, _ asked: Asked) -> Named? {
    guard let text else { return nil }
    let from = ReferenceURL(asked.event.from)
    let url = ReferenceURL(text).judged(as: from)
    guard url.parts != nil else { return nil }
    let question = question(url, from, purpose, asked)
    var found: [(place: NamedPlace, said: NavigationModel.Said)] = []
    let model = NavigationModel(world)
    let answers = model.asks(question, asked.model, asked.app)
    for answer in answers {
      let said = model.excepted(answer, question, asked.model, asked.app)
      let ruleSet = world.policy.ruleSets.first { $0.name == said.ruleSet }
      guard said.exception == nil, let rule = said.rule, let place = ruleSet?.rules[rule].place else { return nil }
      found.append((place, said))
    }
    guard let first = found.first, found.allSatisfy({ $0.place == first.place }) else { return nil }
    let account =
      switch first.place.owner {
      case .nobody: ""
      case .own: asked.own.account ?? ""
      case .account(let name): name
      }
    return Named(location: first.place.location, account: account, said: first.said)
  }

  /// What is told of it.
  func told(_ decision: ModelDecision, _ named: Named, _ asked: Asked) -> ModelDecision {
    var told = decision
    told.notes.insert("namedByRule")
    told.notes.formUnion(strangers(owner: nil, location: named.account, asked))
    return told.ruleSet == nil ? told.with(named.said) : told
  }

  /// The place that the rule names, and behind it, where the app says of the account what the rule does not, the same place
  /// with that account: the first that is refused counts.
  func judged(
    _ asked: Asked, isSave: Bool, shown: Side, _ named: Named?, _ judge: (Place) -> ModelDecision
  ) -> (decision: ModelDecision, place: Place) {
    var said = place(asked, isSave: isSave, shown: shown, at: named?.location)
    guard let named else { return (judge(said), said) }
    var ruled = Place(location: named.location, account: named.account)
    if !isSave, [.dropbox, .googleDrive].contains(named.location) {
      ruled.location = .other
      ruled.notes = ["otherLocation"]
    }
    let decision = judge(ruled)
    guard decision.outcome == .allow, asked.event.locationAccount != nil else { return (decision, ruled) }
    if said.account == nil { said.account = "" }
    let isStrange = !strangers(owner: nil, location: said.account, asked).isEmpty
    guard isStrange || side(said.account, asked) != side(ruled.account, asked) else { return (decision, ruled) }
    return (judge(said), said)
  }

  /// What is uploaded to a place is saved there.
  func uploaded(_ decision: ModelDecision, to named: Named, _ owners: [Side], _ asked: Asked) -> ModelDecision {
    let destination = side(named.account, asked)
    var refusals = owners.map { listed($0, named.location, isSave: true).refusal }
    refusals += owners.map { out($0, to: destination) }
    refusals += owners.map { into(destination, from: $0) }
    if let refusal = refusals.compactMap(\.self).first {
      var blocked = refused(refusal, asked)
      (blocked.location, blocked.notes) = (decision.location, decision.notes)
      return blocked
    }
    var allowed = decision
    let isException = listed(owners[0], named.location, isSave: true).isException
    if decision.reason == .transferAllowed, isException { allowed.reason = .locationAllowed }
    return allowed
  }
}
