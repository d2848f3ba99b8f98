package import GuardModel
internal import URLRules

/// The source of a question or call: a running copy of an app, and one of its connections.
package struct Caller: Sendable, Hashable {
  package let instance: InstanceID
  /// The number of the connection, whose scope may have an identity of its own.
  package let connection: UInt64

  package init(_ instance: InstanceID, connection: UInt64) {
    self.instance = instance
    self.connection = connection
  }
}

/// The statements of running apps, under the policy in force: the only place that changes the state of apps and answers
/// their questions. The daemon, `decide`, policy tests and replays run it, so that they cannot differ.
///
///     var engine = Guard(epoch: 1, under: snapshot)
///     let caller = Caller(try engine.attach(app: "com.contoso.portal", peer: peer, at: now), connection: 1)
///     try engine.perform(.registerViewer(ViewerDescription("v1", class: "documents")), for: caller, at: now)
///     try engine.decide(&event, for: caller, at: now, into: &ruling)
///     ruling.decision.outcome                                 // .block
///
/// It reads no clock and keeps no record. Times are milliseconds since 1970.
package struct Guard: ~Copyable {
  package var state: GuardState
  package private(set) var snapshot: Snapshot

  /// - Parameter epoch: differs at every start, so that ids of another one mean nothing.
  package init(epoch: UInt64, limits: StateLimits = StateLimits(), under snapshot: Snapshot) {
    state = GuardState(epoch: epoch, limits: limits)
    state.unlocks.adopt(snapshot.protections, at: 0)
    self.snapshot = snapshot
  }

  /// A copy for trials, under this policy or another. It shares nothing that can change, so that another thread may have it.
  package func fork(under other: Snapshot? = nil) -> Guard {
    var copy = Guard(state.forTrial, under: snapshot)
    if let other { copy.adopt(other) }
    return copy
  }

  private init(_ state: GuardState, under snapshot: Snapshot) {
    self.state = state
    self.snapshot = snapshot
  }

  // MARK: Programs

  /// Starts an instance of an app.
  ///
  /// - Parameter serial: the instance's serial before a restart of the daemon, if its program came back.
  package mutating func attach(
    app name: String, peer: Peer, features: ClientFeatures = [], serial: UInt64? = nil, at time: UInt64
  ) throws(Refusal) -> InstanceID {
    note(time)
    guard let app = snapshot.app(named: name) else { throw .noApp }
    return try state.attach(app: app, peer: peer, features: features, serial: serial, snapshot)
  }

  /// A connection ended: its scope no longer shows anything.
  package mutating func leave(_ caller: Caller, at time: UInt64) {
    note(time)
    state.setScope(.absent, ofConnection: caller.connection, in: caller.instance)
  }

  /// Another policy is in force from now on.
  package mutating func adopt(_ snapshot: Snapshot) {
    self.snapshot = snapshot
    let shown = state.shownByProcesses
    state.adopt(snapshot)
    state.judgeRestarts(shown, snapshot)
  }

  mutating func note(_ time: UInt64) { state.time = max(state.time, time) }

  // MARK: Calls

  /// Carries out a call. It does everything or throws and changes nothing. One exception: in single mode a refused
  /// `SetIdentity` makes the identity unknown, and everything is blocked until a statement is accepted (amendments,
  /// defaults).
  @discardableResult
  package mutating func perform(
    _ call: StateCall, for caller: Caller, at time: UInt64
  ) throws(Refusal) -> StateReply {
    note(time)
    let id = caller.instance
    switch call {
    case .registerViewer(let viewer):
      try state.register(viewer, in: id, snapshot)
      let resolved = try resolution(of: viewer.name, id)
      return .viewer(policy: resolved.policy, source: resolved.source, ruleSet: snapshot.name(of: resolved.rules))
    case .setDocument(let viewer, let document): try state.setDocument(document, of: viewer, in: id, snapshot)
    case .forgetViewer(let viewer): try state.forget(viewer: viewer, in: id, snapshot)
    case .setWebViewPolicy(let viewer, let policy):
      try state.setWebViewPolicy(policy, of: viewer, in: id, snapshot)
      let resolved = try resolution(of: viewer, id)
      return .policy(resolved.policy, source: resolved.source)
    case .setExternalURLRules(let viewer, let ruleSet):
      try state.setExternalURLRules(ruleSet, of: viewer, in: id, snapshot)
    case .setIdentity(let statement):
      let reply = try setIdentity(statement, caller)
      state.judgeRestartAgain(of: id, snapshot)
      return .identity(reply)
    case .answer(let text, let result):
      // Without a limit a call of half a megabyte would be answered with one as long.
      guard let request = SwitchRequestID(text) else { throw .unknownRequest(String(text.prefix(64))) }
      try state.answer(request, result, in: id, at: time, snapshot)
    }
    return .done
  }

  /// Bytes that the call would add to the instance.
  package func growth(by call: StateCall, of id: InstanceID) -> Int {
    switch call {
    case .registerViewer(let viewer): state.growth(by: viewer, in: id)
    case .setDocument(let viewer, let document): state.growth(bySetting: document, of: viewer, in: id)
    case .setIdentity(let statement): state.growth(byNaming: statement.names, in: id, snapshot)
    case .forgetViewer, .setWebViewPolicy, .setExternalURLRules, .answer: 0
    }
  }

  private func resolution(of viewer: String, _ id: InstanceID) throws(Refusal) -> ResolvedViewer {
    guard let resolved = state.resolution(of: viewer, in: id, snapshot) else { throw .noApp }
    return resolved
  }

  // MARK: Events

  /// Answers one question: may this happen? An event that is refused leaves what `admit` leaves.
  package mutating func decide(
    _ event: inout Event, for caller: Caller, at time: UInt64, into ruling: inout Ruling
  ) throws(Refusal) {
    try admit(&event, for: caller, at: time)
    decideAdmitted(&event, for: caller, at: time, into: &ruling)
  }

  /// Throws when a text of the event is longer than any such text can be. The event is then not judged, but it may have
  /// happened all the same: a copy or a change raises protection and lowers none, since no answer tells the app of it
  /// (amendments, clipboard, second part).
  ///
  ///     event.peer = event.append(String(repeating: "p", count: 5000))
  ///     try engine.admit(&event, for: caller, at: now)          // limitReached(.nameBytes, maximum: 256)
  package mutating func admit(_ event: inout Event, for caller: Caller, at time: UInt64) throws(Refusal) {
    do throws(Refusal) { try Self.check(event, state.limits.nameBytes) } catch {
      raise(&event, for: caller, at: time)
      throw error
    }
  }

  /// Admits the events of one call. If one is refused, all are: answers to the others would rest on selections that it
  /// only raises.
  package mutating func admit(_ events: [Event], for caller: Caller, at time: UInt64) throws(Refusal) {
    do throws(Refusal) {
      for event in events { try check(event) }
    } catch {
      for var event in events { raise(&event, for: caller, at: time) }
      throw error
    }
  }

  /// Answers one question about an event that `admit` let through.
  package mutating func decideAdmitted(
    _ event: inout Event, for caller: Caller, at time: UInt64, into ruling: inout Ruling
  ) {
    event.time = time
    event.scope = state.scope(of: caller)
    decideAgain(event, of: caller.instance, into: &ruling)
  }

  /// Answers a question anew that was asked before, at its time and in its scope.
  package mutating func decideAgain(_ event: borrowing Event, of instance: InstanceID, into ruling: inout Ruling) {
    ruling.decision = PolicyEngine.decide(event, of: instance, &state, under: snapshot)
    swap(&ruling.input, &state.input)
  }

  /// Raises what the event may have changed, and answers nobody.
  private mutating func raise(_ event: inout Event, for caller: Caller, at time: UInt64) {
    guard event.kind.fillsSelections else { return }
    let names = state.limits.nameBytes
    for slot in [\Event.viewer, \Event.display] where event[keyPath: slot].map({ $0.count > names }) ?? false {
      event[keyPath: slot] = nil
    }
    event.isWithheld = true
    var ruling = Ruling()
    decideAdmitted(&event, for: caller, at: time, into: &ruling)
  }

  /// Throws when a text of the event is longer than any such text can be: the log and `explain` keep names. It changes
  /// nothing; `admit` is for an event that an app reports.
  package func check(_ event: borrowing Event) throws(Refusal) { try Self.check(event, state.limits.nameBytes) }

  /// The same without the guard: all of it would be copied to ask it anything. Inlined, so that no event is copied either.
  @inline(__always)
  private static func check(_ event: borrowing Event, _ names: Int) throws(Refusal) {
    try Self.check(event.viewer, .nameBytes, names)
    try Self.check(event.action, .nameBytes, names)
    try Self.check(event.display, .nameBytes, names)
    try Self.check(event.method, .nameBytes, names)
    try Self.check(event.owner, .nameBytes, names)
    try Self.check(event.locationAccount, .nameBytes, names)
    try Self.check(event.peer, .nameBytes, names)
    try Self.check(event.peerAccount, .nameBytes, names)
    try Self.check(event.path, .pathBytes, Self.longestPath)
  }

  /// PATH_MAX of Linux.
  private static let longestPath = 4096

  @inline(__always)
  private static func check(_ slot: TextSlot?, _ limit: Limit, _ maximum: Int) throws(Refusal) {
    guard let slot, slot.count > maximum else { return }
    throw .limitReached(limit, maximum: maximum)
  }

  /// The answer with the names of the things it refers to; in the languages of the asking program, if it is given.
  package func report(_ ruling: borrowing Ruling, for instance: InstanceID? = nil) -> DecisionReport {
    state.report(ruling, snapshot, for: instance)
  }

  /// The answer to every event while no policy ever loaded.
  package var rulingWithoutPolicy: Ruling { Ruling(snapshot.decisionWithoutPolicy) }

  // MARK: Hints

  /// The answers for each place that the event may be about, without any effect.
  package mutating func decideLocations(
    _ event: borrowing Event, as kind: EventKind, for caller: Caller, at time: UInt64
  ) throws(Refusal) -> [Hint] {
    try check(event)
    let decisions = PolicyEngine.decideLocations(
      hinted(event, as: kind, for: caller, at: time), of: caller.instance, &state, under: snapshot)
    return zip(Location.allCases, decisions).map { Hint($0.name, $1.outcome, $1.reason) }
  }

  /// Throws when a program's name or a text of the event is longer than any such text can be.
  package func check(_ peers: [String], _ event: borrowing Event) throws(Refusal) {
    for peer in peers where peer.utf8.count > state.limits.nameBytes {
      throw .limitReached(.nameBytes, maximum: state.limits.nameBytes)
    }
    try check(event)
  }

  /// The answer for a share with the program, without any effect. Call `check` before.
  package mutating func decidePeer(
    _ peer: String, _ event: borrowing Event, for caller: Caller, at time: UInt64
  ) -> Hint {
    let event = hinted(event, as: .share, for: caller, at: time)
    let decisions = PolicyEngine.decidePeers([peer], event, of: caller.instance, &state, under: snapshot)
    guard let decision = decisions.first else { return Hint(peer, .block, .unknownEvent) }
    return Hint(peer, decision.outcome, decision.reason)
  }

  private func hinted(
    _ event: borrowing Event, as kind: EventKind, for caller: Caller, at time: UInt64
  ) -> Event {
    var event = copy event
    event.kind = kind
    event.time = time
    event.scope = state.scope(of: caller)
    return event
  }
}

extension GuardState {
  /// The identity of the caller's scope.
  @inline(__always)
  package func scope(of caller: Caller) -> Identity {
    let index = Int(caller.instance.index)
    guard instances.indices.contains(index), let scopes = instances[index]?.scopes, !scopes.isEmpty,
      isLive(caller.instance)
    else { return .absent }
    return scopes[caller.connection] ?? .absent
  }
}

extension Snapshot {
  /// The name of a viewer's rule set.
  package func name(of rules: ViewerRules) -> String? {
    if case .ruleSet(let index) = rules { self[index].name } else { nil }
  }
}
