internal import CLinux
internal import DecisionLog
internal import Glibc
internal import GuardModel
package import Platform
package import PolicyFiles

/// Start options of the daemon: those given on the command line and not in the configuration.
package struct DaemonOptions: Sendable, Hashable {
  /// The version that `GetInfo` and `Status` tell.
  package static let version = ReleaseVersion.text

  /// Configuration directories in order; later ones mask earlier ones.
  package var roots: [String]
  /// The directory of the sockets; nil leaves it to the configuration.
  package var socketDirectory: String?
  /// Records nothing: for measuring only.
  package var logDirectory: String?
  /// Nothing is recorded: for measuring only.
  package var withoutLog = false
  /// The directory of the state that outlives the daemon; nil when none does.
  package var state = StatePlace.standardDirectory.map(StatePlace.init)

  package init(roots: [String]) { self.roots = roots }

  /// The command line wins over the configuration, and that over the standard place.
  package func place(_ settings: DaemonSettings, standard: String = SocketPlace.standardDirectory) -> SocketPlace {
    var place = SocketPlace(directory: socketDirectory ?? standard)
    place.serve(settings.sockets)
    guard socketDirectory == nil else { return place }
    if let path = settings.sockets.guard { place.guardSocket = path }
    if let path = settings.sockets.admin { place.adminSocket = path }
    return place
  }

  func openLog(_ settings: DaemonSettings) throws(StartError) -> OpenedLog? {
    guard !withoutLog else { return nil }
    try Self.trust(PlaceCheck().logFindings(in: directory(settings)))
    var opened = try OpenedLog(directory: directory(settings))
    opened.fold(by: PersonLookUp.system)
    return opened
  }

  package func pseudonymKey(_ settings: DaemonSettings) throws(StartError) -> [UInt8] {
    try LogKey.load(in: directory(settings))
  }

  /// The state that an earlier daemon left; nil when none is to outlive this one. The next daemon with a state must
  /// then not believe the file about the time before.
  func openState(_ place: SocketPlace, _ settings: DaemonSettings) throws(StartError) -> OpenedState? {
    let doubt = DoubtMark(path: place.doubtFile)
    guard let state else {
      doubt.set()
      return nil
    }
    try Self.trust(PlaceCheck().stateFindings(in: state.directory))
    return try OpenedState(at: state, doubt: doubt, synced: settings.log.durability == .synced)
  }

  /// The keys of sealed data, not open yet; nil when no state is to outlive the daemon.
  var keyRing: KeyRing? {
    let credentials = getenv("CREDENTIALS_DIRECTORY").map { String(cString: $0) }
    return state.map { KeyRing(state: $0.directory, credentials: credentials) }
  }

  private static func trust(_ findings: [PlaceFinding]) throws(StartError) {
    guard findings.isEmpty else { throw .notTrusted(findings) }
  }

  /// The directory that keeps the policies that were in force; nil when nothing outlives the daemon.
  var keptPolicies: KeptPolicies? { state.map { KeptPolicies(stateDirectory: $0.directory) } }

  private func directory(_ settings: DaemonSettings) -> String { logDirectory ?? settings.log.directory }
}

/// The key of the account pseudonyms: 32 random bytes beside the log, readable by the daemon only.
enum LogKey {
  static let byteCount = 32

  /// The key in a directory, made when there is none.
  static func load(in directory: String) throws(StartError) -> [UInt8] {
    let path = directory + "/" + LogNames.key
    if let key = SmallFile.bytes(at: path, maximum: byteCount + 1) {
      guard key.count == byteCount else { throw .log("`\(path)` does not hold \(byteCount) bytes") }
      return key
    }
    var random = SystemRandomNumberGenerator()
    let key = (0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &random) }
    do throws(SystemError) {
      try SmallFile.replace(path, with: key, mode: 0o600, synced: true)
    } catch {
      throw .system(error)
    }
    return key
  }
}

/// The directories of a daemon that is started like this, for administrators.
extension DaemonOptions {
  /// The sockets where clients look for the daemon, and the files beside them.
  package func askedPlace(_ settings: DaemonSettings) -> SocketPlace {
    place(settings, standard: SocketPlace.askedDirectory)
  }

  /// Whether clients of this place reach the system's daemon.
  package var asksSystem: Bool { socketDirectory == nil && SocketPlace.askedDirectory == SocketPlace.systemDirectory }

  /// The directory of the decision log.
  package func logPlace(_ settings: DaemonSettings) -> String { logDirectory ?? settings.log.directory }
}

extension SystemClock {
  /// Whether a time service keeps it right (adjtimex(2)); nil when the kernel does not say.
  package static var isSynchronised: Bool? {
    switch clock_is_synchronised() {
    case 0: false
    case 1: true
    default: nil
    }
  }
}
