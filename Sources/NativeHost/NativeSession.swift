internal import Glibc
internal import GuardModel
internal import Platform
package import WebViewGuardClient

/// The options that the host was started with.
package struct NativeOptions: Sendable {
  let socketPath: String?
  let app: String?
  /// The configuration directories that the explicit rules are read from.
  let config: [String]

  /// Missing options come from the variables WEBVIEWGUARD_SOCKET_DIR, WEBVIEWGUARD_APP and WEBVIEWGUARD_CONFIG. On a
  /// machine with a daemon of its own they do not count: a user of the browser could name another daemon, another
  /// policy or another app.
  package init(socketDirectory: String? = nil, app: String? = nil, config: [String] = []) {
    let countsVariables = !DaemonPlace.hasSystemDaemon
    func variable(_ name: String) -> String? { countsVariables ? Environment[name] : nil }
    let directory = socketDirectory ?? variable("WEBVIEWGUARD_SOCKET_DIR")
    socketPath = directory.map { $0.hasSuffix("/") ? $0 + "guard.sock" : $0 + "/guard.sock" }
    self.app = app ?? variable("WEBVIEWGUARD_APP")
    let standard = variable("WEBVIEWGUARD_CONFIG").map { [$0] } ?? ConfigurationPlace.standardRoots
    self.config = config.isEmpty ? standard : config
  }
}

