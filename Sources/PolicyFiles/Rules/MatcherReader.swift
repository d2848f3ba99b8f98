internal import URLRules

/// Reads groups of matchers: a rule's demands on a URL and on the way to it.
///
///     { domain: contoso.com, scheme: https }            all must hold
///     { host: [a.example, b.example] }                  any of the values
///     { domain: contoso.com, not: { host: x.example } } none of the groups behind `not`
struct MatcherReader {
  /// The subject of the matchers of a group.
  enum Scope: Sendable {
    /// The judged URL, its page and the way to it.
    case url
    /// The page or hop that led to the URL; it has no such page or hop itself.
    case from
  }

  let source: RuleSource
  let suffixes: PublicSuffixes
  /// Takes the lists that are named.
  let lists: ListUses
  /// The direction of a match: an external rule blocks, an internal one allows, and `not` turns it round.
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
    parts.add(reader.optional("queryOver", .oneOrMany(of: Self.queryOver)))
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

/// The value of `cidr`: a block of addresses.
///
///     cidr: 10.0.0.0/8      // also [::ffff:10.1.2.3]; names are never resolved
///     cidr: 10.0.0.1/8      // error; hint: write `10.0.0.0/8`
enum NetworkValue {
  static var decoder: YAMLDecoder<Condition> {
    YAMLDecoder("a block of addresses") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      do throws(IPNetwork.Problem) {
        return .network(try IPNetwork(text))
      } catch {
        diagnostics.error(
          .invalidNetwork, at: node.location, "\(text.quoted) is not a block of addresses", hint: hint(error))
        return nil
      }
    }
  }

  private static func hint(_ problem: IPNetwork.Problem) -> String {
    switch problem {
    case .noAddress: "write it as in `10.0.0.0/8` or `2001:db8::/32`; names are never resolved: use `host` for one"
    case .noPrefix: "behind `/` stands a number of bits, as in `10.0.0.0/8`"
    case .prefixTooLong: "an IPv4 address has 32 bits, and an IPv6 address 128"
    case .bitsBehindPrefix(let network): "bits behind the prefix are set: write \("\(network)".quoted)"
    }
  }
}

/// The values of `filter` and `chromium`: URL filters in the format of Chromium's policies.
///
///     filter: "https://.mail.contoso.com/owa"
///     chromium: { block: ["*"], allow: [contoso.com] }
struct FilterValue: Sendable {
  let source: RuleSource
  /// Whether a match leads towards the external verdict (`block`) or the internal one (`allow`): it decides whether any
  /// occurrence of a repeated query key counts, or all must fit.
  let side: FilterSide

  /// One filter or several, any of which may match.
  var decoder: YAMLDecoder<[Condition]> {
    let filters = YAMLDecoder<[Located<URLFilter>]>.oneOrMany(of: .located(filter(side)))
    return YAMLDecoder(filters.expectation) { node, diagnostics in
      guard let filters = node.decode(filters, into: &diagnostics) else { return nil }
      HiddenFilterReport(anyOf: filters).warn(&diagnostics)
      return filters.map { .filter($0.value) }
    }
  }

  var policies: YAMLDecoder<Condition> {
    .mapping { reader in
      let block = reader.required("block", .list(of: .located(filter(.block)), atLeast: 1))
      let allow = reader.optional("allow", .list(of: .located(filter(.allow)))) ?? []
      guard let block else { return nil }
      HiddenFilterReport(block: block, allow: allow).warn(&reader.diagnostics)
      return .filters(URLFilterSet(block: block.map(\.value), allow: allow.map(\.value)))
    }
  }

  private func filter(_ side: FilterSide) -> YAMLDecoder<URLFilter> {
    YAMLDecoder("a URL filter") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      do throws(URLFilterError) {
        return try URLFilter(text, side: side)
      } catch {
        diagnostics.error(
          .invalidFilter, at: source.location(ofByte: error.offset, in: text, at: node.location), error.message,
          hint: error.hint)
        return nil
      }
    }
  }
}

/// Warns of filters that Chromium takes without a word and that have another effect than they seem to have.
///
///     block: [contoso.com], allow: [contoso.com]     ->  `contoso.com` does nothing: the same filter allows it
///     filter: "wss://contoso.com"                    ->  has a scheme that no URL which is judged has
struct HiddenFilterReport {
  private let block: [Located<URLFilter>]
  private let allow: [Located<URLFilter>]
  private let found: [HiddenFilter]

  init(block: [Located<URLFilter>], allow: [Located<URLFilter>]) {
    self.block = block
    self.allow = allow
    found = URLFilterSet.hidden(block: block.map(\.value), allow: allow.map(\.value))
  }

  /// For filters any of which may match, read for either side.
  init(anyOf filters: [Located<URLFilter>]) {
    block = filters
    allow = []
    found = URLFilterSet.hidden(anyOf: filters.map(\.value))
  }

  func warn(_ diagnostics: inout Diagnostics) {
    for hidden in found {
      guard let filter = filter(hidden.filter) else { continue }
      let other = hidden.by.flatMap(self.filter)?.value.text.quoted ?? ""
      diagnostics.warning(
        .hiddenFilter, at: filter.location, "\(filter.value.text.quoted) \(Self.words(hidden.kind, other))",
        hint: hidden.witness.map { "\($0.quoted) shows it" })
    }
  }

  private func filter(_ place: URLFilterSet.Place) -> Located<URLFilter>? {
    let list = place.side == .block ? block : allow
    return list.indices.contains(place.index) ? list[place.index] : nil
  }

  private static func words(_ kind: HiddenFilter.Kind, _ other: String) -> String {
    switch kind {
    case .beyondLimit:
      "is behind the \(URLFilterSet.chromiumLimit)th of its list: it counts here, and Chromium ignores it"
    case .duplicate: "stands in this list before"
    case .shadowed: "does nothing: \(other) in its list takes all that it takes"
    case .contradiction: "does nothing: the same filter allows it, and wins"
    case .literalStar: "has a `*` that stands for itself"
    case .noWebHost: "has a host that no web page has: write it as a browser shows it"
    case .neverJudged: "has a scheme that no URL which is judged has"
    }
  }
}
