internal import CLinux
package import Platform
package import PolicyFiles

/// Where a daemon that is started like this keeps its things, for those who look after it.
extension DaemonOptions {
  /// The sockets where clients look for the daemon, and what lies beside them.
  package func askedPlace(_ settings: DaemonSettings) -> SocketPlace {
    place(settings, standard: SocketPlace.askedDirectory)
  }

  /// Whether that is the system's daemon, whoever looks for it.
  package var asksSystem: Bool { socketDirectory == nil && SocketPlace.askedDirectory == SocketPlace.systemDirectory }

  /// The directory of the decision log.
  package func logPlace(_ settings: DaemonSettings) -> String { logDirectory ?? settings.log.directory }
}

extension SystemClock {
  /// Whether somebody keeps it right (adjtimex(2)); nil when the kernel does not say.
  package static var isSynchronised: Bool? {
    switch clock_is_synchronised() {
    case 0: false
    case 1: true
    default: nil
    }
  }
}
