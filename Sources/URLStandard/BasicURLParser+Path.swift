internal import Bytes

// The states that decide the kind of URL: scheme start, scheme, no scheme, special authority slashes, special relative
// or authority, path or authority.
extension BasicURLParser {
  /// Reads the whole input.
  @_lifetime(self: copy self)
  mutating func parseURL() -> Bool {
    guard let colon = endOfScheme() else { return parseWithoutScheme() }
    writeScheme(endingAt: colon)
    position = colon + 1
    switch record.scheme {
    case .file: return parseFile()
    case .other: return parseAfterOtherScheme()
    case .http, .https, .ws, .wss, .ftp: return parseAfterSpecialScheme()
    }
  }

  /// The index of the colon that ends the scheme; nil when the input has none.
  private func endOfScheme() -> Int? {
    guard let first = next, first.isASCIILetter else { return nil }
    var index = 1
    while let byte = byte(at: index), ByteClass(of: byte).contains(.schemeTail) { index += 1 }
    return byte(at: index) == ASCII.colon ? index : nil
  }

  @_lifetime(self: copy self)
  private mutating func writeScheme(endingAt colon: Int) {
    for index in 0..<colon { record.bytes.append(input[index].asciiLowercased) }
    record.layout.scheme = URLScheme(record.bytes.span)
    endScheme()
  }

  /// Writes the colon after the scheme, and notes that nothing follows it yet.
  @_lifetime(self: copy self)
  mutating func endScheme() {
    record.layout.schemeEnd = record.end
    record.bytes.append(ASCII.colon)
    record.layout.usernameEnd = record.end
    record.layout.passwordEnd = record.end
    record.layout.hostStart = record.end
    record.layout.hostEnd = record.end
    beginPath()
  }

  // `https:/path` and `https:path` are relative when the base has the same scheme, and absolute otherwise.
  @_lifetime(self: copy self)
  private mutating func parseAfterSpecialScheme() -> Bool {
    let hasTwoSlashes = next == ASCII.slash && byte(at: position + 1) == ASCII.slash
    if !hasTwoSlashes, let base, base.scheme == record.scheme { return parseRelative(to: base) }
    skipSlashes()
    return parseAuthority()
  }

  @_lifetime(self: copy self)
  private mutating func parseAfterOtherScheme() -> Bool {
    guard next == ASCII.slash else { return parseOpaquePath() }
    position += 1
    guard next == ASCII.slash else { return parsePath() }
    position += 1
    return parseAuthority()
  }

  @_lifetime(self: copy self)
  private mutating func parseWithoutScheme() -> Bool {
    guard let base else { return false }
    if base.hasOpaquePath {
      guard next == ASCII.numberSign else { return false }
      inherit(base, upTo: base.layout.queryEnd)
      return parseFragment()
    }
    return base.scheme == .file ? parseFile() : parseRelative(to: base)
  }

  /// Skips any number of slashes and backslashes: after a special scheme they all mean `//`.
  @_lifetime(self: copy self)
  mutating func skipSlashes() {
    while isSlash(at: position) { position += 1 }
  }
}

// The states of the path: path start, path, opaque path.
extension BasicURLParser {
  @_lifetime(self: copy self)
  mutating func parsePathStart() -> Bool {
    if isSlash(at: position) {
      position += 1
      return parsePath()
    }
    if record.isSpecial { return parsePath() }
    switch next {
    case nil, ASCII.questionMark, ASCII.numberSign: return parseQuery()
    default: return parsePath()
    }
  }

  /// Reads segments from behind a slash on, resolving `.` and `..`; each is written with its slash before it.
  @_lifetime(self: copy self)
  mutating func parsePath() -> Bool {
    while true {
      let segment = position..<endOfSegment(from: position)
      let isLast = !isSlash(at: segment.upperBound)
      writeSegment(segment, isLast: isLast)
      position = isLast ? segment.upperBound : segment.upperBound + 1
      if isLast { break }
    }
    endPath()
    return parseQuery()
  }

  @_lifetime(self: copy self)
  private mutating func writeSegment(_ segment: Range<Int>, isLast: Bool) {
    switch dots(in: segment) {
    case 1:
      if isLast { record.bytes.append(ASCII.slash) }
    case 2:
      shortenPath()
      if isLast { record.bytes.append(ASCII.slash) }
    default:
      let isFirst = record.end == record.layout.pathStart
      record.bytes.append(ASCII.slash)
      append(segment, encoding: .pathEncode)
      if isFirst, record.scheme == .file, isDriveLetter(segment) {
        record.bytes[record.bytes.count - 1] = ASCII.colon
      }
    }
  }

  /// Number of dots of a segment, `%2e` counting as one; 0 when it holds anything else or more than two.
  private func dots(in segment: Range<Int>) -> Int {
    var index = segment.lowerBound
    var count = 0
    while index < segment.upperBound, count < 3 {
      if input[index] == ASCII.dot {
        index += 1
      } else if isEncodedDot(at: index, before: segment.upperBound) {
        index += 3
      } else {
        return 0
      }
      count += 1
    }
    return count < 3 ? count : 0
  }

  private func isEncodedDot(at index: Int, before end: Int) -> Bool {
    index + 2 < end && input[index] == ASCII.percent && input[index + 1] == UInt8(ascii: "2")
      && input[index + 2].asciiLowercased == ASCII.e
  }

  /// Removes the last segment; the drive letter of a file URL stays.
  @_lifetime(self: copy self)
  mutating func shortenPath() {
    let start = Int(record.layout.pathStart)
    if record.scheme == .file, record.bytes.count == start + 3,
      record.bytes.span.extracting(start..<start + 3).beginsWithDrive
    {
      return
    }
    var end = record.bytes.count
    while end > start {
      end -= 1
      if record.bytes[end] == ASCII.slash { break }
    }
    record.bytes.truncate(to: end)
  }

  /// Notes the end of the path. Without a host a path that begins with `//` gets `/.` before it, lest the next reader
  /// of the URL take its beginning for a host.
  @_lifetime(self: copy self)
  mutating func endPath() {
    let start = Int(record.layout.pathStart)
    if !record.hasAuthority, start + 1 < record.bytes.count, record.bytes[start] == ASCII.slash,
      record.bytes[start + 1] == ASCII.slash
    {
      record.bytes.insert(ASCII.dot, at: start)
      record.bytes.insert(ASCII.slash, at: start)
      record.layout.pathStart += 2
    }
    record.layout.pathEnd = record.end
    record.layout.queryEnd = record.end
  }

  /// Reads a path without structure. A space just before `?` or `#` becomes `%20`, so that removing query and fragment
  /// does not make it a trailing one; other spaces stay.
  @_lifetime(self: copy self)
  mutating func parseOpaquePath() -> Bool {
    var end = position
    while let byte = byte(at: end), byte != ASCII.questionMark, byte != ASCII.numberSign { end += 1 }
    let endsInSpace = end < input.count && end > position && input[end - 1] == ASCII.space
    append(position..<(endsInSpace ? end - 1 : end), encoding: .controlEncode)
    if endsInSpace { record.bytes.append("%20") }
    record.layout.hasOpaquePath = true
    position = end
    record.layout.pathEnd = record.end
    record.layout.queryEnd = record.end
    return parseQuery()
  }
}
