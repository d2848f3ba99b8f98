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
}
