internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import Platform

/// What the daemon makes of the machine's clock, and what it tells of it.
extension GuardCore {
  /// Takes the clock's marks up; before the policy loads, since rules may have expired by them.
  func take(clockOf opened: OpenedState) {
    let marks = opened.records.marks
    clockWasRepaired = marks[ClockRepair.mark] != nil
    clock.takeUp(latest: opened.records.latest ?? 0, anchor: Self.anchor(marks[Self.clockMark]))
    renumberDecisions()
    tellOfClockBehind()
  }

  private func tellOfClockBehind() {
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
  func keepClock() {
    if let anchor = clock.anchor, anchor != keptAnchor {
      keptAnchor = anchor
      keeper?.note(mark: "\(anchor) \(BootID.current)", Self.clockMark)
    }
    if clockWasRepaired {
      clockWasRepaired = false
      keeper?.note(mark: "", ClockRepair.mark)
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

  /// Says in the log what the clock says beside the record's own time.
  func record(_ act: ClockEntry.Act) {
    guard recorder?.hasRoom() ?? false else { return }
    recorder?.record { $0.encode(ClockEntry(act, system: SystemClock.milliseconds), at: clock.now(), into: &$1) }
  }
}
