internal import GuardModel
internal import PolicyFiles
internal import URLRules
internal import URLStandard

/// Facts of one rule.
struct RuleFacts {
  private let rule: Rule
  private let matchers: [WrittenMatcher]
  /// The direction of a rule that holds of more.
  private let more: DifferenceDirection

  /// - Parameter isShadowing: where it holds, a later rule that is stricter is not asked.
  init(_ rule: Rule, isShadowing: Bool) {
    self.rule = rule
    matchers = rule.condition.writtenMatchers
    more = rule.verdict == .internal ? .looser : isShadowing ? .sideways : .tighter
  }

  /// Its facts beside its matchers.
  ///
  /// - Parameter other: the rule that it is compared with. With another verdict, the direction of a wider rule is
  ///   unclear.
  func thing(of ruleSet: String, beside other: RuleFacts) -> ComparedThing {
    thing(of: ruleSet, more: rule.verdict == other.rule.verdict && more == other.more ? more : .sideways)
  }

  /// The rule with its matchers, for one that only one side has.
  func whole(of ruleSet: String) -> ComparedThing {
    var thing = thing(of: ruleSet, more: more)
    let group = matchers.map { ComparedFact(key: $0.key, value: $0.value, place: rule.location) }
    thing.facts.insert(contentsOf: group, at: 1)
    thing.ifNew = more
    return thing
  }

  private func thing(of ruleSet: String, more: DifferenceDirection) -> ComparedThing {
    let monitoring = Int.rank(monitoredUntil: rule.monitoredUntil)
    let end = rule.expires.map(Int.init) ?? .max
    var facts = [
      fact("verdict", rule.verdict.name, rank: rule.verdict == .internal ? 0 : 1, isStated: true),
      ComparedFact(
        key: "for", value: .set(Purposes.names.filter { rule.purposes.contains($0.purpose) }.map(\.name).sorted()),
        more: more, place: rule.purposes == (rule.place == nil ? .page : .placed) ? nil : rule.location),
      fact("then", rule.then.rawValue, rank: rule.then.strictness, isStated: rule.then != .none),
      fact("message", rule.message ?? "none", isStated: rule.message != nil),
      fact(
        "expires", rule.expires.map(MonitoredPart.day) ?? "never", rank: more.rank(of: end),
        isStated: rule.expires != nil),
      // A monitored rule is passed over.
      fact(
        "monitorOnly.until", rule.monitoredUntil.map(MonitoredPart.day) ?? "not monitored",
        rank: more == .tighter ? monitoring : more == .looser ? -max(monitoring, -.max) : nil,
        isStated: rule.monitoredUntil != nil),
      fact(
        "credentials", String(rule.takesCredentials), rank: rule.takesCredentials ? 0 : 1,
        isStated: rule.takesCredentials),
      fact("location", rule.place?.location.name ?? "none", isStated: rule.place != nil),
      fact(
        "account", rule.place?.owner.written ?? (rule.place == nil ? "none" : "nobody"),
        isStated: rule.place?.owner.written != nil),
    ]
    var further = FactWriter(PolicyPlaces(), [])
    further.addFields(of: rule, but: ComparedFields.rule)
    facts += further.facts
    return ComparedThing(kind: "rule", name: "\(ruleSet)/\(rule.id)", place: rule.location, facts: facts)
  }

  private func fact(_ key: String, _ value: String, rank: Int? = nil, isStated: Bool) -> ComparedFact {
    ComparedFact(key: key, value: .one(value), rank: rank, place: isStated ? rule.location : nil)
  }

  // MARK: Matchers

  /// The keys of the two conditions that differ.
  func matchers(to other: RuleFacts, of ruleSet: String) -> [ConfigurationDifference] {
    guard matchers != other.matchers else { return [] }
    let more = thing(of: ruleSet, beside: other).facts[1].more
    let after = Dictionary(other.matchers.map { ($0.key, $0) }) { first, _ in first }
    let before = Dictionary(matchers.map { ($0.key, $0) }) { first, _ in first }
    return Set(before.keys).union(after.keys).sorted().compactMap { key in
      guard before[key] != after[key] else { return nil }
      return difference(key, before[key], after[key], other, of: ruleSet, more: more)
    }
  }

  private func difference(
    _ key: String, _ before: WrittenMatcher?, _ after: WrittenMatcher?, _ other: RuleFacts, of ruleSet: String,
    more: DifferenceDirection
  ) -> ConfigurationDifference {
    let (old, new) = (Set(before?.values ?? []), Set(after?.values ?? []))
    var difference = ConfigurationDifference(
      kind: "rule", name: "\(ruleSet)/\(other.rule.id)", key: key, direction: .sideways,
      before: DifferenceSide(value: before?.value.text ?? "not asked", place: rule.location),
      after: DifferenceSide(value: after?.value.text ?? "not asked", place: other.rule.location))
    if before == nil {
      difference.direction = more.reversed
    } else if after == nil {
      difference.direction = more
    } else if key == "queryOver" {
      // Of several numbers the smallest says it all.
      let (least, leastNow) = (old.compactMap(Int.init).min() ?? 0, new.compactMap(Int.init).min() ?? 0)
      difference.direction = least == leastNow ? .sideways : leastNow < least ? more : more.reversed
    } else if key != "chromium" {
      let growth = key == "not" ? more.reversed : more
      difference.direction = new.isSuperset(of: old) ? growth : old.isSuperset(of: new) ? growth.reversed : .sideways
    }
    (difference.added, difference.removed) = (new.subtracting(old).sorted(), old.subtracting(new).sorted())
    (difference.addedCount, difference.removedCount) = (difference.added.count, difference.removed.count)
    return difference
  }
}

