/// The input that is tried, where it is one of the corpus.
package enum CorpusInput {
  @TaskLocal package static var name = "the input"
}

/// Ends the process when a property does not hold: that is how libFuzzer learns of it, and keeps the input.
package func require(_ holds: Bool, _ what: @autoclosure () -> String) {
  if !holds { fatalError("a property does not hold of \(CorpusInput.name): " + visible(what())) }
}

/// The text with control characters escaped: what is printed ends at a NUL.
private func visible(_ text: String) -> String {
  text.unicodeScalars.map { $0.value < 0x20 ? $0.escaped(asASCII: true) : String($0) }.joined()
}

/// The input that libFuzzer hands over.
package func input(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: start, count: count))
}

extension [UInt8] {
  /// The lines, as text; missing ones up to `count` are empty, and the last one takes what is left.
  package func lines(_ count: Int) -> [String] {
    let lines = split(separator: 0x0A, maxSplits: count - 1, omittingEmptySubsequences: false)
    return (0..<count).map { $0 < lines.count ? String(decoding: lines[$0], as: UTF8.self) : "" }
  }

  /// All lines, as text, but no more than `maximum`.
  package func allLines(maximum: Int) -> [String] {
    split(separator: 0x0A, omittingEmptySubsequences: false).prefix(maximum).map { String(decoding: $0, as: UTF8.self) }
  }
}
