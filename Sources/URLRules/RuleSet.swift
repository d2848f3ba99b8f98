package import GuardModel

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
  package var alwaysCheckedRules: [Int32] { compiled.index.unsearchable }
  /// Memory of the index, without the rules themselves and the host lists.
  package var indexBytes: Int { compiled.index.residentBytes }

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
