/// Finds one record of a file by its number, and the hash of its line, without reading the others as JSON.
///
///     var search = HeadSearch(for: 7)
///     search.read(chunk)       // again and again
///     search.found?.hash
package struct HeadSearch: ~Copyable {
  private let start: [UInt8]
  private let seq: UInt64
  private var partial: [UInt8] = []
  package private(set) var found: LogHead?

  package init(for seq: UInt64) {
    self.seq = seq
    start = Array("{\"v\":\(LogEncoder.version),\"seq\":\(seq),".utf8)
  }

  /// The next bytes of the file.
  package mutating func read(_ chunk: Span<UInt8>) {
    var begin = 0
    while begin < chunk.count, found == nil {
      var end = begin
      while end < chunk.count, chunk[end] != UInt8(ascii: "\n") { end += 1 }
      let piece = chunk.extracting(begin..<end)
      if partial.count <= LogLimits.recordBytes { piece.withUnsafeBufferPointer { partial.append(contentsOf: $0) } }
      if end < chunk.count {
        if partial.starts(with: start) { found = LogHead(seq: seq, hash: LineHash(of: partial.span)) }
        partial.removeAll(keepingCapacity: true)
      }
      begin = end + 1
    }
  }
}
