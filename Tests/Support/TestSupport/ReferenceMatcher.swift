package import GuardModel
package import URLRules
internal import URLStandard

/// The plain loop over all rules of a rule set, with which the compiled form must agree: first match wins, and what is
/// unknown never weakens.
///
/// It shares the regular expressions' library with the compiled form and nothing else.
package struct ReferenceMatcher {
  package var rules: [Rule]
  package var defaultVerdict: Verdict

  /// Rules that expired by this time are left out; nil: none did.
  package var time: Int64?

  /// Rules that only monitor are taken for enforced ones.
  package var withMonitored = false

  package init(_ ruleSet: RuleSet, at time: Int64? = nil, withMonitored: Bool = false) {
    self.init(rules: ruleSet.rules, default: ruleSet.default, at: time)
    self.withMonitored = withMonitored
  }

  package init(rules: [Rule], default: Verdict, at time: Int64? = nil) {
    self.rules = rules
    defaultVerdict = `default`
    self.time = time
  }

  package struct Answer: Hashable, Sendable {
    package var verdict: Verdict
    /// Number of the rule that matched; nil for the default.
    package var rule: Int?
    package var then: RuleAction

    /// More for what is stricter; 0 is internal.
    var strictness: Int {
      guard verdict == .external else { return 0 }
      switch then {
      case .none: return 1
      case .redirect: return 2
      case .block: return 3
      }
    }
  }

  package func answer(to question: ReferenceQuestion) -> Answer {
    guard let url = question.url.parts else { return Answer(verdict: .external, rule: nil, then: .none) }
    var possible: [Answer] = []
    for (number, rule) in rules.enumerated() where !hasExpired(rule) && (withMonitored || !isMonitored(rule)) {
      let answer = Answer(verdict: rule.verdict, rule: number, then: rule.then)
      switch matches(rule, url, question) {
      case .true: return strictest(possible + [answer])
      case .unknown: possible.append(answer)
      case .false: break
      }
    }
    return strictest(
      possible + [Answer(verdict: url.hadCredentials ? .external : defaultVerdict, rule: nil, then: .none)])
  }

  private func hasExpired(_ rule: Rule) -> Bool {
    guard let time, let expires = rule.expires else { return false }
    return expires <= time
  }

  /// Without a time all monitoring runs.
  private func isMonitored(_ rule: Rule) -> Bool {
    guard let until = rule.monitoredUntil else { return false }
    return time.map { $0 < until } ?? true
  }

  /// Unknown is none for an internal rule, and credentials are internal only by a rule that takes them; an external rule
  /// may match.
  private func matches(_ rule: Rule, _ url: ReferenceParts, _ question: ReferenceQuestion) -> Truth {
    let truth = Truth.both(speaks(rule, of: question), question.truth(of: rule.condition, of: url))
    guard rule.verdict == .internal else { return truth }
    return truth == .true && (!url.hadCredentials || rule.takesCredentials) ? .true : .false
  }

  /// Of the answers that the unknown leaves open the strictest, and of equally strict ones the first.
  private func strictest(_ answers: [Answer]) -> Answer {
    var strictest = answers[0]
    for answer in answers where answer.strictness > strictest.strictness { strictest = answer }
    return strictest
  }

  /// `for:` holds when the event is certainly one of what it names, and fails when it is certainly none.
  private func speaks(_ rule: Rule, of question: ReferenceQuestion) -> Truth {
    let spoken = question.purposes.filter { rule.purposes.contains($0) }
    if spoken.count == question.purposes.count { return .true }
    return spoken.isEmpty ? .false : .unknown
  }
}

/// Kleene's three truths.
package enum Truth: Hashable, Sendable {
  case `true`, `false`, unknown

  package init(_ value: Bool) { self = value ? .true : .false }

  package static func both(_ left: Truth, _ right: Truth) -> Truth {
    if left == .false || right == .false { return .false }
    return left == .true && right == .true ? .true : .unknown
  }

  package static func either(_ left: Truth, _ right: Truth) -> Truth {
    if left == .true || right == .true { return .true }
    return left == .false && right == .false ? .false : .unknown
  }

  package var opposite: Truth {
    switch self {
    case .true: .false
    case .false: .true
    case .unknown: .unknown
    }
  }
}

