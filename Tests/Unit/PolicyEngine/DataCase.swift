import GuardModel
import PolicyEngine
import Testing

/// What one row of the ledger says of one event: a table of these is the ledger's table.
struct DataCase: Sendable, CustomTestStringConvertible {
  /// The row, and what it says: `DT-03 only to policy-managed apps`
  let testDescription: String
  let answer: Answer
  let event: Event
  private let policy: @Sendable (inout ExamplePolicy) -> Void
  private let state: @Sendable (inout Example) throws -> Void
  private let also: @Sendable (Decision, Example) -> Bool

  init(
    _ row: String, _ answer: Answer, _ event: Event,
    policy: @escaping @Sendable (inout ExamplePolicy) -> Void = { _ in },
    state: @escaping @Sendable (inout Example) throws -> Void = { _ in },
    also: @escaping @Sendable (Decision, Example) -> Bool = { _, _ in true }
  ) {
    testDescription = row
    self.answer = answer
    self.event = event
    self.policy = policy
    self.state = state
    self.also = also
  }

  /// The ids of the rows in the description: every word of the form `DT-03`.
  var rows: [String] {
    testDescription.split(separator: " ").map(String.init).filter { $0.contains("-") && $0.last?.isNumber == true }
  }

  /// The ids of some rows: `rows("SL", 1...2)` is `["SL-01", "SL-02"]`.
  static func rows(_ system: String, _ numbers: ClosedRange<Int>) -> [String] {
    numbers.map { number in
      let digits = String(number)
      return system + (digits.count < 2 ? "-0" : "-") + digits
    }
  }

  /// Asks under the example's policy, in which both levels are `managed`, as `work@contoso.com`.
  func check() throws {
    var policy = ExamplePolicy()
    policy.protection.send = .managed
    policy.protection.receive = .managed
    policy.protection.managedApps = [Array("word.desktop".utf8)]
    policy.otherAccounts.append(AccountEntry(upn: "second@contoso.com", objectID: nil))
    self.policy(&policy)
    var example = try Example(policy)
    try state(&example)
    let decision = decide(event, of: example.portal, &example.state, under: example.snapshot)
    #expect(Answer(decision) == answer)
    #expect(also(decision, example), "\(decision)")
  }
}

extension Event {
  /// A data-path event, with every part that tests use.
  static func data(
    _ kind: EventKind, in viewer: String? = "D", owner: String? = nil, at location: Location = .other,
    of account: String? = nil, path: String? = nil, with peer: String? = nil, as peerAccount: String? = nil,
    url: String? = nil, change: (inout Event) -> Void = { _ in }
  ) -> Event {
    var event = Event(kind)
    event.viewer = viewer.map { event.append($0) }
    event.owner = owner.map { event.append($0) }
    event.locationAccount = account.map { event.append($0) }
    event.path = path.map { event.append($0) }
    event.peer = peer.map { event.append($0) }
    event.peerAccount = peerAccount.map { event.append($0) }
    event.url = url.map { event.append($0) }
    event.location = location
    change(&event)
    return event
  }
}

/// Names that the tables use.
enum Name {
  static let work = "work@contoso.com"
  static let second = "second@contoso.com"
  static let home = "private@home.example"
  static let notes = "com.contoso.notes"
  static let word = "word.desktop"
  static let editor = "org.gnome.TextEditor.desktop"
}
