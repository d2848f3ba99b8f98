internal import Bytes
package import GuardModel
package import URLStandard

/// One question to one rule set, from text, as `classify` and the tests of rule files ask it.
///
///     RuleQuestion(url: "https://mail.contoso.com/").ask(ruleSet).verdict?.verdict    // .internal
///
/// A nil member is not known; rules that need it are then not decided, which no internal rule survives.
package struct RuleQuestion: Sendable, Hashable {
  package var url: String
  package var document: String?
  package var from: String?
  package var hop: Bool?
  package var purpose: Purposes

  package init(
    url: String, document: String? = nil, from: String? = nil, hop: Bool? = nil, purpose: Purposes = .page
  ) {
    self.url = url
    self.document = document
    self.from = from
    self.hop = hop
    self.purpose = purpose
  }

  /// The result of a question.
  package struct Answer: Sendable, Hashable {
    /// Nil when the text is no URL.
    package var verdict: RuleVerdict?
    /// The URL as the rules saw it.
    package var url: String?
  }

  /// Asks. `javascript:` moves no document and has no verdict of its own; it counts as external here.
  package func ask(_ ruleSet: RuleSet) -> Answer {
    let input = input
    guard input.url.kind != .invalid else { return Answer() }
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: input.subjectBytes)
    return Answer(verdict: ruleSet.verdict(on: input, runner), url: input.url.judged.href)
  }

  /// The question as rules see it.
  package var input: MatchInput {
    var input = MatchInput()
    input.url.read(url)
    if let from { input.from.read(from) }
    if let document { input.document = Self.record(of: document) }
    input.hop = Ternary(hop)
    input.purposes = purpose
    if input.url.kind == .madeByPage { input.url.judgeAs(input.from) }
    return input
  }

  /// A document as rules compare with it. A URL with a user name is no document.
  package static func record(of document: String) -> URLRecord? {
    var subject = URLSubject()
    subject.read(document)
    return subject.kind == .url && !subject.hadCredentials ? subject.judged : nil
  }
}

/// Everything a rule may ask about: the URL, where it came from, and the viewer's document.
///
/// Kept and refilled between decisions, so that matching allocates nothing.
package struct MatchInput: Sendable {
  /// The URL that is judged.
  package var url = URLSubject()
  /// The page or hop that led here; `absent` makes `from` conditions unknown.
  package var from = URLSubject()
  /// The URL of the viewer's document, as the app registered it; nil makes `same` conditions unknown.
  package var document: URLRecord?
  package var hop = Ternary.unknown
  /// The purposes that the event may concern; two of them when the frame is not known.
  package var purposes = Purposes.page
  /// The lists that conditions speak of, for callers that ask single conditions; a rule set has its own.
  package var lists = HostLists.empty

  package init() {}

  /// The length of the longest text that a rule may search; it sets the budget of the regular expressions.
  package var subjectBytes: Int { max(url.judged.bytes.count, from.judged.bytes.count) }
}

/// The answer of a rule set.
package struct RuleVerdict: Sendable, Hashable {
  package var verdict: Verdict
  /// The rule that matched; nil for the default.
  package var rule: RuleNumber?
  package var then: RuleAction

  package init(verdict: Verdict, rule: RuleNumber?, then: RuleAction) {
    self.verdict = verdict
    self.rule = rule
    self.then = then
  }

  /// Higher for stricter answers; 0 is internal.
  package var strictness: Int { verdict == .internal ? 0 : 1 + then.strictness }
}

extension MatchInput {
  /// Whether `condition` holds of the judged URL. A list that `lists` does not have is unknown.
  package func truth(of condition: Condition, _ runner: RegexRunner, lists: HostLists? = nil) -> Ternary {
    let lists = lists ?? self.lists
    var work = SearchWork()
    let sets = ListSetsFound(
      url: url.kind == .url ? lists.set(of: url.judged, &work) : 0,
      from: from.kind == .url ? lists.set(of: from.judged, &work) : 0)
    return truth(of: condition, sets, lists, runner)
  }

  /// The same with the sets of lists looked up before.
  func truth(of condition: Condition, _ sets: ListSetsFound, _ lists: HostLists, _ runner: RegexRunner) -> Ternary {
    truth(of: condition, url, sets.url, sets, lists, runner)
  }

