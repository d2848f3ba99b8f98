internal import ArgumentParser
internal import GuardProtocol
internal import JSONText
internal import PolicyFiles
internal import PolicyTools

/// `call`: any varlink call.
struct CallCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "call", abstract: "Make any varlink call.",
    discussion: """
      The method may be short: `Navigate` means org.webviewguard.Guard.Navigate. Prints the parameters of each reply \
      as JSON; an error of the daemon goes to standard error and ends with 1. `call -` reads lines of METHOD and \
      JSON, sends them over one connection and prints the replies in order, errors as {"error":...,"parameters":...}.
      """)

  @Argument(help: "The method, or `-` for lines from standard input.")
  var method: String

  @Argument(help: "The parameters, a JSON object.")
  var parameters: String?

  @Flag(help: "Take several replies, until the last.")
  var more = false

  @Flag(help: "Take no reply.")
  var oneway = false

  @Option(help: "The socket, instead of that in the socket directory.", completion: .file())
  var socket: String?

  @Flag(help: "Call on the administrators' socket, whatever the method.")
  var admin = false

  @Option(help: "Attach as this app first.")
  var app: String?

  @Option(help: "Attach to the instance with this token first.")
  var instance: String?

  @Flag(name: .shortAndLong, help: "Print the reply to Attach, too.")
  var verbose = false

  @OptionGroup var place: SocketOptions

  func validate() throws {
    if more && oneway { throw ValidationError("--more and --oneway exclude each other") }
    if socket != nil && admin { throw ValidationError("--socket and --admin exclude each other") }
    if method == "-", parameters != nil { throw ValidationError("`call -` takes its parameters from standard input") }
  }

  func run() throws {
    if method == "-" { return try callLines() }
    let name = try CallLine.fullName(method)
    let text = try CallLine.parameters(Array((parameters ?? "{}").utf8).span)
    let session = try CallSession(path: path(for: name), output: Output())
    try attach(session)
    try session.call(name, text, replies: more ? .more : oneway ? .none : .one)
    try session.finish()
    if session.failed { throw ExitCode(1) }
  }

  /// The first line chooses the socket; the daemon refuses methods that the socket does not serve.
  private func callLines() throws {
    let output = Output()
    var input = LineInput()
    var session: CallSession?
    while let line = try input.next(beforeWaiting: output.flush) {
      guard let call = try CallLine(input.bytes(line), number: input.number) else { continue }
      let open = try session ?? CallSession(path: path(for: call.method), output: output, printsErrors: true)
      if session == nil {
        session = open
        try attach(open)
      }
      try open.call(call.method, call.parameters, replies: more ? .more : oneway ? .none : .one)
    }
    try session?.finish()
    if session?.failed ?? false { throw ExitCode(1) }
  }

  private func path(for method: String) -> String {
    if let socket { return socket }
    return place.path(admin ? .forAdministrators : DaemonSocket(servingInterfaceOf: method))
  }

  private func attach(_ session: CallSession) throws {
    guard app != nil || instance != nil else { return }
    let members = [("app", app), ("instance", instance)].compactMap { name, value in
      value.map { JSONTree.Member(name, .string($0)) }
    }
    let text = try CallLine.parameters(Array(JSONTree.object(members).text().utf8).span)
    try session.call("org.webviewguard.Guard.Attach", text, replies: .one, isShown: verbose)
    if session.failed {
      try session.finish()
      throw ExitCode(1)
    }
  }
}

/// One call in the form of a line: `Navigate {"event":{}}`.
private struct CallLine {
  let method: String
  let parameters: CallText

  /// Nil for an empty line.
  init?(_ line: borrowing Span<UInt8>, number: Int) throws(CommandFailure) {
    let words = line.withUnsafeBufferPointer { Array($0) }.split(maxSplits: 1, whereSeparator: Self.isBlank)
    guard let name = words.first else { return nil }
    var rest = words.dropFirst().first ?? []
    while let last = rest.last, Self.isBlank(last) { rest.removeLast() }
    do throws(CommandFailure) {
      method = try Self.fullName(String(decoding: name, as: UTF8.self))
      parameters = rest.isEmpty ? CallText() : try Self.parameters(Array(rest).span)
    } catch {
      throw CommandFailure("line \(number): \(error.message)")
    }
  }

