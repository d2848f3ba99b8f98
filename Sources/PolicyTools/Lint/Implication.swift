internal import GuardModel
package import URLRules
internal import URLStandard

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
    guard isHost ? equal(judged.hostBytes, text.span) : judged.bytes == text else { return false }
    runner.beginDecision(subjectBytes: input.subjectBytes)
    return input.truth(of: condition, runner) == .yes
  }
}
