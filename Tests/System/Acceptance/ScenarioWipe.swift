import Foundation
import GuardModel
import JSONText
import TestSupport

/// A check of a wipe: an app of a person asks for one, an hour passes, the app is asked, and answers.
///
/// The daemon runs with a clock that the test moves and that counts as kept right. Where the test is root, the app and the
/// helper are another user's, since no order names root.
final class ScenarioWipe {
  let scenario: String
  let app: VarlinkPeer
  private let scene: WipeScene
  private let daemon: DaemonProcess
  private let news: VarlinkPeer

  static let events: Set = ["deregister", "wipe_reply"]

  init(scenario: String) throws {
    self.scenario = scenario
    scene = try WipeScene()
    for account in [ScenarioPolicy.managed, ScenarioPolicy.unmanaged] { try scene.makeData(of: account) }
    daemon = try DaemonProcess(scene.files, environment: scene.environment)
    let socket = try scene.relay(to: daemon.guardSocket)
    app = try VarlinkPeer(path: socket)
    news = try VarlinkPeer(path: socket)
    let attached = try app.ask("Attach", ["app": "com.contoso.viewers"])
    try app.ask("RegisterViewer", ["viewer": "v"])
    try news.ask("Attach", ["app": "com.contoso.viewers", "instance": attached["instance"] ?? .null])
    news.send("org.webviewguard.Guard.Subscribe", ["topics": ["wipe", "enrollment"]], flags: ["more"])
    try ask("Register", ["account": .string(ScenarioPolicy.managed)])
    try daemon.connectAsAdministrator().call("org.webviewguard.Admin.Reload", ["checkedIn": true])
    // Running time counts from the first tick on.
    try scene.beat(daemon)
  }

  @discardableResult
  private func ask(_ method: String, _ members: JSONTree = [:]) throws -> JSONTree {
    try app.call("org.webviewguard.Accounts." + method, members)
  }

  /// DR-WIPE: the account is locked at once, and the app is asked to remove it.
  /// MI-LOGOUT-MANAGED: the app does so; then nothing of the account is left.
  func deregister(_ check: ScenarioCheck) throws -> [String] {
    var found = differences("account", check.text("account"), ScenarioPolicy.managed)
    found += differences("wipe", check.text("wipe"), "true")
    let request = try begin(&found)
    guard check.decision != "wipe_requested" else { return found }
    found += try complete(request, .done)
    let left = try ask("List")["accounts"]?.array?.count
    return found + differences("accounts left", left.map(String.init), "0")
      + differences("decision", found.isEmpty ? "ok" : "refused", check.decision)
  }

  /// WP-TRUE: the wipe is complete. WP-FALSE: the daemon has the files of that account removed, and no others.
  func reply(_ check: ScenarioCheck) throws -> [String] {
    var found: [String] = []
    let request = try begin(&found)
    let isDone = check.text("value") == "true"
    found += try complete(request, isDone ? .done : .refused)
    return found
      + differences("decision", isDone ? "complete" : "delete_owned_files", check.decision)
      + differences("data of the account", scene.hasData(of: ScenarioPolicy.managed) ? "there" : "gone", "gone")
  }

  /// The app ends its access and wants the data gone; after the delay it is asked. Returns the request.
  private func begin(_ found: inout [String]) throws -> String {
    let answer = try ask("Deregister", ["account": .string(ScenarioPolicy.managed), "data": "remove"])
    found += differences("state", answer["state"]?.string, "wipePending")
    found += differences("result", answer["result"]?.string, "unenrolled")
    found += differences("printing", try printing(as: ScenarioPolicy.managed), "block accountBlocked")
    found += differences("told", try told("enrollment")["life"]?.string, "enrolled")
    try scene.pass(seconds: 3_700)
    let asked = try told("wipe")
    found += differences("asked for", asked["account"]?.string, ScenarioPolicy.managed)
    found += differences("printing", try printing(as: ScenarioPolicy.managed), "block accountWiped")
    found += differences("data", scene.hasData(of: ScenarioPolicy.managed) ? "there" : "gone", "there")
    guard let request = asked["request"]?.string else { throw DaemonFailure(text: "a wipe without a request") }
    return request
  }

  /// The app removes its data and says so, or refuses: then the helper has an order, and removes them.
  private func complete(_ request: String, _ result: RequestResult) throws -> [String] {
    if result == .done { try scene.removeData(of: ScenarioPolicy.managed) }
    let answer = try ask("Complete", ["request": .string(request), "result": .string(result.rawValue)])
    var found = differences("state", answer["state"]?.string, "wiped")
    if result != .done { try scene.help(daemon) }
    var end = try told("enrollment")
    while end["life"]?.string != "wiped" { end = try told("enrollment") }
    found += differences("told", end["result"]?.string, "unenrolled")
    let wipes = try daemon.connectAsAdministrator().call("org.webviewguard.Admin.Wipes")["wipes"]?.array?.count
    found += differences("wipes left", wipes.map(String.init), "0")
    let acts = try daemon.records().filter { $0["request"]?.string == request }.compactMap { $0["act"]?.string }
    let expected = ["wipeBegun", "wipeStarted", "wipeAnswered"] + (result == .done ? [] : ["filesRemoved"])
    found += differences("records", acts.joined(separator: " "), (expected + ["wipeCompleted"]).joined(separator: " "))
    found += differences("other data", scene.hasData(of: ScenarioPolicy.unmanaged) ? "there" : "gone", "there")
    return found + differences("another account", try printing(as: ScenarioPolicy.unmanaged), "allow unmanaged")
  }

