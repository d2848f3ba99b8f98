internal import Bytes
internal import GuardModel
package import URLRules
internal import URLStandard

extension Condition {
  /// The parts that must all hold.
  package var conjuncts: [Condition] {
    guard case .all(let parts) = self else { return [self] }
    return parts.flatMap(\.conjuncts)
  }

  /// The parts of which one must hold.
  package var alternatives: [Condition] {
    guard case .any(let parts) = self else { return [self] }
    return parts.flatMap(\.alternatives)
  }

  /// It holds of http and https only.
  var isWebOnly: Bool {
    switch self {
    case .domain, .host, .list, .network: true
    case .scheme(let name): Self.webSchemes.contains(name)
    case .all(let parts): parts.contains(where: \.isWebOnly)
    case .any(let parts): parts.allSatisfy(\.isWebOnly)
    case .url(let href): Self.webSchemes.contains { href.starts(with: $0 + Array("://".utf8)) }
    case .regex(let regex): regex.namesHost
    case .not, .port, .queryOver, .pattern, .filter, .filters, .same, .sameSite, .from, .hop: false
    }
  }

  static let webSchemes: Set<[UInt8]> = [Array("http".utf8), Array("https".utf8)]

  /// It is never unknown, with any told context and any length of URL.
  ///
  /// A list is not certain here: a list that is not loaded is unknown.
  package var isAlwaysKnown: Bool {
    switch self {
    case .domain, .host, .url, .scheme, .port, .queryOver, .network, .filter, .filters: true
    case .all(let parts), .any(let parts): parts.allSatisfy(\.isAlwaysKnown)
    case .not(let part): part.isAlwaysKnown
    case .list, .regex, .pattern, .same, .sameSite, .from, .hop: false
    }
  }

  /// It says something of the URL that is judged, and not only of how it was reached.
  ///
  ///     { hop: true, from: { domain: contoso.com } }    ->  false
  ///     { scheme: https, hop: true }                    ->  false: nearly every URL has it
  ///     { queryOver: 9, hop: true }                     ->  false: the author of any link can make it so
  ///     { same: document }                              ->  true
  package var limitsURL: Bool {
    switch self {
    case .from, .hop, .scheme, .port, .queryOver, .not: false
    case .all(let parts): parts.contains(where: \.limitsURL)
    case .any(let parts): parts.allSatisfy(\.limitsURL)
    case .domain, .host, .url, .list, .network, .regex, .pattern, .filter, .filters, .same, .sameSite: true
    }
  }

  /// It asks how the URL was reached, at any depth.
  package var asksContext: Bool {
    switch self {
    case .from, .hop: true
    case .all(let parts), .any(let parts): parts.contains(where: \.asksContext)
    case .not(let part): part.asksContext
    case .domain, .host, .url, .list, .network, .regex, .pattern, .filter, .filters, .same, .sameSite, .scheme, .port,
      .queryOver:
      false
    }
  }

  /// Every matcher in it that is not behind a `not`, and that looks at the URL itself.
  package var positiveMatchers: [Condition] {
    switch self {
    case .all(let parts), .any(let parts): parts.flatMap(\.positiveMatchers)
    case .not, .from: []
    default: [self]
    }
  }
}

extension Regex {
  /// Every URL in which it is found has a host that the pattern names.
  var namesHost: Bool {
    guard case .host = keys?.first else { return false }
    return true
  }
}

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

