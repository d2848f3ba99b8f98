import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// What a decision costs beside another in the same run; docs/benchmarks.md tells times.
struct SpeedTests {
  /// The rules of the example, and a pattern and a comparison with the page besides.
  private func policy() throws -> ExamplePolicy {
    var policy = ExamplePolicy()
    policy.rules.append(
      Rule(id: "cdn", verdict: .internal, condition: .regex(try Regex("^https://[a-z]+[.]cdn[.]example/v[0-9]+/"))))
    policy.rules.append(Rule(id: "same", verdict: .internal, condition: .same(.document)))
    return policy
  }

  private func navigation(to url: String) -> Event { Event.data(.navigate, in: "D", url: url) { $0.frame = .main } }

  @Test(.enabled(if: !Effort.isReduced, "skipped: debug builds tell nothing of speed"))
  func navigationsCostLittle() throws {
    var example = try Example(policy())
    let urls = ["https://docs.contoso.com/d/42?q=1", "https://news.example/today", "https://cloud.evil.example/x"]
    let events = urls.map(navigation)
    let rounds = 100_000
    var blocked = 0
    let cost = Yardstick.cost(runs: 1) {
      for _ in 0..<rounds {
        for index in events.indices {
          let decision = decide(events[index], of: example.portal, &example.state, under: example.snapshot)
          if decision.outcome == .block { blocked += 1 }
        }
      }
    }
    #expect(blocked == rounds)
    // A loop is about a million nanoseconds: fifty thousand a navigation.
    #expect(cost / Double(rounds * events.count) < 0.05)
  }

  /// The slowest, a share or a download with an owner, a place, a program and a page to look up, costs about four navigations.
  @Test(.enabled(if: !Effort.isReduced, "skipped: debug builds tell nothing of speed"))
  func noDataPathCostsManyNavigations() throws {
    var policy = try policy()
    policy.protection.receive = .managed
    policy.protection.managedApps = (0..<20).map { Array("org.example.Program\($0).desktop".utf8) }
    var example = try Example(policy)
    let navigation = navigation(to: "https://docs.contoso.com/d/42")
    var slowest = (kind: EventKind.unknown, ratio: 0.0)
    for kind in EventKind.allCases where kind.rawValue >= EventKind.download.rawValue {
      let event = Event.data(
        kind, in: "C", owner: Name.work, at: .sharePoint, of: Name.work, path: "/home/ada/plan.odt",
        with: "org.example.Program19.desktop", as: Name.work, url: "https://docs.contoso.com/d/42")
      let ratio = Yardstick.ratio(of: event, to: navigation) { decideOften($0, &example) }
      if ratio > slowest.ratio { slowest = (kind, ratio) }
    }
    print("\(slowest.kind.name) costs \(slowest.ratio) times a navigation that rules decide")
    #expect(slowest.ratio < 6)
  }

  /// A turn of the yardstick: a millisecond or two.
  private func decideOften(_ event: Event, _ example: inout Example) {
    for _ in 0..<500 { _ = decide(event, of: example.portal, &example.state, under: example.snapshot) }
  }
}
