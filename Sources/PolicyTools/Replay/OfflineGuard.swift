internal import Glibc
internal import GuardModel
package import GuardProtocol
internal import JSONText
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules
internal import URLStandard

/// A policy that answers calls without a daemon: the daemon's reading of messages, and its engine.
///
///     var offline = OfflineGuard(snapshot)
///     let caller = try offline.attach(app: "com.contoso.portal")
///     try offline.answer(frame, as: caller, at: now)    // {"decision":{"id":"1","outcome":"allow",…
///
/// Clip ids and decision ids count from 1, so that the same input has the same output every time.
struct OfflineGuard: ~Copyable {
  private var engine: Guard
  private var reader = OfflineCallReader()
  private var eventCall = EventCall()
  private var ruling = Ruling()
  private var decisionCount: UInt64 = 0
  /// Says with each decision how it came about.
  private let explains: Bool
  /// Places of the policy's values.
  private let places: PolicyPlaces
  private let lists: ListLineSearch

  init(
    _ snapshot: Snapshot, limits: StateLimits = StateLimits(), explains: Bool = false,
    places: PolicyPlaces = PolicyPlaces(), lists: [ListFile] = []
  ) {
    engine = Guard(epoch: 1, limits: limits, under: snapshot)
    engine.state.unlocks.isIgnored = true
    self.lists = ListLineSearch(lists)
    self.explains = explains
    self.places = places
  }

  var snapshot: Snapshot { engine.snapshot }

  /// Starts an instance of an app, for a peer that the app's `peers` speak of: the first of them, but for the user whom a
  /// record names, since clips and accounts are a user's. It has one connection.
  mutating func attach(
    app name: String, uid: UInt32? = nil, features: ClientFeatures = []
  ) throws(Refusal) -> Caller {
    guard let app = snapshot.app(named: name) else { throw .noApp }
    let rule = snapshot[app].peers.first ?? PeerRule()
    let peer = Peer(
      uid: uid ?? rule.uid ?? getuid(), groups: [rule.group].compactMap(\.self), unit: rule.unit, label: rule.label)
    return Caller(try engine.attach(app: name, peer: peer, features: features, at: 0), connection: 1)
  }

  mutating func end(_ caller: Caller) { engine.state.end(caller.instance) }

  // MARK: The life of accounts

  /// Carries out the work that is due by then.
  mutating func tick(at time: UInt64) { engine.tick(at: time) }

  /// An app registers an account, or ends its access; a refusal changes nothing.
  mutating func perform(_ call: AccountCall, as caller: Caller, at time: UInt64) {
    _ = try? engine.perform(call, for: caller, at: time)
  }

  /// A source says who is signed in.
  mutating func signedIn(_ names: [String], by source: AccountSource, person: UInt32, at time: UInt64) {
    let accounts = names.map { $0.contains("@") ? SignedInAccount(upn: $0) : SignedInAccount(objectID: $0) }
    try? engine.signedIn(accounts, by: source, person: person, at: time)
  }

  /// An administrator ends the access of the caller's app.
  mutating func endAccess(of caller: Caller, to account: String, at time: UInt64) {
    guard let instance = engine.state.instance(caller.instance) else { return }
    _ = try? engine.endAccess(of: instance.appName, to: account, person: instance.peer.person, at: time)
  }

  /// Whether accounts of the caller's app must be enrolled before they may work.
  func needsEnrollment(_ caller: Caller) -> Bool {
    let app = engine.state.instance(caller.instance)?.app
    return app.map { !snapshot[$0].accounts.sources.isEmpty } ?? false
  }

  /// Whether the viewer is registered, and its class known.
  func knows(viewer: String, of caller: Caller) -> Bool {
    !(engine.state.resolution(of: viewer, in: caller.instance, snapshot)?.isUnknown ?? true)
  }

