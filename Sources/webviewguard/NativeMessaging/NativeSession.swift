internal import Glibc
internal import GuardModel
internal import JSONText
internal import PolicyTools

/// What the host was started with.
struct NativeOptions {
  let place: DaemonPlace
  let app: String?
  /// The configuration directories that the explicit rules are read from.
  let config: [String]
}

/// One browser's connection with its host, from the first message to the end of standard input.
///
/// Questions are answered one after the other, as they come: each takes no longer than the contract's answer time, and
/// while the daemon is left alone none takes any time at all.
final class NativeSession {
  private let options: NativeOptions
  private let output: NativeMessageOutput
  let link: DaemonLink
  private var input = NativeMessageInput()
  private var state = SpokenState()
  private var news: PolicyNews?
  /// News are worth an attempt now and then, and never the connection that answers questions.
  private var newsBackOff = BackOff()
  private var exports: [RuleExport] = []
  var programs = OfferedPrograms()
  var actions = ActionNames()
  private var wasGreeted = false
  private var wasConnected = false

  init(_ options: NativeOptions, output: NativeMessageOutput = NativeMessageOutput()) {
    self.options = options
    self.output = output
    link = DaemonLink(place: options.place)
    link.replay = { [unowned self] in state.replay }
    link.onProblem = { StandardError.say("webviewguard: \($0)") }
  }

