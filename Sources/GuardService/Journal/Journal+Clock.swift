internal import DecisionLog
internal import Glibc
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import Platform

/// The daemon's view of the machine's clock, and its reports about it.
extension Journal {
  /// Takes the clock's marks up; before the policy loads, since rules may have expired by them.
  mutating func take(clockOf opened: OpenedState) {
    let marks = opened.records.marks
    clockWasRepaired = marks[ClockRepair.mark] != nil
    clock.takeUp(latest: opened.records.latest ?? 0, anchor: Self.anchor(marks[Self.clockMark]))
    renumberDecisions()
    tellOfClockBehind()
  }

  private mutating func tellOfClockBehind() {
    let (now, system) = (clock.now(), SystemClock.milliseconds)
    guard now > system + Self.clockTolerance else { return }
    logger.warning(
      "the clock is behind the latest time on record, which holds until then; `webviewguard log repair` ends that",
      metadata: ["clock": "\(RFC3339.text(system))", "recorded": "\(RFC3339.text(now))"])
  }

  /// Milliseconds by which clocks are set every day.
  static let clockTolerance: UInt64 = 60_000

  /// The name of the mark that has the clock's anchor, and of which boot.
  private static let clockMark = "clock"

  private static func anchor(_ mark: String?) -> Int64? {
    let words = mark?.split(separator: " ") ?? []
    let boot = BootID.current
    guard words.count == 2, !boot.isEmpty, words[1] == boot else { return nil }
    return Int64(words[0])
  }

  /// Called every second.
  mutating func keepClock() {
    if let anchor = clock.anchor, anchor != keptAnchor {
      keptAnchor = anchor
      state.note(mark: "\(anchor) \(BootID.current)", Self.clockMark)
    }
    if clockWasRepaired {
      clockWasRepaired = false
      state.note(mark: "", ClockRepair.mark)
    }
    guard clock.isAhead != clockIsAhead else { return }
    clockIsAhead = clock.isAhead
    let metadata: Logger.Metadata = [
      "clock": "\(RFC3339.text(SystemClock.milliseconds))", "believed": "\(RFC3339.text(clock.now()))",
    ]
    if clockIsAhead {
      logger.warning("the clock jumped ahead of the time since the boot, and is not believed", metadata: metadata)
    } else {
      logger.notice("the clock is believed again", metadata: metadata)
    }
    record(clockIsAhead ? .ahead : .right)
  }

  /// Records the clock's reading beside the record's own time.
  mutating func record(_ act: ClockEntry.Act) {
    record { $0.encode(ClockEntry(act, system: SystemClock.milliseconds), at: $1, into: &$2) }
  }
}

/// Takes the machine's clock for right from the next start on, against all recorded times.
///
/// A clock that was wrong and far ahead leaves a time that holds until the clock gets there. No daemon forgets it by
/// itself: setting the clock back would revive expired rules. An administrator must say it, while no daemon runs.
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
