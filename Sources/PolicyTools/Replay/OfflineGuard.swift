internal import Glibc
internal import GuardModel
package import GuardProtocol
internal import GuardService
internal import JSONText
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

/// A policy that answers calls without a daemon: the same reading of messages, the same engine, the same answers.
///
///     var offline = OfflineGuard(snapshot)
///     let seat = try offline.attach(app: "com.contoso.portal")
///     try offline.answer(frame, as: seat)    // {"decision":{"id":"1","outcome":"allow",…
///
/// Clip ids and decision ids count from 1, so that the same input has the same output every time.
struct OfflineGuard: ~Copyable {
  let snapshot: Snapshot
  var state: GuardState
  private var reader = OfflineCallReader()
  private var eventCall = EventCall()
  private var decisionCount: UInt64 = 0
  /// The identity of each seat's scope.
  private var scopes: [InstanceID: Identity] = [:]
  /// Says with each decision how it came about.
  private let explains: Bool
  /// Where the policy's values were stated.
  private let places: PolicyPlaces
  private let lists: ListLineSearch

  init(
    _ snapshot: Snapshot, limits: StateLimits = StateLimits(), explains: Bool = false,
    places: PolicyPlaces = PolicyPlaces(), lists: [ListFile] = []
  ) {
    state = GuardState(epoch: 1, limits: limits)
    self.lists = ListLineSearch(lists)
    self.snapshot = snapshot
    self.explains = explains
    self.places = places
  }

  /// Starts an instance of an app, for a peer that the app's `peers` speak of: the first of them.
  mutating func attach(
    app name: String, uid: UInt32? = nil, features: ClientFeatures = []
  ) throws -> InstanceID {
    guard let app = snapshot.app(named: name) else { throw GuardError.noApp }
    let rule = snapshot.apps[Int(app)].peers.first ?? PeerRule()
    let peer = Peer(
      uid: rule.uid ?? uid ?? getuid(), groups: [rule.group].compactMap(\.self), unit: rule.unit, label: rule.label)
    return try translated { () throws(StateError) in
      try state.attach(app: app, peer: peer, features: features, snapshot)
    }
  }

  mutating func end(_ seat: InstanceID) {
    state.end(seat)
    scopes[seat] = nil
  }

  /// Whether the viewer is registered, and its class known.
  func knows(viewer: String, of seat: InstanceID) -> Bool {
    !(state.resolution(of: viewer, in: seat, snapshot)?.isUnknown ?? true)
  }

  /// The answer to a call in varlink's own words: `{"decision":{…}}` for an event, `{"reply":{…}}` for a call that
  /// changes state. Throws what the daemon would answer with an error.
  mutating func answer(_ frame: [UInt8], as seat: InstanceID, at time: UInt64) throws -> OfflineAnswer {
    state.time = max(state.time, time)
    switch try reader.read(frame.span, event: &eventCall) {
    case .decide:
      let (reply, explained) = decide(as: seat, at: time)
      return .decision(reply, explained)
    case .decideMany(let call): return .reply(try decideMany(call, seat, at: time))
    case .decideLocations(let call): return .reply(decideLocations(call, seat, at: time))
    case .decidePeers(let call): return .reply(try decidePeers(call, seat, at: time))
    case .registerViewer(let call): return .reply(try register(call, seat))
    case .setDocument(let call):
      try translated { () throws(StateError) in
        try state.setDocument(call.document, of: call.viewer, in: seat, snapshot)
      }
      return .reply(EmptyReply())
    case .forgetViewer(let call):
      try translated { () throws(StateError) in try state.forget(viewer: call.viewer, in: seat, snapshot) }
      return .reply(EmptyReply())
    case .setWebViewPolicy(let call):
      try translated { () throws(StateError) in
        try state.setWebViewPolicy(call.policy, of: call.viewer, in: seat, snapshot)
      }
      let resolved = try resolved(call.viewer, seat)
      return .reply(SetWebViewPolicyReply(policy: resolved.policy, policySource: resolved.source))
    case .setExternalURLRules(let call):
      try translated { () throws(StateError) in
        try state.setExternalURLRules(call.ruleSet, of: call.viewer, in: seat, snapshot)
      }
      return .reply(EmptyReply())
    case .setIdentity(let call):
      return .reply(
        try state.set(
          call, scope: &scopes[seat, default: .absent], ofConnection: Self.connection, in: seat, snapshot
        ).reply)
    case .identities(let call):
      return .reply(try state.identities(call, scope: scopes[seat] ?? .absent, in: seat, snapshot))
    case .answer(let call):
      try state.end(call, in: seat, at: time, snapshot)
      return .reply(EmptyReply())
    case .whoAmI, .ownPrograms, .attach, .acknowledge, .subscribe: throw ServiceError.invalidParameter("call")
    }
  }

