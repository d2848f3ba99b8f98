internal import Glibc
internal import GuardService
internal import JSONText
internal import Platform
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
    if let process, let status = FileStatus("/proc/\(process)") { return status.owner }
    return geteuid() == 0 || options.asksSystem ? Users.uid(ofUser: "webviewguard") ?? 0 : geteuid()
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
