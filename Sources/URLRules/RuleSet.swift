package import GuardModel
internal import URLStandard

/// One rule file, compiled: *is this URL external?*, first match wins.
///
/// Rules that name hosts lie under these in a table, the others in a residual list; each list is in file order, and the
/// smallest matching rule number is the answer. The cost depends on the labels of the host and on the residual rules, not
/// on the number of rules that name hosts.
package struct RuleSet: Sendable {
  package let name: String
  package let rules: [Rule]
  /// The verdict of what no rule matches.
  package let `default`: Verdict
  /// `file:line:column` of the default.
  package let defaultLocation: String
  private let hosts: HostIndex
  /// Rules that no host leads to, in file order.
  private let residual: [Int32]

  package init(name: String, default: Verdict, rules: [Rule], defaultLocation: String = "") {
    self.name = name
    self.rules = rules
    self.default = `default`
    self.defaultLocation = defaultLocation
    var hosts = HostIndex()
    var residual: [Int32] = []
    for (number, rule) in rules.enumerated() {
      if let keys = rule.condition.hosts {
        for key in keys { hosts.add(Int32(number), under: key) }
      } else {
        residual.append(Int32(number))
      }
    }
    self.hosts = hosts
    self.residual = residual
  }

  /// How many rules are looked at for every URL; `check` warns above 64.
  package var residualCount: Int { residual.count }

  /// What this rule set says of the input's URL.
  ///
  /// An unknown condition is a match for an external rule and none for an internal one. A URL that held credentials is
  /// never internal. A URL that a page made and whose page is not known is external without a rule.
  package func verdict(on input: borrowing MatchInput, _ runner: RegexRunner) -> RuleVerdict {
    guard input.url.kind == .url else { return RuleVerdict(verdict: .external, rule: nil, then: .none) }
    var best = Int32.max
    if input.url.judged.isWeb {
      hosts.forEachList(matching: input.url.judged) { list in
        best = firstMatch(in: list, below: best, input, runner)
      }
    }
    best = firstMatch(in: residual, below: best, input, runner)
    guard best != Int32.max else { return defaultVerdict(input) }
    let rule = rules[Int(best)]
    return RuleVerdict(verdict: rule.verdict, rule: best, then: rule.then)
  }

  private func firstMatch(
    in list: [Int32], below best: Int32, _ input: borrowing MatchInput, _ runner: RegexRunner
  ) -> Int32 {
    for number in list {
      if number >= best { return best }
      if rules[Int(number)].matches(input, runner) { return number }
    }
    return best
  }

  private func defaultVerdict(_ input: borrowing MatchInput) -> RuleVerdict {
    RuleVerdict(verdict: input.url.hadCredentials ? .external : self.default, rule: nil, then: .none)
  }
}

extension Rule {
  /// Whether this rule answers for the input, by its polarity (architecture, section 6).
  package func matches(_ input: borrowing MatchInput, _ runner: RegexRunner) -> Bool {
    if verdict == .internal, input.url.hadCredentials { return false }
    let spoken = purposes.speak(of: input.purposes)
    if spoken == .no { return false }
    let truth = Ternary.and(spoken, input.truth(of: condition, runner))
    return verdict == .external ? truth != .no : truth == .yes
  }
}
