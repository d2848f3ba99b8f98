internal import DecisionLog
internal import Glibc
internal import GuardModel
internal import PolicyFiles

/// How the daemon is started: what the command line says and the configuration does not.
package struct DaemonOptions: Sendable, Hashable {
  /// The version that `GetInfo` and `Status` tell.
  package static let version = "0.1.0"

  /// Configuration directories in order; later ones mask earlier ones.
  package var roots: [String]
  /// The directory of the sockets; nil leaves it to the configuration.
  package var socketDirectory: String?
  /// Overrides the configuration's log directory.
  package var logDirectory: String?
  /// Nothing is recorded: for measuring only.
  package var withoutLog = false
  /// The directory of what outlives the daemon; nil when nothing does.
  package var state = StatePlace.standardDirectory.map(StatePlace.init)

  package init(roots: [String]) { self.roots = roots }

  /// The command line wins over the configuration, and that over the standard place.
  func place(_ settings: DaemonSettings, standard: String = SocketPlace.standardDirectory) -> SocketPlace {
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

  func pseudonymKey(_ settings: DaemonSettings) throws(StartError) -> [UInt8] {
    try LogKey.load(in: directory(settings))
  }

  /// What a daemon before this one left; nil when nothing is to outlive this one. The next one with a state must then not
  /// believe what the file says of the time before.
  func openState(_ place: SocketPlace, _ settings: DaemonSettings) throws(StartError) -> OpenedState? {
    let doubt = DoubtMark(path: place.doubtFile)
    guard let state else {
      doubt.set()
      return nil
    }
    try Self.trust(PlaceCheck().stateFindings(in: state.directory))
    return try OpenedState(at: state, doubt: doubt, synced: settings.log.durability == .synced)
  }

  private static func trust(_ findings: [PlaceFinding]) throws(StartError) {
    guard findings.isEmpty else { throw .notTrusted(findings) }
  }

  /// Where the policies that were in force are kept; nil when nothing outlives the daemon.
  var keptPolicies: KeptPolicies? { state.map { KeptPolicies(stateDirectory: $0.directory) } }

  private func directory(_ settings: DaemonSettings) -> String { logDirectory ?? settings.log.directory }
}
