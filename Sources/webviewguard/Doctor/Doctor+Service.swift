internal import Glibc
internal import GuardModel
internal import GuardProtocol
internal import GuardService
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import PolicyTools
internal import WebViewGuardClient

/// The units of systemd, when it runs here and has them.
extension Doctor {
  var unitFindings: [Finding] {
    let service = "webviewguard.service"
    guard let properties = UnitProperties(of: service), properties["LoadState"] == "loaded" else {
      return [.ok("systemd", "it does not run the daemon here")]
    }
    var findings = ["webviewguard.socket", "webviewguard-admin.socket", service].compactMap(Self.unitFinding)
    findings += Self.weaknesses.compactMap { $0.finding(properties) }
    if let dropIns = properties["DropInPaths"], !dropIns.isEmpty {
      findings.append(.ok("systemd", "\(service) has drop-ins: \(dropIns)"))
    }
    if findings.allSatisfy({ $0.level == .ok }) {
      findings.insert(.ok("systemd", "\(service) is as it should be"), at: 0)
    }
    return findings
  }

  private static func unitFinding(_ unit: String) -> Finding? {
    guard let properties = UnitProperties(of: unit) else { return nil }
    guard properties["LoadState"] == "loaded" else {
      return .problem("systemd", "\(unit) is missing", "install the package again")
    }
    if properties["ActiveState"] == "failed" {
      return .problem(
        "systemd", "\(unit) has failed: \(properties["Result"] ?? "unknown")",
        "look at `journalctl -u \(unit)`, then `systemctl restart \(unit)`")
    }
    if properties["UnitFileState"] == "disabled" || properties["UnitFileState"] == "masked" {
      return .warning(
        "systemd", "\(unit) does not start with the system", "run `systemctl enable --now \(unit)`")
    }
    return nil
  }

  /// A changed setting of the unit, and its consequence.
  private struct Weakness {
    let property: String
    let expected: String
    let level: Finding.Level
    let meaning: String

    func finding(_ properties: UnitProperties) -> Finding? {
      guard let value = properties[property], value != expected else { return nil }
      let shown = value.isEmpty ? "empty" : "`\(value)`"
      return Finding(
        level: level, area: "systemd", text: "\(property) is \(shown): \(meaning)",
        remedy: "remove it from the drop-in: `systemctl cat webviewguard.service` shows which")
    }
  }

  private static let weaknesses = [
    Weakness(
      property: "PrivateUsers", expected: "no", level: .problem,
      meaning: "every app then reads as nobody, and none may ask"),
    Weakness(property: "Restart", expected: "always", level: .warning, meaning: "a daemon that ended stays away"),
    Weakness(
      property: "WatchdogUSec", expected: "30s", level: .warning,
      meaning: "who changes it decides how long a daemon may hang"),
    Weakness(
      property: "NoNewPrivileges", expected: "yes", level: .warning,
      meaning: "who takes the daemon over may become more"),
    Weakness(
      property: "MemoryDenyWriteExecute", expected: "yes", level: .warning,
      meaning: "who takes it over may run code of his own"),
    Weakness(
      property: "ProtectSystem", expected: "strict", level: .warning, meaning: "who takes it over may change the system"
    ),
    Weakness(
      property: "CapabilityBoundingSet", expected: "", level: .warning, meaning: "who takes it over has capabilities"),
    Weakness(
      property: "RestrictAddressFamilies", expected: "AF_UNIX", level: .warning,
      meaning: "who takes it over has the network"),
  ]
}

/// The properties of a unit, as systemd reports them.
struct UnitProperties {
  private let values: [Substring: Substring]

  private static let asked = [
    "LoadState", "ActiveState", "UnitFileState", "Result", "DropInPaths", "PrivateUsers", "Restart", "WatchdogUSec",
    "NoNewPrivileges", "MemoryDenyWriteExecute", "ProtectSystem", "CapabilityBoundingSet", "RestrictAddressFamilies",
  ]

  /// Nil when systemd does not run here.
  init?(of unit: String) {
    let properties = Self.asked.joined(separator: ",")
    guard let text = ProgramOutput.text(of: ["systemctl", "show", "--property", properties, "--", unit]) else {
      return nil
    }
    values = Dictionary(
      text.split(separator: "\n").compactMap { line in
        guard let sign = line.firstIndex(of: "=") else { return nil }
        return (line[..<sign], line[line.index(after: sign)...])
      }, uniquingKeysWith: { first, _ in first })
  }

  /// Nil when this systemd does not know the property.
  subscript(name: String) -> String? { values[Substring(name)].map(String.init) }
}

/// The output of a program, for programs that print little.
enum ProgramOutput {
  private static let maximumBytes = 1 << 20

  /// Standard output; nil when the program cannot be started, or fails.
  static func text(of command: [String]) -> String? {
    guard let child = ChildProgram.startReading(command, hidesErrors: true) else { return nil }
    let bytes = ChildProgram.readAll(child.output, most: maximumBytes)
    var status: Int32 = 0
    while waitpid(child.process, &status, 0) < 0, errno == EINTR {}
    return status == 0 ? bytes.map { String(decoding: $0, as: UTF8.self) } : nil
  }
}

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
