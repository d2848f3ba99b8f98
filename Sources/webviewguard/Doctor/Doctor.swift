internal import Glibc
internal import GuardModel
internal import GuardService
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import PolicyTools
internal import URLRules
internal import URLStandard

/// Checks everything that a daemon relies on; changes nothing.
///
///     Doctor(options).findings.filter { $0.level == .problem }
struct Doctor {
  let options: DaemonOptions
  let loaded: LoadResult
  /// The settings in force: those of the configuration, or the safe ones if it has errors.
  let settings: DaemonSettings
  let sockets: SocketPlace
  /// The running daemon's own report; nil when none answers.
  let status: JSONTree?
  /// The accounts of all users; nil when no daemon answers, or one that knows no accounts.
  let accounts: AccountListing?
  /// The reason for no daemon answering.
  let silence: ClientError?
  let now = UInt64(max(0, TimeOptions.now)) * 1000

  init(_ options: DaemonOptions) {
    self.options = options
    loaded = ConfigurationLoader(roots: options.roots).load()
    settings = loaded.settings ?? DaemonSettings()
    sockets = options.askedPlace(settings)
    switch Self.ask(sockets.adminSocket) {
    case .success(let status): (self.status, silence) = (status, nil)
    case .failure(let error): (status, silence) = (nil, error)
    }
    accounts = status == nil ? nil : Self.listing(sockets.adminSocket)
  }

  var findings: [Finding] {
    configurationFindings + placeFindings + socketFindings + contractFindings + daemonFindings + logFindings
      + stateFindings + appFindings
      + accountFindings + libraryFindings + clockFindings + limitFindings + unitFindings + unlockFindings
      + browserFindings + encryptionFindings
  }

  /// The running daemon's process.
  var process: pid_t? { status?["pid"]?.int.flatMap { pid_t(exactly: $0) } }

  /// The daemon's user: that of its process; else the account that the package made, when root asks or the question is
  /// about the system's daemon; else the caller.
  var user: uid_t {
    if let process, let status = FileStatus("/proc/\(process)") { return status.owner }
    return geteuid() == 0 || options.asksSystem ? Users.uid(ofUser: "webviewguard") ?? 0 : geteuid()
  }

  /// The answer of the running daemon; nil when none answers.
  func answer(_ method: String) -> JSONTree? {
    status == nil ? nil : try? Self.ask(sockets.adminSocket, method).get()
  }

  private static func ask(_ socket: String, _ method: String = "Status") -> Result<JSONTree, ClientError> {
    do throws(ClientError) {
      let deadline = Deadline(after: patience)
      var client = try VarlinkClient(connectingTo: socket, patience: patience)
      try client.send("org.webviewguard.Admin.\(method)")
      return .success(try client.receive(until: deadline).parameters)
    } catch {
      return .failure(error)
    }
  }

  /// Milliseconds.
  static let patience = 5000
}

/// The users who could write the files that the daemon relies on: the configuration is the policy, the log the record.
extension Doctor {
  var placeFindings: [Finding] {
    let check = PlaceCheck(uid: user, gid: Users.gid(ofUser: user) ?? getegid())
    let found =
      check.configurationFindings(roots: options.roots, files: loaded.files)
      + check.logFindings(in: options.logPlace(settings))
      + (options.state.map { check.stateFindings(in: $0.directory) } ?? [])
    guard found.isEmpty else {
      return found.map { .problem("places", "`\($0.path)` \($0.problem)", $0.remedy) }
    }
    return [.ok("places", "only root and uid \(user) can write configuration, log and state")]
  }
}

/// The state that outlives the daemon.
extension Doctor {
  var stateFindings: [Finding] {
    let area = "state"
    guard let place = options.state else {
      return [.warning(area, "there is no place for it: this user has no home", "say `--state-dir` to `serve`")]
    }
    return [fileFinding(area, place), asideFinding(area, place)].compactMap(\.self)
  }

  private func fileFinding(_ area: String, _ place: StatePlace) -> Finding {
    switch StateInspection(of: place) {
    case .missing: .ok(area, "`\(place.file)` holds nothing yet")
    case .sound(let bytes): .ok(area, "\(place.file): it is whole, \(Self.megabytes(bytes))")
    case .unreadable(let words): .warning(area, words, "run this as root or as the daemon's user")
    case .unusable(let words):
      .problem(
        area, "`\(place.file)` cannot be used: \(words)",
        "restart the daemon: it sets the file aside, and every clip counts as an unknown managed account's until the next copy"
      )
    }
  }

  private func asideFinding(_ area: String, _ place: StatePlace) -> Finding? {
    guard let aside = place.setAside.last else { return nil }
    return .warning(
      area, "an earlier state could not be used, and lies at `\(aside)`",
      "find out why (a disk that fails, a file put back from a copy), then remove it")
  }
}

/// The clock: rules expire by it, and the log tells time by it.
extension Doctor {
  var clockFindings: [Finding] { [recordFinding, synchronisationFinding].compactMap(\.self) }

  /// Milliseconds by which clocks are set every day.
  private static let tolerance: UInt64 = 60_000

  private var recordFinding: Finding? {
    guard let latest = latestRecordTime else { return nil }
    guard latest > now + Self.tolerance else {
      return .ok("clock", "it is behind no time on record (\(RFC3339.text(latest)))")
    }
    return .problem(
      "clock",
      "it says \(RFC3339.text(now)), and the log has a record of \(RFC3339.text(latest)), which holds until then",
      "set the clock right; when the record was written by a clock that was wrong, rules that expired stay so meanwhile"
    )
  }

