/// The result of verifying a log.
package struct LogVerification: Sendable, Hashable {
  /// The first damage; nil for a log that is sound.
  package var problem: LogProblem?
  /// Number of the first record; 0 when there is none.
  package var firstSeq: UInt64 = 0
  /// Number of sound records.
  package var count: UInt64 = 0
  /// The last sound record.
  package var head = LogHead.start
  /// Number of torn writes that were found sealed.
  package var sealed = 0
  /// Number of starts at which a daemon found records missing.
  package var losses = 0
  package var past = Past.whole
  package var end = End.notAttested

  package var isSound: Bool { problem == nil }

  /// The knowledge of the time before the first record.
  package enum Past: Sendable, Hashable {
    /// The log starts at record 1.
    case whole
    /// Older records were removed, and a later record names the last of them.
    case pruned
    /// These files do not attest the records before them.
    case notAttested
  }

  /// The knowledge of the time behind the last record.
  package enum End: Sendable, Hashable {
    /// No head was given: records may have been cut off at the end.
    case notAttested
    /// The head given is record `seq` of this log. The records after it are not attested.
    case attested(through: UInt64)
    /// The head given is older than these files, so it says nothing about them.
    case headIsOlder
  }

  /// Sentences for people: first the verified parts, then the unattested ones.
  package var text: [String] {
    if let problem { return [problem.text] }
    guard count > 0 else { return ["the log holds no records"] + endText }
    return ["\(count) records are sound, \(firstSeq) to \(head.seq), head \(head.text)"] + pastText + lossText + endText
  }

  private var pastText: [String] {
    switch past {
    case .whole: []
    case .pruned: ["starts at record \(firstSeq), older ones were pruned"]
    case .notAttested: ["starts at record \(firstSeq), its past is not attested"]
    }
  }

  private var lossText: [String] {
    losses == 0
      ? [] : ["records were lost \(losses == 1 ? "once" : "\(losses) times") with the power: see the type `lost`"]
  }

  private var endText: [String] {
    switch end {
    case .attested(let seq) where seq == head.seq: []
    case .attested(let seq): ["what follows record \(seq) is not attested"]
    case .notAttested: ["the end is not attested"]
    case .headIsOlder: ["the head is older than these records, the end is not attested"]
    }
  }
}