  /// Serves until the browser closes its end.
  func run() throws(CommandFailure) {
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let ready = wait()
      if ready.contains(STDIN_FILENO) {
        let count = chunk.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        input.append(chunk.span.extracting(..<count))
        try takeMessages()
      }
      try takeRules(ready)
      try takeNews(ready)
      if let watched = link.watched, ready.contains(watched), Self.isReadable(watched) { link.drop() }
      try keepConnected()
    }
  }

  // Messages

  private func takeMessages() throws(CommandFailure) {
    while true {
      switch input.next() {
      case .incomplete: return
      case .tooLong: try output.send(NativeRefusal.tooLong.reply(to: .null))
      case .message(let text): try take(text)
      }
    }
  }

  private func take(_ text: [UInt8]) throws(CommandFailure) {
    guard let message = try? JSONTree(parsing: text.span) else {
      return try output.send(NativeRefusal.notJSON.reply(to: .null))
    }
    guard let number = message["id"]?.int else { return try output.send(NativeRefusal.notAMessage.reply(to: .null)) }
    let id = JSONTree.int(number)
    let reply: JSONTree?
    do throws(NativeRefusal) { reply = try answer(NativeCall(message), id) } catch { reply = error.reply(to: id) }
    if let reply { try output.send(reply) }
  }

  /// The reply; nil when it follows later.
  private func answer(_ call: NativeCall, _ id: JSONTree) throws(NativeRefusal) -> JSONTree? {
    switch call {
    case .hello(let app, let languages, let features):
      return greet(id, app: app, languages: languages, features: features)
    case .identity(let account): return tell(id) { $0.setAccount(account) }
    case .registerViewer(let viewer, let members): return tell(id) { $0.register(viewer, members) }
    case .setDocument(let viewer, let members): return tell(id) { $0.setDocument(viewer, members) }
    case .forgetViewer(let viewer): return tell(id) { $0.forget(viewer) }
    case .ask(let question, let members): return ["id": id, "decision": decide(question, members)]
    case .open(let decision):
      try programs.open(decision)
      return ["id": id, "reply": [:]]
    case .rules(let viewerClass):
      if isFree { return ["id": id, "part": 0, "parts": 1, "rules": [], "isFree": true] }
      try export(id, viewerClass)
      return nil
    }
  }

  private func greet(_ id: JSONTree, app: String?, languages: [JSONTree], features: [JSONTree]) -> JSONTree {
    // What the administrator gave the host counts before what the extension was given.
    let chosen = options.app ?? app
    if wasGreeted, link.app != chosen || link.languages != languages || link.features != features { link.drop() }
    link.app = chosen
    link.languages = languages
    link.features = features
    wasGreeted = true
    link.connect(until: Deadline(after: link.contract.startMilliseconds))
    wasConnected = link.isConnected
    return ["id": id, "reply": standing]
  }

  /// How it stands between this host and the daemon.
  private var standing: JSONTree {
    .object([
      .init("isConnected", .bool(link.isConnected)), .init("contract", ContractFile.tree(link.contract)),
      .init("app", link.attachment?["app"] ?? .null), .init("generation", link.attachment?["generation"] ?? .null),
      .init("digest", link.attachment?["digest"] ?? .null),
    ])
  }

  /// Something that holds from now on. When the daemon cannot be told, it is told when it is back. What it refuses does
  /// not hold, and is never said again: else a page that was refused as a document would become one after a restart (M1).
  private func tell(_ id: JSONTree, _ change: (inout SpokenState) -> SpokenState.Call) -> JSONTree {
    var next = state
    let answer = link.call(change(&next), until: Deadline(after: link.contract.answerMilliseconds))
    switch answer {
    case .reply(let parameters):
      state = next
      return ["id": id, "reply": parameters]
    case .silent:
      state = next
      return ["id": id, "reply": ["isKept": true]]
    case .refused(let word, let parameters):
      // Before the first policy the daemon could not listen; it did not say no.
      if word == "NoPolicy" || word == "NotAttached" { state = next }
      return ["id": id, "error": .string(word), "parameters": parameters]
    }
  }

  // Rules

  private func export(_ id: JSONTree, _ viewerClass: String?) throws(NativeRefusal) {
    guard let app = link.attachment?["app"]?.string ?? link.app else {
      throw .rulesUnavailable("it is not known yet which app this is")
    }
    let arguments = RuleExportCommandLine.arguments(config: options.config, app: app, viewerClass: viewerClass)
    guard exports.count < 4, let export = RuleExport(id: id, arguments: arguments) else {
      throw .rulesUnavailable("the export could not be started")
    }
    exports.append(export)
  }

  private func takeRules(_ ready: Set<Int32>) throws(CommandFailure) {
    for export in exports where ready.contains(export.watched) && export.fill() {
      exports.removeAll { $0 === export }
      for reply in export.replies() { try output.send(reply) }
    }
  }

  // News

  private func takeNews(_ ready: Set<Int32>) throws(CommandFailure) {
    guard let news, ready.contains(news.watched) else { return }
    guard let pieces = news.take() else {
      self.news = nil
      return newsBackOff.fail(.bad)
    }
    for piece in pieces {
      let topic = piece["topic"] ?? "policy"
      try output.send(["news": topic, "generation": piece["generation"] ?? .null, "digest": piece["digest"] ?? .null])
    }
  }

  /// Comes back to a daemon that is back, and tells the extension when it left and when it came.
  private func keepConnected() throws(CommandFailure) {
    guard wasGreeted else { return }
    link.connect(until: Deadline(after: link.contract.answerMilliseconds))
    subscribe()
    guard link.isConnected != wasConnected else { return }
    wasConnected = link.isConnected
    try output.send(["news": "connection", "standing": standing])
  }

  private func subscribe() {
    guard link.isConnected, news == nil, let instance = link.instance, newsBackOff.isOver else { return }
    let deadline = Deadline(after: link.contract.answerMilliseconds)
    let app = link.attachment?["app"]?.string ?? link.app
    news = PolicyNews(place: options.place, app: app, instance: instance, until: deadline)
    if news == nil { newsBackOff.fail(.bad) } else { newsBackOff.succeed() }
  }

  // Waiting

  /// The descriptors on which something came. Returns with none when it is time to look for the daemon.
  private func wait() -> Set<Int32> {
    let watched = [STDIN_FILENO] + [link.watched, news?.watched].compactMap(\.self) + exports.map(\.watched)
    var requests = watched.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&requests, nfds_t(requests.count), timeout) > 0 else { return [] }
    return Set(requests.filter { $0.revents != 0 }.map(\.fd))
  }

  /// In how many milliseconds something is to be tried; -1 for never.
  private var timeout: Int32 {
    guard wasGreeted else { return -1 }
    if !link.isConnected { return max(1, link.nextAttempt.remainingMilliseconds) }
    return news == nil && link.instance != nil ? max(1, newsBackOff.end.remainingMilliseconds) : -1
  }

  private static func isReadable(_ descriptor: Int32) -> Bool {
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&request, 1, 0) > 0
  }
}

/// How `webviewguard export` is called.
enum RuleExportCommandLine {
  static func arguments(config: [String], app: String, viewerClass: String?) -> [String] {
    ["export", "--for", "declarative-net-request", "--app", app] + config.flatMap { ["--config", $0] }
      + (viewerClass.map { ["--class", $0] } ?? [])
  }
}
