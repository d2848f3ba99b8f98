internal import DecisionLog
internal import Glibc
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import NIOCore
internal import PolicyEngine
internal import PolicyFiles

/// `org.webviewguard.Admin`: the state of the service, and its actions.
extension GuardCore {
  func answer(_ call: AdminCall, _ request: borrowing Request, on connection: Connection) throws {
    switch call {
    case .status: reply(status, to: connection, request)
    case .reload(let call): answerLoad(reload(call, by: connection), on: connection, isOneway: request.isOneway)
    case .rollback(let call): answerLoad(rollBack(call, by: connection), on: connection, isOneway: request.isOneway)
    case .monitor:
      connection.skipped = 0
      serving.watchers[ObjectIdentifier(connection)] = connection
    case .exception(let call): try answer(call, request, on: connection)
    case .health: reply(health, to: connection, request)
    case .metrics: reply(MetricsReply(text: metricsText), to: connection, request)
    }
  }

  private var status: StatusReply {
    var status = StatusReply()
    status.version = vitals.version
    status.pid = getpid()
    status.since = vitals.startedAt
    policy.describe(&status, snapshot)
    status.instances = sessions.count
    status.viewers = viewerCount
    status.connections = serving.connections.count
    status.decisions = vitals.metrics.counters
    status.logHead = journal.logHead
    status.logFile = journal.logFile
    status.stateFile = journal.state.file
    status.stateError = journal.state.error
    status.socketError = serving.sockets?.failure
    status.log = journal.logStatus
    status.health = health
    return status
  }

  /// Viewers that are registered, of all instances.
  private var viewerCount: Int {
    sessions.values.reduce(0) { $0 + (state.instance($1.instance)?.viewers.count ?? 0) }
  }

  /// Problems that an administrator should look after, found by looking and not by remembering.
  var health: HealthReply {
    HealthReply(
      policy.problems(snapshot) + [serving.socketProblem].compactMap(\.self) + journal.problems
        + [serving.connectionsProblem].compactMap(\.self))
  }

  /// Everything counted, as text for Prometheus. Made when it is asked for.
  private var metricsText: [UInt8] {
    var text = MetricsText()
    vitals.describe(&text, health, snapshot)
    serving.describe(&text)
    vitals.describeRounds(&text, held: journal.heldReplies)
    text.single("webviewguard_instances", .gauge, "Instances that are alive.", UInt64(sessions.count))
    text.single("webviewguard_viewers", .gauge, "Viewers that are registered.", UInt64(viewerCount))
    journal.describe(&text)
    policy.describe(&text, snapshot)
    return text.bytes
  }

  /// Answers when the load has ended; until then the connection's next calls wait.
  private func answerLoad(_ load: EventLoopFuture<ReloadReply>, on connection: Connection, isOneway: Bool) {
    connection.isBusy = true
    let bound = NIOLoopBound((self, connection), eventLoop: loop)
    load.assumeIsolated().whenComplete { result in
      let (core, connection) = bound.value
      connection.isBusy = false
      if !isOneway { core.answerReload(result, on: connection) }
      core.submit()
      connection.resume()
    }
  }

  private func answerReload(_ result: Result<ReloadReply, any Error>, on connection: Connection) {
    switch result {
    case .success(let loaded):
      writer.reset()
      writer.answer(loaded)
      hold(on: connection, record: journal.newest)
    case .failure(let error as AdminError): reply(error, to: connection)
    case .failure(let error): reply(AdminError.loadFailed(["\(error)"]), to: connection)
    }
  }
}
