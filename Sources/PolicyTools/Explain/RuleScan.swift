internal import GuardModel
internal import URLRules
internal import URLStandard

/// One look at every rule: which answer, and which of those before the answer came near.
///
/// A rule came near when a host, a URL, a pattern or a document in it holds or cannot be told, or when it names a
/// host that resembles this one. A rule that names no host came near when anything that it needs is there.
struct RuleScan {
  struct Answer {
    let rule: RuleNumber
    /// False: it may answer, as far as is known.
    let isCertain: Bool
  }

  /// A rule that came near, and how near: more is nearer.
  struct Near {
    let rule: RuleNumber
    let nearness: Nearness
  }

  /// Rules that answer, in order.
  private(set) var answering: [Answer] = []
  /// Rules that would answer, were they not only monitored, in order.
  private(set) var monitored: [Answer] = []
  /// Rules before the deciding one that came near, in order.
  private(set) var near: [Near] = []
  /// The rules before it that did not.
  private(set) var farCount = 0

  /// - Parameter deciding: the rule that answered; nil when none did.
  init(_ ruleSet: RuleSet, _ input: MatchInput, until deciding: RuleNumber?) {
    let runner = RegexRunner()
    let probe = NearnessProbe(input)
    let bytes = input.subjectBytes
    for (number, rule) in ruleSet.numbered {
      guard ruleSet.holds(rule) else { continue }
      runner.beginDecision(subjectBytes: bytes)
      let answer = rule.answers(input, runner)
      if ruleSet.monitors(rule) {
        if answer != .no { monitored.append(Answer(rule: number, isCertain: answer == .yes)) }
      } else if answer != .no {
        answering.append(Answer(rule: number, isCertain: answer == .yes))
      } else if deciding.map({ number < $0 }) ?? true {
        let nearness = probe.nearness(of: rule.condition, input, runner)
        if nearness > .nothing { near.append(Near(rule: number, nearness: nearness)) } else { farCount += 1 }
      }
    }
  }

  /// Up to `count` of the nearest, in the order of the rules.
  func nearest(_ count: Int) -> [RuleNumber] {
    guard near.count > count else { return near.map(\.rule) }
    let best = near.sorted { ($1.nearness, $0.rule) < ($0.nearness, $1.rule) }.prefix(count)
    return best.map(\.rule).sorted()
  }
}

/// Nearness of a condition.
enum Nearness: Int, Comparable {
  /// It names another host.
  case far
  /// Nothing in it says anything.
  case nothing
  /// A scheme, a port or how the URL was reached is as it needs.
  case slight
  /// It names a host like this one.
  case alike
  /// A host, a URL, a pattern or a document in it holds, or cannot be told.
  case close

  static func < (left: Nearness, right: Nearness) -> Bool { left.rawValue < right.rawValue }
}

/// Finds how near conditions came to one URL.
struct NearnessProbe {
  private let hosts: HostProbe
  private let isWeb: Bool

  init(_ input: MatchInput) {
    hosts = HostProbe(input.url)
    isWeb = input.url.judged.isWeb
  }

  func nearness(of condition: Condition, _ input: MatchInput, _ runner: RegexRunner) -> Nearness {
    switch condition {
    case .all(let parts):
      var best = Nearness.nothing
      for part in parts {
        let part = nearness(of: part, input, runner)
        if part == .far { return .far }
        best = max(best, part)
      }
      return best
    case .any(let parts): return parts.lazy.map { nearness(of: $0, input, runner) }.max() ?? .nothing
    case .not: return .nothing
    case .from: return input.truth(of: condition, runner) == .no ? .nothing : .slight
    default: return condition.words.map { nearness(of: condition, $0, input, runner) } ?? .nothing
    }
  }

  private func nearness(
    of condition: Condition, _ words: MatcherWords, _ input: MatchInput, _ runner: RegexRunner
  ) -> Nearness {
    let holds = input.truth(of: condition, runner) != .no
    switch words.aspect {
    case .scheme, .port, .query, .hop: return holds ? .slight : .nothing
    case .document, .membership: return holds ? .close : .nothing
    case .host:
      if holds { return .close }
      return hosts.likeness(to: words.value) == .none ? .far : .alike
    case .url:
      if holds { return .close }
      guard words.key == "url" else { return .nothing }
      return hosts.likeness(to: words.host) == .none ? .far : .alike
    }
  }
}

