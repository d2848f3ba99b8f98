internal import Glibc
internal import GuardService
internal import JSONText
internal import PolicyFiles

/// Looks at everything that a daemon relies on; changes nothing.
///
///     Doctor(options).findings.filter { $0.level == .problem }
struct Doctor {
  let options: DaemonOptions
  let loaded: LoadResult
  /// Those that hold: of the configuration, or where that has errors the safe ones.
  let settings: DaemonSettings
  let sockets: SocketPlace
  /// What the running daemon says of itself; nil when none answers.
  let status: JSONTree?
  /// Why none answers.
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
  }

  var findings: [Finding] {
    configurationFindings + placeFindings + socketFindings + contractFindings + daemonFindings + logFindings
      + stateFindings
      + libraryFindings + clockFindings + limitFindings + unitFindings + browserFindings
  }

  /// The running daemon's process.
  var process: pid_t? { status?["pid"]?.int.flatMap { pid_t(exactly: $0) } }

  /// Who the daemon is: the user of its process; else of the account that the package made, where root asks or the system's
  /// daemon is asked; else whoever asks.
  var user: uid_t {
    var about = stat()
    if let process, stat("/proc/\(process)", &about) == 0 { return about.st_uid }
    return geteuid() == 0 || options.asksSystem ? UserAccount.uid(named: "webviewguard") ?? 0 : geteuid()
  }

  private static func ask(_ socket: String) -> Result<JSONTree, ClientError> {
    do throws(ClientError) {
      let deadline = Deadline(after: patience)
      var client = try VarlinkClient(connectingTo: socket, patience: patience)
      try client.send("org.webviewguard.Admin.Status")
      return .success(try client.receive(until: deadline).parameters)
    } catch {
      return .failure(error)
    }
  }

  /// Milliseconds.
  private static let patience = 5000
}

/// Users of this system.
enum UserAccount {
  static func uid(named name: String) -> uid_t? { entry(named: name)?.uid }

  /// The primary group of a user; that of the caller where the user is not known.
  static func gid(of uid: uid_t) -> gid_t {
    var record = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 65_536)
    guard getpwuid_r(uid, &record, &buffer, buffer.count, &found) == 0, found != nil else { return getegid() }
    return record.pw_gid
  }

  private static func entry(named name: String) -> (uid: uid_t, gid: gid_t)? {
    var record = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 65_536)
    guard getpwnam_r(name, &record, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
    return (record.pw_uid, record.pw_gid)
  }
}
