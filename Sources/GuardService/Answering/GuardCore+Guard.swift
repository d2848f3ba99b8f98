internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

/// The calls of `org.webviewguard.Guard` and `org.varlink.service` that are no events.
extension GuardCore {
  func answer(_ call: ServiceCall, _ request: borrowing Request, on connection: Connection) throws {
    switch call {
    case .getInfo:
      reply(
        GetInfoReply(
          vendor: "webviewguard", product: "webviewguard", version: vitals.version,
          url: "https://webviewguard.example/", interfaces: connection.served),
        to: connection, request)
    case .getInterfaceDescription(let call):
      reply(try GetInterfaceDescriptionReply(call, in: connection.served), to: connection, request)
    }
  }

  func answer(_ call: GuardCall, _ request: borrowing Request, on connection: Connection) throws {
    switch call {
    case .decide: try decideEvent(request, on: connection)
    case .whoAmI: answerWhoAmI(on: connection, isOneway: request.isOneway)
    case .ownPrograms: reply(ownPrograms(of: connection), to: connection, request)
    case .exportRules(let call): reply(try exportRules(call, connection), to: connection, request)
    case .attach(let call): reply(try attach(call, connection), to: connection, request)
    case .state(let call): reply(try perform(call, connection), to: connection, request)
    case .identities(let call): reply(try identities(call, connection), to: connection, request)
    case .decideMany(let call): try decideMany(call, request, on: connection)
    case .decideLocations(let call): reply(try decideLocations(call, connection), to: connection, request)
    case .decidePeers(let call): try decidePeers(call, request, on: connection)
    case .acknowledge(let call): reply(try acknowledge(call, connection), to: connection, request)
    case .subscribe(let call): try subscribe(call, on: connection)
    }
  }

  /// - Parameter groups: the names of the peer's groups.
  func whoAmI(_ peer: Peer, groups: [String]) -> WhoAmIReply {
    let apps = apps(of: peer)
    return WhoAmIReply(
      uid: peer.uid, groups: groups, unit: peer.unit, label: peer.label, app: apps.count == 1 ? apps[0].name : nil,
      socket: peer.socket)
  }

  /// The apps whose `peers` speak of this peer.
  func apps(of peer: Peer) -> [App] {
    snapshot.apps.filter { app in app.peers.contains { $0.speaks(of: peer) } }
  }

  /// The identities whose data the caller's program shows.
  func identities(_ call: IdentitiesCall, _ connection: Connection) throws(Refusal) -> ShownIdentities {
    try engine.identities(call.account, for: try caller(connection))
  }

  // MARK: Parts

  /// The connection's program and scope, as the engine knows them.
  func caller(_ connection: Connection) throws(Refusal) -> Caller {
    Caller(try attached(connection).instance, connection: connection.number)
  }

  func attached(_ connection: Connection) throws(Refusal) -> Session {
    guard let session = connection.session else { throw .notAttached }
    return session
  }

  /// Records the app's final action. A warning passed over without a reason counts as not passed over, and so does one whose
  /// question would get another answer now.
  func acknowledge(_ call: AcknowledgeCall, _ connection: Connection) throws -> EmptyReply {
    let session = try attached(connection)
    let maximum = AcknowledgeCall.maximumJustification
    if let justification = call.justification, justification.utf8.count > maximum {
      throw Refusal.limitReached(.justificationBytes, maximum: maximum)
    }
    guard let id = DecisionID(call.decision), let outcome = session.answered.outcome(of: id) else {
      throw Refusal.unknownDecision(String(call.decision.prefix(64)))
    }
    let goesOn = outcome == .warn && call.outcome.letsHappen
    if goesOn, call.justification?.isEmpty ?? true { throw ServiceError.invalidParameter("justification") }
    let objection = goesOn ? try objection(toPassing: id, session, connection) : nil
    session.answered.remove(id)
    // The person may be asked again at once, and say another thing.
    if outcome == .warn { journal.recordRepeats(session.actions.forget(id)) }
    let entry = Acknowledgement(
      decision: id.text, app: session.app, instance: session.logName,
      peer: LoggedPeer(uid: connection.peer.uid, pid: connection.peer.pid), decided: outcome,
      outcome: call.outcome, justification: call.justification, objection: objection)
    journal.record(by: connection.peer.person) { $0.encode(entry, at: $1, into: &$2) }
    if objection != nil { throw Refusal.unknownDecision(id.text) }
    return EmptyReply()
  }