  /// The answer to a call in varlink's own words: `{"decision":{…}}` for an event, `{"reply":{…}}` for a call that
  /// changes state. Throws the errors that the daemon would reply.
  mutating func answer(_ frame: [UInt8], as caller: Caller, at time: UInt64) throws -> OfflineAnswer {
    switch try reader.read(frame.span, event: &eventCall) {
    case .decide:
      eventCall.event.nameOwners()
      try engine.admit(&eventCall.event, for: caller, at: time)
      let (reply, explained) = decide(as: caller, at: time)
      return .decision(reply, explained)
    case .decideMany(let call): return .reply(try decideMany(call, caller, at: time))
    case .decideLocations(var call):
      call.question.event.nameOwners()
      return .reply(
        LocationsReply(
          try engine.decideLocations(call.question.event, as: call.kind.event, for: caller, at: time)))
    case .decidePeers(var call):
      call.question.event.nameOwners()
      return .reply(try decidePeers(call, caller, at: time))
    case .state(let call): return .reply(try engine.perform(call, for: caller, at: time))
    case .identities(let call): return .reply(try engine.identities(call.account, for: caller))
    case .whoAmI, .ownPrograms, .exportRules, .attach, .acknowledge, .subscribe:
      throw ServiceError.invalidParameter("call")
    }
  }

  /// Decides the admitted event in `eventCall`.
  private mutating func decide(as caller: Caller, at time: UInt64) -> (DecisionReply, ExplainedDecision?) {
    let before: Guard? = explains ? engine.fork() : nil
    engine.decideAdmitted(&eventCall.event, for: caller, at: time, into: &ruling)
    let report = engine.report(ruling, for: caller.instance)
    decisionCount += 1
    let reply = DecisionReply(report, DecisionEnvelope(id: DecisionID(number: decisionCount)))
    guard let before else { return (reply, nil) }
    let explained = ExplainedDecision(
      eventCall.event, of: caller, report, before: before, reading: ruling.input, places, lists)
    return (reply, explained)
  }

  private mutating func decideMany(
    _ call: DecideManyCall, _ caller: Caller, at time: UInt64
  ) throws(Refusal) -> DecisionsReply {
    try call.checkCount()
    try engine.admit(call.questions.map(\.event), for: caller, at: time)
    var replies: [DecisionReply] = []
    for question in call.questions {
      eventCall = question
      eventCall.event.nameOwners()
      let reply = decide(as: caller, at: time).0
      replies.append(DecisionReply(reply.report.withoutPrograms, reply.envelope))
    }
    return DecisionsReply(replies)
  }

  private mutating func decidePeers(
    _ call: DecidePeersCall, _ caller: Caller, at time: UInt64
  ) throws(Refusal) -> PeersReply {
    try call.checkCount()
    try engine.check(call.peers, call.question.event)
    var hints: [Hint] = []
    for peer in call.peers {
      hints.append(engine.decidePeer(peer, call.question.event, for: caller, at: time))
    }
    return PeersReply(hints)
  }
}

/// The result of a call.
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

/// Reasons for a decision, as `decide --explain` adds them to it.
package struct ExplainedDecision {
  /// The steps that led to it, each with the value it used and where that stands.
  package let steps: [String]
  /// The nearest changes that give another outcome.
  package let changes: [String]

  /// - Parameters:
  ///   - before: a guard with the state before the decision; changes are tried on copies of it.
  ///   - input: the values that were judged.
  init(
    _ event: Event, of caller: Caller, _ report: DecisionReport, before: borrowing Guard, reading input: MatchInput,
    _ places: PolicyPlaces, _ lists: ListLineSearch
  ) {
    let url = event.string(event.url)
    let snapshot = before.snapshot
    let app = before.state.instance(caller.instance)?.appName ?? ""
    var used = UsedSettings(
      report, of: app, asking: event.kind, through: event.channel, url: url, in: snapshot, places)
    let reading = url.map { URLExplanation(reading: $0, from: event.string(event.from)).notes } ?? []
    var question: RuleQuestion?
    if report.verdict != nil, let url {
      question = RuleQuestion(
        url: url, document: input.document?.href, from: event.string(event.from),
        hop: event.hop == .unknown ? nil : event.hop == .yes, purpose: input.purposes)
    }
    used.entries = question.map { Self.entries(for: $0, report, snapshot, lists) } ?? []
    steps = Explanation(event.kind, url: url, viewer: event.string(event.viewer), report, used, reading: reading).steps
    changes =
      DecisionChangeSearch(
        engine: before.fork(), event: event, caller: caller, report: report, question: question
      ).nearest
  }
  /// The entries of lists by which the rule that answered takes the URL.
  private static func entries(
    for question: RuleQuestion, _ report: DecisionReport, _ snapshot: Snapshot, _ lists: ListLineSearch
  ) -> [String] {
    guard let index = report.ruleSet.flatMap({ snapshot.ruleSet(named: $0) }) else { return [] }
    let ruleSet = snapshot[index]
    let rule = ruleSet.rules.first { $0.id == report.rule && $0.location == report.ruleLocation }
    return rule.map { RuleExplainer(ruleSet) { lists.words(for: $0, of: $1) }.entries(of: $0, for: question) } ?? []
  }
}

