import CAllocationCounter
import GuardModel
internal import PolicyTools
internal import RuleExport
import TestSupport
import Testing
import URLRules
import URLStandard

/// Conditions that name thousands of hosts, behind `not` and in groups of groups: what reading them for an export costs,
/// and that wide ones mean in the export what they mean in the daemon.
struct WideConditionTests {
  private static let isMeasured = callocation_counter_works() && !Effort.isReduced

  // MARK: Cost

  struct Shape: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// Conditions of external rules, with so many hosts each.
    var conditions: @Sendable (Int) -> [Condition]

    init(_ name: String, _ conditions: @escaping @Sendable (Int) -> [Condition]) {
      testDescription = name
      self.conditions = conditions
    }
  }

  private static func hosts(_ count: Int, from start: Int = 0) -> Condition {
    .any((start..<start + count).map { .host("h\($0).example") })
  }

  static let shapes = [
    Shape("not any") { [.not(hosts($0))] },
    Shape("not any of groups") { count in [.not(.any((0..<count).map { .all([.port(80), .host("h\($0).example")]) }))]
    },
    Shape("all of nots") { count in [.all((0..<count).map { .not(.host("h\($0).example")) })] },
    Shape("not all of nots") { count in [.not(.all((0..<count).map { .not(.domain("h\($0).example")) }))] },
    Shape("three deep") { count in
      let inner = Condition.all([hosts(count, from: count / 2), .not(.all([.port(8443), hosts(count, from: count)]))])
      return [.not(.any([hosts(count), inner, .not(.scheme("https"))]))]
    },
    Shape("not any URL") { count in [.not(.any((0..<count).map { .url("https://h\($0).example/p\($0)") }))] },
    Shape("two rules") { [.not(hosts($0)), .not(hosts($0, from: $0 / 2))] },
    Shape("every second alternative") { count in
      let groups = (0..<6).map { Condition.all([.host("g\($0).example"), .not(.port(UInt16($0)))]) }
      return [.not(.any([hosts(count)] + groups))]
    },
  ]

  /// Four times the hosts take four times the memory, and at most twice that where lists just outgrew their room. Pairs of
  /// hosts would take sixteen times as much: nine thousand took minutes.
  @Test(
    .enabled(if: isMeasured, "skipped: debug builds and sanitizers allocate on their own account"), arguments: shapes)
  func readingGrowsWithTheHosts(_ shape: Shape) {
    // More hosts than any engine but WebKit takes.
    for format in ExportFormat.allCases {
      let (small, large) = (cost(shape.conditions(1_100), format), cost(shape.conditions(4_400), format))
      #expect(large < small * 8, "\(format): \(small) bytes for 1,100 hosts, \(large) for 4,400")
    }
  }

  /// A block list and an allow list of Chromium's policies: filters are compared only with those of hosts that touch
  /// theirs. Pairs took minutes for eight thousand hosts in each list. What an exception leads on to has a limit of its own.
  @Test(
    .enabled(if: isMeasured, "skipped: debug builds and sanitizers allocate on their own account"),
    arguments: ["other%.example", "%.example", "www.other%.example/a"])
  func readingFiltersGrowsWithThem(_ allowed: String) throws {
    func filters(_ count: Int, _ text: String, _ side: FilterSide) throws -> [URLFilter] {
      try (1...count).map { try URLFilter(text.replacing("%", with: "\($0)"), side: side) }
    }
    func bytes(_ count: Int) throws -> UInt64 {
      let block = try filters(count, "h%.example/a", .block)
      let set = URLFilterSet(block: block, allow: try filters(count, allowed, .allow))
      return cost([.filters(set)], .webkitContentBlocker)
    }
    let (small, large) = (try bytes(500), try bytes(2_000))
    #expect(large < small * 8, "\(small) bytes for 500 filters, \(large) for 2,000")
  }

  /// Lists that name one host or every host, so that each filter touches each other: they are left out, and that is said.
  @Test func filtersThatAllTouchEachOtherAreLeftOut() throws {
    let block = try (1...2_100).map { try URLFilter("contoso.com/a\($0)", side: .block) }
    let allow = try (1...2_100).map { try URLFilter("contoso.com/a\($0)/b", side: .allow) }
    let export = Self.export([.filters(URLFilterSet(block: block, allow: allow))], .webkitContentBlocker)
    let lines = export.notes.filter(\.code.isGap).map(\.line)
    #expect(lines.contains(where: { $0.contains("its matchers have too many combinations") }), "\(lines)")
  }

  /// Bytes that are allocated for an export.
  private func cost(_ conditions: [Condition], _ format: ExportFormat) -> UInt64 {
    let before = callocation_counter_bytes()
    _ = Self.export(conditions, format)
    return callocation_counter_bytes() - before
  }

  private static func export(_ conditions: [Condition], _ format: ExportFormat) -> Export {
    let rules = conditions.enumerated().map { Rule(id: "r\($0)", verdict: .external, condition: $1) }
    return Export(ExportSource(ruleSet: RuleSet(name: "s", default: .internal, rules: rules)), as: format)
  }

  // MARK: Refusals

  /// Nine thousand hosts: an engine takes all of them, or its report names the limit that it has.
  @Test func whatIsNotExportedIsSaid() {
    for shape in Self.shapes {
      for format in ExportFormat.allCases {
        let export = Self.export(shape.conditions(9_000), format)
        let gaps = export.notes.filter(\.code.isGap)
        #expect(gaps.isEmpty == Self.isWhole(shape, format), "\(shape), \(format): \(gaps.map(\.line))")
      }
    }
  }

  /// WebKit takes 150,000 rules, and the browsers' extensions compare domains by themselves.
  private static func isWhole(_ shape: Shape, _ format: ExportFormat) -> Bool {
    switch format {
    case .webkitContentBlocker: shape.testDescription != "every second alternative"
    case .declarativeNetRequest: shape.testDescription == "not all of nots"
    case .chromiumPolicy, .firefoxPolicy, .chromiumHostRules: false
    }
  }

  // MARK: Meaning

  private static let names = ["a.example", "b.a.example", "c.b.a.example", "example", "x.test", "10.1.2.3", "10.1.9.9"]
  private static let ports: [UInt16] = [80, 443, 8443]

  /// Rules that name hosts, ports, schemes and URLs in groups of groups: WebKit stops just those pages that a rule of the
  /// set calls external. Nothing of it may be left out.
  @Test func groupsOfGroupsMeanWhatTheyMeanInTheDaemon() throws {
    var random = SeededGenerator()
    print("groups of groups: \(random.note)")
    let pages = Self.pages
    var blocked = 0
    var refused = 0
    for _ in 0..<Effort.scaled(1_000) {
      let rules = (0...random.below(3)).map { number in
        let verdict: Verdict = random.oneIn(2) ? .internal : .external
        return Rule(id: "r\(number)", verdict: verdict, condition: condition(depth: 3, &random), takesCredentials: true)
      }
      let ruleSet = RuleSet(name: "s", default: .internal, rules: rules)
      let export = Export(ExportSource(ruleSet: ruleSet), as: .webkitContentBlocker)
      let isRefused = export.notes.contains { $0.code == .partlyExpressed || $0.code == .mayStop }
      // The model of the engine reads no longer texts.
      guard !isRefused, export.document.count < 1 << 20 else {
        refused += 1
        continue
      }
      let engine = try ContentBlockerModel(export.document)
      for page in pages {
        let verdict = ruleSet.verdict(on: MatchInput(page.url.href))
        let isStopped = engine.blocks(page)
        blocked += isStopped ? 1 : 0
        if isStopped == (verdict.verdict == .external && verdict.rule != nil) { continue }
        let words = rules.map { "\($0.verdict): \($0.condition.sentence)" }.joined(separator: "\n")
        Issue.record("\(page.url.href) stopped: \(isStopped), \(verdict), \(random.note)\n\(words)")
        return
      }
    }
    print("  \(blocked) blocked, \(refused) sets refused")
    #expect(blocked > Effort.scaled(5_000))
    #expect(refused < Effort.scaled(100))
  }

  private static var pages: [EngineRequest] {
    let authorities = names.flatMap { name in ["", ":80", ":443", ":8443"].map { name + $0 } } + ["other.test"]
    return ["http", "https"].flatMap { scheme in
      authorities.flatMap { authority in
        ["", "p"].compactMap { URLRecord("\(scheme)://\(authority)/\($0)").map { EngineRequest(.page, $0) } }
      }
    }
  }

  private func condition(depth: Int, _ random: inout SeededGenerator) -> Condition {
    guard depth > 0, !random.oneIn(4) else { return matcher(&random) }
    let parts = (0...random.below(3)).map { _ in condition(depth: depth - 1, &random) }
    switch random.below(4) {
    case 0: return .all(parts)
    case 1: return .any(parts)
    case 2: return .not(.any(parts))
    default: return .not(.all(parts))
    }
  }

  private func matcher(_ random: inout SeededGenerator) -> Condition {
    let name = random.one(of: Self.names)
    switch random.below(8) {
    case 0, 1: return .domain(name)
    case 2, 3, 4: return .host(name)
    case 5: return .port(random.one(of: Self.ports))
    case 6: return .scheme(random.one(of: ["http", "https"]))
    default: return .url("https://\(name)/p")
    }
  }
}
