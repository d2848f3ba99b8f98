internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import PolicyFiles

/// What came of a call.
enum LinkAnswer: Equatable {
  case reply(JSONTree)
  /// The daemon refused it, or the connection: the last word of the error, and its parameters.
  case refused(String, JSONTree)
  /// Nobody answered in time: the contract says what to do.
  case silent
}

/// The connection to the daemon, under the failure contract: no call takes longer than its deadline, reconnecting
/// included, and a daemon that failed is left alone for a while, in which every call is answered at once.
final class DaemonLink {
  private let place: DaemonPlace
  private(set) var contract: FailureContract
  /// What the daemon said when it took the connection in.
  private(set) var attachment: JSONTree?
  /// The app to ask as; nil when the caller matches only one.
  var app: String?
  var languages: [JSONTree] = []
  /// What the extension says it can do, besides what every one of them can.
  var features: [JSONTree] = []
  /// Said after each connection, before anything else.
  var replay: () -> [SpokenState.Call] = { [] }
  /// Hears what went wrong.
  var onProblem: (String) -> Void = { _ in }

  private var connection: Connection?
  private var backOff = BackOff()
  private var refusal: LinkAnswer?

  init(place: DaemonPlace) {
    self.place = place
    contract = ContractFile.read(place.contractFile, believing: place.believed)
  }

  var isConnected: Bool { connection != nil }

  /// The token of the instance, for a second connection of it.
  var instance: String? { attachment?["instance"]?.string }

  /// To be watched: what comes on it while no call is under way is its end.
  var watched: Int32? { connection?.client.watched }

  /// When the next attempt may be made.
  var nextAttempt: Deadline { backOff.end }

  /// Calls a method of the Guard interface, and connects first where that is needed.
  func call(_ call: SpokenState.Call, until deadline: Deadline) -> LinkAnswer {
    let wasConnected = isConnected
    guard connect(until: deadline, isAsked: true) else { return refusal ?? .silent }
    let answer = exchange(call, until: deadline)
    // The daemon that was started anew since the last call is asked at once: only its predecessor failed.
    guard wasConnected, connection == nil, answer == .silent, !deadline.isOver else { return answer }
    backOff.succeed()
    guard connect(until: deadline) else { return refusal ?? .silent }
    return exchange(call, until: deadline)
  }

  /// Whether there is a connection, made now if there was none and it is time for an attempt.
  ///
  /// - Parameter isAsked: somebody waits for an answer, and need not where trying costs nothing.
  @discardableResult
  func connect(until deadline: Deadline, isAsked: Bool = false) -> Bool {
    if connection != nil { return true }
    guard isAsked ? backOff.isOverForQuestions : backOff.isOver else { return false }
    contract = ContractFile.read(place.contractFile, believing: place.believed)
    refusal = nil
    do throws(ClientError) {
      let patience = max(1, Int(deadline.remainingMilliseconds))
      let fresh = Connection(
        try VarlinkClient(connectingTo: place.guardSocket, patience: patience, believing: place.believed))
      try attach(fresh, until: deadline)
      for call in replay() { try say(call, to: fresh, until: deadline) }
      connection = fresh
      backOff.succeed()
      return true
    } catch {
      if refusal == nil { onProblem(error.description) }
      drop(refusal == nil ? error.failure : .bad)
      return false
    }
  }

  /// Ends the connection, and waits before the next: a late reply is never taken for another call's.
  func drop(_ failure: BackOff.Failure = .gone) {
    connection = nil
    backOff.fail(failure)
  }

  private func exchange(_ call: SpokenState.Call, until deadline: Deadline) -> LinkAnswer {
    guard let connection else { return .silent }
    do throws(ClientError) {
      let reply = try connection.call(call.method, call.parameters, until: deadline)
      guard let error = reply.error else { return .reply(reply.parameters) }
      let word = Self.lastWord(error)
      // A policy was loaded since: the connection must attach anew.
      if word == "NotAttached" { self.connection = nil }
      return .refused(word, reply.parameters)
    } catch {
      onProblem(error.description)
      drop(error.failure)
      return .silent
    }
  }

  /// Joins the instance that was, or starts one. Without any policy the connection stays unattached: questions are
  /// answered there all the same.
  private func attach(_ fresh: Connection, until deadline: Deadline) throws(ClientError) {
    var reply = try fresh.call("Attach", parameters(instance: instance), until: deadline)
    if reply.error.map(Self.lastWord) == "UnknownInstance" {
      reply = try fresh.call("Attach", parameters(instance: nil), until: deadline)
    }
    if let error = reply.error {
      attachment = nil
      let word = Self.lastWord(error)
      guard word != "NoPolicy" else { return }
      refusal = .refused(word, reply.parameters)
      onProblem("the daemon refuses the connection: \(word.escapedForDisplay) \(reply.parameters.text().escapedAsJSON)")
      throw .closed(place.guardSocket)
    }
    attachment = reply.parameters
    if let stated = reply.parameters["contract"] { contract = ContractFile.contract(stated) }
  }

  private func say(
    _ call: SpokenState.Call, to fresh: Connection, until deadline: Deadline
  ) throws(ClientError) {
    let reply = try fresh.call(call.method, call.parameters, until: deadline)
    if let error = reply.error { onProblem("\(call.method) was refused: \(Self.lastWord(error).escapedForDisplay)") }
  }

  private func parameters(instance: String?) -> JSONTree {
    let members: [(String, JSONTree?)] = [
      ("app", app.map(JSONTree.string)), ("instance", instance.map(JSONTree.string)),
      ("features", .array(["actions", "clips"] + features)),
      ("languages", languages.isEmpty ? nil : .array(languages)),
    ]
    return .object(members.compactMap { name, value in value.map { JSONTree.Member(name, $0) } })
  }

  private static func lastWord(_ error: String) -> String {
    error.split(separator: ".").last.map(String.init) ?? error
  }
}

extension ClientError {
  /// What it says of the next attempt.
  fileprivate var failure: BackOff.Failure {
    switch self {
    case .pathTooLong, .missing, .refused, .notPermitted, .strangerListens, .system: .away
    case .closed: .gone
    case .tooLate, .unreadable, .replyTooLong: .bad
    }
  }
}

/// A client that several may hold.
final class Connection {
  var client: VarlinkClient

  init(_ client: consuming VarlinkClient) { self.client = client }

  /// Calls a method of the Guard interface.
  func call(
    _ method: String, _ parameters: JSONTree, until deadline: Deadline
  ) throws(ClientError) -> VarlinkReply {
    try send(method, parameters, replies: .one)
    return try client.receive(until: deadline)
  }

  func send(_ method: String, _ parameters: JSONTree, replies: ReplyMode) throws(ClientError) {
    let text: CallText
    do throws(FrameFault) { text = try CallText(Array(parameters.text().utf8).span) } catch { throw .unreadable(error) }
    try client.send("org.webviewguard.Guard." + method, text, replies: replies)
  }
}
