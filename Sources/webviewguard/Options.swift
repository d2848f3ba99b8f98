internal import ArgumentParser
internal import Glibc
internal import GuardModel
internal import GuardProtocol
internal import GuardService
internal import JSONText
internal import PolicyFiles
internal import PolicyTools
internal import URLRules

/// The known facts besides the URL, for verbs that ask rule sets: `classify` and `diff`.
struct ContextOptions: ParsableArguments {
  @Option(help: "The URL of the document that the viewer shows.")
  var document: String?

  @Option(help: "The URL of the page or hop that led to the URL.")
  var from: String?

  @Flag(inversion: .prefixedNo, help: "Whether the URL is a server redirect.")
  var hop: Bool?

  @Option(name: .customLong("for"), help: "What the URL is wanted for.")
  var purpose = Purpose.page

  @OptionGroup var moment: TimeOptions

  /// The words of `for:` in a rule file.
  enum Purpose: String, ExpressibleByArgument, CaseIterable {
    case page
    case frame
    case resource
    case download
    case upload
    case paste

    fileprivate var purposes: Purposes {
      switch self {
      case .page: .page
      case .frame: .frame
      case .resource: .resource
      case .download: .download
      case .upload: .upload
      case .paste: .paste
      }
    }
  }

  /// At least one fact was stated.
  var isStated: Bool { document != nil || from != nil || hop != nil || purpose != .page }

  /// All facts, still without a URL.
  var question: RuleQuestion {
    RuleQuestion(url: "", document: document, from: from, hop: hop, purpose: purpose.purposes)
  }

  /// The same facts as input for the rules.
  var input: MatchInput { MatchInput(document: document, from: from, hop: hop, purposes: purpose.purposes) }

  /// The time for asking the rules, in seconds since 1970.
  var time: Int64 { get throws { try moment.seconds } }
}

extension OutputFormat: ExpressibleByArgument {}

struct FormatOptions: ParsableArguments {
  @Option(help: "How results are printed.")
  var format = OutputFormat.text

  /// Prints a result: as one value of JSON, or as lines, in which no text from data steers a terminal.
  func print(_ result: JSONTree, lines: @autoclosure () -> [String]) throws(CommandFailure) {
    let output = Output()
    if format == .json {
      try output.json(result.text(layout: output.layout))
    } else {
      for line in lines() { try output.line(output.shown(line)) }
    }
    try output.flush()
  }
}

/// The place of the daemon's sockets.
struct SocketOptions: ParsableArguments {
  @Option(help: "The directory of the daemon's sockets.", completion: .directory)
  var socketDir: String = SocketPlace.askedDirectory

  func path(_ socket: DaemonSocket) -> String {
    let place = SocketPlace(directory: socketDir)
    switch socket {
    case .forApps: return place.guardSocket
    case .forAdministrators: return place.adminSocket
    }
  }

  /// The one reply to a call; an error of the daemon is printed and ends the program with 1.
  func ask(_ method: String, _ parameters: String = "{}") throws -> VarlinkReply {
    let path = path(DaemonSocket(servingInterfaceOf: method))
    do {
      var client = try VarlinkClient(connectingTo: path)
      let reply = try client.call(method, try Self.text(parameters))
      guard let error = reply.error else { return reply }
      StandardError.say(reply.errorText(error))
      throw ExitCode(1)
    } catch let error as ClientError {
      throw CommandFailure(error.description.escapedForDisplay)
    }
  }

  private static func text(_ json: String) throws(CommandFailure) -> CallText {
    do throws(FrameFault) { return try CallText(Array(json.utf8).span) } catch {
      throw CommandFailure("the parameters are no JSON object")
    }
  }
}

extension SocketOptions {
  /// The parameters of the reply to a call of the administrators' interface. A refusal is printed in `words`, and ends the
  /// program with 1.
  func askAdministrators(
    _ method: String, _ parameters: JSONTree, words: (VarlinkReply, _ error: String) -> String
  ) throws -> JSONTree {
    do throws(ClientError) {
      var client = try VarlinkClient(connectingTo: path(.forAdministrators))
      let reply = try client.call("org.webviewguard.Admin." + method, try CallText(parameters))
      guard let error = reply.error else { return reply.parameters }
      StandardError.say(words(reply, error))
    } catch {
      throw CommandFailure(error.description.escapedForDisplay)
    }
    throw ExitCode(1)
  }

  /// The parameters of the reply to a call about exceptions. A refusal is printed in the daemon's own words.
  func askOfExceptions(_ method: String, _ parameters: JSONTree) throws -> JSONTree {
    try askAdministrators(method, parameters) { Self.words($0, $1).escapedForDisplay }
  }

  private static func words(_ reply: VarlinkReply, _ error: String) -> String {
    let parameters = reply.parameters
    switch error {
    case "org.webviewguard.Admin.ExceptionRefused":
      return "error: not granted: \(parameters["explanation"]?.string ?? "") [\(parameters["why"]?.string ?? "")]"
    case "org.webviewguard.Admin.UnknownException":
      return "error: no such exception is in force; `webviewguard exception list` shows those that are"
    case "org.webviewguard.Admin.ExceptionNotKept":
      return "error: the state cannot be written: \(parameters["cause"]?.string ?? ""); "
        + "what was to be granted does not hold, what was taken back may hold again after a restart"
    default: return reply.errorText(error)
    }
  }
}

/// The time for asking rules, for verbs without a daemon: rules expire.
struct TimeOptions: ParsableArguments {
  @Option(help: "The day (UTC) or time to judge at, as in 2027-01-31 or 2027-01-31T18:00:00Z; left out, now.")
  var at: String?

  /// In seconds since 1970.
  var seconds: Int64 {
    get throws {
      guard let at else { return Self.now }
      guard let milliseconds = RFC3339.milliseconds(at) else {
        throw ValidationError("`\(at)` is not a day or a time; write it as in 2027-01-31 or 2027-01-31T18:00:00Z")
      }
      return Int64(milliseconds / 1000)
    }
  }

  /// The system's time, in seconds since 1970.
  static var now: Int64 { Int64(time(nil)) }
}
