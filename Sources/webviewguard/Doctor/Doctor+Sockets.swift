internal import Glibc
internal import GuardModel
internal import GuardProtocol
internal import GuardService
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import PolicyTools
internal import WebViewGuardClient

/// The sockets, their listeners, and the failure contract beside them.
extension Doctor {
  var socketFindings: [Finding] {
    [
      socketFinding(sockets.guardSocket, mode: 0o666, "apps"),
      socketFinding(sockets.adminSocket, mode: 0o660, "administrators"),
    ] + directoryFindings
  }

  private func socketFinding(_ path: String, mode: mode_t, _ who: String) -> Finding {
    guard let found = FileStatus(entry: path) else {
      return .problem(
        "sockets", "there is no socket for \(who) at `\(path)`: \(SystemWords.last)",
        "start the daemon: `systemctl start webviewguard.socket webviewguard-admin.socket`, or `webviewguard serve`")
    }
    guard found.kind == .socket else {
      return .problem("sockets", "`\(path)` is no socket", "find out who put it there, remove it, and start the daemon")
    }
    switch Self.connectionFailure(path) {
    case .notPermitted?:
      return .warning(
        "sockets", "you have no permission to connect to `\(path)`",
        "run this as root or as a member of `webviewguard-admin`")
    case let failure?:
      return .problem(
        "sockets", failure.description, "start the daemon: `systemctl restart webviewguard`; its journal says why")
    case nil: break
    }
    let bits = found.mode & 0o777
    guard bits == mode else {
      return .warning(
        "sockets", "`\(path)` has mode \(PlaceCheck.octal(bits)), not \(PlaceCheck.octal(mode))",
        "run `chmod \(PlaceCheck.octal(mode)) \(path)`; else \(bits & ~mode != 0 ? "too many" : "too few") may ask")
    }
    return .ok("sockets", "\(path): it takes calls of \(who)")
  }

  private static func connectionFailure(_ path: String) -> ClientError? {
    do throws(ClientError) {
      _ = try UnixSocket(connectingTo: path, patience: 2000)
      return nil
    } catch {
      return error
    }
  }

  private var directoryFindings: [Finding] {
    let directory = sockets.guardSocket.lastIndex(of: "/").map { String(sockets.guardSocket[..<$0]) } ?? "."
    guard let found = FileStatus(directory), !found.isOnly(of: user) else { return [] }
    return [
      .problem(
        "sockets", "others may write into `\(directory)`, or own it: a socket there could be another's",
        "run `chown \(user) \(directory); chmod 0755 \(directory)`")
    ]
  }

  var contractFindings: [Finding] {
    let path = sockets.contractFile
    let area = "contract"
    let place = DaemonPlace.find(sockets.guardSocket)
    let (contract, problem) = ContractFile.read(place, place.trust)
    guard FileStatus(entry: path) != nil else {
      return [
        .problem(
          area,
          "there is no failure contract at `\(path)`: clients take every question for blocked while they cannot ask",
          "start the daemon, which writes it")
      ]
    }
    if case .contractNotTrusted? = problem {
      return [
        .problem(
          area,
          "clients do not trust `\(path)`: it must be a file of root or of the daemon's user that nobody else writes",
          "remove it, and run `webviewguard reload`")
      ]
    }
    guard contract == settings.contract else {
      return [
        .warning(
          area, "`\(path)` says something else than the configuration, or its defaults",
          "run `webviewguard reload`, and look whether it succeeds")
      ]
    }
    return [.ok(area, "\(path): clients trust it, and it says what the configuration says")]
  }

  /// The daemon's own report.
  var daemonFindings: [Finding] {
    guard let status else {
      return [
        .problem(
          "daemon", "it does not answer: \(silence?.description ?? "no reply")",
          "look at `systemctl status webviewguard` and at its journal")
      ]
    }
    let health = ReportedHealth(status)
    let remedy = "`webviewguard status` says more; docs/operations.md says what to do"
    switch health.level {
    case .ok: return [.ok("daemon", "it runs as process \(process ?? 0), and is well")]
    case .degraded: return [.warning("daemon", health.line, remedy)]
    case .failed: return [.problem("daemon", health.line, remedy)]
    }
  }
}