  /// Whether `condition` holds of one of the URLs, which is in the lists of `set`.
  private func truth(
    of condition: Condition, _ subject: borrowing URLSubject, _ set: UInt32, _ sets: ListSetsFound,
    _ lists: HostLists, _ runner: RegexRunner
  ) -> Ternary {
    switch condition {
    case .all(let parts):
      var result = Ternary.yes
      for part in parts {
        result = .and(result, truth(of: part, subject, set, sets, lists, runner))
        if result.isNo { break }
      }
      return result
    case .any(let parts):
      var result = Ternary.no
      for part in parts {
        result = .or(result, truth(of: part, subject, set, sets, lists, runner))
        if result.isYes { break }
      }
      return result
    case .not(let part): return truth(of: part, subject, set, sets, lists, runner).negated
    case .from(let part): return from.kind == .url ? truth(of: part, from, sets.from, sets, lists, runner) : .unknown
    case .hop(let wanted): return wanted ? hop : hop.negated
    case .domain(let name): return Ternary(subject.judged.isWeb && subject.judged.host(isBelow: name.span))
    case .host(let name): return Ternary(subject.judged.isWeb && subject.judged.hostBytes.matches(name.span))
    case .url(let href): return Ternary(subject.judged.bytes.span.matches(href.span))
    case .scheme(let name): return Ternary(subject.judged.schemeBytes.matches(name.span))
    case .port(let port): return Ternary(subject.judged.effectivePort == port)
    case .queryOver(let bytes): return Ternary(subject.judged.queryLength > Int(bytes))
    case .list(let list, _): return lists.contains(list, in: set)
    case .network(let network): return Ternary(subject.judged.isWeb && subject.judged.host(isIn: network))
    case .regex(let regex): return regex.matches(subject.judged.bytes.span, runner)
    case .pattern(let pattern): return pattern.matches(subject.judged, runner)
    case .filter(let filter): return filter.matches(subject.judged, runner)
    case .filters(let filters, _): return filters.matches(subject.judged, runner)
    case .same(let sameness): return compare(subject.judged, sameness)
    case .sameSite(let suffixes):
      guard let document, document.isWeb else { return .unknown }
      return Ternary(suffixes.areSameSite(subject.judged, document))
    }
  }

  private func compare(_ record: borrowing URLRecord, _ sameness: Sameness) -> Ternary {
    guard let document, document.isWeb || document.scheme == .file else { return .unknown }
    switch sameness {
    case .document: return Ternary(record.bytes.span.matches(document.bytes.span))
    case .documentPath: return Ternary(record.hasOrigin(of: document) && record.pathBytes.matches(document.pathBytes))
    case .origin: return document.isWeb ? Ternary(record.hasOrigin(of: document)) : .unknown
    }
  }
}

extension URLRecord {
  /// http or https, the schemes of `domain` and `host`.
  package var isWeb: Bool {
    switch scheme {
    case .http, .https: true
    case .ws, .wss, .ftp, .file, .other: false
    }
  }

  /// The host is an IPv4 or IPv6 address, which has nothing below it.
  var hasAddress: Bool {
    switch hostKind {
    case .ipv4, .ipv6: true
    case .domain, .opaque, .empty, .none: false
    }
  }

  /// Whether the host is `name` or ends in `.name`; an address has nothing below it.
  fileprivate func host(isBelow name: Span<UInt8>) -> Bool {
    let host = hostBytes
    if host.count <= name.count || hostKind != .domain { return host.matches(name) }
    let start = host.count - name.count
    return host[start - 1] == UInt8(ascii: ".") && host.extracting(start...).matches(name)
  }

  /// Whether the host is an address in a network.
  fileprivate func host(isIn network: IPNetwork) -> Bool {
    IPAddress(hostOf: self).map(network.contains) ?? false
  }

  /// Bytes of the query, without `?`; 0 when there is none.
  package var queryLength: Int { queryRange?.count ?? 0 }

  /// Scheme, host and port are the same.
  package func hasOrigin(of other: borrowing URLRecord) -> Bool {
    schemeBytes.matches(other.schemeBytes) && hostBytes.matches(other.hostBytes) && effectivePort == other.effectivePort
  }
}
