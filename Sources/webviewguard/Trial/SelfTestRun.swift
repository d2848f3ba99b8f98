internal import ArgumentParser
internal import Glibc
internal import JSONText
internal import Platform
internal import PolicyTools

/// A self-test under way: site, daemon and relay. Its walk starts the program.
final class SelfTestRun {
  var site = SelfTestSite(port: 0)
  let relay: GuardRelay
  let program: [String]
  let place: TrialPlace
  /// The most that the program has for its first page.
  let milliseconds: Int64
  private let isClosing: Bool
  private(set) var server: TrialServer?
  private var daemon: Int32?
  /// Made before the daemon, which is spared.
  let family = Descendants()

  init(_ program: [String], at place: TrialPlace, seconds: Int, isClosing: Bool) throws(CommandFailure) {
    (self.program, self.place, milliseconds, self.isClosing) = (program, place, Int64(seconds) * 1000, isClosing)
    relay = GuardRelay(to: place.root + "/daemon/guard.sock")
    relay.asked = { [unowned self] url in site.note(questionAbout: url) }
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

  // MARK: The daemon

  /// A daemon that ended meanwhile has answered nothing: then nothing is known.
  func checkDaemon() throws(CommandFailure) {
    guard let daemon, ChildProgram.status(of: daemon) != nil else { return }
    self.daemon = nil
    throw CommandFailure("the daemon of the test has ended meanwhile, so nothing is known")
  }

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
    family.spare(started.process)
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
