internal import ArgumentParser
internal import GuardProtocol
internal import GuardService
internal import PolicyFiles
internal import PolicyTools

/// Where the daemon's sockets lie.
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
