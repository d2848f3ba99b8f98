internal import GuardModel
internal import URLRules
internal import URLStandard

/// One look at every rule: which answer, and which of those before the answer came near.
///
/// A rule came near when a host, a URL, a pattern or a document in it holds or cannot be told, or when it names a
/// host that resembles this one. A rule that names no host came near when anything that it needs is there.
struct RuleScan {
  struct Answer {
    let rule: Int32
    /// False: it may answer, as far as is known.
    let isCertain: Bool
  }

  /// A rule that came near, and how near: more is nearer.
  struct Near {
    let rule: Int32
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
  init(_ ruleSet: RuleSet, _ input: MatchInput, until deciding: Int32?) {
    let runner = RegexRunner()
    let probe = NearnessProbe(input)
    let bytes = input.subjectBytes
    for (index, rule) in ruleSet.rules.enumerated() {
      let number = Int32(truncatingIfNeeded: index)
      guard ruleSet.holds(rule) else { continue }
      runner.beginDecision(subjectBytes: bytes)
      let answer = rule.answers(input, runner)
      if ruleSet.monitors(rule) {
        if answer != .no { monitored.append(Answer(rule: number, isCertain: answer == .yes)) }
      } else if answer != .no {
        answering.append(Answer(rule: number, isCertain: answer == .yes))
      } else if number < deciding ?? .max {
        let nearness = probe.nearness(of: rule.condition, input, runner)
        if nearness > .nothing { near.append(Near(rule: number, nearness: nearness)) } else { farCount += 1 }
      }
    }
  }

  /// Up to `count` of the nearest, in the order of the rules.
  func nearest(_ count: Int) -> [Int32] {
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
    case .scheme, .port, .hop: return holds ? .slight : .nothing
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
