/// The kinds of damage to a log.
package enum LogDamage: Sendable, Hashable {
  /// The line is no JSON.
  case notJSON
  /// The line is JSON, but no record of a known version.
  case malformed
  /// The record differs from the written one.
  case altered
  /// Records are missing, up to that number.
  case missing(through: UInt64)
  /// The record stands where another belongs.
  case reordered
  /// The last line of a file was cut short, and nothing sealed it.
  case torn
  /// Records are missing at the end: the attested head has that number.
  case truncated(attested: UInt64)
  /// Records up to that one had been written, and were gone at the start of the daemon that wrote this record.
  case cutOff(through: UInt64)
  /// The record fits its neighbours, but not the attested head: everything was written anew.
  case differsFromHead
}

/// The first broken record of a log.
package struct LogProblem: Sendable, Hashable {
  /// Number of the file, from 1, in the order in which they were read.
  package var file: Int
  /// Number of the line in it, from 1.
  package var line: Int
  /// Number of the record that is broken or missing.
  package var seq: UInt64
  package var damage: LogDamage

  package init(file: Int, line: Int, seq: UInt64, damage: LogDamage) {
    self.file = file
    self.line = line
    self.seq = seq
    self.damage = damage
  }

  /// A sentence for people: `record 7 was altered`.
  package var text: String {
    switch damage {
    case .notJSON: "the line in place of record \(seq) is not JSON"
    case .malformed: "the line in place of record \(seq) is no record"
    case .altered: "record \(seq) was altered"
    case .missing(let last) where last == seq: "record \(seq) is missing"
    case .missing(let last): "records \(seq) to \(last) are missing"
    case .reordered: "record \(seq) stands in the wrong place"
    case .torn: "record \(seq) is cut short and was never sealed"
    case .truncated(let last): "the end is cut off: records \(seq) to \(last) are missing"
    case .cutOff(let last) where last < seq: "before record \(seq) the log was replaced while no daemon ran"
    case .cutOff(let last): "records \(seq) to \(last) were cut off while no daemon ran, and others stand there"
    case .differsFromHead: "record \(seq) is not the one that was attested"
    }
  }
}
