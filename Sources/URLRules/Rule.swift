package import GuardModel

/// One rule of a rule file.
package struct Rule: Sendable {
  package var id: String
  package var verdict: Verdict
  package var condition: Condition
  package var purposes: Purposes
  package var then: RuleAction
  /// Message for the user; `{host}` and `{url}` stand for those of the navigation.
  package var message: String?
  /// The first second in which the rule does not hold any more, since 1970 UTC; nil: it holds for ever.
  package var expires: Int64?
  /// An internal rule may answer for a URL that held a user name or password. Without it such a URL is never internal,
  /// because `https://contoso.com@evil.example/` is made to be misread.
  package var takesCredentials: Bool
  /// Until this second, since 1970 UTC, the rule's answer is recorded and not enforced; nil: it is enforced.
  package var monitoredUntil: Int64?
  /// The place of its URLs, and its owner; nil: the rule names none.
  package var place: NamedPlace?
  /// `file:line:column` of the rule.
  package var location: String

  package init(
    id: String, verdict: Verdict, condition: Condition, purposes: Purposes = .page, then: RuleAction = .none,
    message: String? = nil, expires: Int64? = nil, takesCredentials: Bool = false, monitoredUntil: Int64? = nil,
    location: String = ""
  ) {
    self.id = id
    self.verdict = verdict
    self.condition = condition
    self.purposes = purposes
    self.then = then
    self.message = message
    self.expires = expires
    self.takesCredentials = takesCredentials
    self.monitoredUntil = monitoredUntil
    self.location = location
  }
}

/// A rule's addition to the protection's own answer. It only ever tightens.
package enum RuleAction: String, Sendable, Hashable, CaseIterable {
  /// The protection decides.
  case none
  case redirect
  case block

  /// Higher for stricter actions.
  package var strictness: Int {
    switch self {
    case .none: 0
    case .redirect: 1
    case .block: 2
    }
  }
}

/// The purposes that a rule speaks of (`for:` in a rule file), or that an event may concern.
package struct Purposes: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let page = Purposes(rawValue: 1)
  package static let frame = Purposes(rawValue: 2)
  package static let resource = Purposes(rawValue: 4)
  package static let download = Purposes(rawValue: 8)
  package static let upload = Purposes(rawValue: 16)
  package static let paste = Purposes(rawValue: 32)

  /// The purposes of a rule that names a place and gives none.
  package static let placed: Purposes = [.page, .download, .upload]

  /// The words of a rule file, in the order they are documented.
  package static let names: [(name: String, purpose: Purposes)] = [
    ("page", .page), ("frame", .frame), ("resource", .resource), ("download", .download), ("upload", .upload),
    ("paste", .paste),
  ]

  /// Whether a rule for `self` speaks of an event that is one of `possible`: unknown when it speaks of some only.
  package func speak(of possible: Purposes) -> Ternary {
    if isSuperset(of: possible) { return .yes }
    return isDisjoint(with: possible) ? .no : .unknown
  }
}
