/// What kind of value a member of the wire has.
enum MemberKind: Sendable {
  case text, number, truth, texts, offer, offers, advice

  /// Whether every member that is known and there is of its kind. What is not known may be anything.
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

extension GuardDecision {
  /// The members of `Decision`.
  static let kinds: [String: MemberKind] = [
    "id": .text, "outcome": .text, "reason": .text, "viewerIsUnknown": .truth, "policy": .text, "policySource": .text,
    "identity": .text, "identityLevel": .text, "protection": .text, "verdict": .text, "ruleSet": .text, "rule": .text,
    "ruleLocation": .text, "exception": .text, "message": .text, "open": .offer, "offered": .text,
    "bodyDropped": .truth, "clip": .text, "proposal": .text, "mimeWrap": .truth, "limit": .number,
    "onlyPlainText": .truth,
    "replacement": .text, "programs": .texts, "blurPreview": .truth, "setOwner": .text, "mustEncrypt": .truth,
    "tagAs": .text, "switchTo": .text,
    "request": .text, "location": .text, "notes": .texts,
    "advice": .advice, "generation": .number, "digest": .text, "mode": .text, "repeat": .truth,
  ]
}
