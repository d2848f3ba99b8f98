internal import Bytes

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

  /// Start of the next component in the input.
  var position = 0

  /// The components read so far. After failure it is left half-filled; ``URLParser`` empties it.
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
    guard range.count == 2, input[range.lowerBound].isASCIILetter else { return false }
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

  /// Writes `//` and notes an empty host without credentials and port: those of the base are not taken over.
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

// The last two states: query and fragment. They cannot fail.
extension BasicURLParser {
  /// Reads `?` and the query if they come next, then the fragment.
  @_lifetime(self: copy self)
  mutating func parseQuery() -> Bool {
    if next == ASCII.questionMark {
      let start = position + 1
      var end = start
      while let byte = byte(at: end), byte != ASCII.numberSign { end += 1 }
      record.bytes.append(ASCII.questionMark)
      append(start..<end, encoding: record.isSpecial ? .specialQueryEncode : .queryEncode)
      position = end
      record.layout.queryEnd = record.end
    }
    return parseFragment()
  }

  /// Reads `#` and the fragment if they come next.
  @_lifetime(self: copy self)
  mutating func parseFragment() -> Bool {
    if next == ASCII.numberSign {
      record.bytes.append(ASCII.numberSign)
      append(position + 1..<input.count, encoding: .fragmentEncode)
    }
    return true
  }
}

// The states that take something from the base: relative, relative slash; and code shared with the file states.
extension BasicURLParser {
  /// Reads a reference as seen from `base`, which has no opaque path and is not a file URL.
  @_lifetime(self: copy self)
  mutating func parseRelative(to base: URLRecord) -> Bool {
    inheritAuthority(of: base)
    guard isSlash(at: position) else { return parseRelativePath(to: base) }
    position += 1
    guard isSlash(at: position) else { return parsePath() }
    inherit(base, upTo: base.layout.schemeEnd)
    endScheme()
    if record.isSpecial { skipSlashes() } else { position += 1 }
    return parseAuthority()
  }

  /// Reads a reference that does not begin with a slash; the authority has been inherited.
  @_lifetime(self: copy self)
  mutating func parseRelativePath(to base: URLRecord) -> Bool {
    record.bytes.append(copying: base.pathBytes)
    switch next {
    case nil, ASCII.numberSign:
      endPath()
      record.bytes.append(copying: base.bytes.span.extracting(Int(base.layout.pathEnd)..<Int(base.layout.queryEnd)))
      record.layout.queryEnd = record.end
      return parseFragment()
    case ASCII.questionMark:
      endPath()
      return parseQuery()
    default:
      if record.scheme == .file, startsWithDriveLetter(at: position) {
        record.bytes.truncate(to: Int(record.layout.pathStart))
      } else {
        shortenPath()
      }
      return parsePath()
    }
  }

  /// Takes over scheme, credentials, host and port of `base`.
  @_lifetime(self: copy self)
  mutating func inheritAuthority(of base: URLRecord) {
    inherit(base, upTo: base.authorityEnd)
    beginPath()
  }

  /// Makes the record a copy of the first `end` bytes of `base`. The caller sets the offsets beyond.
  @_lifetime(self: copy self)
  mutating func inherit(_ base: URLRecord, upTo end: UInt32) {
    record.bytes.removeAll(keepingCapacity: true)
    record.bytes.append(copying: base.bytes.span.extracting(0..<Int(end)))
    record.layout = base.layout
  }
}

// The file states, with their Windows drive letters: file, file slash, file host.
extension BasicURLParser {
  @_lifetime(self: copy self)
  mutating func parseFile() -> Bool {
    beginFile()
    let base = base.flatMap { $0.scheme == .file ? $0 : nil }
    guard isSlash(at: position) else {
      guard let base else { return parsePath() }
      inheritAuthority(of: base)
      return parseRelativePath(to: base)
    }
    position += 1
    if isSlash(at: position) {
      position += 1
      return parseFileHost()
    }
    if let base { inheritDrive(of: base) }
    return parsePath()
  }

  @_lifetime(self: copy self)
  private mutating func beginFile() {
    record.reset()
    record.bytes.append("file")
    record.layout.scheme = .file
    endScheme()
    beginAuthority()
    beginPath()
  }

  /// Takes over the host of `base`, and its drive letter unless the input names one itself.
  @_lifetime(self: copy self)
  private mutating func inheritDrive(of base: URLRecord) {
    inheritAuthority(of: base)
    guard !startsWithDriveLetter(at: position) else { return }
    let path = base.pathBytes
    guard path.beginsWithDrive else { return }
    record.bytes.append(copying: path.extracting(0..<3))
  }

  @_lifetime(self: copy self)
  private mutating func parseFileHost() -> Bool {
    let host = position..<endOfSegment(from: position)
    // A drive letter is no host but the path's first segment, which is read again from its start.
    if isDriveLetter(host) { return parsePath() }
    position = host.upperBound
    if host.isEmpty { return parsePathStart() }
    guard parseHost(host) else { return false }
    if record.hostBytes.matches("localhost") {
      record.bytes.truncate(to: Int(record.layout.hostStart))
      record.layout.hostEnd = record.end
      record.layout.hostKind = .empty
    }
    beginPath()
    return parsePathStart()
  }
}

extension Span<UInt8> {
  /// True for a path whose first segment is a normalised Windows drive letter: `/C:` or `/C:/…`.
  var beginsWithDrive: Bool {
    guard count >= 3, self[1].isASCIILetter, self[2] == ASCII.colon else { return false }
    return count == 3 || self[3] == ASCII.slash
  }
}
