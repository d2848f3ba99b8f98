internal import URLRules

/// Reads groups of matchers: what a rule demands of a URL and of how it was reached.
///
///     { domain: contoso.com, scheme: https }            all must hold
///     { host: [a.example, b.example] }                  any of the values
///     { domain: contoso.com, not: { host: x.example } } none of the groups behind `not`
struct MatcherReader {
  /// What the matchers of a group look at.
  enum Scope: Sendable {
    /// The judged URL, its page and how it was reached.
    case url
    /// The page or hop that led to the URL: there is nothing that led to that.
    case from
  }

  let source: RuleSource
  let suffixes: PublicSuffixes
  /// Takes the lists that are named.
  let lists: ListUses
  /// Where a match leads: an external rule blocks, an internal one allows, and `not` turns it round.
  var side: FilterSide

  private var inverse: MatcherReader {
    MatcherReader(source: source, suffixes: suffixes, lists: lists, side: side == .block ? .allow : .block)
  }

  /// One group: all of its matchers must hold.
  ///
  /// Trap: a group without matchers would hold of every URL, and is refused.
  func group(_ scope: Scope) -> YAMLDecoder<Condition> {
    let group = YAMLDecoder<Condition>.mapping(refusing: Self.refused(scope)) { reader in
      .all(parts(scope, &reader))
    }
    return YAMLDecoder("a mapping") { node, diagnostics in
      guard let mapping = node.mapping, mapping.entries.isEmpty, mapping.isComplete else {
        return node.decode(group, into: &diagnostics)
      }
      diagnostics.error(
        .emptyMatcher, at: node.location, "a group without matchers would match every URL",
        hint: "leave it to `default`, or say what is meant, as in `scheme: [http, https]`")
      return nil
    }
  }

  /// Conditions that compare a few bytes come first, the regular expressions last.
  private func parts(_ scope: Scope, _ reader: inout MappingReader) -> [Condition] {
    var parts: [Condition] = []
    parts.add(reader.optional("scheme", .oneOrMany(of: Self.scheme)))
    parts.add(reader.optional("port", .oneOrMany(of: Self.port)))
    parts.add(reader.optional("domain", .oneOrMany(of: HostValue.domain.decoder)))
    parts.add(reader.optional("host", .oneOrMany(of: HostValue.host.decoder)))
    parts.add(reader.optional("url", .oneOrMany(of: Self.url)))
    parts.add(reader.optional("cidr", .oneOrMany(of: NetworkValue.decoder)))
    parts.add(reader.optional("list", .oneOrMany(of: list)))
    parts.add(reader.optional("same", .oneOrMany(of: sameness)))
    if scope == .url {
      if let hop = reader.optional("hop", .bool) { parts.append(.hop(hop)) }
      parts.add(reader.optional("from", .oneOrMany(of: .converting(group(.from)) { .from($0) })))
    }
    if let groups = reader.optional("not", .oneOrMany(of: inverse.group(scope))) { parts.append(.not(.any(groups))) }
    let filter = FilterValue(source: source, side: side)
    parts.add(reader.optional("filter", filter.decoder))
    if let filters = reader.optional("chromium", filter.policies) { parts.append(filters) }
    parts.add(reader.optional("pattern", .oneOrMany(of: PatternValue(source: source).decoder)))
    parts.add(reader.optional("regex", .oneOrMany(of: regex)))
    return parts
  }

  private var list: YAMLDecoder<Condition> {
    .converting(ListReference.decoder) { [lists, side] in lists.add($0, side: side) }
  }

  private var sameness: YAMLDecoder<Condition> {
    .word(Sameness.allCases.map { ($0.rawValue, .same($0)) } + [("site", .sameSite(suffixes))])
  }

  private static func refused(_ scope: Scope) -> [String: String] {
    guard scope == .from else { return ["credentials": "put `credentials` beside the group, at the rule"] }
    return [
      "from": "nothing is known of what led to the page; put `from` beside this group",
      "hop": "`hop` is about the navigation and not about its page; put it beside this group",
      "credentials": "`credentials` belongs to the rule and is about the URL that is judged",
    ]
  }
}

extension [Condition] {
  /// Adds the values of one matcher: any of them. Nothing is added for nil.
  fileprivate mutating func add(_ values: [Condition]?) {
    guard let values else { return }
    append(values.count == 1 ? values[0] : .any(values))
  }
}
