import DecisionLog
import EmbeddedGuard
import Foundation
import GuardModel
import GuardService
import JSONText
import Logging
import PolicyFiles
import Testing

/// A daemon's core in memory with a decision log in a directory of its own, and programs of several users that ask it.
///
///     let guardian = try TestGuard()
///     let app = try guardian.app(uid: 1000)
///     try app.answer("Print", ["viewer": "E"])    // "block printBlocked"
///     guardian.records("decision").count          // 1
final class TestGuard {
  let core: EmbeddedGuard
  let journal = TestJournal()
  private let folder = TestFolder()

  /// - Parameter prepare: puts files into the log's directory.
  init(
    _ files: [String: String] = TestPolicy.files(), persons: PersonLookUp = EmbeddedGuard.everybody,
    withLog: Bool = true, prepare: ((String) throws -> Void)? = nil
  ) throws {
    let directory = folder.path + "/log"
    if let prepare {
      try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
      try prepare(directory)
    }
    core = try EmbeddedGuard(
      try folder.load(files), logger: journal.logger, persons: persons, logDirectory: withLog ? directory : nil)
  }

  /// A core to which no policy was ever loaded.
  init(withoutPolicy settings: DaemonSettings) throws {
    core = try EmbeddedGuard(settings, logger: journal.logger, logDirectory: folder.path + "/log")
  }

  /// What was put off holds the core, and would for ever.
  deinit { core.end() }

  /// A reload of these files.
  func adopt(_ files: [String: String]) throws { try core.adopt(try folder.load(files)) }

  /// So many seconds pass, one after the other.
  func pass(seconds: Int) { for _ in 0..<seconds { core.advance(seconds: 1) } }

  var logDirectory: String { folder.path + "/log" }

  /// The records of the log as it is on the disk, in order, of one type or of all.
  func records(_ type: String? = nil) throws -> [JSONTree] {
    core.settle()
    let all = try logFiles().flatMap { name in
      try String(contentsOfFile: logDirectory + "/" + name, encoding: .utf8).split(separator: "\n")
        .map { try JSONTree(parsing: String($0)) }
    }
    return all.filter { type == nil || $0["type"]?.string == type }
  }

  /// The names of the log's files, in the order of their records.
  func logFiles() throws -> [String] {
    LogNames.inOrder(try FileManager.default.contentsOfDirectory(atPath: logDirectory))
  }

  /// A program that is connected and not attached.
  func program(uid: UInt32 = 1000, asAdministrator: Bool = false, socket: String? = nil) throws -> TestProgram {
    let line = try core.connect(uid: uid, asAdministrator: asAdministrator, socket: socket)
    return TestProgram(self, try #require(line, "the connection was closed"))
  }

  /// A program of `TestPolicy` that is attached, and shows work in the viewer `E` and private data in the viewer `P`.
  func app(uid: UInt32 = 1000, features: [JSONTree] = ["redact", "switchIdentity"], registers: Bool = true) throws
    -> TestProgram
  {
    let app = try program(uid: uid)
    try app.attach(["features": .array(features)])
    guard registers else { return app }
    try app.ask("SetIdentity", ["level": "process", "account": "work@contoso.com"])
    try app.ask("SetIdentity", ["level": "window", "window": "main", "account": "work@contoso.com"])
    try app.ask("RegisterViewer", ["viewer": "E", "class": "documents", "window": "main"])
    try app.ask("SetIdentity", ["level": "window", "window": "home", "account": "me@example.org"])
    try app.ask("RegisterViewer", ["viewer": "P", "window": "home"])
    return app
  }

  func administrator() throws -> TestProgram { try program(uid: 0, asAdministrator: true) }
}

/// One connection to a `TestGuard`. A call is answered at once, since the log is written whenever the program waits.
final class TestProgram {
  let guardian: TestGuard
  let line: EmbeddedLine
  /// The instance it is attached to.
  private(set) var token = ""
  private var received: [JSONTree] = []
  private var rest: [UInt8] = []

  init(_ guardian: TestGuard, _ line: EmbeddedLine) { (self.guardian, self.line) = (guardian, line) }

  var isOpen: Bool { line.isOpen }

  /// Sends a call and reads nothing.
  func send(_ method: String, _ parameters: JSONTree = .object([]), flags: [String] = []) {
    line.send(Array(Self.frame(method, parameters, flags).utf8))
  }

