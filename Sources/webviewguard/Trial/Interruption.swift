internal import Glibc

/// Whether somebody wants a trial to end: by Ctrl+C, or by a signal of a test that has had enough. Without that the program, the
/// daemon and the directory of the trial would stay behind.
enum Interruption {
  /// The signal; 0 for none. Written by a handler alone.
  nonisolated(unsafe) private static var signal: Int32 = 0

  static var hasCome: Bool { signal != 0 }
  /// As shells tell it: 130 for Ctrl+C.
  static var status: Int32 { 128 + signal }

  /// Has signals be noted from now on, in place of ending the process.
  static func watch() {
    for number in [SIGINT, SIGTERM, SIGHUP] { Glibc.signal(number) { Interruption.signal = $0 } }
  }
}
