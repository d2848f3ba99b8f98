internal import PolicyFiles
internal import URLRules
internal import URLStandard

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
