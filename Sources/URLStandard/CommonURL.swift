internal import Bytes

/// The common shape of a URL: http, https or file, and already written as the serialiser would write it.
///
///     https://www.example.com:8080/a/b?c=d#e  // common: every byte is copied as it is
///     https://www.example.com                 // common: only the path's slash is added
///     file:///etc/hosts                       // common
///     file://localhost/etc/hosts              // not common: the host has to go
///     https://WWW.example.com/                // not common: the host has to change
///     http://10.1/                            // not common: may be an address
///
/// One pass finds the components and proves that no byte has to change. It leaves any doubtful URL to
/// ``BasicURLParser``; it never refuses a URL and never accepts one that the full parser reads in another way.
struct CommonURL: ~Escapable {
  private let input: Span<UInt8>
  private var layout = URLLayout()
  private var position = 0

  /// Puts `input` into `record` and returns true, or returns false and leaves `record` untouched.
  static func read(_ input: Span<UInt8>, into record: inout URLRecord) -> Bool {
    var url = CommonURL(input)
    guard url.scanScheme(), url.scanHost(), url.scanPort(), url.scanPath(), url.scanQuery(), url.scanFragment() else {
      return false
    }
    record.bytes.assign(copying: input)
    if url.layout.pathEnd > input.count { record.bytes.append(ASCII.slash) }
    record.layout = url.layout
    return true
  }

  @_lifetime(copy input)
  private init(_ input: Span<UInt8>) {
    self.input = input
  }

  @inline(__always)
  private var offset: UInt32 { UInt32(truncatingIfNeeded: position) }

  /// Goes on to the first byte of one of `classes`, or to the end.
  @inline(__always)
  @_lifetime(self: copy self)
  private mutating func skip(until classes: ByteClass) {
    position = input.firstIndex(of: classes, from: position)
  }

  @_lifetime(self: copy self)
  private mutating func scanScheme() -> Bool {
    guard input.count > 8 else { return false }
    if startsWith(ASCII.h, UInt8(ascii: "t"), UInt8(ascii: "t"), UInt8(ascii: "p")) {
      position = input[4] == UInt8(ascii: "s") ? 5 : 4
      layout.scheme = position == 5 ? .https : .http
    } else if startsWith(ASCII.f, UInt8(ascii: "i"), UInt8(ascii: "l"), ASCII.e) {
      position = 4
      layout.scheme = .file
    } else {
      return false
    }
    guard input[position] == ASCII.colon, input[position + 1] == ASCII.slash, input[position + 2] == ASCII.slash
    else { return false }
    layout.schemeEnd = offset
    position += 3
    return true
  }

  @inline(__always)
  private func startsWith(_ first: UInt8, _ second: UInt8, _ third: UInt8, _ fourth: UInt8) -> Bool {
    input[0] == first && input[1] == second && input[2] == third && input[3] == fourth
  }

  @_lifetime(self: copy self)
  private mutating func scanHost() -> Bool {
    layout.usernameEnd = offset
    layout.passwordEnd = offset
    layout.hostStart = offset
    skip(until: .domainEvent)
    layout.hostEnd = offset
    layout.hostKind = .domain
    if layout.scheme == .file { return fileHostIsCommon() }
    guard layout.hostEnd > layout.hostStart else { return false }
    if position < input.count {
      let byte = input[position]
      guard byte == ASCII.slash || byte == ASCII.colon else { return false }
    }
    return lastLabelIsNoNumber()
  }

  /// A file URL has no port, may have no host, and drops `localhost`; `/C|` in its path would become `/C:`.
  @_lifetime(self: copy self)
  private mutating func fileHostIsCommon() -> Bool {
    if position < input.count {
      guard input[position] == ASCII.slash else { return false }
      if position + 2 < input.count, input[position + 2] == ASCII.bar { return false }
    }
    guard layout.hostEnd > layout.hostStart else {
      layout.hostKind = .empty
      return position < input.count
    }
    let host = input.extracting(Int(layout.hostStart)..<position)
    return lastLabelIsNoNumber() && !host.matches("localhost")
  }

  /// True when the last label does not begin like a number; a trailing dot is not decided here.
  private func lastLabelIsNoNumber() -> Bool {
    var start = position
    while start > Int(layout.hostStart), input[start - 1] != ASCII.dot { start -= 1 }
    return start < position && !input[start].isASCIIDigit
  }

  @_lifetime(self: copy self)
  private mutating func scanPort() -> Bool {
    guard position < input.count, input[position] == ASCII.colon else { return true }
    let start = position + 1
    var number: UInt32 = 0
    position = start
    while position < input.count, position < start + 5, input[position].isASCIIDigit {
      number = number * 10 + UInt32(input[position] &- ASCII.zero)
      position += 1
    }
    guard let port = UInt16(exactly: number), start < position, input[start] != ASCII.zero else { return false }
    layout.port = port
    return port != layout.scheme.defaultPort && (position == input.count || input[position] == ASCII.slash)
  }

  @_lifetime(self: copy self)
  private mutating func scanPath() -> Bool {
    layout.pathStart = offset
    guard position < input.count else {
      layout.pathEnd = offset + 1
      layout.queryEnd = offset + 1
      return true
    }
    repeat {
      position += 1
      skip(until: .pathEvent)
    } while isHarmlessPathEvent()
    layout.pathEnd = offset
    return true
  }

  /// True for a `.` or `%` that cannot begin a dot segment.
  private func isHarmlessPathEvent() -> Bool {
    guard position < input.count else { return false }
    let byte = input[position]
    return (byte == ASCII.dot || byte == ASCII.percent) && input[position - 1] != ASCII.slash
  }

  @_lifetime(self: copy self)
  private mutating func scanQuery() -> Bool {
    if position < input.count, input[position] == ASCII.questionMark {
      position += 1
      skip(until: .specialQueryEncode)
    }
    if position <= input.count, layout.queryEnd == 0 { layout.queryEnd = offset }
    return position == input.count || input[position] == ASCII.numberSign
  }

  @_lifetime(self: copy self)
  private mutating func scanFragment() -> Bool {
    guard position < input.count else { return true }
    position += 1
    skip(until: .fragmentEncode)
    return position == input.count
  }
}
