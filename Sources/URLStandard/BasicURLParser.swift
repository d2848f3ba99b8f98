/// The basic URL parser of the standard, without state override: text in, serialised record out.
///
/// The standard's state machine reads code point by code point. Here each state is a function that reads a whole
/// component and calls the next; the functions carry the states' names. The components come in the order of the
/// serialisation, so that each is written once, straight into the record's buffer. `false` means failure.
///
/// The input has been cleaned: valid UTF-8, trimmed, no tab or newline (``InputCleaning``).
///
/// Source: URL Standard, section 4.4.
struct BasicURLParser: ~Escapable {
  let input: Span<UInt8>
  let base: URLRecord?

  /// Where in the input the next component begins.
  var position = 0

  /// What has been read. After failure it is left half-filled; ``URLParser`` empties it.
  var record = URLRecord()

  /// The decoded host, while a host with `%` or non-ASCII bytes is read.
  var hostScratch: [UInt8] = []

  @_lifetime(copy input)
  init(_ input: Span<UInt8>, base: URLRecord?) {
    self.input = input
    self.base = base
  }
}

// Looking at the input.
extension BasicURLParser {
  /// The byte at `index`; nil at the end of the input and beyond.
  @inline(__always)
  func byte(at index: Int) -> UInt8? {
    index < input.count ? input[index] : nil
  }

  /// The next byte.
  @inline(__always)
  var next: UInt8? { byte(at: position) }

  /// True for `/`, and in a special URL for `\` too. This is how `https:\\evil.example` gets its host.
  @inline(__always)
  func isSlash(at index: Int) -> Bool {
    guard let byte = byte(at: index) else { return false }
    return byte == ASCII.slash || (byte == ASCII.backslash && record.isSpecial)
  }

  /// The index of the first byte from `start` on that ends an authority or a path segment, or of the end.
  func endOfSegment(from start: Int) -> Int {
    var index = start
    while index < input.count {
      let byte = input[index]
      if byte == ASCII.slash || byte == ASCII.questionMark || byte == ASCII.numberSign { break }
      if byte == ASCII.backslash, record.isSpecial { break }
      index += 1
    }
    return index
  }

  /// True when the input from `start` on starts with a Windows drive letter, as the standard defines it.
  func startsWithDriveLetter(at start: Int) -> Bool {
    guard start + 2 <= input.count, isDriveLetter(start..<start + 2) else { return false }
    guard let third = byte(at: start + 2) else { return true }
    return third == ASCII.slash || third == ASCII.backslash || third == ASCII.questionMark || third == ASCII.numberSign
  }

  /// True when the bytes of `range` are a letter followed by `:` or `|`.
  func isDriveLetter(_ range: Range<Int>) -> Bool {
    guard range.count == 2, input[range.lowerBound].isASCIIAlpha else { return false }
    let second = input[range.lowerBound + 1]
    return second == ASCII.colon || second == ASCII.bar
  }
}

// Writing the output.
extension BasicURLParser {
  /// Appends the input's bytes in `range`, percent-encoding those of `set`.
  @_lifetime(self: copy self)
  mutating func append(_ range: Range<Int>, encoding set: ByteClass) {
    let text = input.extracting(range)
    var start = 0
    while start < text.count {
      let stop = text.firstIndex(of: set, from: start)
      record.bytes.append(copying: text.extracting(start..<stop))
      guard stop < text.count else { break }
      record.bytes.append(percentEncoding: text[stop])
      start = stop + 1
    }
  }

  /// Notes that the authority ends here: path and query are empty so far.
  @_lifetime(self: copy self)
  mutating func beginPath() {
    record.layout.pathStart = record.end
    record.layout.pathEnd = record.end
    record.layout.queryEnd = record.end
  }

  /// Writes `//` and notes an empty host without credentials and port: what a base has of these is not taken over.
  @_lifetime(self: copy self)
  mutating func beginAuthority() {
    record.bytes.append("//")
    record.layout.usernameEnd = record.end
    record.layout.passwordEnd = record.end
    record.layout.hostStart = record.end
    record.layout.hostEnd = record.end
    record.layout.hostKind = .empty
    record.layout.port = nil
    record.layout.ipv4 = 0
  }
}