  /// The answer that the question of a warning gets now, when that lets nothing happen any more; nil when the person may
  /// go on. The question has no effect: it was asked before.
  ///
  /// The attack: a warning that stands on the screen while the account is locked or a policy comes that blocks.
  private func objection(
    toPassing id: DecisionID, _ session: Session, _ connection: Connection
  ) throws(Refusal) -> Acknowledgement.Objection? {
    guard var question = session.answered.question(of: id) else { throw .unknownDecision(id.text) }
    let time = journal.now()
    expireRules(at: time)
    if question.hasFileOwner { readOwners(of: &question, for: session, connection) }
    question.isProbe = true
    question.time = time
    // In the scope in which it was asked, also when that has ended: the data is still of its account.
    engine.decideAgain(question, of: session.instance, into: &ruling)
    if state.hasNewNames { settle(session) }
    switch ruling.decision.outcome {
    case .allow, .warn: return nil
    case .block, .redirect, .handOff, .redact, .switchIdentity:
      return Acknowledgement.Objection(outcome: ruling.decision.outcome, reason: ruling.decision.reason)
    }
  }
}

/// `OwnPrograms`: facts that users may collect about their own programs for a helpdesk (ledger DC-06).
///
/// The attack: a user learns of other users by it, or a program that shares the user's number learns of one that has a
/// socket of its own.
extension GuardCore {
  /// More are only counted, to keep the reply small.
  private static let mostListed = 32

  func ownPrograms(of connection: Connection) -> OwnProgramsReply {
    let own = sessions.values.filter { isOwn($0, of: connection.peer) }
      .sorted { $0.instance.serial < $1.instance.serial }
    var reply = OwnProgramsReply()
    (reply.generation, reply.contract) = (snapshot.generation, policy.settings.contract)
    reply.problems = problems(for: connection)
    (reply.isEnforced, reply.checkIn) = (snapshot.hasPolicy && policy.isEnforced, policy.checkIns.last)
    reply.policyAge = policy.checkIns.age(at: journal.now())
    reply.programCount = own.count
    reply.programs = own.prefix(Self.mostListed).map(program)
    reply.accounts = ownAccounts(of: connection.peer)
    serving.charge(reply.programs.reduce(sessions.count / Self.mostListed) { $0 + 1 + $1.viewers.count })
    return reply
  }

  /// The same user, not only the same person. Through an app's own socket, that app's alone; from elsewhere none of those.
  private func isOwn(_ session: Session, of peer: Peer) -> Bool {
    session.peer.uid == peer.uid && session.peer.socket == peer.socket
  }

  /// Accounts belong to the person; a program that runs under another number of the person has none.
  private func ownAccounts(of peer: Peer) -> [ListedAccount] {
    guard peer.uid == peer.person else { return [] }
    let apps = Set(snapshot.apps.filter { $0.peers.contains { $0.socket == peer.socket } }.map(\.name))
    let own = engine.accounts(person: peer.person).filter { apps.contains($0.app) }
    return Array(own.prefix(2 * Self.mostListed))
  }

  /// Nothing of others: not that a share of theirs is full.
  private func problems(for connection: Connection) -> [HealthProblemCode] {
    let shares: Set<HealthProblemCode> = [.logShareFull, .logShareFilling]
    let common = health.problems.map(\.code).filter { !shares.contains($0) }
    return common + (journal.isShareFull(at: connection.logPlace) ? [.logShareFull] : [])
  }

  private func program(_ session: Session) -> OwnProgramsReply.Program {
    let id = session.instance
    let instance = state.instance(id)
    let accounts = state.shownAccounts(of: id).keys.map { state.accounts.displayName($0) }.sorted()
    let protections = Set(accounts.flatMap { state.protections(binding: $0, in: id, snapshot) })
    return OwnProgramsReply.Program(
      app: session.app, instance: session.logName, connections: session.connections,
      mustState: instance.map { $0.mustState || $0.owesIdentity } ?? true, accounts: accounts,
      protections: protections.sorted(), viewerCount: instance?.viewers.count ?? 0,
      viewers: state.viewers(of: id, atMost: Self.mostListed, snapshot).map { viewer in
        let resolved = StateReply.viewer(
          policy: viewer.resolved.policy, source: viewer.resolved.source,
          ruleSet: snapshot.name(of: viewer.resolved.rules))
        return OwnProgramsReply.Viewer(name: viewer.name, viewerClass: viewer.className, resolved: resolved)
      })
  }
}