extension WrittenMatcher {
  var value: ComparedFact.Value { values.count == 1 ? .one(values[0]) : .set(values) }
}

extension DifferenceDirection {
  /// The rank of a number that goes this way as it grows; nil when that is unclear.
  fileprivate func rank(of number: Int) -> Int? {
    switch self {
    case .tighter: number
    case .looser: -number
    case .sideways: nil
    }
  }
}

extension Rule {
  /// All that it says but its id and its place.
  var writtenBody: String {
    let facts = RuleFacts(self, isShadowing: false).whole(of: "")
    return facts.facts.map { "\($0.key): \($0.value.text)" }.joined(separator: "; ")
  }
}

/// The demand of one key of a group of matchers.
struct WrittenMatcher: Hashable {
  /// The key of a rule file.
  let key: String
  /// Any of these, by the alphabet; `[`, when the key takes a group.
  let values: [String]
}

extension Condition {
  /// The condition as the keys of one group, in one spelling: conditions with the same keys and values, in any order
  /// and form, are equal.
  ///
  ///     { host: [b.example, a.example], scheme: HTTPS }
  ///     // host: a.example, b.example; scheme: https
  var writtenMatchers: [WrittenMatcher] {
    var matchers: [String: Set<String>] = [:]
    for part in conjuncts {
      let alternatives = part.alternatives
      let keys = Set(alternatives.map(\.writtenKey))
      let key = keys.count == 1 ? keys.first ?? "" : "any"
      let values = alternatives.flatMap { key == "any" ? [$0.writtenGroup] : $0.writtenValues }
      // A mapping has each key once; a condition that has it twice comes from no file.
      matchers[matchers[key] == nil ? key : "\(key) and", default: []].formUnion(values)
    }
    return matchers.map { WrittenMatcher(key: $0.key, values: $0.value.sorted()) }.sorted { $0.key < $1.key }
  }

  /// `{ host: [a.example, b.example], scheme: https }`
  var writtenGroup: String {
    let parts = writtenMatchers.map { matcher in
      "\(matcher.key): "
        + (matcher.values.count == 1 ? matcher.values[0] : "[\(matcher.values.joined(separator: ", "))]")
    }
    return "{ \(parts.joined(separator: ", ")) }"
  }

  private var writtenKey: String {
    switch self {
    case .all: "all"
    case .any: "any"
    case .not: "not"
    case .domain: "domain"
    case .host: "host"
    case .url: "url"
    case .scheme: "scheme"
    case .port: "port"
    case .queryOver: "queryOver"
    case .filters(_, ""): "chromium"
    case .list, .filters: "list"
    case .network: "cidr"
    case .regex: "regex"
    case .pattern: "pattern"
    case .filter: "filter"
    case .same, .sameSite: "same"
    case .from: "from"
    case .hop: "hop"
    }
  }

  private var writtenValues: [String] {
    switch self {
    case .all, .any: [writtenGroup]
    case .not(let part): part.alternatives.map(\.writtenGroup)
    case .from(let part): [part.writtenGroup]
    case .domain(let name), .host(let name), .url(let name), .scheme(let name):
      [String(decoding: name, as: UTF8.self).asValue]
    case .port(let port): [String(port)]
    case .queryOver(let bytes): [String(bytes)]
    case .list(_, let file): [file.asValue]
    case .filters(let filters, ""): filters.written
    case .filters(_, let file): [file.asValue]
    case .network(let network): ["\(network)"]
    case .regex(let regex): [regex.pattern.asValue]
    case .pattern(let pattern): [pattern.written]
    case .filter(let filter): [filter.text.asValue]
    case .same(let sameness): [sameness.rawValue]
    case .sameSite: ["site"]
    case .hop(let wanted): [String(wanted)]
    }
  }
}

extension URLFilterSet {
  /// `block a.example`, `allow b.example`
  fileprivate var written: [String] {
    blockTexts.map { "block \($0.asValue)" } + allowTexts.map { "allow \($0.asValue)" }
  }
}

extension URLPattern {
  fileprivate var written: String {
    let parts = URLComponent.allCases.compactMap { component -> String? in
      let text = text(of: component)
      return text == "*" ? nil : "\(component.rawValue): \(text.asValue)"
    }
    return "{ \((parts + (ignoresCase ? ["ignoreCase: true"] : [])).joined(separator: ", ")) }"
  }
}

extension String {
  /// The text, in quotes where it would else be taken for something that stands around it.
  fileprivate var asValue: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["),
          UInt8(ascii: "]"), UInt8(ascii: " "), UInt8(ascii: "\\"):
          false
        default: true
        }
      }
    guard !isPlain else { return self }
    return "\"" + replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
