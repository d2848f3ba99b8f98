internal import URLRules

/// The values of `filter` and `chromium`: URL filters in the format of Chromium's policies.
///
///     filter: "https://.mail.contoso.com/owa"
///     chromium: { block: ["*"], allow: [contoso.com] }
struct FilterValue: Sendable {
  let source: RuleSource
  /// Whether a match leads towards the external verdict (`block`) or the internal one (`allow`): of a query key that
  /// stands there more than once, any occurrence then counts, or all must fit.
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