  /// One message, with its end.
  static func frame(_ method: String, _ parameters: JSONTree = .object([]), _ flags: [String] = []) -> String {
    let full = method.contains(".") ? method : "org.webviewguard.Guard." + method
    var call: [JSONTree.Member] = [.init("method", .string(full)), .init("parameters", parameters)]
    for flag in flags { call.append(.init(flag, true)) }
    return JSONTree.object(call).text() + "\0"
  }

  /// The replies that have come since the last time.
  ///
  /// - Parameter settles: the log is written first.
  func replies(settles: Bool = true) throws -> [JSONTree] {
    if settles { guardian.core.settle() }
    line.deliver()
    if settles { guardian.core.settle() }
    rest += line.received()
    while let end = rest.firstIndex(of: 0) {
      received.append(try JSONTree(parsing: String(decoding: rest[..<end], as: UTF8.self)))
      rest.removeSubrange(...end)
    }
    defer { received = [] }
    return received
  }

  /// Calls, and returns the one reply.
  func reply(_ method: String, _ parameters: JSONTree = .object([])) throws -> JSONTree {
    send(method, parameters)
    let replies = try replies()
    try #require(replies.count == 1, "\(method): \(replies.count) replies")
    return replies[0]
  }

  /// Calls, and returns the parameters of the reply, which is no error.
  @discardableResult func ask(_ method: String, _ parameters: JSONTree = .object([])) throws -> JSONTree {
    let reply = try reply(method, parameters)
    try #require(reply["error"] == nil, "\(method): \(reply.text())")
    return reply["parameters"] ?? .object([])
  }

  /// Calls, and returns the error with its parameters, `LimitReached {"limit":"viewers","maximum":3}`, or `done`.
  func outcome(_ method: String, _ parameters: JSONTree = .object([])) throws -> String {
    let reply = try reply(method, parameters)
    guard let error = reply["error"]?.string else { return "done" }
    let name = error.split(separator: ".").last.map(String.init) ?? ""
    guard let details = reply["parameters"], details.text() != "{}" else { return name }
    return name + " " + details.text()
  }

  @discardableResult func attach(_ parameters: JSONTree = .object([])) throws -> JSONTree {
    let attached = try ask("Attach", parameters)
    token = attached["instance"]?.string ?? ""
    return attached
  }

  /// Asks about an event, and returns the decision.
  func decide(_ method: String, _ event: JSONTree) throws -> JSONTree {
    try #require(try ask(method, ["event": event])["decision"])
  }

  /// The outcome and the reason of a decision: `block printBlocked`.
  func answer(_ method: String, _ event: JSONTree) throws -> String { try decide(method, event).verdict }
}

extension JSONTree {
  /// The outcome and the reason of a decision.
  var verdict: String { "\(self["outcome"]?.string ?? "-") \(self["reason"]?.string ?? "-")" }
}

/// A directory of one test.
final class TestFolder: Sendable {
  let path = "/tmp/wvg-guard-\(UInt64.random(in: 0 ... .max))"

  init() { try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ text: String, to name: String) throws {
    let file = URL(fileURLWithPath: path + "/" + name)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try text.write(to: file, atomically: true, encoding: .utf8)
  }

  /// Loads a configuration of these files, and of no other.
  func load(_ files: [String: String]) throws -> LoadResult {
    try? FileManager.default.removeItem(atPath: path + "/c")
    for (name, text) in files { try write(text, to: "c/" + name) }
    return ConfigurationLoader(roots: [path + "/c"]).load()
  }
}

/// The operational log, kept for a test to read.
final class TestJournal: Sendable {
  private let kept = Locked<[String]>([])

  /// Each message with its level and its metadata: `warning: call refused error=… uid=1000`.
  var lines: [String] { kept.withLock { $0 } }

  func lines(with words: String) -> [String] { lines.filter { $0.contains(words) } }

  var logger: Logger {
    Logger(label: "test") { _ in Handler(journal: self) }
  }

  private struct Handler: LogHandler {
    let journal: TestJournal
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.notice

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(
      level: Logger.Level, message: Logger.Message, metadata: Logger.Metadata?, source: String, file: String,
      function: String, line: UInt
    ) {
      let facts = (metadata ?? [:]).sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
      journal.kept.withLock { $0.append("\(level): \(message)\(facts)") }
    }
  }
}
