internal import Bytes
internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import Logging
internal import NIOCore
internal import Platform
internal import PolicyEngine
internal import PolicyFiles

/// Everything that the one event loop owns: the policy in force, the state of all apps, the log's sequence and the
/// connections. There is no lock on the way to a decision, and the order of state, log and replies is one order.
///
/// INVARIANT: every `@exclusivity(unchecked)` value, here and in the core's parts, is changed on the loop only, and
/// lent only to code that cannot reach it otherwise: an owner's method completes no promise, closes no channel and calls
/// nothing else that leads back here. The checks were 8 in 100 instructions of a decision.
final class GuardCore {
  let loop: any EventLoop
  let logger: Logger
  /// The policy in force as snapshot, and the statements of running apps.
  @exclusivity(unchecked) var engine: Guard
  /// The decision log, the state file, and what waits for them.
  @exclusivity(unchecked) var journal: Journal
  /// The policy in force as it was loaded, its settings, and orders to load another.
  @exclusivity(unchecked) var policy: ActivePolicy
  /// Instances of a daemon before this one, by token, whose programs may come back.
  var returning: [String: KeptInstance] = [:]

  var sessions = Sessions()
  /// Connections, and their limits.
  @exclusivity(unchecked) var serving: Serving
  /// Connections with frames that wait to be answered.
  private(set) lazy var turns = FrameTurns(self)
  let lookUps: LookUps
  /// Calls that are answered when the state file has what they changed.
  var keptCalls: [KeptCall] = []
  /// The words of the user database about persons.
  var toldUsers: [UInt32: ToldUser] = [:]
  /// Keys of sealed data.
  var keys = KeyState()
  /// Static rules that apps asked for.
  var exports = ExportedDocuments()
  /// Directories of accounts, and their keeper.
  var directories = DirectoryBook()
  /// Questions to persons, who unlock accounts.
  @exclusivity(unchecked) var unlocking = Unlocking()
  /// Counters, the last decisions and events, and reports to a service manager.
  @exclusivity(unchecked) var vitals: Vitals

  // Kept between calls, so that a question costs no allocation but its log record and its reply.
  @exclusivity(unchecked) var guardDecoder: RequestDecoder
  @exclusivity(unchecked) var adminDecoder: RequestDecoder
  @exclusivity(unchecked) var eventCall = EventCall()
  /// The engine's answer to the event.
  @exclusivity(unchecked) var ruling = Ruling()
  @exclusivity(unchecked) var writer = JSONWriter()
  @exclusivity(unchecked) var redacted = GrowingBytes()

  init(
    loop: any EventLoop, logger: Logger, version: String, policy: consuming ActivePolicy,
    lookUps: LookUps = LookUps()
  ) {
    self.loop = loop
    self.logger = logger
    vitals = Vitals(version: version)
    let settings = policy.settings
    self.policy = policy
    self.lookUps = lookUps
    journal = Journal(settings.log, logger: logger, version: version, start: vitals.startedAt)
    var random = SystemRandomNumberGenerator()
    engine = Guard(
      epoch: .random(in: .min ... .max, using: &random), limits: settings.limits.state,
      under: Snapshot(policyRequired: settings.policyRequired))
    serving = Serving(settings.limits, logger: logger)
    guardDecoder = RequestDecoder(serving: .guardSocket, maximumLength: settings.limits.messageBytes)
    adminDecoder = RequestDecoder(serving: .adminSocket, maximumLength: settings.limits.messageBytes)
  }

  var snapshot: Snapshot { engine.snapshot }

  var state: GuardState {
    @inline(__always) _read { yield engine.state }
    @inline(__always) _modify { yield &engine.state }
  }

  /// Reads one frame of a connection and answers it, but for the questions of a call that has many.
  func answer(_ frame: Span<UInt8>, on connection: Connection) -> Disposition {
    connection.hasAsked = true
    serving.charge(1, bytes: frame.count)
    return connection.servesApps
      ? answer(frame, on: connection, &guardDecoder) : answer(frame, on: connection, &adminDecoder)
  }