  private func printing(as account: String) throws -> String {
    _ = try app.reply("org.webviewguard.Guard.SetIdentity", ["level": "process", "account": .string(account)])
    let decision = try app.decide("Print", ["viewer": "v"])
    return "\(decision["outcome"]?.string ?? "") \(decision["reason"]?.string ?? "")"
  }

  /// The next news of a topic.
  private func told(_ topic: String) throws -> JSONTree {
    while let reply = try news.receive() {
      if let told = reply["parameters"], told["topic"]?.string == topic { return told }
    }
    throw DaemonFailure(text: "no news of `\(topic)`")
  }
}

/// The person, the data and the clock of a wipe.
private final class WipeScene {
  private let directory: String
  private let person: (uid: UInt32, gid: UInt32)
  private var relaying: Process?

  init() throws {
    directory = "/tmp/wvg-wipe-\(UInt32.random(in: 0 ... .max))"
    // Any user with a home: the helper of one without removes nothing.
    let other = getuid() == 0 ? getpwnam("daemon") : nil
    person = other.map { ($0.pointee.pw_uid, $0.pointee.pw_gid) } ?? (getuid(), getgid())
    try FileManager.default.createDirectory(atPath: directory + "/data", withIntermediateDirectories: true)
    try own(directory + "/data")
    try write("0 0\n", to: "clock")
    let source = Repository.root + "/Tests/Support/python/disk.c"
    try run("/usr/bin/cc", ["-std=c17", "-shared", "-fPIC", source, "-o", directory + "/clock.so", "-ldl"])
  }

  deinit {
    // The relay holds this process's output open, and a signal that this process blocks does not end it.
    if let relaying {
      kill(relaying.processIdentifier, SIGKILL)
      relaying.waitUntilExit()
    }
    try? FileManager.default.removeItem(atPath: directory)
  }

  var environment: [String: String] {
    ["LD_PRELOAD": directory + "/clock.so", "DISK_CLOCK": directory + "/clock"]
  }

  var files: [String: String] {
    let policy = """
      apps:
        com.contoso.viewers:
          peers: [{ uid: \(person.uid) }]
          identityMode: multi
          accounts: { source: [app] }
          dataDirectories: ["\(directory)/data/{account}"]
      accounts:
        - { upn: "\(ScenarioPolicy.managed)", protection: contoso }
        - { upn: "\(ScenarioPolicy.unmanaged)" }
      protections: { contoso: {} }
      wipe: { mode: on, causes: [deregister], delay: 1h }
      """
    return ["webviewguard.yaml": "policyRequired: true\n", "policy.d/policy.yaml": policy]
  }

  // MARK: Data

  private func path(of account: String) -> String { directory + "/data/" + account }

  func makeData(of account: String) throws {
    try FileManager.default.createDirectory(atPath: path(of: account), withIntermediateDirectories: false)
    try own(path(of: account))
    try write("mail", to: "data/\(account)/mail.db")
    try own(path(of: account) + "/mail.db")
  }

  func hasData(of account: String) -> Bool { FileManager.default.fileExists(atPath: path(of: account) + "/mail.db") }

  func removeData(of account: String) throws { try FileManager.default.removeItem(atPath: path(of: account)) }

  private func own(_ path: String) throws {
    guard chown(path, person.uid, person.gid) == 0 else { throw DaemonFailure(text: "chown \(path): errno \(errno)") }
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: directory + "/" + name), options: .atomic)
  }

  // MARK: Time and programs

  /// So much time passes for the daemon, by both of its clocks.
  func pass(seconds: Int) throws { try write("\(seconds) \(seconds)\n", to: "clock") }

  /// Waits until the daemon did what it does once a second: then it writes a contract that is gone again.
  func beat(_ daemon: DaemonProcess) throws {
    let contract = daemon.directory.appendingPathComponent("run/contract.json").path
    let deadline = Date(timeIntervalSinceNow: 120)
    for _ in 0..<2 {
      try? FileManager.default.removeItem(atPath: contract)
      while !FileManager.default.fileExists(atPath: contract) {
        guard Date() < deadline else { throw DaemonFailure(text: "the daemon does not tick") }
        usleep(20_000)
      }
    }
  }

  /// A socket whose connections are the person's.
  func relay(to socket: String) throws -> String {
    let relay = Process()
    let output = Pipe()
    relay.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    relay.arguments = [
      Repository.root + "/Tests/Support/python/relay.py", directory + "/relay.sock", socket, "\(person.uid)",
    ]
    relay.standardOutput = output
    try relay.run()
    relaying = relay
    guard !output.fileHandleForReading.availableData.isEmpty else { throw DaemonFailure(text: "no relay") }
    return directory + "/relay.sock"
  }

  /// The helper carries out the order, as the person, as the service manager would have it do.
  func help(_ daemon: DaemonProcess) throws {
    let run = daemon.directory.appendingPathComponent("run").path
    let orders = run + "/wipe"
    let deadline = Date(timeIntervalSinceNow: 120)
    while (try? FileManager.default.contentsOfDirectory(atPath: "\(orders)/\(person.uid)"))?.isEmpty ?? true {
      guard Date() < deadline else { throw DaemonFailure(text: "no order was written") }
      usleep(20_000)
    }
    let program = try BuiltProgram.url.path
    let helper = [program, "wipe-files", "--orders", orders, "--socket-dir", run]
    guard person.uid != getuid() else { return try self.run(helper[0], Array(helper[1...])) }
    let user = ["--reuid=\(person.uid)", "--regid=\(person.gid)", "--clear-groups"]
    try self.run("/usr/bin/setpriv", user + helper)
  }

  private func run(_ program: String, _ arguments: [String]) throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw DaemonFailure(text: "\(program) ended with \(process.terminationStatus)")
    }
  }
}
