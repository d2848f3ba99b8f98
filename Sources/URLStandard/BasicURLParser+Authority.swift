// The states between `//` and the path: authority, host, port.
extension BasicURLParser {
  /// Reads credentials, host and port, and goes on with the path.
  ///
  /// The credentials end at the LAST `@` before the path: in `https://corp.example@x@evil.example/` the host is
  /// `evil.example`.
  @_lifetime(self: copy self)
  mutating func parseAuthority() -> Bool {
    beginAuthority()
    let end = endOfSegment(from: position)
    if let at = lastAt(before: end) {
      guard at + 1 < end else { return false }
      writeCredentials(position..<at)
      position = at + 1
    }
    guard parseHostAndPort(position..<end) else { return false }
    position = end
    beginPath()
    return parsePathStart()
  }

  private func lastAt(before end: Int) -> Int? {
    var index = end
    while index > position {
      index -= 1
      if input[index] == ASCII.at { return index }
    }
    return nil
  }

  @_lifetime(self: copy self)
  private mutating func writeCredentials(_ range: Range<Int>) {
    var nameEnd = range.lowerBound
    while nameEnd < range.upperBound, input[nameEnd] != ASCII.colon { nameEnd += 1 }
    append(range.lowerBound..<nameEnd, encoding: .userinfoEncode)
    record.layout.usernameEnd = record.end
    if nameEnd + 1 < range.upperBound {
      record.bytes.append(ASCII.colon)
      append(nameEnd + 1..<range.upperBound, encoding: .userinfoEncode)
    }
    record.layout.passwordEnd = record.end
    if record.end > record.layout.hostStart { record.bytes.append(ASCII.at) }
  }

  @_lifetime(self: copy self)
  private mutating func parseHostAndPort(_ range: Range<Int>) -> Bool {
    let colon = portColon(in: range)
    let host = range.lowerBound..<(colon ?? range.upperBound)
    guard parseHost(host) else { return false }
    guard let colon else { return true }
    return !host.isEmpty && parsePort(colon + 1..<range.upperBound)
  }

  /// The first colon that is not inside brackets.
  private func portColon(in range: Range<Int>) -> Int? {
    var isInsideBrackets = false
    for index in range {
      switch input[index] {
      case ASCII.openBracket: isInsideBrackets = true
      case ASCII.closeBracket: isInsideBrackets = false
      case ASCII.colon where !isInsideBrackets: return index
      default: break
      }
    }
    return nil
  }

  /// Reads digits up to 65535, leading zeros allowed; the scheme's own port is not written.
  @_lifetime(self: copy self)
  private mutating func parsePort(_ range: Range<Int>) -> Bool {
    if range.isEmpty { return true }
    var port: UInt16 = 0
    for index in range {
      guard input[index].isASCIIDigit else { return false }
      let (tens, overflow) = port.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(UInt16(input[index] &- ASCII.zero))
      guard !overflow, !carry else { return false }
      port = sum
    }
    if port == record.scheme.defaultPort { return true }
    record.layout.port = port
    record.bytes.append(ASCII.colon)
    record.bytes.append(decimal: port)
    return true
  }
}