/// Finds whether one condition certainly holds wherever another does.
///
///     host: mail.contoso.com, port: 443    =>  domain: contoso.com      yes
///     domain: contoso.com                  =>  host: contoso.com        no
///     regex: ^https://a[.]example/x        =>  host: a.example          yes
///
/// `no` is less than `unknown`, which is less than `yes`: an implied condition is never less true. The answer is
/// `false` whenever that is not certain, or would take too long to find out.
package struct Implication {
  private let lists: HostLists
  private let runner: RegexRunner
  /// Pairs that may still be compared, over all questions.
  private var budget: Int

  package init(_ asker: RuleAsker, budget: Int = 5_000_000) {
    lists = asker.ruleSet.lists
    runner = asker.runner
    self.budget = budget
  }

  package mutating func holds(_ one: Condition, _ other: Condition) -> Bool {
    budget -= 1
    guard budget > 0 else { return false }
    if case .all(let parts) = other { return parts.allSatisfy { holds(one, $0) } }
    if case .any(let parts) = one { return parts.allSatisfy { holds($0, other) } }
    if case .any(let parts) = other {
      if parts.contains(where: { holds(one, $0) }) { return true }
      if one.isWebOnly, Self.takesWeb(parts) { return true }
    }
    if case .all(let parts) = one { return parts.contains { holds($0, other) } }
    return matcher(one, implies: other)
  }

  private static func takesWeb(_ parts: [Condition]) -> Bool {
    let schemes = parts.compactMap { part -> [UInt8]? in
      if case .scheme(let name) = part { name } else { nil }
    }
    return Condition.webSchemes.isSubset(of: schemes)
  }

  private mutating func matcher(_ one: Condition, implies other: Condition) -> Bool {
    switch (one, other) {
    case (.not(let part), .not(let otherPart)): holds(otherPart, part)
    case (.from(let part), .from(let otherPart)): holds(part, otherPart)
    case (.scheme(let name), .scheme(let otherName)): name == otherName
    case (.port(let port), .port(let otherPort)): port == otherPort
    case (.queryOver(let bytes), .queryOver(let otherBytes)): bytes >= otherBytes
    case (.hop(let wanted), .hop(let otherWanted)): wanted == otherWanted
    case (.same(let sameness), .same(let otherSameness)): sameness == otherSameness
    case (.sameSite, .sameSite): true
    case (.list(let list, _), .list(let otherList, _)): list == otherList
    case (.filter(let filter), .filter(let otherFilter)): filter == otherFilter
    case (.filters(let filters, _), .filters(let otherFilters, _)): filters === otherFilters
    case (.pattern(let pattern), .pattern(let otherPattern)): pattern === otherPattern
    case (.regex(let regex), .regex(let otherRegex)): regex.pattern == otherRegex.pattern
    case (.network(let network), .network(let otherNetwork)):
      otherNetwork.prefixBits <= network.prefixBits && otherNetwork.contains(network.base)
    case (.domain(let name), .domain(let otherName)): Self.stands(name, at: otherName)
    case (.domain(let name), .list), (.host(let name), .list): holds(of: "https://", name, other)
    case (.host(let name), .host), (.host(let name), .domain), (.host(let name), .network):
      holds(of: "https://", name, other)
    case (.url(let href), _): holds(of: "", href, other)
    case (.regex(let regex), _): regex.keys?.allSatisfy { implied(by: $0, other) } ?? false
    default: false
    }
  }

  /// A regex names hosts of the web.
  private mutating func implied(by key: IndexKey, _ other: Condition) -> Bool {
    guard case .host(let name, let below, _) = key else { return false }
    return matcher(below ? .domain(name) : .host(name), implies: other)
  }

  /// The name is the other one or below it. An address has nothing below it, and stands below nothing.
  private static func stands(_ name: [UInt8], at other: [UInt8]) -> Bool {
    if name == other { return true }
    guard name.count > other.count, name[name.count - other.count - 1] == UInt8(ascii: ".") else { return false }
    return name.suffix(other.count).elementsEqual(other) && !HostShape.isAddress(name)
  }

  /// Asks of one URL, with no other context: a `yes` then stays so.
  private func holds(of scheme: String, _ text: [UInt8], _ condition: Condition) -> Bool {
    var input = MatchInput()
    input.lists = lists
    let isHost = !scheme.isEmpty
    input.url.read(scheme + String(decoding: text, as: UTF8.self) + (isHost ? "/" : ""))
    guard input.url.kind == .url else { return false }
    let judged = input.url.judged
    guard isHost ? judged.hostBytes.matches(text.span) : judged.bytes == text else { return false }
    runner.beginDecision(subjectBytes: input.subjectBytes)
    return input.truth(of: condition, runner) == .yes
  }
}
