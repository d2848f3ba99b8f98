internal import GuardModel
internal import URLRules
internal import URLStandard

/// The reason why a condition does not hold: its need, and the value found instead.
///
///     scheme: https, of http://contoso.com/   ->  needs scheme `https`, this is `http`
struct ConditionFailure {
  let needed: String
  /// Nil when `needed` says it all.
  var found: String?

  var sentence: String { "needs " + [needed, found].compactMap(\.self).joined(separator: ", ") }
}

extension MatchInput {
  /// The first part of `condition` for which it does not hold, or cannot be told; nil when it holds.
  func failure(of condition: Condition, _ runner: RegexRunner) -> ConditionFailure? {
    let truth = freshTruth(of: condition, runner)
    guard truth != .yes else { return nil }
    switch condition {
    case .all(let parts):
      let culprit = parts.first { freshTruth(of: $0, runner) == truth }
      return culprit.flatMap { failure(of: $0, runner) }
    case .any(let parts): return failure(ofEvery: parts, truth, runner)
    case .not(let part): return failure(ofNot: part, truth, runner)
    case .from(let part):
      guard from.kind == .url else { return ConditionFailure(needed: "`from`, which nobody told") }
      return ofPage.failure(of: part, runner).map { $0.ofPage(from.judged.href) }
    default:
      guard let words = condition.words else { return nil }
      guard truth == .no else { return ConditionFailure(needed: unknown(words)) }
      return ConditionFailure(needed: words.sentence, found: found(words))
    }
  }

  /// The truth, with a budget of its own for patterns: an explanation looks at each several times.
  func freshTruth(of condition: Condition, _ runner: RegexRunner) -> Ternary {
    runner.beginDecision(subjectBytes: subjectBytes)
    return truth(of: condition, runner)
  }

  /// All values of one matcher are named, but only the first of other groups.
  private func failure(ofEvery parts: [Condition], _ truth: Ternary, _ runner: RegexRunner) -> ConditionFailure? {
    guard let culprit = parts.first(where: { freshTruth(of: $0, runner) == truth }) else {
      return ConditionFailure(needed: "one of no values")
    }
    guard var failure = failure(of: culprit, runner) else { return nil }
    let values = parts.compactMap(\.words)
    if truth == .no, values.count == parts.count, let key = values.first?.key, values.allSatisfy({ $0.key == key }) {
      return ConditionFailure(needed: "\(key) \(Self.alternatives(values.map(\.text.shown)))", found: failure.found)
    }
    if parts.count > 1 {
      let more = " (and so for \(parts.count - 1) more)"
      failure = ConditionFailure(
        needed: failure.needed + (failure.found == nil ? more : ""), found: failure.found.map { $0 + more })
    }
    return failure
  }

  private func failure(ofNot part: Condition, _ truth: Ternary, _ runner: RegexRunner) -> ConditionFailure? {
    if truth == .unknown { return failure(of: part, runner) }
    let held = holding(part, runner)
    return ConditionFailure(
      needed: held.isEmpty ? "what never holds" : "not \(held.joined(separator: ", "))",
      found: held.isEmpty ? nil : "which holds")
  }

  /// The matchers by which `condition` holds, in words.
  ///
  ///     { domain: contoso.com, not: { port: 81 } }   ->  domain `contoso.com`, not (port `81`)
  ///
  /// The `evidence` for an entry of a list follows the list.
  func holding(_ condition: Condition, _ runner: RegexRunner, _ evidence: (ListHit) -> String? = { _ in nil })
    -> [String]
  {
    guard freshTruth(of: condition, runner) == .yes else { return [] }
    switch condition {
    case .all(let parts): return parts.flatMap { holding($0, runner, evidence) }
    case .any(let parts):
      return parts.first { freshTruth(of: $0, runner) == .yes }.map { holding($0, runner, evidence) } ?? []
    case .not(let part): return ["not (\(part.sentence))"]
    case .from(let part):
      let held = ofPage.holding(part, runner, evidence)
      return [held.isEmpty ? "`from`" : "`from` with \(held.joined(separator: ", "))"]
    default:
      let entry = hit(of: condition).flatMap(evidence).map { " by \($0)" } ?? ""
      return condition.words.map { [$0.sentence + entry] } ?? []
    }
  }

  private static func alternatives(_ values: [String]) -> String {
    let shown = values.prefix(maximumAlternatives)
    guard values.count > shown.count else {
      return shown.count > 1
        ? shown.dropLast().joined(separator: ", ") + " or " + (shown.last ?? "") : shown.joined(separator: "")
    }
    return shown.joined(separator: ", ") + " or one of \(values.count - shown.count) more"
  }

  /// Maximum values of a list that are named.
  private static var maximumAlternatives: Int { 4 }
}

extension ConditionFailure {
  /// The same, said of the page or hop that led here.
  fileprivate func ofPage(_ href: String) -> ConditionFailure {
    ConditionFailure(needed: "`from` with \(needed)", found: "`from` is \(href.shown)")
  }
}

extension Condition {
  /// The whole condition in words, cut when it is long.
  package var sentence: String {
    switch self {
    case .all(let parts): return Self.joined(parts, ", ")
    case .any(let parts): return Self.joined(parts, " or ")
    case .not(let part): return "not (\(part.sentence))"
    case .from(let part): return "`from` with \(part.sentence)"
    default: return words?.sentence ?? ""
    }
  }

