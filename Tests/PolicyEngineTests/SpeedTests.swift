import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// How long a decision takes. Reported, and held only to a bound that a busy machine keeps as well.
struct SpeedTests {
  @Test(.enabled(if: !Effort.isReduced, "skipped: debug builds tell nothing of speed"))
  func navigationsAreDecidedWithinMicroseconds() throws {
    var policy = ExamplePolicy()
    policy.rules.append(
      Rule(id: "cdn", verdict: .internal, condition: .regex(try Regex("^https://[a-z]+[.]cdn[.]example/v[0-9]+/"))))
    policy.rules.append(Rule(id: "same", verdict: .internal, condition: .same(.document)))
    var example = try Example(policy)
    let urls = ["https://docs.contoso.com/d/42?q=1", "https://news.example/today", "https://cloud.evil.example/x"]
    let events = urls.map { url in
      var event = Event(.navigate)
      event.viewer = event.append("D")
      event.url = event.append(url)
      event.frame = .main
      return event
    }
    let rounds = 100_000
    var blocked = 0
    let time = ContinuousClock().measure {
      for _ in 0..<rounds {
        for index in events.indices {
          let decision = decide(events[index], of: example.portal, &example.state, under: example.snapshot)
          if decision.outcome == .block { blocked += 1 }
        }
      }
    }
    let nanoseconds = time / (rounds * events.count) / .nanoseconds(1)
    print("a navigation under 5 rules takes \(Int(nanoseconds)) ns")
    #expect(blocked == rounds)
    #expect(nanoseconds < 50_000)
  }

  /// No data path costs more than twice a navigation that matches no URL; the bound is a machine's that is busy.
  @Test(.enabled(if: !Effort.isReduced, "skipped: debug builds tell nothing of speed"))
  func dataPathsCostNoMoreThanTwoNavigations() throws {
    var policy = ExamplePolicy()
    policy.protection.receive = .managed
    policy.protection.managedApps = (0..<20).map { Array("org.example.Program\($0).desktop".utf8) }
    var example = try Example(policy)
    let navigation = Event.data(.navigate, in: "C", url: "https://docs.contoso.com/d/42") { $0.frame = .main }
    let base = try time(navigation, &example)
    var slowest = (kind: EventKind.unknown, ratio: 0.0)
    for kind in EventKind.allCases where kind.rawValue >= EventKind.download.rawValue {
      let event = Event.data(
        kind, in: "C", owner: Name.work, at: .sharePoint, of: Name.work, path: "/home/ada/plan.odt",
        with: "org.example.Program19.desktop", as: Name.work, url: "https://docs.contoso.com/d/42")
      let ratio = try time(event, &example) / base
      if ratio > slowest.ratio { slowest = (kind, ratio) }
    }
    print("a navigation without rules takes \(Int(base)) ns; \(slowest.kind.name) takes \(slowest.ratio) of it")
    #expect(slowest.ratio < 4)
  }

  /// Nanoseconds of one decision: the best of several rounds.
  private func time(_ event: Event, _ example: inout Example) throws -> Double {
    var best = Double.infinity
    for _ in 0..<7 {
      let time = ContinuousClock().measure {
        for _ in 0..<20_000 { _ = decide(event, of: example.portal, &example.state, under: example.snapshot) }
      }
      best = min(best, time / 20_000 / .nanoseconds(1))
    }
    return best
  }
}
