import GuardModel
import TestSupport
import Testing
import URLRules

/// Rules by network.
struct NetworkIndexTests {
  /// Random networks of both families, nested and side by side, against asking each.
  @Test
  func networksTakeWhatTheyContain() throws {
    var random = SeededGenerator()
    for _ in 0..<Effort.scaled(200) {
      let networks = try (0..<random.below(60)).map { _ in try network(&random) }
      let rules = RuleSet(
        name: "n", default: .internal,
        rules: networks.map { Rule(id: "n", verdict: .external, condition: .network($0)) })
      for _ in 0..<200 {
        let host = random.oneIn(2) ? ipv4(&random) : "[2001:db8::\(String(random.below(64), radix: 16))]"
        let address = ReferenceAddress(host)
        let expected = networks.firstIndex { address?.isIn($0) == true }
        let answer = rules.verdict(on: MatchInput("http://\(host)/")).rule
        #expect(answer.map { Int($0.place) } == expected, "\(host) in \(networks); \(random.note)")
      }
    }
  }

  private func ipv4(_ random: inout SeededGenerator) -> String {
    "10.\(random.below(4)).\(random.below(3) * 127).\(random.below(256))"
  }

  private func network(_ random: inout SeededGenerator) throws -> IPNetwork {
    let isIPv4 = random.oneIn(2)
    let address = isIPv4 ? ipv4(&random) : "2001:db8::\(String(random.below(64), radix: 16))"
    let bits = isIPv4 ? random.below(33) : 128 - random.below(random.oneIn(4) ? 129 : 9)
    do {
      return try IPNetwork("\(address)/\(bits)")
    } catch .bitsBehindPrefix(let network) {
      return network
    }
  }
}
