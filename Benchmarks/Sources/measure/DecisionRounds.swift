internal import CAllocationCounter
internal import GuardModel
internal import PolicyEngine
internal import URLRules

/// What the driver may ask of decisions, each time `COUNT` of one kind, under a policy of one way:
///
///     round WAY KIND COUNT        ->  NANOSECONDS-PER-DECISION OUTCOME   processor time
///     allocations WAY KIND COUNT  ->  NUMBER                             of heap allocations, after some that are not counted
struct DecisionRounds {
  /// Navigation, which the others are measured by, and every way data enters or leaves.
  static let kinds = EventKind.allCases.filter { $0 == .navigate || $0.rawValue >= EventKind.download.rawValue }

  private var desks: [DecisionPolicy: DecisionDesk] = [:]

  init() throws(MeasureError) {
    for policy in DecisionPolicy.allCases { desks[policy] = try DecisionDesk(policy) }
  }

  mutating func answer(_ command: Substring) throws(MeasureError) -> String {
    let words = command.split(separator: " ").map(String.init)
    guard words.count == 4, let policy = DecisionPolicy(rawValue: words[1]), let count = Int(words[3]), count > 0,
      let kind = Self.kinds.first(where: { $0.name == words[2] }), var desk = desks.removeValue(forKey: policy)
    else { throw .usage }
    defer { desks[policy] = desk }
    switch words[0] {
    case "round":
      let start = Clock.thread
      let outcome = desk.ask(kind, count)
      return "\(Double(Clock.thread - start) / Double(count)) \(outcome.name)"
    case "allocations":
      _ = desk.ask(kind, 500)
      let before = callocation_counter_count()
      _ = desk.ask(kind, count)
      return "\(callocation_counter_count() - before)"
    default: throw .usage
    }
  }
}

/// A running app under one policy, and the question of each kind.
private struct DecisionDesk {
  private let snapshot: Snapshot
  private var state = GuardState(epoch: 1)
  private let app: InstanceID
  private let events: [EventKind: Event]

  init(_ policy: DecisionPolicy) throws(MeasureError) {
    snapshot = policy.snapshot
    do {
      app = try state.attach(app: AppIndex(0), peer: Peer(uid: 1000), features: [.warn], snapshot)
      let account = try state.identity(DecisionPolicy.account, in: app, snapshot)
      _ = try state.setProcessIdentity(account, in: app, snapshot)
      try state.register(ViewerDescription("V"), in: app, snapshot)
      var engine = Guard(epoch: 1, under: snapshot)
      swap(&engine.state, &state)
      try Self.enliven(&engine, policy, Caller(app, connection: 1))
      swap(&engine.state, &state)
    } catch { throw .invalidRules("decisions", "\(error)") }
    events = Dictionary(uniqueKeysWithValues: DecisionRounds.kinds.map { ($0, Self.event($0)) })
  }

  /// The account is registered, its condition holds, and its person has unlocked, as far as the policy asks for that.
  private static func enliven(_ engine: inout Guard, _ policy: DecisionPolicy, _ caller: Caller) throws(Refusal) {
    if policy.asksSources { _ = try engine.perform(.register(DecisionPolicy.account), for: caller, at: 1) }
    if policy.hasConditions { engine.setFacts(["DiskEncrypted": Fact(.truth(true))], at: 1) }
    if policy.asksPerson { engine.unlock(1000, at: 1) }
  }

  /// Says everything that an event may say, so that all of it is looked up.
  private static func event(_ kind: EventKind) -> Event {
    var event = Event(kind)
    event.viewer = event.append("V")
    event.url = event.append("https://docs.contoso.com/d/42?q=1")
    event.frame = .main
    event.owner = event.append(DecisionPolicy.account)
    event.location = .sharePoint
    event.locationAccount = event.append(DecisionPolicy.account)
    event.path = event.append("/home/ada/Documents/plan.odt")
    event.peer = event.append(DecisionPolicy.programs[DecisionPolicy.programs.count - 1])
    event.peerAccount = event.append(DecisionPolicy.account)
    event.channel = .contacts
    event.capture = .screenshot
    return event
  }

  mutating func ask(_ kind: EventKind, _ count: Int) -> Outcome {
    guard let event = events[kind] else { return .block }
    var outcome = Outcome.block
    for _ in 0..<count { outcome = decide(event, of: app, &state, under: snapshot).outcome }
    return outcome
  }
}
