import Foundation
import TestSupport

/// The daemon itself, as a process of its own, on a configuration made for these tests.
final class RealDaemon {
  let place: Place
  private var process = Process()

  init() throws {
    place = try Place(isPatient: false)
    for folder in ["config/policy.d", "config/rules", "log"] {
      try FileManager.default.createDirectory(atPath: path(folder), withIntermediateDirectories: true)
    }
    try write(Self.settings, "config/webviewguard.yaml")
    try write(Self.policy, "config/policy.d/policy.yaml")
    try write(Self.rules, "config/rules/contoso.yaml")
    try start()
  }

  deinit { kill() }

  func path(_ name: String) -> String { place.directory + "/" + name }

  func write(_ text: String, _ name: String) throws {
    try text.write(toFile: path(name), atomically: true, encoding: .utf8)
  }

  /// Starts it, and returns when it takes connections.
  func start() throws {
    process = Process()
    process.executableURL = try BuiltProgram.url
    process.arguments = [
      "serve", "--config", path("config"), "--socket-dir", place.directory, "--log-dir", path("log"), "--state-dir",
      path("state"),
    ]
    process.standardOutput = FileHandle.nullDevice
    _ = FileManager.default.createFile(atPath: path("messages"), contents: nil)
    process.standardError = FileHandle(forWritingAtPath: path("messages"))
    try process.run()
    let end = Date(timeIntervalSinceNow: 240)
    while !accepts() {
      guard process.isRunning, Date() < end else {
        throw TestFailure((try? String(contentsOfFile: path("messages"), encoding: .utf8)) ?? "it does not serve")
      }
      usleep(10_000)
    }
  }

  /// As a crash ends it.
  func kill() {
    guard process.isRunning else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  func reload() { Foundation.kill(process.processIdentifier, SIGHUP) }

  private func accepts() -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: place.socket.utf8) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }

  private static let settings = "contract: { startMs: \(patientMs), answerMs: \(patientMs) }\n"

  static let policy = """
    apps:
      com.contoso.portal:
        peers: [{ uid: \(getuid()) }]
        identityMode: multi
        classes:
          documents: { policy: currentIdentity, externalURLs: contoso }
    accounts:
      - { upn: work@contoso.com, protection: contoso-standard }
      - { upn: me@example.org }
    protections:
      contoso-standard:
        webTransfer: managedBrowser
        clipboard: { level: managedWithPasteIn, exceptionLength: 0 }
        send: managed
        receive: managed
    browsers:
      managed: { desktopId: com.contoso.Browser.desktop }

    """

  static let rules = """
    ruleSet: contoso
    default: external
    rules:
      - id: own
        internal: { domain: contoso.com }
      - id: sharing
        external: { domain: sharing.example }
        then: block
        message: "{host} is a personal file-sharing site"

    """
}
