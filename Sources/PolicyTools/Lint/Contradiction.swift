internal import GuardModel
package import URLRules
internal import URLStandard

/// Finds two things that a condition demands and no URL has both.
///
///     host: a.example, domain: b.example     ->  host `a.example` and domain `b.example`
///     scheme: ftp, domain: contoso.com       ->  scheme `ftp` and domain `contoso.com`
///     port: 80, url: https://a.example/      ->  port `80` and url `https://a.example/`
///
/// Nil whenever that is not certain.
package struct Contradiction {
  /// Groups of more values are not compared with others: that work grows with the product.
  private static let maximumValues = 64

  private let asker: RuleAsker
  private var implication: Implication

  package init(_ asker: RuleAsker) {
    self.asker = asker
    implication = Implication(asker, budget: 100_000)
  }

  /// The two that a rule demands, in words.
  package mutating func words(of rule: Rule) -> String? {
    words(of: rule.condition, needsContext: rule.verdict == .internal)
  }

  /// `needsContext`: an untold fact counts as not fulfilled, as it does for internal rules. An external rule with two
  /// pages that are never one still takes every URL with an untold page.
  private mutating func words(of condition: Condition, needsContext: Bool) -> String? {
    let groups = condition.conjuncts.map(\.alternatives)
    for (index, group) in groups.enumerated() {
      if needsContext, group.count == 1, case .from(let part) = group[0],
        let words = words(of: part, needsContext: true)
      {
        return "`from` with \(words)"
      }
      for other in groups[(index + 1)...] where isImpossible(group, other, needsContext) {
        return [group, other].map { Condition.any($0).sentence }.joined(separator: " and ")
      }
    }
    return nil
  }

  private mutating func isImpossible(_ group: [Condition], _ other: [Condition], _ needsContext: Bool) -> Bool {
    guard !group.isEmpty, !other.isEmpty, group.count * other.count <= Self.maximumValues * Self.maximumValues else {
      return false
    }
    return group.allSatisfy { one in
      other.allSatisfy { two in
        if case .hop = one, !needsContext { return false }
        return areDisjoint(one, two) || areDisjoint(two, one)
      }
    }
  }

  private mutating func areDisjoint(_ one: Condition, _ other: Condition) -> Bool {
    switch (one, other) {
    case (.scheme(let name), .scheme(let otherName)): name != otherName
    case (.port(let port), .port(let otherPort)): port != otherPort
    case (.hop(let wanted), .hop(let otherWanted)): wanted != otherWanted
    case (.scheme(let name), _) where other.isWebOnly: !Condition.webSchemes.contains(name)
    case (.url(let href), _): isFalse(other, of: String(decoding: href, as: UTF8.self))
    case (.host(let name), .host), (.host(let name), .domain), (.host(let name), .network), (.host(let name), .list):
      isFalse(other, of: "https://" + String(decoding: name, as: UTF8.self) + "/")
    case (.domain(let name), .domain(let otherName)):
      !implication.holds(one, other) && !implication.holds(other, one) && name != otherName
    case (.domain(let name), .network): !HostShape.isAddress(name)
    case (.network(let network), .network(let otherNetwork)):
      !network.contains(otherNetwork.base) && !otherNetwork.contains(network.base)
    case (_, .not(let part)): one.isAlwaysKnown && implication.holds(one, part)
    default: false
    }
  }

  /// Certainly false of this URL, with any other context.
  private func isFalse(_ condition: Condition, of url: String) -> Bool {
    var input = RuleQuestion(url: url).input
    guard input.url.kind == .url, input.url.judged.bytes.elementsEqual(url.utf8) else { return false }
    input.lists = asker.ruleSet.lists
    asker.runner.beginDecision(subjectBytes: input.subjectBytes)
    return input.truth(of: condition, asker.runner) == .no
  }
}
