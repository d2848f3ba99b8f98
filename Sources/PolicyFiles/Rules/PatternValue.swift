internal import URLRules
internal import URLStandard

/// The value of `pattern`: a URLPattern as one text, or by its components.
///
///     pattern: "https://*.contoso.com/docs/*"
///     pattern: { hostname: "*.contoso.com", pathname: "/docs/*", ignoreCase: true }
///     pattern: { pattern: "/docs/*", baseURL: "https://www.contoso.com" }
struct PatternValue: Sendable {
  let source: RuleSource

  var decoder: YAMLDecoder<Condition> {
    YAMLDecoder("a URL pattern") { node, diagnostics in
      node.mapping == nil
        ? text(node, &diagnostics) : node.decode(.mapping { components(&$0) }, into: &diagnostics)
    }
  }

  private func text(_ node: YAMLNode, _ diagnostics: inout Diagnostics) -> Condition? {
    guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
    return pattern(at: { source.location(ofByte: $0, in: text, at: node.location) }, &diagnostics) {
      () throws(URLPatternError) in try URLPattern(text)
    }
  }

  private func components(_ reader: inout MappingReader) -> Condition? {
    let whole = reader.optional("pattern", .located(.nonEmptyString))
    let base = reader.optional("baseURL", .nonEmptyString)
    let ignoreCase = reader.optional("ignoreCase", .bool) ?? false
    var parts = URLPatternInit(baseURL: base)
    var places: [URLComponent: Located<String>] = [:]
    for component in URLComponent.allCases {
      guard let part = reader.optional(component.rawValue, .located(.string)) else { continue }
      places[component] = part
      parts[component] = part.value
    }
    warnOfUnseen(places, &reader.diagnostics)
    if let whole {
      guard places.isEmpty else {
        reader.error(
          .conflictingKeys, at: "pattern", "a pattern is either one text or components",
          hint: "remove `pattern`, or the components")
        return nil
      }
      return pattern(
        at: { source.location(ofByte: $0, in: whole.value, at: whole.location) }, &reader.diagnostics
      ) { () throws(URLPatternError) in try URLPattern(whole.value, base: base, ignoreCase: ignoreCase) }
    }
    guard !places.isEmpty || base != nil else {
      reader.diagnostics.error(
        .emptyMatcher, at: reader.location, "a pattern without components would match every URL",
        hint: "name a component, as in `hostname: \"*.contoso.com\"`")
      return nil
    }
    let location = reader.location
    return pattern(at: { _ in location }, of: { places[$0]?.location }, &reader.diagnostics) {
      () throws(URLPatternError) in try URLPattern(parts, ignoreCase: ignoreCase)
    }
  }

  private func pattern(
    at place: (Int) -> SourceLocation, of component: (URLComponent) -> SourceLocation? = { _ in nil },
    _ diagnostics: inout Diagnostics, _ make: () throws(URLPatternError) -> URLPattern
  ) -> Condition? {
    do throws(URLPatternError) {
      return .pattern(try make())
    } catch {
      let location = error.component.flatMap(component) ?? place(error.offset)
      diagnostics.error(.invalidPattern, at: location, "wrong URL pattern: \(error)")
      return nil
    }
  }

  /// Components that are gone from a URL before rules see it.
  private func warnOfUnseen(_ places: [URLComponent: Located<String>], _ diagnostics: inout Diagnostics) {
    for component in [URLComponent.username, .password, .hash] {
      guard let part = places[component], part.value != "*", !part.value.isEmpty else { continue }
      diagnostics.warning(
        .neverMatches, at: part.location, "no URL that is judged has a \(component.rawValue)",
        hint: "rules see URLs without user name, password and fragment")
    }
  }
}
