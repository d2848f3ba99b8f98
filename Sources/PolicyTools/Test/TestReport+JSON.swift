package import JSONText
internal import PolicyFiles
internal import URLRules

extension TestOutcome {
  /// `passed`, `failed`, `failures` of rule sets and `policyFailures`.
  package var members: [JSONTree.Member] {
    let failures = failures.map { result -> JSONTree in
      [
        "location": .string("\(result.step.location)"), "url": .string(result.step.question.url),
        "expected": .string(result.step.expect.rawValue), "expectedRule": .optional(result.step.rule),
        "verdict": .string(result.verdict.rawValue), "rule": .optional(result.rule),
      ]
    }
    let policyFailures = policyFailures.map { failure -> JSONTree in
      [
        "location": .string("\(failure.location)"), "test": .optional(failure.test), "step": .string(failure.step),
        "failure": .string(failure.failure),
      ]
    }
    return [
      .init("passed", .number(passed)), .init("failed", .number(failed)), .init("failures", .array(failures)),
      .init("policyFailures", .array(policyFailures)),
    ]
  }
}

extension CoverageReport {
  package var json: JSONTree {
    [
      "rules": .number(total), "reached": .number(reached), "percent": .number(Self.percent(reached, of: total)),
      "minimum": minimum.map(JSONTree.number) ?? .null, "isEnough": .bool(isEnough),
      "ruleSets": .array(sets.map(\.json)),
    ]
  }
}

extension RuleCoverage {
  fileprivate var json: JSONTree {
    [
      "name": .string(ruleSet.name), "file": .string(file), "rules": .number(total), "reached": .number(reached),
      "percent": .number(CoverageReport.percent(reached, of: total)),
      "unreached": .array(unreached.map(json)), "unusedValues": .array(unusedValues.map(json)),
      "default": [
        "location": .string(ruleSet.defaultLocation), "reached": .bool(reachesDefault),
        "test": defaultSuggestion?.json ?? .null,
      ],
    ]
  }

  private func json(_ unreached: UnreachedRule) -> JSONTree {
    let rule = ruleSet.rules[Int(unreached.rule)]
    let hidden = unreached.hidden.map { step -> JSONTree in
      ["rule": .string(ruleSet.rules[Int(step.decider)].id), "location": .string("\(step.location)")]
    }
    return [
      "rule": .string(rule.id), "location": .string(rule.location), "hiddenBy": hidden ?? .null,
      "test": unreached.suggestion?.json ?? .null,
    ]
  }

  private func json(_ unused: UnusedValue) -> JSONTree {
    let rule = ruleSet.rules[Int(unused.rule)]
    return [
      "rule": .string(rule.id), "location": .string(rule.location), "value": .string(unused.value.words),
      "test": unused.suggestion?.json ?? .null,
    ]
  }
}

extension RuleTestStep {
  /// The test as a rule file has it, and as its line of YAML.
  var json: JSONTree {
    let purposes = Purposes.names.filter { question.purpose.contains($0.purpose) }.map { JSONTree.string($0.name) }
    return [
      "url": .string(question.url), "document": .optional(question.document), "from": .optional(question.from),
      "hop": .bool(question.hop == true), "for": .array(purposes), "expect": .string(expect.rawValue),
      "rule": .optional(rule), "yaml": .string(yaml),
    ]
  }
}

extension JSONTree {
  static func number(_ number: Int) -> JSONTree { .int(Int64(number)) }

  static func optional(_ text: String?) -> JSONTree { text.map(JSONTree.string) ?? .null }
}
