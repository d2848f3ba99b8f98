internal import URLRules

/// Reads groups of matchers: what a rule demands of a URL and of how it was reached.
///
///     { domain: contoso.com, scheme: https }            all must hold
///     { host: [a.example, b.example] }                  any of the values
///     { domain: contoso.com, not: { host: x.example } } none of the groups behind `not`
struct MatcherReader: Sendable {
  /// What the matchers of a group look at.
  enum Scope: Sendable {
    /// The judged URL, its page and how it was reached.
    case url
    /// The page or hop that led to the URL: there is nothing that led to that.
    case from
  }

  let source: RuleSource

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
    parts.add(reader.optional("same", .oneOrMany(of: Self.sameness)))
    if scope == .url {
      if let hop = reader.optional("hop", .bool) { parts.append(.hop(hop)) }
      parts.add(reader.optional("from", .oneOrMany(of: .converting(group(.from)) { .from($0) })))
    }
    if let groups = reader.optional("not", .oneOrMany(of: group(scope))) { parts.append(.not(.any(groups))) }
    parts.add(reader.optional("regex", .oneOrMany(of: regex)))
    return parts
  }

  private static var sameness: YAMLDecoder<Condition> {
    let words = YAMLDecoder<Sameness>.choice(of: Sameness.self)
    return YAMLDecoder(words.expectation) { node, diagnostics in
      guard node.scalar?.text != "site" else {
        diagnostics.error(
          .notSupportedYet, at: node.location, "`same: site` is not supported yet", hint: "use `origin` or `domain`")
        return nil
      }
      return node.decode(words, into: &diagnostics).map(Condition.same)
    }
  }

  private static func refused(_ scope: Scope) -> [String: String] {
    var hints = ["pattern", "filter", "list", "cidr", "credentials"].reduce(into: [:]) { hints, key in
      hints[key] = "`\(key)` is not supported yet"
    }
    if scope == .from {
      hints["from"] = "nothing is known of what led to the page; put `from` beside this group"
      hints["hop"] = "`hop` is about the navigation and not about its page; put it beside this group"
    }
    return hints
  }
}

extension [Condition] {
  /// Adds the values of one matcher: any of them. Nothing is added for nil.
  fileprivate mutating func add(_ values: [Condition]?) {
    guard let values else { return }
    append(values.count == 1 ? values[0] : .any(values))
  }
}
