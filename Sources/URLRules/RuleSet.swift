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
  /// The first rule that certainly matches answers, unless an external rule before it may match and would answer more
  /// strictly: an unknown condition never weakens an answer. A URL that held credentials is never internal. A URL that a
  /// page made and whose page is not known is external without a rule.
  package func verdict(on input: borrowing MatchInput, _ runner: RegexRunner) -> RuleVerdict {
    guard input.url.kind == .url else { return RuleVerdict(verdict: .external, rule: nil, then: .none) }
    var found = RulesFound()
    if input.url.judged.isWeb {
      hosts.forEachList(matching: input.url.judged) { search($0, input, runner, &found) }
    }
    search(residual, input, runner, &found)
    let certain = found.certain.map { RuleVerdict(rules[Int($0)], $0) } ?? defaultVerdict(input)
    return found.strictest(atLeast: certain)
  }

  private func search(
    _ list: [Int32], _ input: borrowing MatchInput, _ runner: RegexRunner, _ found: inout RulesFound
  ) {
    for number in list {
      if let certain = found.certain, number >= certain { return }
      let rule = rules[Int(number)]
      switch rule.answers(input, runner) {
      case .yes: found.certain = number
      case .unknown: found.mayAnswer(number, rule.then)
      case .no: break
      }
    }
  }

  private func defaultVerdict(_ input: borrowing MatchInput) -> RuleVerdict {
    RuleVerdict(verdict: input.url.hadCredentials ? .external : self.default, rule: nil, then: .none)
  }
}

/// What a search found so far, in whatever order it came.
private struct RulesFound {
  /// The first rule that certainly answers.
  var certain: Int32?
  /// The first external rule that may answer, for each action.
  private var possible = [nil, nil, nil] as InlineArray<3, Int32?>

  mutating func mayAnswer(_ number: Int32, _ action: RuleAction) {
    let slot = action.strictness
    possible[slot] = min(possible[slot] ?? number, number)
  }

  /// The strictest answer that the unknown leaves open; of equally strict ones the earlier rule's.
  func strictest(atLeast verdict: RuleVerdict) -> RuleVerdict {
    let actions = [.block, .redirect, .none] as InlineArray<3, RuleAction>
    for index in actions.indices {
      let action = actions[index]
      guard let number = possible[action.strictness], number < certain ?? .max else { continue }
      let answer = RuleVerdict(verdict: .external, rule: number, then: action)
      if answer.strictness >= verdict.strictness { return answer }
    }
    return verdict
  }
}

extension Rule {
  /// Whether this rule answers for the input. An internal rule answers only when it certainly matches; an external one
  /// that may match may answer.
  func answers(_ input: borrowing MatchInput, _ runner: RegexRunner) -> Ternary {
    if verdict == .internal, input.url.hadCredentials { return .no }
    let spoken = purposes.speak(of: input.purposes)
    if spoken == .no { return .no }
    let truth = Ternary.and(spoken, input.truth(of: condition, runner))
    return verdict == .internal && truth == .unknown ? .no : truth
  }
}
