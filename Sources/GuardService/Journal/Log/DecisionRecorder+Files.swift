internal import DecisionLog

/// Rotation, retention, and the shares of users.
extension DecisionRecorder {
  /// Ends the active file with the record that says so; the next record begins another file.
  mutating func closeFile(at time: UInt64) {
    let content = history.close()
    encoder.encode(content, at: time, into: &batch)
    submittedBytes += batch.count
    writer.submit(&batch, then: .close(content, at: time))
  }

  /// What is due every second: a new file on a new day, the end of files that are too old or too many, and a look at the
  /// file. Returns what was removed.
  mutating func keepHouse(at time: UInt64) -> PrunedRecords? {
    guard !isFailing else { return nil }
    writer.inspect()
    if history.isOfAnotherDay(than: time) {
      submit()
      closeFile(at: time)
    }
    guard let (files, pruned) = history.prune(at: time) else { return nil }
    record { $0.encode(pruned, at: time, into: &$1) }
    submittedBytes += batch.count
    writer.submit(&batch, then: .remove(files))
    return pruned
  }

  /// Where the share of a user is kept.
  mutating func place(of uid: UInt32) -> Int { history.shares.place(of: uid) }

  /// Whether a user's records fill their share: then nothing more of theirs is recorded, but counted.
  func isShareFull(at place: Int) -> Bool { history.shares.isFull(at: place) }

  /// Gives room to the shares that have been full for an hour; returns their users.
  mutating func recoverShares(at uptime: UInt64) -> [UInt32] { history.shares.recover(at: uptime) }

  mutating func countLimited(_ kind: WritableKeyPath<LimitedDecisions, UInt64>, at place: Int) {
    history.shares.count(kind, at: place)
  }

  /// Records what was only counted; returns it.
  mutating func recordLimited(at time: UInt64) -> [LimitedDecisions] {
    guard hasRoom() else { return [] }
    let all = history.shares.takeLimited()
    for (place, limited) in all { record(of: place) { $0.encode(limited, at: time, into: &$1) } }
    return all.map(\.limited)
  }
}
