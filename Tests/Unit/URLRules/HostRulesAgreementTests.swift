import GuardModel
internal import PolicyTools
internal import RuleExport
import TestSupport
import Testing
import URLRules
import URLStandard

/// `--host-resolver-rules` as Chromium reads it: a closed host is one of which the daemon lets nothing pass, neither as a
/// page nor as a part of one, and a host of which anything passes stays open.
struct HostRulesAgreementTests {
  /// Rules of every kind, over hosts of every spelling.
  @Test func aClosedHostIsOneOfWhichNothingPasses() throws {
    var random = SeededGenerator()
    print("host rules: \(random.note)")
    let names = (0..<3).map { _ in (0..<random.below(9)).map { _ in RandomLists.name(&random) } }
    let rules = try RandomRules(lists: HostLists.of(names))
    var closed = 0
    for _ in 0..<Effort.scaled(1_500) {
      let ruleSet = random.oneIn(2) ? Self.hostRules(&random) : rules.ruleSet(maximum: 6, &random).at(0)
      let world = HostRulesWorld(ruleSet, loadsInPlace: random.oneIn(4), judgesFrames: random.oneIn(2))
      for _ in 0..<12 {
        let host = Self.host(&random)
        for _ in 0..<6 {
          guard let request = HostRequest(host, &random), world.closes(request) else { continue }
          closed += 1
          guard let way = world.opening(request) else { continue }
          Issue.record("closed, though \(request.text) passes as \(way), \(random.note)\n\(world.words)")
          return
        }
      }
    }
    print("  \(closed) requests of closed hosts")
    #expect(closed > Effort.scaled(6_000))
  }

  /// Rules that speak of hosts alone, and of all kinds of requests: what the report does not except is exact.
  @Test func aHostOfWhichNothingPassesIsClosed() throws {
    var random = SeededGenerator()
    var counts = (exact: 0, closed: 0)
    for _ in 0..<Effort.scaled(2_000) {
      let world = HostRulesWorld(Self.hostRules(&random), loadsInPlace: false, judgesFrames: false)
      guard world.isExact else { continue }
      counts.exact += 1
      for _ in 0..<12 {
        guard let request = HostRequest(Self.host(&random), &random, isPlain: true), !Self.staysOpen(request) else {
          continue
        }
        let isStopped = world.opening(request) == nil
        counts.closed += isStopped ? 1 : 0
        if world.closes(request) == isStopped { continue }
        Issue.record("\(request.text) is \(isStopped ? "open" : "closed"), \(random.note)\n\(world.words)")
        return
      }
    }
    print("host rules without exceptions: \(counts)")
    #expect(counts.exact > Effort.scaled(100))
    #expect(counts.closed > Effort.scaled(300))
  }

  /// Exclusions may take more than they should: `a,b.example` has to be excluded as `a*b.example`, and with an address of
  /// IPv4 all those that are written as IPv6.
  private static func staysOpen(_ request: HostRequest) -> Bool {
    let host = request.url.hostname
    return host.contains("[::ffff:") || host.contains("b.example")
  }

  // MARK: A world of hosts

  private static let names = [
    "contoso.com", "mail.contoso.com", "a.mail.contoso.com", "evil.example", "localhost", "intranet", "com", "example",
    "xn--bcher-kva.example", "127.0.0.1", "10.1.2.3", "10.1.9.9", "[::1]", "[2001:db8::7]", "a*b.example",
    "a,b.example",
    "a_b.example", "3.4",
  ]

  /// As a page may write them: another case, umlauts, other digits, a dot behind, a name above or below.
  private static let spellings = [
    "CONTOSO.com", "contoso.com.", "contoso.com..", "bücher.example", "BÜCHER.example.", "ｃontoso.com", "x.localhost",
    "0x7f.1", "127.1", "10.1.9.0", "10.2.0.0", "[0:0::1]", "[::ffff:10.1.2.3]", "[2001:DB8::7]", "www.evil.example",
    "evil.example.contoso.com", "contoso.com.evil.example", "notcontoso.com", "a%2Ab.example", "axb.example",
    "b.example",
    "axb.example.", "other.test", "1.2.3.4",
  ]

  private static func host(_ random: inout SeededGenerator) -> String {
    let below = random.oneIn(6) ? "www." : ""
    return random.oneIn(2) ? random.one(of: spellings) : below + random.one(of: names + RandomRules.hosts)
  }

  private static func hostRules(_ random: inout SeededGenerator) -> RuleSet {
    let rules = (0...random.below(4)).map { number in
      Rule(
        id: "r\(number)", verdict: random.oneIn(3) ? .internal : .external, condition: condition(depth: 2, &random),
        purposes: .navigated, takesCredentials: true)
    }
    return RuleSet(name: "hosts", default: .internal, rules: rules)
  }

