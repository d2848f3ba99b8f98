internal import ArgumentParser
internal import GuardProtocol
internal import JSONText
internal import PolicyFiles
internal import PolicyTools

extension SocketOptions {
  /// The parameters of the reply to a call about exceptions. What the daemon refuses is said in its own words, and ends
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
