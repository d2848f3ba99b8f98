import FuzzSupport
import GuardModel
import TestSupport
import URLRules

/// Rules made of bytes, over the names of `RandomRules`, so that rules and URLs meet.
struct DecodedRules {
  /// The regular expressions of one rule set, whose budget is never spent: then an order of asking would show.
  private static let maximumSearches = 10
  private static let regexes = [
    "^https://[a-z]+[.]contoso[.]com/", "contoso", "/v[0-9]+/", "[?]q=", "a{2,}b",
    "^https?://contoso[.]com(?::[0-9]+)?/",
    "^https://(?:[^/]+[.])?contoso[.]com/", "(?i)INBOX$", "^https?://[^/]+/owa",
  ]
  private static let patterns = [
    "https://*.contoso.com/*", "https://contoso.com/:path", "http{s}?://{*.}?contoso.com/owa/*", "*://*:*/v2/*",
    "https://contoso.com/inbox", "https://[::1]/*", "https://(mail|docs).contoso.com/d/:id",
  ]
  private static let networks = ["127.0.0.0/8", "1.2.0.0/16", "1.2.3.4/32", "0.0.0.0/0", "::/0", "::1/128", "::/64"]
  private static let suffixes = PublicSuffixes()
  private static let purposes: [Purposes] = [.page, [.page, .frame], .frame, .resource, []]

  private let listCount: Int
  private var searches = 0

  init(listCount: Int) { self.listCount = listCount }

  mutating func rule(_ number: Int, _ bytes: inout ByteReader) -> Rule {
    let choice = bytes.byte()
    var rule = Rule(
      id: "r\(number)", verdict: choice & 1 == 0 ? .external : .internal, condition: condition(depth: 2, &bytes))
    if rule.verdict == .external { rule.then = [.none, .redirect, .block, .none][Int(choice >> 1 & 3)] }
    rule.expires = choice & 8 == 0 ? nil : bytes.one(of: RandomRules.expiries)
    rule.takesCredentials = choice & 16 != 0
    if choice & 32 != 0 { rule.purposes = bytes.one(of: Self.purposes) }
    return rule
  }

  /// Mostly one matcher, or some that must all hold, as rule files have it.
  private mutating func condition(depth: Int, _ bytes: inout ByteReader) -> Condition {
    let choice = bytes.below(16)
    guard depth > 0, choice > 9 else { return matcher(&bytes) }
    switch choice {
    case 10, 11: return .all(parts(depth, &bytes))
    case 12: return .any(parts(depth, &bytes))
    case 13: return .not(condition(depth: depth - 1, &bytes))
    case 14: return .from(condition(depth: depth - 1, &bytes))
    default: return .all([condition(depth: depth - 1, &bytes), .not(.any(parts(depth, &bytes)))])
    }
  }

  private mutating func parts(_ depth: Int, _ bytes: inout ByteReader) -> [Condition] {
    var parts: [Condition] = []
    for _ in 0..<bytes.below(4) { parts.append(condition(depth: depth - 1, &bytes)) }
    return parts
  }

  private mutating func matcher(_ bytes: inout ByteReader) -> Condition {
    switch bytes.below(20) {
    case 0, 1: return .domain(Array(bytes.one(of: RandomRules.hosts).utf8))
    case 2, 3: return .host(Array(bytes.one(of: RandomRules.hosts).utf8))
    case 4: return .url(Array(DecodedQuestion.text(&bytes).utf8))
    case 5: return .scheme(Array(bytes.one(of: RandomRules.schemes).utf8))
    case 6: return .port(bytes.one(of: RandomRules.ports))
    // One list more than there is: what nobody knows is unknown.
    case 7, 8: return .list(HostListNumber(bytes.below(listCount + 1)))
    case 9: return network(bytes.one(of: Self.networks))
    case 10: return .same(bytes.one(of: Sameness.allCases))
    case 11: return .sameSite(Self.suffixes)
    case 12: return .hop(bytes.flag())
    case 13: return filter(&bytes)
    case 14: return .filters(filterSet(&bytes))
    case 15: return pattern(&bytes)
    case 16: return .queryOver(bytes.one(of: RandomRules.queryLengths))
    default: return regex(&bytes)
    }
  }

  private func network(_ text: String) -> Condition { (try? IPNetwork(text)).map(Condition.network) ?? .all([]) }

  // What is written in the input itself, or one of some; a text that is refused becomes a condition that always holds.

  private mutating func regex(_ bytes: inout ByteReader) -> Condition {
    let text = bytes.flag() ? bytes.text() : bytes.one(of: Self.regexes)
    guard maySearch(), let regex = try? Regex(text) else { return .all([]) }
    return .regex(regex)
  }

  private mutating func pattern(_ bytes: inout ByteReader) -> Condition {
    let text = bytes.flag() ? bytes.text() : bytes.one(of: Self.patterns)
    guard maySearch(), let pattern = try? URLPattern(text) else { return .all([]) }
    return .pattern(pattern)
  }

  private func filter(_ bytes: inout ByteReader) -> Condition {
    (try? URLFilter(filterText(&bytes), side: .block)).map(Condition.filter) ?? .all([])
  }

  private func filterSet(_ bytes: inout ByteReader) -> URLFilterSet {
    var filters: [FilterSide: [URLFilter]] = [:]
    for _ in 0..<bytes.below(4) {
      let side: FilterSide = bytes.flag() ? .allow : .block
      if let filter = try? URLFilter(filterText(&bytes), side: side) { filters[side, default: []].append(filter) }
    }
    return URLFilterSet(block: filters[.block] ?? [], allow: filters[.allow] ?? [])
  }

  private func filterText(_ bytes: inout ByteReader) -> String {
    switch bytes.below(3) {
    case 0: return bytes.one(of: RandomRules.hosts)
    case 1: return bytes.text()
    default:
      var random = bytes.generator()
      return RandomFilters().filterText(&random)
    }
  }

  private mutating func maySearch() -> Bool {
    searches += 1
    return searches <= Self.maximumSearches
  }
}
