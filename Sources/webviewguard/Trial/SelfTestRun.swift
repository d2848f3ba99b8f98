internal import ArgumentParser
internal import Glibc
internal import JSONText
internal import Platform
internal import PolicyTools

/// A self-test under way: site, daemon and relay, and one start of the program after the other.
final class SelfTestRun {
  private(set) var site = SelfTestSite(port: 0)
  let relay: GuardRelay
  private let program: [String]
  private let place: TrialPlace
  private let milliseconds: Int64
  private let isClosing: Bool
  private var server: TrialServer?
  private var daemon: Int32?

  init(_ program: [String], at place: TrialPlace, seconds: Int, isClosing: Bool) throws(CommandFailure) {
    (self.program, self.place, milliseconds, self.isClosing) = (program, place, Int64(seconds) * 1000, isClosing)
    relay = GuardRelay(to: place.root + "/daemon/guard.sock")
    let server = TrialServer { [unowned self] connection in
      if case .web = connection.door { site.serve(connection) } else { relay.pass(connection, self.server) }
    }
    self.server = server
    try startDaemon()
    do throws(CommandProblem) {
      try server.listen(at: place.socket)
      let port = try server.listen(onLoopback: SelfTestHost.own.rawValue, port: 0)
      _ = try server.listen(onLoopback: SelfTestHost.external.rawValue, port: port)
      _ = try server.listen(onLoopback: SelfTestHost.named.rawValue, port: port)
      site = SelfTestSite(port: port)
    } catch {
      end()
      throw CommandFailure(error.message)
    }
  }

  func end() {
    if let daemon {
      kill(daemon, SIGTERM)
      _ = ChildProgram.status(of: daemon, waits: true)
    }
    daemon = nil
    server = nil
  }

  // MARK: The program

  /// First each way to the own host: one that does not arrive there needs no further start.
  func goAllWays() throws {
    var least: Int64 = 0
    for host in SelfTestHost.allCases {
      let took = try go("/stay/\(host.rawValue)", to: host, until: nil, within: least...max(least, milliseconds))
      if host == .own { least = min(took + 2000, milliseconds) }
    }
    for way in SelfTestWay.all where !way.stays {
      // The own host is waited for whatever the page says: it knows nothing of its popups.
      var time = milliseconds...milliseconds
      for host in SelfTestHost.allCases {
        let arrival = SelfTestSite.Arrival(way: way.name, host: host)
        let took = try go("/way/\(way.name)/\(host.rawValue)", until: arrival, within: time)
        guard host == .own else { continue }
        if !site.arrivals.contains(arrival) { break }
        // What must not arrive is waited for three times as long as what may, and two seconds more; where the page has
        // said that it is done, twice as long, and a second more.
        time = min(milliseconds, took * 2 + 1000)...min(milliseconds, took * 3 + 2000)
      }
    }
    // What a program sends late, or one that could not be ended, counts as well.
    for _ in 0..<Self.lateTurns { server?.turn(milliseconds: 20) }
    if let daemon, ChildProgram.status(of: daemon) != nil {
      self.daemon = nil
      throw CommandFailure("the daemon of the test has ended meanwhile, so nothing is known")
    }
  }

  private static let lateTurns = 50

  /// Starts the program with one page, until it arrived, the program has ended or the most of the time is over, or the
  /// least of it when the page has said that it is done; returns the milliseconds that it took.
  private func go(
    _ path: String, to goal: SelfTestHost? = nil, until arrival: SelfTestSite.Arrival?, within time: ClosedRange<Int64>
  ) throws -> Int64 {
    site.beginRun(to: goal)
    let began = SystemClock.monotonicMilliseconds
    let child = try TrialProgram.start(program, at: place, url: site.url(.own, path))
    defer { child.stop() }
    while SystemClock.monotonicMilliseconds < began + (site.isDone ? time.lowerBound : time.upperBound), !child.isGone {
      server?.turn(milliseconds: 20)
      if Interruption.hasCome { throw ExitCode(Interruption.status) }
      if let arrival, site.arrivals.contains(arrival) { break }
    }
    let took = SystemClock.monotonicMilliseconds - began
    // What was sent before it ended.
    for _ in 0..<5 { server?.turn(milliseconds: 10) }
    return took
  }

  // MARK: The daemon