/// Everything a rule may ask about.
package struct ReferenceQuestion: Sendable {
  package var url: ReferenceURL
  package var from: ReferenceURL
  package var document: ReferenceURL
  package var hop: Bool?
  /// What the event may concern.
  package var purposes: [Purposes]
  /// The names of each host list.
  package var lists: [[String]]

  package init(
    url: ReferenceURL, from: ReferenceURL = .absent, document: ReferenceURL = .absent, hop: Bool? = nil,
    purposes: [Purposes] = [.page], lists: [[String]] = []
  ) {
    self.url = url
    self.from = from
    self.document = document
    self.hop = hop
    self.purposes = purposes
    self.lists = lists
  }

  /// Whether a condition holds of `url`, by the words of architecture section 6.
  package func truth(of condition: Condition, of url: ReferenceParts) -> Truth {
    switch condition {
    case .all(let parts): return parts.reduce(.true) { .both($0, truth(of: $1, of: url)) }
    case .any(let parts): return parts.reduce(.false) { .either($0, truth(of: $1, of: url)) }
    case .not(let part): return truth(of: part, of: url).opposite
    case .domain(let bytes): return Truth(url.isWeb && url.host(isBelow: text(bytes)))
    case .host(let bytes): return Truth(url.isWeb && url.host == text(bytes))
    case .url(let bytes): return Truth(url.href == text(bytes))
    case .scheme(let bytes): return Truth(url.scheme == text(bytes))
    case .port(let port): return Truth(url.port == port)
    case .queryOver(let bytes): return Truth(url.query.utf8.count > Int(bytes))
    case .list(let list, _):
      guard lists.indices.contains(Int(list.place)) else { return .unknown }
      return Truth(url.isWeb && lists[Int(list.place)].contains { url.host(isBelow: $0) })
    case .network(let network): return Truth(url.isWeb && ReferenceAddress(url.host)?.isIn(network) == true)
    case .regex(let regex): return truth(of: regex, in: url)
    case .pattern(let pattern): return truth(of: pattern, url)
    case .filter(let filter): return Truth(URLRecord(url.href).map { filter.matches($0) } == true)
    case .filters(let filters, _): return Truth(URLRecord(url.href).map { filters.matches($0) } == true)
    case .same(let sameness): return truth(of: sameness, url)
    case .sameSite(let suffixes): return sameSite(suffixes, url)
    case .from(let part): return from.parts.map { truth(of: part, of: $0) } ?? .unknown
    case .hop(let wanted): return hop.map { Truth($0 == wanted) } ?? .unknown
    }
  }

  private func truth(of regex: Regex, in url: ReferenceParts) -> Truth {
    let runner = RegexRunner()
    let subject = Array(url.href.utf8)
    runner.beginDecision(subjectBytes: subject.count)
    switch regex.matches(subject.span, runner) {
    case .yes: return .true
    case .no: return .false
    case .unknown: return .unknown
    }
  }

  private func truth(of pattern: URLPattern, _ url: ReferenceParts) -> Truth {
    guard let record = URLRecord(url.href) else { return .false }
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: url.href.utf8.count)
    switch pattern.matches(record, runner) {
    case .yes: return .true
    case .no: return .false
    case .unknown: return .unknown
    }
  }

  /// The same scheme and registrable domain; without one, the same host.
  private func sameSite(_ suffixes: PublicSuffixes, _ url: ReferenceParts) -> Truth {
    guard let document = document.parts, document.isWeb else { return .unknown }
    let sites = [url, document].map { parts in
      URLRecord(parts.href).flatMap { suffixes.site(of: $0) } ?? ".\(parts.host)"
    }
    return Truth(url.scheme == document.scheme && sites[0] == sites[1])
  }

  /// A document without an origin is like no other; a file is at least the same as itself.
  private func truth(of sameness: Sameness, _ url: ReferenceParts) -> Truth {
    guard let document = document.parts, document.isWeb || document.scheme == "file" else { return .unknown }
    switch sameness {
    case .document: return Truth(url.href == document.href)
    case .documentPath: return Truth(url.hasOrigin(of: document) && url.path == document.path)
    case .origin: return document.isWeb ? Truth(url.hasOrigin(of: document)) : .unknown
    }
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
