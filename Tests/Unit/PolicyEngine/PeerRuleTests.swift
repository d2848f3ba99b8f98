import PolicyEngine
import Testing

/// Who may speak for an app.
@Suite struct PeerRuleTests {
  private static let alice = peer(nil)
  private static let throughKiosk = peer("kiosk")

  private static func peer(_ socket: String?) -> Peer {
    var peer = Peer(uid: 1000, groups: [50, 100], unit: "a.service", label: "profile")
    peer.socket = socket
    return peer
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let rule: PeerRule
    /// Whether it speaks of Alice, through the guard socket and through that of the kiosk.
    let guardSocket: Bool
    let kioskSocket: Bool

    init(_ text: String, _ rule: PeerRule, _ guardSocket: Bool, _ kioskSocket: Bool) {
      testDescription = text
      self.rule = rule
      self.guardSocket = guardSocket
      self.kioskSocket = kioskSocket
    }
  }

  @Test(arguments: [
    Case("a rule that states nothing speaks of nobody", PeerRule(), false, false),
    Case("a user, not through the socket of an app", PeerRule(uid: 1000), true, false),
    Case("another user", PeerRule(uid: 1001), false, false),
    Case("a group", PeerRule(group: 100), true, false),
    Case("a group it is not in", PeerRule(group: 1), false, false),
    Case("a unit and a label", PeerRule(unit: "a.service", label: "profile"), true, false),
    Case("a unit and another label", PeerRule(unit: "a.service", label: "other"), false, false),
    Case("the socket, and nothing else", PeerRule(socket: "kiosk"), false, true),
    Case("another socket", PeerRule(socket: "lobby"), false, false),
    Case("the socket and a user", PeerRule(uid: 1000, socket: "kiosk"), false, true),
    Case("the socket and another user", PeerRule(uid: 1, socket: "kiosk"), false, false),
    Case("the daemon's own user, which it is not", PeerRule(socket: "kiosk", sameUser: true), false, false),
  ])
  func speaksOfThoseOfWhomAllHolds(_ test: Case) {
    #expect(test.rule.speaks(of: Self.alice) == test.guardSocket)
    #expect(test.rule.speaks(of: Self.throughKiosk) == test.kioskSocket)
  }
}
