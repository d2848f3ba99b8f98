internal import DecisionLog
internal import Glibc
internal import GuardModel
internal import GuardService
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import PolicyTools

/// The strength of the browser extension against the user of the browser.
extension Doctor {
  var browserFindings: [Finding] { BrowserCheck(root: "").findings }
}

/// Looks where browsers look for host manifests and policies.
///
/// A manifest in a user's profile goes before the system's, and its program may answer anything. Chromium and its kin
/// look there unless `NativeMessagingUserLevelHosts` is false ("Enterprise policy list: Native messaging"). Firefox has
/// no such policy.
///
///     BrowserCheck(root: "").findings.filter { $0.level != .ok }
package struct BrowserCheck {
  /// The prefix of `/etc` and `/usr`: empty except in tests.
  private let root: String

  package init(root: String) { self.root = root }

  private static let host = "org.webviewguard.host"
  private static let area = "browsers"
  private static let limit = 1 << 20
  /// Chromium, Chrome and Edge, as the package has files for them.
  private static let places = [("Chromium", "/etc/chromium"), ("Chrome", "/etc/opt/chrome"), ("Edge", "/etc/opt/edge")]
  private static let firefoxManifest = "/usr/lib/mozilla/native-messaging-hosts/\(host).json"
  private static let firefoxPolicies = [
    "/etc/firefox/policies/policies.json", "/etc/firefox-esr/policies/policies.json",
  ]

  var findings: [Finding] {
    let found = Self.places.flatMap { name, place in chromiumFindings(name, place) } + firefoxFindings
    let isThere = Self.places.contains { access(root + Self.manifest($0.1), F_OK) == 0 }
    guard found.isEmpty, isThere else { return found }
    return [.ok(Self.area, "only root can say which native host the extension talks to")]
  }

  private static func manifest(_ place: String) -> String { "\(place)/native-messaging-hosts/\(host).json" }

  /// The levels and words, for tests.
  package var told: [String] { findings.map { "\($0.level.rawValue): \($0.text)" } }

  private func chromiumFindings(_ name: String, _ place: String) -> [Finding] {
    let manifest = Self.manifest(place)
    guard access(root + manifest, F_OK) == 0 else { return [] }
    let directory = "\(place)/policies/managed"
    let policies = files(in: directory)
    var found = [programFinding(name, manifest), userLevelFinding(name, directory, policies)]
    found.append(listFinding(name, directory, policies))
    found += policies.filter { $0.tree == nil }.map { file in
      .warning(
        Self.area, "\(name) may not be able to read its policy `\(file.path)`", "correct it: it must be one JSON object"
      )
    }
    return found.compactMap(\.self)
  }

  private func userLevelFinding(_ name: String, _ directory: String, _ policies: [PolicyFile]) -> Finding? {
    let said = policies.compactMap { $0.tree?["NativeMessagingUserLevelHosts"]?.bool }
    guard said.isEmpty || said.contains(true) else { return nil }
    let why = said.contains(false) ? "one policy forbids it, and another allows it" : "no policy forbids it"
    return .problem(
      Self.area, "a user of \(name) can put a native host of his own before the system's: \(why)",
      "put `{\"NativeMessagingUserLevelHosts\": false}` into `\(directory)/webviewguard.json`, as the package does, and "
        + "nothing else about it into other files there")
  }

  private func listFinding(_ name: String, _ directory: String, _ policies: [PolicyFile]) -> Finding? {
    func names(_ policy: String) -> [String] {
      policies.flatMap { $0.tree?[policy]?.array?.compactMap(\.string) ?? [] }
    }
    let isBlocked = names("NativeMessagingBlocklist").contains { $0 == "*" || $0 == Self.host }
    guard isBlocked, !names("NativeMessagingAllowlist").contains(Self.host) else { return nil }
    return .problem(
      Self.area, "\(name) may not start the native host: `NativeMessagingBlocklist` in `\(directory)` names it",
      "name `\(Self.host)` in `NativeMessagingAllowlist`")
  }

  /// The manifest and the program that it names are root's alone.
  private func programFinding(_ name: String, _ manifest: String) -> Finding? {
    guard let program = PolicyFile(root, manifest, Self.limit).tree?["path"]?.string else {
      return .problem(Self.area, "\(name) cannot read `\(manifest)`", "install the package again")
    }
    for path in [manifest, program] {
      guard let status = FileStatus(root + path) else {
        return .problem(
          Self.area, "there is no `\(path)`, which \(name) starts for the extension", "install the package again")
      }
      guard status.isOnly(of: 0) else {
        return .problem(
          Self.area, "others than root can write `\(path)`, which \(name) goes by",
          "run `chown root:root \(path); chmod go-w \(path)`")
      }
    }
    return nil
  }

  private var firefoxFindings: [Finding] {
    guard access(root + Self.firefoxManifest, F_OK) == 0 else { return [] }
    let isInstalled = Self.firefoxPolicies.contains { path in
      PolicyFile(root, path, Self.limit).tree?["policies"]?["ExtensionSettings"]?["guard@webviewguard.org"] != nil
    }
    guard isInstalled else { return [programFinding("Firefox", Self.firefoxManifest)].compactMap(\.self) }
    return [
      .warning(
        Self.area,
        "a user of Firefox can put a native host of his own before the system's: Firefox has no policy for it",
        "export the rules as Firefox's own `WebsiteFilter`, which no host changes, or use Chromium; see the extension's "
          + "README")
    ]
  }

  private func files(in directory: String) -> [PolicyFile] {
    // Chromium reads every file but hidden ones.
    let names = ((try? Directory.names(in: root + directory)) ?? []).filter { !$0.hasPrefix(".") }
    return names.sorted().map { PolicyFile(root, "\(directory)/\($0)", Self.limit) }
  }

  /// One file of JSON.
  private struct PolicyFile {
    let path: String
    /// Nil when it cannot be read, or is no object.
    let tree: JSONTree?

    init(_ root: String, _ path: String, _ limit: Int) {
      self.path = path
      let text = try? FileBytes.read(root + path, limit: limit)
      let read = text.flatMap { try? JSONTree(parsing: $0.span, maximumLength: limit) }
      if case .object = read { tree = read } else { tree = nil }
    }
  }
}