  private static func condition(depth: Int, _ random: inout SeededGenerator) -> Condition {
    if depth > 0, random.oneIn(2) {
      let parts = (0...random.below(3)).map { _ in condition(depth: depth - 1, &random) }
      return random.oneIn(3) ? .all(parts) : random.oneIn(2) ? .any(parts) : .not(.any(parts))
    }
    if random.oneIn(8), let network = try? IPNetwork(random.one(of: ["10.0.0.0/8", "10.1.8.0/21", "127.0.0.0/8"])) {
      return .network(network)
    }
    let name = random.one(of: names)
    return random.oneIn(2) ? .domain(name) : .host(name)
  }
}

/// A request to a host, written as a page may write it.
private struct HostRequest {
  let text: String
  let url: URLRecord

  /// Nil for what is no URL. A plain one has no user, which only some rules take.
  init?(_ host: String, _ random: inout SeededGenerator, isPlain: Bool = false) {
    let scheme = random.one(of: ["https", "https", "http", "HTTP"])
    let user = !isPlain && random.oneIn(10) ? "user@" : ""
    let port = random.oneIn(4) ? random.one(of: [":80", ":443", ":8443", ":21"]) : ""
    text = "\(scheme)://\(user)\(host)\(port)/\(random.one(of: RandomURLs.paths))"
    guard let url = URLRecord(text) else { return nil }
    self.url = url
  }
}

/// A rule set, its export, and the daemon's answers.
private struct HostRulesWorld {
  let source: ExportSource
  let export: Export
  let mapping: HostMapping
  let runner = RegexRunner()

  init(_ ruleSet: RuleSet, loadsInPlace: Bool, judgesFrames: Bool) {
    source = ExportSource(ruleSet: ruleSet, loadsInPlace: loadsInPlace, judgesFrames: judgesFrames)
    export = Export(source, as: .chromiumHostRules)
    mapping = HostMapping(String(decoding: export.document, as: UTF8.self))
  }

  var isExact: Bool { !export.notes.contains(where: \.code.isGap) }

  var words: String {
    let rules = source.ruleSet.rules.map {
      "\($0.verdict) \($0.purposes.rawValue) \($0.then): \($0.condition.sentence)"
    }
    return (rules + [String(decoding: export.document, as: UTF8.self)]).joined(separator: "\n")
  }

  func closes(_ request: HostRequest) -> Bool {
    mapping.closes(request.url.hostname.filter { $0 != "[" && $0 != "]" }, port: request.url.effectivePort ?? 0)
  }

  /// A way in which the daemon lets the request pass; nil when there is none.
  func opening(_ request: HostRequest) -> Purposes? {
    [Purposes.page, .resource, .frame].first { passes(request, as: $0) }
  }

  private func passes(_ request: HostRequest, as purpose: Purposes) -> Bool {
    let verdict = source.ruleSet.verdict(on: MatchInput(request.text, purposes: purpose), runner: runner)
    guard verdict.rule != nil else {
      // Frames of which no rule speaks are held to be pages.
      if purpose == .frame { return false }
      return !(source.closingRule?.purposes.contains(purpose) ?? false)
    }
    return verdict.verdict == .internal || source.loadsInPlace && verdict.then == .none
  }
}

extension RuleSet {
  fileprivate func verdict(on input: MatchInput, runner: RegexRunner) -> RuleVerdict {
    runner.beginDecision(subjectBytes: input.subjectBytes)
    return verdict(on: input, runner)
  }
}

/// Chromium's reading of the switch, slow and obvious.
///
/// Source: Chromium, net/base/host_mapping_rules.cc (`AddRuleFromString`, `RewriteHost`), base/strings/pattern.cc.
private struct HostMapping {
  private var mapped: [String] = []
  private var excluded: [String] = []

  init(_ value: String) {
    for rule in value.split(separator: ",") {
      let words = rule.split(separator: " ").map { $0.lowercased() }
      if words.count == 2, words[0] == "exclude" {
        excluded.append(words[1])
      } else if words.count == 3, words[0] == "map", words[2] == "~notfound" {
        mapped.append(words[1])
      } else {
        Issue.record("no rule: \(rule)")
      }
    }
  }

  /// The first `MAP` that takes the name, or the name with its port, decides, unless an `EXCLUDE` takes the name.
  func closes(_ host: String, port: UInt16) -> Bool {
    let withPort = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    guard mapped.contains(where: { Self.matches(host, $0) || Self.matches(withPort, $0) }) else { return false }
    return !excluded.contains { Self.matches(host, $0) }
  }

  /// `*` stands for any text, `?` for one letter or none.
  private static func matches(_ text: String, _ pattern: String) -> Bool {
    var ends: Set<Int> = [0]
    let letters = Array(text.unicodeScalars)
    for sign in pattern.unicodeScalars {
      switch sign {
      case "*": ends = ends.min().map { Set($0...letters.count) } ?? []
      case "?": ends.formUnion(ends.filter { $0 < letters.count }.map { $0 + 1 })
      default: ends = Set(ends.filter { $0 < letters.count && letters[$0] == sign }.map { $0 + 1 })
      }
    }
    return ends.contains(letters.count)
  }
}
