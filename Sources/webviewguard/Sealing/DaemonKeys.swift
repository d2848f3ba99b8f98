internal import ArgumentParser
internal import GuardProtocol
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import PolicyTools
internal import WebViewGuardSealing

/// The daemon as a source of keys, for one command: asks as the app that the command's process is, or that the user names.
actor DaemonKeys {
  private let path: String
  private let attachment: [JSONTree.Member]
  /// Why the daemon could not be asked.
  private var failure: CommandFailure?

  init(path: String, app: String?, instance: String?) {
    self.path = path
    attachment = [("app", app), ("instance", instance)].compactMap { name, value in
      value.map { JSONTree.Member(name, .string($0)) }
    }
  }

  nonisolated var source: KeySource {
    { (request) async throws(SealingError) in try await self.key(request) }
  }

  private func key(_ request: KeyRequest) throws(SealingError) -> ObjectKey? {
    var members: [JSONTree.Member] = [
      .init("account", .string(request.account)), .init("use", .string(request.use.rawValue)),
      .init("object", .string(request.objectID)),
    ]
    if let id = request.keyID { members.append(.init("keyId", .string(id))) }
    let reply: VarlinkReply
    do throws(ClientError) { reply = try ask("DataKey", .object(members)) } catch {
      failure = CommandFailure(error.description.escapedForDisplay)
      throw KeyRefusal.noKey(request.use, "")
    }
    if let error = reply.error {
      let word = error.split(separator: ".").last.map(String.init) ?? error
      return try KeyRefusal.answer(word, to: request.use, reply.words(ofKeyError: word, error))
    }
    guard let key = reply.parameters["key"]?.string, let id = reply.parameters["keyId"]?.string,
      let account = reply.parameters["accountId"]?.string,
      let found = ObjectKey(key: key, keyID: id, accountID: account)
    else { throw KeyRefusal.noKey(request.use, "the daemon's answer is no key") }
    return found
  }

  /// The one account that the app has enrolled.
  func enrolledAccount() throws -> String {
    let reply = try accounts()
    if let error = reply.error { throw SealingRefusal(reply.refusalText(error)) }
    if let account = reply.parameters["enrolled"]?.string { return account }
    let names = Self.names(reply)
    throw SealingRefusal(
      names.isEmpty
        ? "the app has no account that could own it; name one: `--as ACCOUNT`"
        : "say whose it is: `--as ACCOUNT`; the app has \(names.joined(separator: ", ").escapedForDisplay)")
  }

  /// The accounts of the app; empty where the daemon tells none.
  func knownAccounts() -> [String] { (try? accounts()).map(Self.names) ?? [] }

  private func accounts() throws(CommandFailure) -> VarlinkReply {
    do throws(ClientError) { return try ask("List", .object([])) } catch {
      throw CommandFailure(error.description.escapedForDisplay)
    }
  }

  private static func names(_ reply: VarlinkReply) -> [String] {
    reply.parameters["accounts"]?.array?.compactMap { $0["account"]?.string } ?? []
  }

  /// Attaches and asks, over a connection of its own. An error of either call is the reply.
  private func ask(_ method: String, _ parameters: JSONTree) throws(ClientError) -> VarlinkReply {
    var client = try VarlinkClient(connectingTo: path)
    let hello = try client.call("org.webviewguard.Guard.Attach", try CallText(.object(attachment)))
    guard hello.error == nil else { return hello }
    return try client.call("org.webviewguard.Accounts.\(method)", try CallText(parameters))
  }

  /// Does the work of a command; see `SealingWork.explain`.
  nonisolated(nonsending) func explain(_ file: String, _ work: () async throws -> Void) async throws {
    try await SealingWork.explain(file, failure: { await self.failure }, work)
  }
}

/// What the commands about sealed data share, wherever their keys come from.
enum SealingWork {
  /// Does the work of a command, and ends the program with a sentence when it fails: with 1 when the file or the account is
  /// the cause, with 2 when something cannot be reached, read or written.
  ///
  /// - Parameter failure: why the source of keys could not be asked; nil where it could.
  nonisolated(nonsending) static func explain(
    _ file: String, failure: () async -> CommandFailure? = { nil }, _ work: () async throws -> Void
  ) async throws {
    do { try await work() } catch let error as SealingError {
      if let failure = await failure() { throw failure }
      if error.reason == .system { throw CommandFailure(error.message.escapedForDisplay) }
      StandardError.say("error: \(error.sentence(of: file))")
      throw ExitCode(1)
    } catch let error as SealingRefusal {
      StandardError.say("error: \(error.message)")
      throw ExitCode(1)
    } catch let error as SystemError {
      throw CommandFailure(error.description.escapedForDisplay)
    }
  }
}

extension VarlinkReply {
  /// Why there is no key, for a person.
  fileprivate func words(ofKeyError word: String, _ error: String) -> String {
    switch word {
    case "KeyWithheld":
      let reason = parameters["reason"]?.string ?? "unknown"
      return "its account may not work here now [\(reason)]; `webviewguard account state` says what helps"
    case "KeyDestroyed": return "its key was destroyed with the account's data, so nobody can open it any more"
    case "UnknownKey": return "it was sealed for another person or on another machine, or its header was changed"
    case "UnknownAccount": return "the policy has no such account"
    case "NotManaged": return "the policy does not manage its account any more"
    case "KeysUnavailable": return "the daemon can use no key now; `webviewguard health` says why"
    default: return refusalText(error)
    }
  }
}

extension SealingError {
  /// The error for a person who can do something about it, with its number.
  fileprivate func sentence(of file: String) -> String {
    let name = file == "-" ? "standard input" : "`\(file.escapedForDisplay)`"
    let words =
      switch (code, reason) {
      case (.decryptFailed, .damaged):
        "\(name) is damaged (\(message)): it was changed or cut off after it was sealed; take another copy of it"
      case (.decryptFailed, .newer): "\(name) was sealed by a newer webviewguard: \(message)"
      case (.decryptFailed, _): "\(name) cannot be opened: \(message)"
      case (.encryptFailed, .tooLong): "\(name) is longer than 16 TiB"
      case (.encryptFailed, _): "\(name) cannot be sealed: \(message)"
      case (.notProtected, _): "\(name) is not sealed"
      case (.emptyData, _): "\(name) is empty"
      case (.appNotManaged, _), (.invalidArguments, _): message
      }
    // A hint stands on a line of its own.
    let lines = words.split(separator: "\n", maxSplits: 1)
    return (["\(lines[0]) [\(code.rawValue)]"] + lines.dropFirst()).joined(separator: "\n")
  }
}
