internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import NIOCore
internal import PolicyEngine

/// Requests to start anew, as the shell carries them out: programs are told, answers are kept (ledger RS).
extension GuardCore {
  /// Time to answer may be over.
  func expireRestarts(at time: UInt64) {
    guard engine.expireRestarts(at: time) else { return }
    journal.state.note(time: time)
    settleAccounts([:])
  }

  /// Tells programs, and notes what the next daemon has to know. The state is handed over first, so that nothing is asked
  /// that nobody remembers.
  func carryOutRestarts() {
    let changes = state.restarts.takeChanges()
    for (serial, kept) in changes { journal.state.note(mark: kept?.text ?? "", KeptRestart.mark(of: serial)) }
    let requests = state.takeRestartRequests()
    if !changes.isEmpty || !requests.isEmpty { submit() }
    for (instance, request) in requests {
      for session in sessions.values where session.instance == instance {
        tell(news(ofRestart: request), toSubscribersOf: session)
      }
    }
  }

  func news(ofRestart request: RestartRequest) -> NewsReply {
    var news = NewsReply(.restart, snapshot.generation)
    (news.request, news.restart, news.deadline) = (request.id, request.cause, request.deadline)
    news.account = request.account
    return news
  }

  /// Takes up what an earlier daemon asked of programs that may come back.
  func take(restartsOf records: StateRecords, living: Set<UInt64>) {
    state.restore(KeptRestart.read(records.marks), living: living)
  }
}

/// Requests as texts of the state file, one for each program.
extension KeptRestart {
  private static let prefix = "restart "

  static func mark(of serial: UInt64) -> String { prefix + String(serial) }

  var text: String {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("id", request.id)
    writer.member("cause", request.cause.rawValue)
    if let account = request.account { writer.member("account", account) }
    writer.member("deadline", request.deadline)
    writer.member("need", need)
    writer.member("step", step.rawValue)
    writer.endObject()
    return String(decoding: writer.take(), as: UTF8.self)
  }

  /// By serial. A text of another form counts as none: its program is asked anew.
  static func read(_ marks: [String: String]) -> [UInt64: KeptRestart] {
    var found: [UInt64: KeptRestart] = [:]
    for (name, text) in marks where name.hasPrefix(prefix) {
      guard let serial = UInt64(name.dropFirst(prefix.count)), let tree = try? JSONTree(parsing: text) else { continue }
      found[serial] = KeptRestart(tree)
    }
    return found
  }

  private init?(_ tree: JSONTree) {
    guard let id = tree["id"]?.string, let cause = tree["cause"]?.string.flatMap(RestartCause.init(rawValue:)),
      let deadline = tree["deadline"]?.int, deadline >= 0, let need = tree["need"]?.string,
      let step = tree["step"]?.string.flatMap(RestartStep.init(rawValue:))
    else { return nil }
    let request = RestartRequest(
      id: id, cause: cause, account: tree["account"]?.string, deadline: UInt64(deadline))
    self.init(request, need: need, step: step)
  }
}