  private func answer(
    _ frame: Span<UInt8>, on connection: Connection, _ decoder: inout RequestDecoder
  ) -> Disposition {
    switch decoder.decode(frame) {
    case .request(let request):
      dispatch(request, on: connection)
      return .resume
    case .refused(let error, let isOneway):
      noteRefusal(error, on: connection)
      if !isOneway { reply(error, to: connection) }
      return .resume
    case .unreadable(let fault):
      vitals.metrics.unreadableMessages += 1
      serving.tell(.unreadableMessage, of: connection.peer.person, connection.metadata(["fault": "\(fault)"]))
      return .close
    }
  }

  private func dispatch(_ request: borrowing Request, on connection: Connection) {
    defer { vitals.metrics.endCall() }
    do {
      switch request.method {
      case .service(let method): try answer(request.serviceCall(method), request, on: connection)
      case .guard(let method):
        if let kind = method.event {
          try request.readEvent(kind, into: &eventCall)
          return try decideEvent(request, on: connection)
        }
        let call = try request.guardCall(method, event: &eventCall)
        try answer(call, request, on: connection)
      case .accounts(let method): try answer(request.accountsCall(method), request, on: connection)
      case .rules(let method): try answer(request.rulesCall(method), request, on: connection)
      case .admin(let method): try answer(request.adminCall(method), request, on: connection)
      }
    } catch let error as any CallError {
      refuse(error, isOneway: request.isOneway, on: connection)
    } catch {
      logger.error("call failed", metadata: connection.metadata(["error": "\(error)"]))
      if !request.isOneway { reply(ServiceError.permissionDenied, to: connection) }
    }
  }

  func refuse(_ error: any CallError, isOneway: Bool, on connection: Connection) {
    noteRefusal(error, on: connection)
    if !isOneway { reply(error, to: connection) }
  }

  /// Reports the errors of a peer; a peer that goes on and on is only counted.
  private func noteRefusal(_ error: any CallError, on connection: Connection) {
    connection.refusals += 1
    vitals.metrics.count(refusal: error.qualifiedName)
    guard connection.refusals <= Connection.refusalsTold else { return }
    let line = JournalText.line(of: error) { journal.pseudonym(of: $0) }
    serving.tell(.refusedCall, of: connection.peer.person, connection.metadata(["error": "\(line)"]), at: .notice)
  }

  // MARK: Replies

  /// Answers a call; the reply leaves when everything recorded so far is in the log.
  func reply(_ reply: some Reply, to connection: Connection, _ request: borrowing Request) {
    guard !request.isOneway else { return }
    writer.reset()
    writer.answer(reply)
    hold(on: connection, record: journal.newest)
  }

  func reply(_ error: any CallError, to connection: Connection) {
    writer.reset()
    answer(error)
    hold(on: connection, record: 0)
  }

  private func answer(_ error: some CallError) { writer.answer(error) }

  /// Holds the reply just written until the log has `record`, and the state file every change so far: an answer may
  /// rest on any of them.
  func hold(on connection: Connection, record: UInt64, allowing decisions: Withdrawable? = nil) {
    connection.held.append(writer)
    release(on: connection, after: record, allowing: decisions)
  }

  /// As `hold(on:record:)`, of an answer that is written already.
  func hold(_ answered: AnsweredEvent, on connection: Connection) {
    let id = answered.envelope.id
    if let reply = answered.form.reply, !answered.envelope.isRepeated {
      connection.held.append(reply, journal.digits(of: id))
    } else {
      writer.reset()
      writer.answer(DecisionReply(answered.form.report, answered.envelope))
      connection.held.append(writer)
    }
    release(
      on: connection, after: answered.record, allowing: answered.form.report.outcome.letsHappen ? Withdrawable(id) : nil
    )
  }

  private func release(
    on connection: Connection, after record: UInt64, allowing decisions: Withdrawable?
  ) {
    journal.hold(connection, after: record, &state, allowing: decisions, since: vitals.metrics.asked)
  }
}