  private func startDaemon() throws(CommandFailure) {
    let config = place.root + "/config"
    for directory in [config, config + "/policy.d", config + "/rules", place.root + "/daemon"] {
      mkdir(directory, 0o700)
    }
    try FileBytes.write(Array(Self.policy.utf8), to: config + "/policy.d/selftest.yaml")
    let rules = Self.rules + (isClosing ? Self.closingRule : "")
    try FileBytes.write(Array(rules.utf8), to: config + "/rules/selftest.yaml")
    var name = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &name, name.count - 1)
    let own = String(decoding: name.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let command = [
      own, "serve", "--config", config, "--socket-dir", place.root + "/daemon", "--log-dir", place.root + "/log",
      "--state-dir", place.root + "/state",
    ]
    guard let started = ChildProgram.startReading(command, hidesErrors: true) else {
      throw CommandFailure("the daemon cannot be started: \(SystemWords.last)")
    }
    daemon = started.process
    close(started.output)
    for _ in 0..<1500 where access(relay.target, F_OK) != 0 { usleep(20_000) }
    guard access(relay.target, F_OK) == 0 else {
      end()
      throw CommandFailure("the daemon does not come up")
    }
  }

  /// One app and one class stand for all.
  private static let policy = """
    apps:
      \(GuardRelay.app):
        peers: [{ sameUser: true }]
        identityMode: multi
        account: \(GuardRelay.account)
        classes:
          \(GuardRelay.viewerClass): { policy: currentIdentity, externalURLs: selftest, subFrames: true }
    accounts:
      - { upn: \(GuardRelay.account), protection: selftest }
    protections:
      selftest: { webTransfer: block, send: managed, clipboard: { level: managed } }

    """

  private static let rules = """
    ruleSet: selftest
    default: external
    rules:
      - id: own
        internal: { host: \(SelfTestHost.own.address) }
        for: [page, frame, resource, download, upload]
      - id: named
        external: { host: \(SelfTestHost.named.address) }
        for: [page, frame, resource, download, upload]
        then: block

    """

  /// Behind all others (docs/exports.md).
  private static let closingRule = """
      - id: the-rest
        external: { not: { host: \(SelfTestHost.own.address) } }
        for: [page, frame, resource]

    """
}

/// Stands between a program and the daemon, and gives each app, class and account the name that the policy has.
final class GuardRelay {
  static let app = "com.example.selftest"
  static let viewerClass = "any"
  static let account = "selftest@selftest.example"

  /// The daemon's socket.
  let target: String
  /// The questions that were passed on, by method.
  private(set) var questions: [String: Int] = [:]

  init(to target: String) { self.target = target }

  /// Passes on what came, in both directions; frames of the program with the policy's names.
  func pass(_ connection: TrialConnection, _ server: TrialServer?) {
    guard case .guardSocket = connection.door else {
      connection.partner?.output += connection.input
      connection.input = []
      return
    }
    if connection.partner == nil, let daemon = server?.connect(to: target) {
      (connection.partner, daemon.partner) = (daemon, connection)
    }
    guard let daemon = connection.partner else { return connection.isEnding = true }
    while let frame = connection.takeFrame() { daemon.output += renamed(frame) + [0] }
  }

  private func renamed(_ frame: [UInt8]) -> [UInt8] {
    guard let call = try? JSONTree(parsing: frame.span), let method = call["method"]?.string,
      case .object(let members) = call["parameters"] ?? .object([])
    else { return frame }
    let name = method.split(separator: ".").last.map(String.init) ?? method
    if call["parameters"]?["event"] != nil { questions[name, default: 0] += 1 }
    if let many = call["parameters"]?["questions"]?.array { questions[name, default: 0] += many.count }
    let renamed = members.map { member in
      JSONTree.Member(member.key, Self.value(of: member, in: name))
    }
    return Array(call.replacing(with: ["parameters": .object(renamed)]).text().utf8)
  }

  private static func value(of member: JSONTree.Member, in method: String) -> JSONTree {
    switch (method, member.key) {
    case ("Attach", "app"): .null
    case ("RegisterViewer", "class"), ("ExportRules", "class"): member.value == .null ? .null : .string(viewerClass)
    case ("SetIdentity", "account"):
      member.value.string.map { $0.isEmpty ? member.value : .string(account) } ?? member.value
    case ("SetIdentity", "accounts"): .array([.string(account)])
    default: member.value
    }
  }
}
