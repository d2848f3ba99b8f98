internal import ArgumentParser
internal import GuardModel
internal import GuardProtocol
internal import GuardService
internal import JSONText
internal import PolicyTools

/// `compliance`: one JSON object for the custom compliance of Intune and himmelblau.
struct ComplianceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compliance", abstract: "Say in one line of JSON whether the guard is whole, for a device management.",
    discussion: """
      For the discovery script of a custom compliance policy (Microsoft Intune, himmelblau). Needs no rights, takes less \
      than a second, and always prints one JSON object with the same members and ends with 0: of a daemon that is \
      stopped, hangs, or is not to be believed it says `"guardHealthy":false`, and of everything else the worst.
      """)

  @OptionGroup var place: SocketOptions

  func run() throws {
    let output = Output()
    try output.json(ComplianceReport.ask(place.path(.forApps)).tree.text())
    try output.flush()
  }
}

/// The facts of this machine, each of a type that Intune's rules compare: Boolean, Int64, String, DateTime or Version.
///
///     ComplianceReport().tree["guardHealthy"]    // false: nothing is known
///
/// The attack: something else listens at the socket, or the daemon hangs, and the machine counts as guarded. Members are
/// only believed from a listener that clients believe, in time, and in their types.
struct ComplianceReport {
  var health = Health.unreachable
  var problems: [String] = []
  var version = "0.0"
  var digest = ""
  var isEnforced = false
  var hours = neverHours
  var checkedInAt: UInt64 = 0
  var isLogSound = false
  var guards: Int64 = 0

  /// The words of `guardHealth`.
  enum Health: String {
    case ok, degraded, failed
    /// There is no socket, or no daemon listens, or the listener hangs up without an answer.
    case unreachable
    /// No answer in time.
    case hangs
    /// The listener is none of ours, or speaks otherwise than the daemon.
    case notBelieved
  }

  /// The age of a policy that was never fetched: more than any rule allows, and still a number. 114 years.
  static let neverHours: Int64 = 999_999

  /// Milliseconds for everything: connecting, asking and both answers.
  private static let patience = 700
  /// Milliseconds for one step of connecting or sending.
  private static let step = 250
  /// Problems with which the record of what happened has gaps, or will have.
  private static let logProblems: Set<String> = Set(
    [HealthProblemCode.logFailing, .logBehind, .logShareFull, .logTooSmall, .logCut, .logOff].map(\.rawValue))

  var tree: JSONTree {
    [
      "guardHealthy": .bool(health == .ok || health == .degraded),
      "guardHealth": .string(health.rawValue),
      "guardProblems": .string(problems.joined(separator: " ")),
      "guardVersion": .string(version),
      "guardsLoaded": .int(guards),
      "policyEnforced": .bool(isEnforced),
      "policyDigest": .string(digest),
      "policyAgeHours": .int(hours),
      "policyCheckedIn": .string(RFC3339.text(checkedInAt)),
      "logSound": .bool(isLogSound),
    ]
  }

  /// Asks the daemon; a fact that it does not tell in time counts as the worst.
  static func ask(_ socket: String) -> ComplianceReport {
    var report = ComplianceReport()
    do throws(ClientError) {
      let deadline = Deadline(after: patience)
      var client = try VarlinkClient(connectingTo: socket, patience: step)
      try client.send("org.varlink.service.GetInfo")
      try client.send("org.webviewguard.Guard.OwnPrograms")
      let info = try client.receive(until: deadline)
      let facts = try client.receive(until: deadline)
      report.read(info, facts)
    } catch {
      report.health = Health(error)
    }
    return report
  }

  /// Takes the answers over, if all of them are as the daemon gives them.
  mutating func read(_ info: VarlinkReply, _ facts: VarlinkReply) {
    let reply = facts.parameters
    guard info.error == nil, facts.error == nil,
      let version = info.parameters["version"]?.string, Self.isVersion(version),
      let digest = reply["digest"]?.string, digest.isEmpty || KeptPolicy.isDigest(digest),
      let problems = reply["problems"]?.array?.map(\.string), problems.allSatisfy({ Self.isWord($0) }),
      let guards = reply["programCount"]?.int, guards >= 0
    else { return health = .notBelieved }
    self.problems = problems.compactMap(\.self)
    (self.version, self.digest, self.guards) = (version, digest, guards)
    health = digest.isEmpty ? .failed : problems.isEmpty ? .ok : .degraded
    isEnforced = reply["enforced"]?.bool ?? false
    isLogSound = Self.logProblems.isDisjoint(with: self.problems)
    if let age = reply["policyAge"]?.int, age >= 0, let time = reply["checkedInAt"]?.int,
      (0...Self.lastTime).contains(time)
    {
      (hours, checkedInAt) = (min(age / 3600, Self.neverHours), UInt64(time))
    }
  }

  /// The end of the year 9999, in milliseconds: no text of a time goes further.
  private static let lastTime: Int64 = 253_402_300_799_999

  /// The part that Intune's type Version can compare: numbers between dots.
  private static func isVersion(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return (2...4).contains(parts.count) && parts.allSatisfy { Int32($0) != nil && $0.first?.isNumber == true }
  }

  private static func isWord(_ text: String?) -> Bool {
    guard let text, (1...64).contains(text.utf8.count) else { return false }
    return text.utf8.allSatisfy { ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z") }
  }
}

extension ComplianceReport.Health {
  fileprivate init(_ error: ClientError) {
    self =
      switch error {
      // A daemon that ends takes a connection with it that nobody had accepted.
      case .missing, .refused, .closed, .notPermitted, .pathTooLong, .system: .unreachable
      case .tooLate: .hangs
      case .strangerListens, .unreadable, .unexpected, .replyTooLong: .notBelieved
      }
  }
}
