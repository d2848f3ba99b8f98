internal import ArgumentParser
internal import GuardProtocol
internal import GuardService
internal import JSONText
internal import PolicyFiles
internal import PolicyTools

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
  /// The parameters of the reply to a call about exceptions. A refusal is printed in the daemon's own words, and ends
  /// the program with 1.
  func askOfExceptions(_ method: String, _ parameters: JSONTree) throws -> JSONTree {
    do throws(ClientError) {
      var client = try VarlinkClient(connectingTo: path(.forAdministrators))
      let reply = try client.call("org.webviewguard.Admin." + method, try Self.callText(parameters))
      guard let error = reply.error else { return reply.parameters }
      StandardError.say(Self.words(reply, error).escapedForDisplay)
    } catch {
      throw CommandFailure(error.description.escapedForDisplay)
    }
    throw ExitCode(1)
  }

  private static func callText(_ parameters: JSONTree) throws(ClientError) -> CallText {
    do throws(FrameFault) { return try CallText(Array(parameters.text().utf8).span) } catch { throw .unreadable(error) }
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