  /// A seat has one connection.
  private static var connection: UInt64 { 1 }

  private mutating func decide(as seat: InstanceID, at time: UInt64) -> (DecisionReply, ExplainedDecision?) {
    eventCall.event.time = time
    eventCall.event.scope = scopes[seat] ?? .absent
    let before = explains ? state : nil
    let decision = PolicyEngine.decide(eventCall.event, of: seat, &state, under: snapshot)
    let report = state.report(decision, snapshot, for: seat)
    decisionCount += 1
    let reply = DecisionReply(report, DecisionEnvelope(id: DecisionID(number: decisionCount)))
    let explained = before.map { before in
      ExplainedDecision(eventCall.event, of: seat, report, before: before, after: state, snapshot, places, lists)
    }
    return (reply, explained)
  }

  private mutating func decideMany(
    _ call: DecideManyCall, _ seat: InstanceID, at time: UInt64
  ) throws(GuardError) -> DecisionsReply {
    guard call.count <= DecideManyCall.maximum else {
      throw .limitReached(.questions, maximum: DecideManyCall.maximum)
    }
    var replies: [DecisionReply] = []
    for question in call.questions {
      eventCall = question
      let reply = decide(as: seat, at: time).0
      replies.append(DecisionReply(reply.report.withoutPrograms, reply.envelope))
    }
    return DecisionsReply(replies)
  }

  private mutating func decideLocations(
    _ call: DecideLocationsCall, _ seat: InstanceID, at time: UInt64
  ) -> LocationsReply {
    let event = hinted(call.question, as: call.kind.event, seat, at: time)
    let decisions = PolicyEngine.decideLocations(event, of: seat, &state, under: snapshot)
    return LocationsReply(zip(Location.allCases, decisions).map { Hint($0.name, $1.outcome, $1.reason) })
  }

  private mutating func decidePeers(
    _ call: DecidePeersCall, _ seat: InstanceID, at time: UInt64
  ) throws(GuardError) -> PeersReply {
    guard call.peers.count <= DecidePeersCall.maximum else {
      throw .limitReached(.questions, maximum: DecidePeersCall.maximum)
    }
    let event = hinted(call.question, as: .share, seat, at: time)
    let decisions = PolicyEngine.decidePeers(call.peers, event, of: seat, &state, under: snapshot)
    return PeersReply(zip(call.peers, decisions).map { Hint($0, $1.outcome, $1.reason) })
  }

  private func hinted(_ question: EventCall, as kind: EventKind, _ seat: InstanceID, at time: UInt64) -> Event {
    var event = question.event
    event.kind = kind
    event.time = time
    event.scope = scopes[seat] ?? .absent
    return event
  }

  private mutating func register(
    _ call: RegisterViewerCall, _ seat: InstanceID
  ) throws(GuardError) -> RegisterViewerReply {
    let viewer = ViewerCall(
      call.viewer, class: call.viewerClass, parent: call.parent, window: call.window, opener: call.opener,
      kind: call.kind, document: call.document, policy: call.policy, ruleSet: call.ruleSet)
    try translated { () throws(StateError) in try state.register(viewer, in: seat, snapshot) }
    let resolved = try resolved(call.viewer, seat)
    var ruleSet: String?
    if case .ruleSet(let index) = resolved.rules { ruleSet = snapshot.ruleSets[Int(index)].name }
    return RegisterViewerReply(policy: resolved.policy, policySource: resolved.source, ruleSet: ruleSet)
  }

  private func resolved(_ viewer: String, _ seat: InstanceID) throws(GuardError) -> ResolvedViewer {
    guard let resolved = state.resolution(of: viewer, in: seat, snapshot) else { throw .noApp }
    return resolved
  }
}

/// What came of a call.
package enum OfflineAnswer {
  /// With how it came about, when that was asked for.
  case decision(DecisionReply, ExplainedDecision?)
  case reply(any Reply)
}

/// Reads calls as the daemon's apps' socket does.
private struct OfflineCallReader: ~Copyable {
  private var decoder = RequestDecoder(serving: .guardSocket)

  mutating func read(_ frame: Span<UInt8>, event: inout EventCall) throws(ServiceError) -> GuardCall {
    switch decoder.decode(frame) {
    case .request(let request):
      guard case .guard(let method) = request.method else { throw .methodNotFound(request.method.qualifiedName) }
      return try request.guardCall(method, event: &event)
    case .refused(let error, _): throw error
    case .unreadable: throw .invalidParameter("parameters")
    }
  }
}
