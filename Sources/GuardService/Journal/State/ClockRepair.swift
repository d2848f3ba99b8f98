internal import Glibc
internal import GuardModel
internal import Platform

/// Takes the machine's clock for right from the next start on, whatever times were recorded before.
///
/// A clock that was wrong and far ahead leaves a time that holds until the clock gets there. No daemon forgets it by itself:
/// whoever sets the clock back would revive what has expired. So an administrator says it, while no daemon runs.
package enum ClockRepair {
  /// The mark that the next daemon takes up: when the clock was said to be right.
  static let mark = "clockRepaired"

  /// Returns the latest time that was on record, in milliseconds since 1970; nil when none was. Throws when a daemon runs, and
  /// when the file cannot be used.
  package static func repair(_ place: StatePlace) throws(StartError) -> UInt64? {
    let lock = try claim(place)
    defer { withExtendedLifetime(lock) {} }
    do throws(SQLiteError) {
      var store = try StateStore(path: place.file, boot: BootID.current, believing: true)
      let latest = try store.read().latest
      try store.repairClock(at: SystemClock.milliseconds)
      return latest
    } catch {
      throw .log("`\(place.file)` cannot be repaired: \(error)")
    }
  }

  private static func claim(_ place: StatePlace) throws(StartError) -> FileLock {
    do throws(SystemError) {
      let lock = try place.claim()
      _ = try place.prepare()
      return lock
    } catch {
      throw error.number == EWOULDBLOCK ? .stateInUse(place.file) : .system(error)
    }
  }
}

extension StateStore {
  /// Forgets every time that is kept, as one change.
  fileprivate mutating func repairClock(at now: UInt64) throws(SQLiteError) {
    try database.run("BEGIN IMMEDIATE; \(StateSchema.repairingClock)")
    try database.run("DELETE FROM exception WHERE since > \(now)")
    try database.run("INSERT OR REPLACE INTO mark (name, value) VALUES ('\(ClockRepair.mark)', '\(now)'); COMMIT")
    try database.checkpoint()
  }
}