  private static func joined(_ parts: [Condition], _ separator: String) -> String {
    let shown = parts.prefix(4).map(\.sentence).joined(separator: separator)
    return parts.count > 4 ? "\(shown)\(separator)\(parts.count - 4) more" : shown
  }
}

/// One matcher of a rule in the words of a rule file: its key, its stated value, and the part of a URL that it looks
/// at.
///
///     domain: contoso.com    ->  MatcherWords("domain", "contoso.com", .host)
struct MatcherWords {
  /// The part that a matcher looks at.
  enum Aspect {
    case host
    case scheme
    case port
    case query
    /// The whole judged URL.
    case url
    /// The viewer's document.
    case document
    case hop
    /// The host, which is in a set of hosts or not.
    case membership
  }

  /// The key of a rule file.
  let key: String
  let value: [UInt8]
  let aspect: Aspect
  /// The value is too long to be repeated, and only described.
  var isDescribed = false

  init(_ key: String, _ value: [UInt8], _ aspect: Aspect) {
    self.key = key
    self.value = value
    self.aspect = aspect
  }

  init(_ key: String, _ value: String, _ aspect: Aspect) { self.init(key, Array(value.utf8), aspect) }

  /// A `chromium` matcher with so many filters.
  static func chromium(_ count: Int) -> MatcherWords {
    var words = MatcherWords("chromium", "\(count) \(count == 1 ? "filter" : "filters")", .url)
    words.isDescribed = true
    return words
  }

  /// The stated value as text.
  var text: String { String(decoding: value, as: UTF8.self) }

  /// ``domain `contoso.com` ``, or `chromium (3 filters)`
  var sentence: String { isDescribed ? "\(key) (\(text))" : "\(key) \(text.shown)" }
}

extension Condition {
  /// This matcher in words; nil for conditions that only hold matchers together. A new matcher is one line here.
  var words: MatcherWords? {
    switch self {
    case .domain(let name): MatcherWords("domain", name, .host)
    case .host(let name): MatcherWords("host", name, .host)
    case .url(let href): MatcherWords("url", href, .url)
    case .scheme(let name): MatcherWords("scheme", name, .scheme)
    case .port(let port): MatcherWords("port", String(port), .port)
    case .queryOver(let bytes): MatcherWords("queryOver", String(bytes), .query)
    case .regex(let regex): MatcherWords("regex", regex.pattern, .url)
    case .pattern(let pattern): MatcherWords("pattern", pattern.componentText, .url)
    case .filter(let filter): MatcherWords("filter", filter.text, .url)
    case .filters(let filters, ""): .chromium(filters.count)
    case .filters(_, let file): MatcherWords("list", file, .url)
    case .list(_, let file): MatcherWords("list", file, .membership)
    case .network(let network): MatcherWords("cidr", "\(network)", .membership)
    case .same(let sameness): MatcherWords("same", sameness.rawValue, .document)
    case .sameSite: MatcherWords("same", "site", .document)
    case .hop(let wanted): MatcherWords("hop", String(wanted), .hop)
    case .all, .any, .not, .from: nil
    }
  }
}

extension MatchInput {
  /// The part of the judged URL that failed a matcher.
  func found(_ words: MatcherWords) -> String {
    let record = url.judged
    switch words.aspect {
    case .host where !record.isWeb: return "this is no page of the web but \((record.schemeName + ":").shown)"
    case .host:
      let likeness = HostProbe(url).likeness(to: words.value).words
      return ["the host is \(record.hostname.shown)", likeness].compactMap(\.self).joined(separator: ", ")
    case .membership where !record.isWeb: return "this is no page of the web but \((record.schemeName + ":").shown)"
    case .membership: return "which does not hold \(record.hostname.shown)"
    case .scheme: return "this is \(record.schemeName.shown)"
    case .port: return record.effectivePort.map { "this is port \($0)" } ?? "this has no port"
    case .query where record.queryLength == 0: return "this has no query"
    case .query: return "the query has \(record.queryLength) \(record.queryLength == 1 ? "byte" : "bytes")"
    case .url where words.key == "url": return "this is \(record.href.shown)"
    case .url: return "which \(record.href.shown) does not match"
    case .document: return document.map { "the document is \($0.href.shown)" } ?? "the document is not known"
    case .hop: return hop == .yes ? "this is a redirect" : "this is no redirect"
    }
  }

  /// The missing fact that a matcher needs.
  func unknown(_ words: MatcherWords) -> String {
    switch words.aspect {
    case .document where document == nil: "the document, which nobody told"
    case .document: "a document of the web, the document is \(document?.href.shown ?? "")"
    case .hop: "`hop`, which nobody told"
    case .host, .scheme, .port, .query, .url, .membership: "\(words.sentence), which reached its limit"
    }
  }

  /// The question with the page or hop that led here in the place of the URL, as the matchers of `from` see it.
  var ofPage: MatchInput {
    var input = self
    input.url = from
    return input
  }
}

extension URLRecord {
  var schemeName: String { String(self.protocol.dropLast()) }
}

extension String {
  /// Most Unicode scalars of a text that an explanation repeats.
  private static let maximumShown = 200

  /// The text in backticks, cut when it is long.
  var shown: String {
    let scalars = unicodeScalars.prefix(Self.maximumShown + 1)
    return scalars.count > Self.maximumShown ? "`\(String(scalars.dropLast()))...`" : "`\(self)`"
  }
}
