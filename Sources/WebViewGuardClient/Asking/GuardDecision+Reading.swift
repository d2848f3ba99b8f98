internal import GuardModel

extension GuardDecision {
  /// A decision made here, by the failure contract.
  static func withoutAnswer(to kind: EventKind, _ contract: FailureContract) -> GuardDecision {
    var decision = GuardDecision()
    decision.outcome = kind != .unknown && contract.answer(to: kind) == .open ? .allow : .block
    if !decision.isAllowed { decision.message = LocalMessage.text(for: decision.reason.rawValue) }
    return decision
  }

  /// A decision made here: an error is `block`, with its last word as the reason.
  ///
  ///     GuardDecision.refused(.init(name: "org.webviewguard.Guard.AppMismatch", parameters: [:])).reason    // AppMismatch
  package static func refused(_ refusal: GuardError.ErrorReply) -> GuardDecision {
    var decision = GuardDecision()
    decision.reason = DecisionReason(rawValue: refusal.word)
    decision.message = LocalMessage.text(for: refusal.word)
    return decision
  }

  /// The answer to one call, successful or not.
  static func reading(_ answer: CallAnswer, to kind: EventKind, _ contract: FailureContract) -> GuardDecision {
    switch answer {
    case .reply(let members): members["decision"].flatMap(GuardDecision.init(reading:)) ?? unreadable
    case .nothing, .cancelled: withoutAnswer(to: kind, contract)
    case .refused(let refusal): refused(refusal)
    }
  }

  /// The answers to several questions.
  static func reading(_ answer: CallAnswer, to kinds: [EventKind], _ contract: FailureContract) -> [GuardDecision] {
    guard case .reply(let members) = answer else { return kinds.map { reading(answer, to: $0, contract) } }
    let decisions = members["decisions"]?.array ?? []
    return kinds.indices.map { index in
      guard decisions.count == kinds.count else { return unreadable }
      return GuardDecision(reading: decisions[index]) ?? unreadable
    }
  }

  /// The daemon answered, but without a decision: `block`, regardless of the contract.
  private static let unreadable = refused(.init(name: "invalidReply", parameters: [:]))

  /// The daemon's decision; nil when the value is none: a known member of the wrong kind makes it none.
  ///
  /// An unknown outcome is `block`, an unknown reason stays a text, any other unknown word counts as left out.
  ///
  ///     GuardDecision(reading: ["outcome": "allow", "reason": "internal"])?.isAllowed    // true
  package init?(reading value: GuardValue) {
    guard let members = value.object, value["outcome"] != nil, MemberKind.fit(members, Self.kinds) else { return nil }
    self.members = members
    isLocal = false
    outcome = Outcome(word: value["outcome"])
    reason = DecisionReason(rawValue: value["reason"]?.string ?? "")
    message = value["message"]?.string
  }
}

extension GuardDecision.Offer {
  /// The daemon's offer; nil when it names no URL. Fallbacks of fallbacks end somewhere, since the text does.
  init?(reading value: GuardValue) {
    guard let url = value["url"]?.string else { return nil }
    let fallback = value["fallback"]?.array?.compactMap { Self(reading: $0) } ?? []
    self.init(
      target: value["target"]?.string ?? "", desktopID: value["desktopId"]?.string, argv: value["argv"]?.strings,
      url: url, fallback: fallback)
  }
}

extension GuardDecision.Advice {
  init?(reading value: GuardValue) {
    guard value.object != nil else { return nil }
    self.init(
      outcome: Outcome(word: value["outcome"]), reason: DecisionReason(rawValue: value["reason"]?.string ?? ""),
      cause: value["cause"]?.string.flatMap(MonitorCause.init), ruleSet: value["ruleSet"]?.string,
      rule: value["rule"]?.string, ruleLocation: value["ruleLocation"]?.string)
  }
}

/// The kind of value of a member on the wire.
enum MemberKind: Sendable {
  case text, number, truth, texts, offer, offers, advice

  /// Every known member that is present has the right kind. Unknown members may be anything.
  static func fit(_ members: [String: GuardValue], _ kinds: [String: MemberKind]) -> Bool {
    members.allSatisfy { name, value in value == .null || (kinds[name]?.fits(value) ?? true) }
  }

  private func fits(_ value: GuardValue) -> Bool {
    switch (self, value) {
    case (.text, .string), (.number, .integer), (.truth, .bool): true
    case (.texts, .array(let values)): values.allSatisfy { $0.string != nil }
    case (.offer, .object(let members)): Self.isOffer(members)
    case (.offers, .array(let values)): values.allSatisfy { $0.object.map(Self.isOffer) ?? false }
    case (.advice, .object(let members)): Self.isAdvice(members)
    default: false
    }
  }

  private static func isOffer(_ members: [String: GuardValue]) -> Bool {
    members["target"]?.string != nil && members["url"]?.string != nil && fit(members, ofOffer)
  }

  private static func isAdvice(_ members: [String: GuardValue]) -> Bool {
    ["outcome", "reason", "cause"].allSatisfy { members[$0]?.string != nil } && fit(members, ofAdvice)
  }

  /// The members of `OpenOffer`.
  static let ofOffer: [String: MemberKind] = [
    "target": .text, "desktopId": .text, "argv": .texts, "url": .text, "fallback": .offers,
  ]
  /// The members of `Advice`.
  static let ofAdvice: [String: MemberKind] = [
    "outcome": .text, "reason": .text, "cause": .text, "ruleSet": .text, "rule": .text, "ruleLocation": .text,
  ]
}

extension MemberKind {
  fileprivate init(_ field: DecisionField) {
    self =
      switch field.kind {
      case .text, .account, .digest: .text
      case .flag: .truth
      case .number: .number
      case .texts, .notes: .texts
      case .offer: .offer
      case .advice: .advice
      }
  }
}

extension GuardDecision {
  /// The members of `Decision`: the fields, and two that the daemon adds to each answer.
  static let kinds = Dictionary(
    uniqueKeysWithValues: DecisionField.inReplies.map { ($0.name.description, MemberKind($0.field)) }
      + [("id", .text), ("repeat", .truth)])

  /// The names of all fields by their number; empty for those of the log alone.
  static let names = DecisionField.allCases.map { field in
    DecisionField.inReplies.first { $0.field == field }?.name.description ?? ""
  }
}
