internal import Glibc
internal import Platform

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