extension MatcherWords {
  /// The host of the URL that it states; nothing when there is none.
  var host: [UInt8] {
    let slash = UInt8(ascii: "/")
    guard let colon = value.firstIndex(of: UInt8(ascii: ":")), value[colon...].dropFirst().starts(with: [slash, slash])
    else { return [] }
    let ends = "/?#".utf8
    let authority = value[(colon + 3)...].prefix { !ends.contains($0) }
    guard authority.first != UInt8(ascii: "[") else {
      return Array(authority.prefix { $0 != UInt8(ascii: "]") }) + [UInt8(ascii: "]")]
    }
    return Array(authority.prefix { $0 != UInt8(ascii: ":") })
  }
}

/// The likeness of a rule's host to the host of a URL that the rule does not take.
///
///     HostProbe(of contoso.com.evil.example).likeness(to: contoso.com)   // .begins
enum HostLikeness {
  case none
  /// The very host; something else keeps the rule from taking the URL.
  case same
  /// The rule names a host below this one.
  case below
  /// The rule names a host above this one.
  case above
  /// The host begins with the rule's: `contoso.com.evil.example`.
  case begins
  /// It ends with the rule's, but not at a label border: `evilcontoso.com`.
  case ends
  /// It differs in one letter as people see it: `cont0so.com`, or a Cyrillic `о`.
  case looksAlike
  /// The rule's host stands before the `@`.
  case userName

  /// To stand behind "the host is …".
  var words: String? {
    switch self {
    case .none, .same: nil
    case .below: "which is above that"
    case .above: "which is below that"
    case .begins: "which only begins with that"
    case .ends: "which ends so, but not behind a dot"
    case .looksAlike: "which only looks like that"
    case .userName: "and what stands before `@` is a user name"
    }
  }
}

/// A URL's host, prepared for comparing it with the hosts of many rules.
struct HostProbe {
  private let host: [UInt8]
  /// The host and its parts after each dot, as people see them.
  private let seen: [[Unicode.Scalar]]
  private let userName: [UInt8]

  init(_ subject: borrowing URLSubject) {
    let record = subject.judged
    host = Array(record.bytes[record.hostRange])
    userName = Array(URLExplanation.userName(in: subject).utf8)
    let text = domainToUnicode(record.hostname) ?? record.hostname
    let scalars = Array(text.unicodeScalars)
    let starts = scalars.indices.suffix(Self.maximumSeen).filter { $0 == 0 || scalars[$0 - 1] == "." }
    seen = starts.map { Array(scalars[$0...]) }
  }

  func likeness(to name: [UInt8]) -> HostLikeness {
    if name == host { return .same }
    if Self.stands(name, below: host) { return .below }
    if Self.stands(host, below: name) { return .above }
    if !userName.isEmpty, name == userName { return .userName }
    // A name of a few letters, or of one label, is in many others by chance.
    guard name.count >= 5, name.contains(Self.dot) else { return .none }
    if host.count > name.count {
      if host[name.count] == Self.dot, host.starts(with: name) { return .begins }
      if host[host.count - name.count - 1] != Self.dot, host.suffix(name.count).elementsEqual(name) { return .ends }
    }
    return seen.contains { Self.differInOne($0, name) } ? .looksAlike : .none
  }

  /// No name that leads anywhere is longer (RFC 1035, section 2.3.4), and a URL may hold thirty thousand dots.
  private static let maximumSeen = 253

  private static let dot = UInt8(ascii: ".")

  /// At a label border; a name of one label has everything below it.
  private static func stands(_ name: [UInt8], below host: [UInt8]) -> Bool {
    let border = name.count - host.count - 1
    return border > 0 && name[border] == dot && host.contains(dot) && name.suffix(host.count).elementsEqual(host)
  }

  /// Whether one letter was changed, added or left out.
  private static func differInOne(_ seen: [Unicode.Scalar], _ name: [UInt8]) -> Bool {
    guard abs(seen.count - name.count) <= 1 else { return false }
    var start = 0
    let shorter = min(seen.count, name.count)
    while start < shorter, seen[start].value == UInt32(name[start]) { start += 1 }
    var end = 0
    while end < shorter - start, seen[seen.count - 1 - end].value == UInt32(name[name.count - 1 - end]) { end += 1 }
    let rest = max(seen.count, name.count) - start - end
    return rest == 1
  }
}

extension Rule {
  /// Whether this rule answers for the input. An internal rule answers only when it certainly matches; an external one
  /// that may match may answer. The index gives the same answer at once; this is for one rule.
  func answers(_ input: borrowing MatchInput, _ runner: RegexRunner) -> Ternary {
    if verdict == .internal, input.url.hadCredentials, !takesCredentials { return .no }
    let spoken = purposes.speak(of: input.purposes)
    if spoken == .no { return .no }
    let truth = Ternary.and(spoken, input.truth(of: condition, runner))
    return verdict == .internal && truth == .unknown ? .no : truth
  }
}