/// One browser's connection with its host, from the first message to the end of standard input.
///
/// It answers messages one after the other, as they come. A `GuardClient` speaks with the daemon, so that no question
/// takes longer than the contract's answer time. Other threads send exported rules, news, and the state of the
/// connection.
package final class NativeSession {
  private let options: NativeOptions
  private let output: NativeMessageOutput
  private let onProblem: @Sendable (GuardProblem) -> Void
  private let exports: RuleExports
  private let downloads: ArrivedDownloads
  private var input = NativeMessageInput()
  private var programs = OfferedPrograms()
  /// The extension's first message; nil before.
  private var greeting: NativeGreeting?
  private var guardian: GuardClient
  private var standings: AsyncStream<LineStanding>
  /// The tasks that pass on the client's news; ended with the client.
  private var passing: [Task<Void, Never>] = []

  /// Nothing is opened yet.
  ///
  /// - Parameter onProblem: hears of problems between the host and the daemon, as that of `GuardClient` does.
  package init(
    _ options: NativeOptions, output: NativeMessageOutput = NativeMessageOutput(),
    onProblem: @escaping @Sendable (GuardProblem) -> Void
  ) {
    (self.options, self.output, self.onProblem) = (options, output, onProblem)
    exports = RuleExports(output: output)
    downloads = ArrivedDownloads(output: output)
    (guardian, standings) = Self.makeClient(options, NativeGreeting(), onProblem)
  }

  /// Serves until the browser closes its end; throws when it takes no replies.
  package func run() throws(GuardProblem) {
    defer {
      exports.stop()
      guardian.close()
    }
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Stream.read(STDIN_FILENO, into: &chunk)
      guard count > 0 else { return }
      input.append(chunk.span.extracting(..<count))
      try takeMessages()
    }
  }

  // MARK: Messages

  private func takeMessages() throws(GuardProblem) {
    while true {
      switch input.next() {
      case .incomplete: return
      case .tooLong: try output.send(NativeRefusal.tooLong.reply(to: .null))
      case .message(let text): try take(text)
      }
    }
  }

  private func take(_ text: [UInt8]) throws(GuardProblem) {
    guard let message = ValueReader.read(text[...]) else {
      return try output.send(NativeRefusal.notJSON.reply(to: .null))
    }
    guard let number = message["id"]?.integer else {
      return try output.send(NativeRefusal.notAMessage.reply(to: .null))
    }
    let id = GuardValue.integer(number)
    let call: NativeCall
    do throws(NativeRefusal) { call = try NativeCall(message) } catch { return try output.send(error.reply(to: id)) }
    if case .hello(let greeting) = call { return try greet(id, greeting) }
    let reply: GuardValue?
    do throws(NativeRefusal) { reply = try answer(call, id) } catch { reply = error.reply(to: id) }
    if let reply { try output.send(reply) }
  }

  /// The reply; nil when it follows later.
  private func answer(_ call: NativeCall, _ id: GuardValue) throws(NativeRefusal) -> GuardValue? {
    switch call {
    // `take` greets.
    case .hello: return nil
    case .tell(let statement): return tell(id, statement)
    case .ask(let kind, let members): return ["id": id, "decision": decide(kind, members)]
    case .open(let decision):
      try programs.open(decision)
      return ["id": id, "reply": [:]]
    case .store(let file):
      downloads.begin(id, file, guardian)
      return nil
    case .relay(let method, let parameters): return reply(id, guardian.relayBlocking(method, parameters))
    case .rules(let viewerClass):
      if isFree { return ["id": id, "part": 0, "parts": 1, "rules": [], "isFree": true] }
      guard let app = guardian.standing.attachment["app"]?.string ?? options.app ?? greeting?.app else {
        throw .rulesUnavailable("it is not known yet which app this is")
      }
      try exports.begin(id, exportArguments(app, viewerClass))
      return nil
    }
  }

  /// The arguments of `webviewguard export`.
  private func exportArguments(_ app: String, _ viewerClass: String?) -> [String] {
    ["export", "--for", "declarative-net-request", "--app", app] + options.config.flatMap { ["--config", $0] }
      + (viewerClass.map { ["--class", $0] } ?? [])
  }

  // MARK: The daemon

  /// Connects, and sends the connection's state. A greeting that differs from the one before begins anew, with a client
  /// that has been told nothing: an extension tells everything after each greeting.
  private func greet(_ id: GuardValue, _ greeting: NativeGreeting) throws(GuardProblem) {
    let isNew = self.greeting != greeting
    if isNew {
      // The extension hears nothing more of the client that goes.
      for task in passing { task.cancel() }
      guardian.close()
      self.greeting = greeting
      (guardian, standings) = Self.makeClient(options, greeting, onProblem)
      guardian.startBlocking()
    }
    let standing = guardian.standing
    try output.send(["id": id, "reply": Self.members(standing)])
    if isNew { passOnNews(since: standing) }
  }

  private static func makeClient(
    _ options: NativeOptions, _ greeting: NativeGreeting, _ onProblem: @escaping @Sendable (GuardProblem) -> Void
  ) -> (GuardClient, AsyncStream<LineStanding>) {
    // The administrator's settings for the host count before those of the extension.
    var configuration = GuardClient.Configuration(
      app: options.app ?? greeting.app, socketPath: options.socketPath, features: greeting.features,
      languages: greeting.languages, version: greeting.version, onProblem: onProblem)
    let (standings, listener) = AsyncStream.makeStream(of: LineStanding.self, bufferingPolicy: .bufferingNewest(1))
    configuration.onStanding = { listener.yield($0) }
    return (GuardClient(configuration), standings)
  }

  /// Tells the extension when the connection to the daemon goes and comes, when another policy is in force, and when an
  /// account's standing changed. A failed send is ignored: such a browser ends the input.
  private func passOnNews(since told: LineStanding) {
    let (standings, guardian, output) = (standings, guardian, output)
    let handlers = Self.handlers(output)
    passing = [
      Task { await NativeSession.pass(standings, to: output, since: told) },
      Task { await guardian.listen(handlers) },
    ]
  }

  /// Passes news on as they came; of lost news the word `missed`.
  private static func handlers(_ output: NativeMessageOutput) -> NewsHandlers {
    var handlers = NewsHandlers()
    for topic in topics {
      handlers.on(topic: topic) { news in _ = try? output.send(NativeSession.members(news)) }
    }
    handlers.onMissed { _ in _ = try? output.send(["news": "missed"]) }
    return handlers
  }

  /// The news that an extension obeys.
  private static let topics = [
    "policy", "account", "identity", "enrollment", "allowedAccounts", "compliance", "config", "wipe",
  ]

  private static func members(_ news: HeardNews) -> GuardValue {
    var members = news.members
    members["topic"] = nil
    members["news"] = .string(news.topic)
    members["mayWork"] = .bool(news.mayWork)
    return .object(members)
  }

  private static func pass(
    _ standings: AsyncStream<LineStanding>, to output: NativeMessageOutput, since first: LineStanding
  ) async {
    var told = first
    for await standing in standings where standing != told {
      told = standing
      try? output.send(["news": "connection", "standing": members(standing)])
    }
  }

  /// The state between this host and the daemon.
  private static func members(_ standing: LineStanding) -> GuardValue {
    let contract = standing.contract
    return [
      "isConnected": .bool(standing.isConnected), "app": standing.attachment["app"] ?? .null,
      "generation": standing.attachment["generation"] ?? .null, "digest": standing.attachment["digest"] ?? .null,
      "contract": [
        "startMs": .integer(contract.startMilliseconds), "answerMs": .integer(contract.answerMilliseconds),
        "navigation": .string(contract.navigation.rawValue), "clipboard": .string(contract.clipboard.rawValue),
        "other": .string(contract.other.rawValue),
      ],
    ]
  }

  /// Takes a statement that holds from now on. A daemon that cannot be reached gets it when it is back. A statement
  /// that it refuses does not hold, and is never said again: else a page that was refused as a document would become
  /// one after a restart (M1).
  private func tell(_ id: GuardValue, _ statement: Statement) -> GuardValue {
    switch guardian.relayBlocking(statement) {
    case .reply(let members): ["id": id, "reply": .object(members)]
    case .refused(let refusal): ["id": id, "error": .string(refusal.word), "parameters": .object(refusal.parameters)]
    case .nothing, .cancelled: ["id": id, "reply": ["isKept": true]]
    }
  }

  /// The daemon's reply to a call that nothing keeps.
  private func reply(_ id: GuardValue, _ answer: CallAnswer) -> GuardValue {
    switch answer {
    case .reply(let members): ["id": id, "reply": .object(members)]
    case .refused(let refusal): ["id": id, "error": .string(refusal.word), "parameters": .object(refusal.parameters)]
    case .nothing, .cancelled: ["id": id, "error": "noAnswer"]
    }
  }

  /// The daemon's decision, as it is; the contract's answer when there is none.
  private func decide(_ kind: EventKind, _ members: [String: GuardValue]) -> GuardValue {
    var event = members
    if kind.isAboutSelection, let display = Environment["WAYLAND_DISPLAY"] ?? Environment["DISPLAY"] {
      event["display"] = .string(display)
    }
    let decision = guardian.relayBlocking(kind, event)
    programs.keep(decision)
    guard decision.isLocal else { return .object(decision.members) }
    let local: [String: GuardValue] = [
      "id": "", "outcome": .string(decision.outcome.name), "reason": .string(decision.reason.rawValue), "isLocal": true,
    ]
    return .object(local.merging(decision.message.map { ["message": .string($0)] } ?? [:]) { own, _ in own })
  }

  /// Whether the data shown is unmanaged, or of an account that no protection binds: no rule speaks of it then. It asks
  /// the daemon for a hint, since hints leave no record; without an answer it is false.
  private var isFree: Bool {
    let parameters: [String: GuardValue] = ["kind": "save", "event": [:]]
    guard case .reply(let hints) = guardian.relayBlocking("DecideLocations", parameters) else { return false }
    let reasons = hints["locations"]?.array?.compactMap { $0["reason"]?.string } ?? []
    return !reasons.isEmpty && reasons.allSatisfy { $0 == "unmanaged" || $0 == "noManagedIdentity" }
  }
}

extension EventKind {
  /// Whether the event is about the contents of a display's selections.
  fileprivate var isAboutSelection: Bool {
    switch self {
    case .copy, .paste, .clipboardChanged, .dragEnd: true
    default: false
    }
  }
}
