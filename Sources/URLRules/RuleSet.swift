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

/// One rule file, compiled: *is this URL external?*, first match wins.
///
/// The index files rules under conditions that they cannot match without. Each of its lists is in file order, and the
/// matching rule with the smallest number answers. The cost depends on the URL and on the residual rules, not on the
/// number of rules. A rule set is a time and a reference to the data that all its copies share.
package struct RuleSet: Sendable {
  private let compiled: CompiledRules
  /// The others are as if they were not there.
  private let force: RulesInForce

  package init(
    name: String, default: Verdict, rules: [Rule], defaultLocation: String = "", lists: HostLists = .empty
  ) {
    compiled = CompiledRules(
      name: name, default: `default`, rules: rules, defaultLocation: defaultLocation, lists: lists)
    force = RulesInForce(at: .min)
  }

  private init(_ compiled: CompiledRules, _ force: RulesInForce) {
    self.compiled = compiled
    self.force = force
  }

  package var name: String { compiled.name }
  /// All rules, also those that expired.
  package var rules: [Rule] { compiled.rules }
  /// All of them with their numbers.
  package var numbered: [(number: RuleNumber, rule: Rule)] { rules.enumerated().map { (RuleNumber($0), $1) } }
  package func has(_ number: RuleNumber) -> Bool { rules.indices.contains(Int(number.place)) }
  /// The rule with this number, which must have one.
  package subscript(number: RuleNumber) -> Rule { compiled.rules[Int(number.place)] }
  /// The verdict on URLs that no rule matches.
  package var `default`: Verdict { compiled.default }
  /// `file:line:column` of the default.
  package var defaultLocation: String { compiled.defaultLocation }
  /// The host lists that `list` conditions speak of.
  package var lists: HostLists { compiled.lists }
  /// Whether some rule says which place its URLs are.
  package var namesPlaces: Bool { compiled.namesPlaces }
  /// Number of rules that are looked at for every URL; `check` warns above 64.
  package var residualCount: Int { compiled.index.residual.count }
  /// Rules among them that are there because their pattern cannot be searched for.
  package var alwaysCheckedRules: [RuleNumber] { compiled.index.unsearchable.map(RuleNumber.init(place:)) }

  /// Begins to fetch the memory that a verdict on the URL in `text` will look at. It changes no answer.
  ///
  ///     ruleSet.prepare(for: text)          // before the URL is read: reading it takes as long as the memory does
  ///     input.url.read(text)
  ///     ruleSet.verdict(on: input, runner)
  package func prepare(for text: Span<UInt8>) { compiled.prepare(for: text) }

  /// The verdict of this rule set on the input's URL.
  ///
  /// The first rule that certainly matches answers, unless an external rule before it may match and would answer more
  /// strictly: an unknown condition never weakens an answer. A URL that held credentials is internal only by a rule
  /// that takes them. A URL that an unknown page made is external without a rule.
  package func verdict(on input: borrowing MatchInput, _ runner: RegexRunner) -> RuleVerdict {
    var work = SearchWork()
    return verdict(on: input, runner, &work)
  }

  /// The same, and the work it took.
  package func verdict(
    on input: borrowing MatchInput, _ runner: RegexRunner, _ work: inout SearchWork
  ) -> RuleVerdict {
    guard case .url = input.url.kind else { return RuleVerdict(verdict: .external, rule: nil, then: .none) }
    return compiled.verdict(on: input, force, runner, &work)
  }
}

extension RuleSet {
  /// The same rules with the monitored ones in force as well: the answer that they would give.
  ///
  ///     ruleSet.verdict(on: input, runner).rule             // 1: the monitored rule 0 is passed over
  ///     ruleSet.enforced.verdict(on: input, runner).rule    // 0
  package var enforced: RuleSet { RuleSet(compiled, RulesInForce(at: force.time, withMonitored: true)) }

  /// The same rules without those that compare with the viewer's document, at any depth: for a URL that is to become
  /// the document itself.
  ///
  ///     { internal: { same: origin } }, default: external   ->   external, by no rule
  package var withoutSame: RuleSet {
    RuleSet(compiled, RulesInForce(at: force.time, withMonitored: force.withMonitored, withoutSame: true))
  }

  /// Whether a rule has not expired and is passed over, since it only monitors.
  package func monitors(_ rule: Rule) -> Bool { holds(rule) && !force.holds(rule) }

  /// Whether rules may be passed over: then this rule set and the enforced one may differ.
  package var mayMonitor: Bool { !force.withMonitored && compiled.lastMonitored > force.time }
}

extension RuleSet {
  /// Whether a rule has not expired.
  package func holds(_ rule: Rule) -> Bool { rule.expires ?? .max > force.time }

  /// The same rules as they stand at a time, in seconds since 1970 UTC: rules expired by then are as if they were not
  /// there, and rules monitored beyond it are passed over.
  ///
  /// Costs nothing, since nothing is compiled. A rule set begins with no rule expired and all monitoring running,
  /// because it has no clock.
  package func at(_ time: Int64) -> RuleSet { RuleSet(compiled, RulesInForce(at: time)) }

  /// The first time after `time` at which a rule expires, or is not monitored any more; nil when none will.
  package func nextExpiry(after time: Int64) -> Int64? { compiled.expiries.first { $0 > time } }
}

/// The rules of a rule set that are asked: those not expired by a time, and either all monitored ones or none.
struct RulesInForce {
  let time: Int64
  /// Monitored rules are asked as if they were enforced.
  let withMonitored: Bool
  /// Rules that compare with the viewer's document are as if they were not there.
  let withoutSame: Bool

  init(at time: Int64, withMonitored: Bool = false, withoutSame: Bool = false) {
    self.time = time
    self.withMonitored = withMonitored
    self.withoutSame = withoutSame
  }

  func holds(_ rule: Rule) -> Bool {
    // Without a clock nothing has expired.
    if let expires = rule.expires, expires <= time { return false }
    return withMonitored || rule.monitoredUntil ?? .min <= time
  }
}
