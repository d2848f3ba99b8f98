/// Checks that a log is whole: every line a record, numbers without a gap, each hash that of the line before.
///
/// Reads files in their order, in pieces of any size, and remembers one line at most.
///
///     var verifier = LogVerifier(expecting: attestedHead)
///     verifier.beginFile()
///     verifier.read(chunk)                 // again and again
///     let result = verifier.finish()
///     result.problem?.text                 // record 7 was altered
///
/// An attacker who can write the files can write them all anew, with hashes that fit. Only a head that was noted
/// elsewhere shows that, and only such a head shows that the newest records were cut off.
package struct LogVerifier: ~Copyable {
  private var chain: ChainCheck
  private var reader = LineReader()
  private var partial: [UInt8] = []
  /// The line that is being read is longer than any record; its bytes went to `chain` already.
  private var isOverlong = false

  /// A check that also looks for that head; without one the end is not attested.
  ///
  /// - Parameter isPart: the files may begin in the middle of a log. In a whole log, a record must say which files
  ///   went.
  package init(expecting head: LogHead? = nil, isPart: Bool = false) {
    chain = ChainCheck(expecting: head, isPart: isPart)
  }

  /// The next file starts here; the one before it is complete.
  package mutating func beginFile() {
    endFile()
    chain.beginFile()
  }

  /// The next bytes of the file.
  package mutating func read(_ chunk: Span<UInt8>) {
    var start = 0
    while start < chunk.count, !chain.isBroken {
      var end = start
      while end < chunk.count, chunk[end] != UInt8(ascii: "\n") { end += 1 }
      let piece = chunk.extracting(start..<end)
      if end < chunk.count { endLine(piece) } else { keep(piece) }
      start = end + 1
    }
  }

  /// The result, once every file was read.
  package mutating func finish() -> LogVerification {
    endFile()
    return chain.finish()
  }

  private mutating func keep(_ piece: Span<UInt8>) {
    if isOverlong { return chain.continueOverlong(piece) }
    piece.withUnsafeBufferPointer { partial.append(contentsOf: $0) }
    guard partial.count > LogLimits.recordBytes else { return }
    isOverlong = true
    let start = takePartial()
    chain.beginOverlong(start.span)
  }

  private mutating func endLine(_ piece: Span<UInt8>) {
    if !isOverlong, partial.isEmpty {
      chain.take(reader.read(piece), piece)
      return
    }
    keep(piece)
    let line = takePartial()
    if !isOverlong { chain.take(reader.read(line.span), line.span) }
    isOverlong = false
  }

  private mutating func takePartial() -> [UInt8] {
    var taken: [UInt8] = []
    swap(&taken, &partial)
    return taken
  }

  /// A last line without its newline was cut short, whatever its text.
  private mutating func endFile() {
    if isOverlong || !partial.isEmpty { chain.takeUnterminated(isOverlong: isOverlong) }
    chain.endFile()
    isOverlong = false
    partial.removeAll(keepingCapacity: true)
  }
}

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