  private var synchronisationFinding: Finding? {
    switch SystemClock.isSynchronised {
    case true: .ok("clock", "it is kept right from outside")
    case false:
      .warning(
        "clock", "nobody keeps it right: rules expire, and records are dated, by what it happens to say",
        "enable a time service: `timedatectl set-ntp true`")
    case nil: nil
    }
  }
}

/// The daemon's limit of open files, compared with its maximum of connections.
extension Doctor {
  var limitFindings: [Finding] {
    guard let process, let limit = Self.openFiles(of: process) else { return [] }
    // Log, state, sockets, the event loop's own, administrators, and the files that a load reads.
    let needed = settings.limits.connections + Self.reserve
    guard limit < needed else {
      return [
        .ok("limits", "the daemon may open \(limit) files, for at most \(settings.limits.connections) connections")
      ]
    }
    return [
      .problem(
        "limits",
        "the daemon may open \(limit) files, and `limits.connections` promises \(settings.limits.connections)",
        "set `LimitNOFILE=` of the unit to \(needed) or more, or lower `limits.connections`")
    ]
  }

  private static let reserve = 192

  /// The limit in force for another process.
  private static func openFiles(of process: pid_t) -> Int? {
    guard let bytes = try? FileBytes.read("/proc/\(process)/limits", limit: 1 << 16) else { return nil }
    let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("Max open files") }
    return line?.split(separator: " ").dropFirst(3).first.flatMap { Int($0) }
  }
}

/// The configuration on disk: does it load, and is it the one in force?
extension Doctor {
  var configurationFindings: [Finding] {
    let area = "configuration"
    let place = options.roots.joined(separator: ", ")
    let diagnostics = loaded.diagnostics.sorted
    let errors = diagnostics.filter { $0.severity == .error }
    if let first = errors.first {
      let more = errors.count > 1 ? ", and \(errors.count - 1) more errors" : ""
      let text = "it does not load: \(first.description.split(separator: "\n").first ?? "")\(more)"
      return [.problem(area, text, "run `webviewguard check \(options.roots.last ?? "")`, and mend what it says")]
    }
    let warnings = diagnostics.count { $0.severity == .warning } + lintCount
    var findings: [Finding] = []
    if warnings > 0 {
      findings.append(
        .warning(
          area, "\(place): it loads, with \(warnings) \(warnings == 1 ? "warning" : "warnings")",
          "run `webviewguard check \(options.roots.last ?? "")`, and look whether that is meant"))
    } else {
      findings.append(.ok(area, "\(place): it loads, \(loaded.policy?.apps.count ?? 0) apps"))
    }
    if let digest = status?["digest"]?.string, digest != loaded.digest {
      findings.append(
        .warning(
          area, "the daemon runs another configuration than the one on disk",
          "run `webviewguard reload`, or `webviewguard diff` first to see what that changes"))
    }
    return findings
  }

  private var lintCount: Int {
    let now = TimeOptions.now
    let suffixes = PublicSuffixes()
    let linted = loaded.tests.map { LintedRules($0, at: now, suffixes) }
    let found =
      linted.map { Lint.findings(in: $0) }
      + [loaded.policy.map { PolicyLint($0, linted, at: now).findings }]
      .compactMap(\.self)
    return found.reduce(0) { $0 + $1.sorted.count { $0.severity == .warning } }
  }
}

/// The libraries that this program runs with, which are those of the daemon when it is the same program.
extension Doctor {
  var libraryFindings: [Finding] {
    let area = "libraries"
    let versions = [
      "ICU \(UnicodeLibrary.version) with Unicode \(UnicodeLibrary.unicodeVersion)",
      "PCRE2 \(RuleLibraries.regexVersion)", "libpsl \(RuleLibraries.suffixVersion)",
      "simdjson \(JSONLibrary.version) (\(JSONLibrary.implementation))", "SQLite \(StateInspection.libraryVersion)",
      "libyaml \(FileLibraries.yamlVersion)", "zlib \(FileLibraries.zlibVersion)",
    ]
    return [.ok(area, versions.joined(separator: ", ")), regexFinding(area), versionFinding(area)].compactMap(\.self)
      + [
        suffixFinding(area)
      ]
  }

  private func regexFinding(_ area: String) -> Finding? {
    guard !RuleLibraries.regexKnowsUnicode else { return nil }
    return .problem(
      area, "PCRE2 was built without Unicode: no rule with a `regex` loads",
      "install the distribution's own libpcre2-8-0")
  }

  private func versionFinding(_ area: String) -> Finding? {
    guard let version = status?["version"]?.string, version != DaemonOptions.version else { return nil }
    return .warning(
      area, "the daemon that runs is version \(version), and this program is \(DaemonOptions.version)",
      "restart the daemon: `systemctl restart webviewguard`")
  }

  /// Without a list of today, a new public suffix passes for one organisation's domain.
  private func suffixFinding(_ area: String) -> Finding {
    var time = RuleLibraries.builtInSuffixListTime
    let status = RuleLibraries.suffixListFile.flatMap { FileStatus($0) }
    let file = status.flatMap { _ in RuleLibraries.suffixListFile }
    if let status { time = max(time, status.modifiedSeconds) }
    let remedy = "update the package `publicsuffix`"
    guard time > 0 else {
      return .problem(area, "there is no list of public suffixes", "install the package `publicsuffix`")
    }
    let day = RFC3339.text(UInt64(time) * 1000).prefix(10)
    let text = "the list of public suffixes\(file.map { " (\($0))" } ?? "") is of \(day)"
    return Int64(now / 1000) - time > Self.suffixListAge ? .warning(area, text, remedy) : .ok(area, text)
  }

  /// Seconds in two years and a half: the possible delay of a stable distribution.
  private static let suffixListAge: Int64 = 913 * 86_400
}
