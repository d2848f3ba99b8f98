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