/// One line of `decide`'s input.
enum DecideLine {
  /// A call of org.webviewguard.Guard, written as the daemon would read it.
  case call([UInt8])
  /// A record of the decision log.
  case record(JSONTree)

  /// The content of a line; throws when it is no JSON.
  static func tree(of line: Span<UInt8>) throws(LineProblem) -> JSONTree {
    do throws(JSONError) { return try JSONTree(parsing: line, maximumLength: LineInput.maximumLine) } catch {
      throw LineProblem(error.description)
    }
  }

  /// Throws when the line is none of these.
  init(_ tree: JSONTree) throws(LineProblem) {
    guard case .object(let members) = tree else { throw LineProblem("a line must be a JSON object") }
    if tree["v"] != nil, tree["seq"] != nil, tree["type"] != nil {
      self = .record(tree)
    } else if let event = tree["event"] {
      self = .call(try Self.event(event, members))
    } else if let call = tree["call"] {
      self = .call(try Self.stateCall(call, members))
    } else {
      throw LineProblem("the line has no `event`, no `call`, and is no record of a log")
    }
  }

  private static func event(_ name: JSONTree, _ members: [JSONTree.Member]) throws(LineProblem) -> [UInt8] {
    guard let word = name.string, let method = GuardMethod.allCases.first(where: { $0.event?.name == word }) else {
      let words = GuardMethod.allCases.compactMap { $0.event?.name }.quotedList
      throw LineProblem("`event` must be one of \(words)")
    }
    return frame(method, event: members.filter { $0.key != "event" })
  }

  private static func stateCall(_ name: JSONTree, _ members: [JSONTree.Member]) throws(LineProblem) -> [UInt8] {
    guard let word = name.string, let method = calls.first(where: { $0.rawValue == word }) else {
      throw LineProblem("`call` must be one of \(calls.map(\.rawValue).quotedList)")
    }
    if let other = members.first(where: { $0.key != "call" && $0.key != "parameters" }) {
      throw LineProblem("\(other.key.quoted) does not belong beside `call` and `parameters`")
    }
    return frame(method, parameters: members.first { $0.key == "parameters" }?.value ?? .object([]))
  }

  private static let calls: [GuardMethod] = [
    .registerViewer, .setDocument, .forgetViewer, .setWebViewPolicy, .setExternalURLRules, .setIdentity, .identities,
    .answer,
    .decideMany, .decideLocations, .decidePeers,
  ]

  static func frame(_ method: GuardMethod, event: [JSONTree.Member]) -> [UInt8] {
    frame(method, parameters: .object([.init("event", .object(event))]))
  }

  /// The call as a varlink message, without its NUL.
  static func frame(_ method: GuardMethod, parameters: JSONTree) -> [UInt8] {
    let call = JSONTree.object([
      .init("method", .string(Method.guard(method).qualifiedName)), .init("parameters", parameters),
    ])
    return Array(call.text().utf8)
  }
}

/// Why a line of the input cannot be judged.
struct LineProblem: Error, Hashable {
  /// For people: lower case, without a full stop.
  let text: String

  init(_ text: String) { self.text = text }
}
