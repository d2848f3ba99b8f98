internal import GuardModel
internal import URLRules

/// The place that an event names, as it is judged.
struct Place {
  let location: Location
  let account: EventAccount
  private(set) var notes: DecisionNotes

  enum Direction {
    case save
    case open
  }

  /// The place that a rule names.
  init(_ event: borrowing Event, _ ruled: RuledPlace, _ direction: Direction) {
    let isOther = direction == .open && (ruled.location == .dropbox || ruled.location == .googleDrive)
    location = isOther ? .other : ruled.location
    account = ruled.account
    notes = event.notes.union(isOther ? .otherLocation : [])
    if account.isUnknown { notes.insert(.unknownLocationAccount) }
  }

  /// Reads location, account and path: an untrusted location becomes `other`, and a location without accounts has none.
  ///
  /// - Parameter ruled: the location that a rule names; it replaces the app's.
  init(
    _ event: borrowing Event, _ named: EventAccount, _ direction: Direction, shows party: Party,
    at ruled: Location? = nil
  ) {
    var location = ruled ?? event.location
    var account = named
    var notes = event.notes
    if direction == .save ? location == .camera : location == .dropbox || location == .googleDrive {
      location = .other
      notes.insert(.otherLocation)
    }
    if let path = event.path, !FilePath.isPlain(event.bytes(path)) {
      location = .other
      notes.insert(.unreadablePath)
    }
    if !location.takesAccount, named.isSaid {
      account = EventAccount()
      notes.insert(.accountIgnored)
    }
    // At a foreign service an account is only a text, and may be a different person's account of the same name (ledger
    // SL-11).
    let isForeign = location == .dropbox || location == .googleDrive
    if isForeign, named.isSaid, !named.isUnknown, event.locationAccount.map({ isUPN(event.bytes($0)) }) ?? false {
      account = EventAccount(isSaid: true)
      notes.insert(.accountIgnored)
    }
    if account.isUnknown { notes.insert(.unknownLocationAccount) }
    if location == .localStorage, !named.isSaid, party != .unmanaged { notes.insert(.localWithoutAccount) }
    self.location = location
    self.account = account
    self.notes = notes
  }
}

/// Whether an account is named by a user principal name, and not by an object id.
private func isUPN(_ name: Span<UInt8>) -> Bool {
  for index in name.indices where name[index] == UInt8(ascii: "@") { return true }
  return false
}

extension Question {
  /// Why every place is forbidden for the data, so that no dialogue for choosing one may be shown (ledger DT-15).
  func refusalOfEveryPlace(_ party: Party, _ direction: Place.Direction) -> Denial? {
    var refusal: Denial?
    for location in Location.allCases {
      guard let found = self.refusal(of: party, direction, location) else { return nil }
      if refusal == nil { refusal = found }
    }
    return refusal
  }

  /// Why the owner's settings keep the data out of the place, and whether the place is excepted; with `.open` the
  /// receiver's settings are asked. Unmanaged sides never refuse.
  func refusal(of party: Party, _ direction: Place.Direction, _ location: Location) -> Denial? {
    switch party {
    case .unmanaged: return nil
    case .managed(_, let protections):
      guard let refusing = firstRefusing(location, of: protections, direction) else { return nil }
      switch direction {
      case .save:
        let shut = snapshot.first(of: protections) { $0.send == .none }
        return shut.map { Denial(.outgoingDisallowed, $0) } ?? Denial(.saveLocationNotListed, refusing)
      case .open:
        let shut = snapshot.first(of: protections) { $0.receive == .none }
        return shut.map { Denial(.incomingDisallowed, $0) } ?? Denial(.openLocationNotListed, refusing)
      }
    }
  }

  /// A protection that allows the data only in its excepted places, and not in this one.
  private func firstRefusing(
    _ location: Location, of protections: ProtectionSet, _ direction: Place.Direction
  ) -> ProtectionIndex? {
    let refuses = snapshot.strictest(ofEffective: protections) { effective in
      let settings = direction == .save ? effective.save : effective.open
      return !settings.allowed && !settings.exceptions.contains(location)
    }
    return refuses.flatMap { $0.value ? $0.protection : nil }
  }

  /// Only the list of exceptions lets the data through.
  func isExcepted(_ party: Party, _ direction: Place.Direction) -> Bool {
    var isExcepted = false
    party.protections.forEach { if !settings(of: $0, direction).allowed { isExcepted = true } }
    return isExcepted
  }

  private func settings(of protection: ProtectionIndex, _ direction: Place.Direction) -> LocationSettings {
    let effective = snapshot.effective[Int(protection.place)]
    return direction == .save ? effective.save : effective.open
  }
}

/// The place that the viewer's rules name for a URL, with its account as the policy knows it.
struct RuledPlace: Sendable {
  let location: Location
  let account: EventAccount
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
    return placeOfInput(question, of: id)
  }

  /// The place that a rule names for the URL that `input` has.
  mutating func placeOfInput(_ question: Question, of id: InstanceID) -> RuledPlace? {
    guard question.snapshot.namesPlaces, let (place, rules) = placeByRules(question) else { return nil }
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
  private mutating func place(by index: RuleSetIndex, _ question: Question) -> (NamedPlace, AskedRules)? {
    let ruleSet = question.snapshot.asked(index)
    let said = excepted(AskedRules(ruleSet: index, verdict: ruleSet.verdict(on: input, runner)), question)
    guard said.exception == nil, let rule = said.verdict.rule, let place = question.snapshot.rule(rule, of: index).place
    else { return nil }
    return (place, said)
  }

  private mutating func account(of place: NamedPlace, _ question: Question, of id: InstanceID) -> EventAccount {
    switch place.owner {
    case .nobody: EventAccount(isSaid: true)
    case .own: question.ownPlace
    case .account(let name): namedAccount(name, of: id, question.snapshot)
    }
  }
}