  /// White space of a line, a carriage return among it.
  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }

  static func fullName(_ name: String) throws(CommandFailure) -> String {
    if let full = MethodName.find(name) { return full }
    let hint = MethodName.resembling(name).map { "; did you mean `\($0)`?" } ?? ""
    throw CommandFailure("no interface has a method \(name.quoted)\(hint)")
  }

  static func parameters(_ json: Span<UInt8>) throws(CommandFailure) -> CallText {
    do throws(FrameFault) {
      return try CallText(json)
    } catch {
      switch error {
      case .notJSON(let problem): throw CommandFailure("the parameters are no JSON: \(problem)")
      case .notAMessage: throw CommandFailure("the parameters are no JSON object")
      }
    }
  }
}

/// One connection whose replies are printed as they come.
final class CallSession {
  private var client: VarlinkClient
  private let output: Output
  /// Errors of the daemon stand among the results, so each line of the input has its reply.
  private let printsErrors: Bool
  /// A call without a reply was sent.
  private var sentOneway = false
  /// A call was answered with an error.
  private(set) var failed = false

  init(path: String, output: Output, printsErrors: Bool = false) throws(CommandFailure) {
    do throws(ClientError) {
      client = try VarlinkClient(connectingTo: path)
    } catch {
      throw CommandFailure(error.description.escapedForDisplay)
    }
    self.output = output
    self.printsErrors = printsErrors
  }

  /// Calls and prints every reply; `isShown: false` keeps replies back, but not errors.
  func call(
    _ method: String, _ parameters: CallText, replies: ReplyMode, isShown: Bool = true
  ) throws(CommandFailure) {
    do throws(ClientError) {
      try client.send(method, parameters, replies: replies)
    } catch {
      throw CommandFailure(error.description.escapedForDisplay)
    }
    guard replies != .none else {
      sentOneway = true
      return
    }
    while true {
      let reply = try receive()
      if isShown || reply.error != nil { try show(reply) }
      guard reply.continues else { return }
      try output.flush()
    }
  }

  /// Writes the output, and waits until the daemon has read the calls without a reply.
  func finish() throws(CommandFailure) {
    try output.flush()
    guard sentOneway else { return }
    do throws(ClientError) { try client.finish() } catch { throw CommandFailure(error.description.escapedForDisplay) }
  }

  private func receive() throws(CommandFailure) -> VarlinkReply {
    do throws(ClientError) { return try client.receive() } catch {
      try output.flush()
      throw CommandFailure(error.description.escapedForDisplay)
    }
  }

  private func show(_ reply: VarlinkReply) throws(CommandFailure) {
    guard let error = reply.error else {
      return try output.json(reply.parameters.text(layout: printsErrors ? .compact : output.layout))
    }
    failed = true
    guard printsErrors else { return StandardError.say(reply.errorText(error)) }
    try output.json(JSONTree.object([.init("error", .string(error)), .init("parameters", reply.parameters)]).text())
  }
}

extension VarlinkReply {
  /// The error as a line for people, with the way out of the frequent ones.
  func errorText(_ error: String) -> String { "error: " + refusalText(error) }

  /// The same as the end of a sentence.
  func refusalText(_ error: String) -> String {
    let line = "\(error.escapedForDisplay) \(parameters.text().escapedAsJSON)"
    guard let hint = Self.hints[error] else { return line }
    return line + "\n  hint: " + hint
  }

  private static let hints = [
    "org.webviewguard.Guard.NotAttached": "say as which app you ask: `--app NAME`, or `--instance TOKEN`",
    "org.webviewguard.Guard.NoApp": "no app's `peers` speak of you; `webviewguard whoami` shows what the daemon sees",
    "org.webviewguard.Guard.AppAmbiguous": "you match several apps; name one: `--app NAME`",
    "org.webviewguard.Guard.NoPolicy": "no policy ever loaded; `webviewguard status` says why",
    "org.webviewguard.Rules.UnknownDecision": "only the latest are remembered; `webviewguard log show` has the others",
    "org.webviewguard.Admin.NothingToRollBackTo":
      "no other policy is kept yet; `webviewguard status` lists those that are",
    "org.webviewguard.Admin.UnknownPolicy":
      "give 8 digits or more of one that is kept; `webviewguard status` lists them",
  ]
}