/// The decision log: is its newest file whole, and is there room for more?
extension Doctor {
  var logFindings: [Finding] {
    let area = "log"
    let directory = options.logPlace(settings)
    let file = directory + "/" + LogNames.active
    guard access(file, R_OK) == 0 else {
      let words = SystemWords.last
      guard errno == ENOENT else {
        return [.warning(area, "`\(file)` cannot be read: \(words)", "run this as root or as the daemon's user")]
      }
      return [
        status == nil
          ? .ok(area, "there is no log at `\(file)` yet")
          : .problem(
            area, "the daemon runs, and there is no log at `\(file)`",
            "look at `log` in `webviewguard status`, and give the same `--log-dir` as `serve`")
      ]
    }
    return [verification(of: file), spaceFinding(directory, file)].compactMap(\.self)
  }

  private func verification(of file: String) -> Finding {
    var verifier = LogVerifier(isPart: true)
    verifier.beginFile()
    do throws(CommandFailure) {
      let open = try FileBytes.open(file)
      try LogFiles.forEachChunk(of: file, open.descriptor) { chunk in verifier.read(chunk) }
    } catch {
      return .warning("log", error.message, "run this as root or as the daemon's user")
    }
    let result = verifier.finish()
    guard let problem = result.problem else {
      return .ok("log", "\(file): \(result.count) records are whole, head \(result.head.seq)")
    }
    // A line that a running daemon is about to finish is no damage.
    if status != nil, problem.line > result.count, result.count > 0, isGrowing(file) {
      return .ok("log", "\(file): \(result.count) records are whole, and more are being written")
    }
    return .problem(
      "log", "\(file):\(problem.line): \(problem.text)",
      "keep a copy of the file, and compare with the heads in the journal: `webviewguard log verify --head`")
  }

  /// A program is writing the file now.
  private func isGrowing(_ file: String) -> Bool {
    guard let before = Self.size(file) else { return false }
    usleep(300_000)
    return Self.size(file) != before
  }

  private static func size(_ file: String) -> Int? { FileStatus(file)?.size }

  /// The free bytes, compared with the growth of the log in the time that its newest file covers.
  private func spaceFinding(_ directory: String, _ file: String) -> Finding? {
    var system = statvfs()
    guard statvfs(directory, &system) == 0, let size = Self.size(file) else { return nil }
    let free = Int(clamping: system.f_bavail) * Int(clamping: system.f_frsize)
    let aDay = bytesADay(file, size)
    let remedy = "free some, give the log a larger place (`log.directory`), or keep less of it"
    let text = "\(Self.megabytes(free)) are free" + (aDay.map { ", and a day takes \(Self.megabytes($0))" } ?? "")
    if free < Self.leastFree { return .problem("log", "\(directory): only \(text)", remedy) }
    if let aDay, free / Self.daysAhead < aDay { return .warning("log", "\(directory): \(text)", remedy) }
    return .ok("log", "\(directory): \(text)")
  }

  private static let leastFree = 64 << 20
  /// The number of days that the disk should last.
  private static let daysAhead = 7
  private static let dayMilliseconds: UInt64 = 86_400_000

  /// The bytes written per day, from the newest file; nil when that covers less than an hour.
  private func bytesADay(_ file: String, _ size: Int) -> Int? {
    guard let first = firstTime(of: file), let last = try? LogFiles.tail(of: file).time,
      last >= first + Self.dayMilliseconds / 24
    else { return nil }
    return Int(clamping: UInt64(size) / (last - first + 1) * Self.dayMilliseconds)
  }

  private func firstTime(of file: String) -> UInt64? {
    var reader = LogRecordReader()
    var time: UInt64?
    try? LogFiles.forEachLine(of: file, beforeWaiting: {}) { line throws(CommandFailure) in
      time = reader.read(line)?.milliseconds
      throw CommandFailure("one line is enough")
    }
    return time
  }

  /// The time of the newest record, in milliseconds since 1970; nil without a readable one.
  var latestRecordTime: UInt64? {
    let file = options.logPlace(settings) + "/" + LogNames.active
    guard access(file, R_OK) == 0, let time = try? LogFiles.tail(of: file).time, time > 0 else { return nil }
    return time
  }

  static func megabytes(_ bytes: Int) -> String {
    bytes >= 10 << 20 ? "\(bytes >> 20) MiB" : "\(bytes >> 10) KiB"
  }
}
