internal import Bytes

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

// The host parser. Source: URL Standard, section 3.5.
extension BasicURLParser {
  /// Reads the host in `range` and notes its place in the output and its kind.
  @_lifetime(self: copy self)
  mutating func parseHost(_ range: Range<Int>) -> Bool {
    record.layout.hostStart = record.end
    guard writeHost(range) else { return false }
    record.layout.hostEnd = record.end
    return true
  }

  @_lifetime(self: copy self)
  private mutating func writeHost(_ range: Range<Int>) -> Bool {
    if range.isEmpty {
      record.layout.hostKind = .empty
      return !record.isSpecial || record.scheme == .file
    }
    if input[range.lowerBound] == ASCII.openBracket { return writeIPv6(range) }
    return record.isSpecial ? writeDomain(range) : writeOpaqueHost(range)
  }

  @_lifetime(self: copy self)
  private mutating func writeIPv6(_ range: Range<Int>) -> Bool {
    guard range.count >= 2, input[range.upperBound - 1] == ASCII.closeBracket,
      let address = IPv6Address(input.extracting(range.lowerBound + 1..<range.upperBound - 1))
    else { return false }
    record.layout.hostKind = .ipv6
    address.write(to: &record.bytes)
    return true
  }

  @_lifetime(self: copy self)
  private mutating func writeOpaqueHost(_ range: Range<Int>) -> Bool {
    guard classes(in: range).isDisjoint(with: .forbiddenHost) else { return false }
    record.layout.hostKind = .opaque
    append(range, encoding: .controlEncode)
    return true
  }

  @_lifetime(self: copy self)
  private mutating func writeDomain(_ range: Range<Int>) -> Bool {
    let start = record.bytes.count
    guard writeDomainName(range) else { return false }
    record.layout.hostKind = .domain
    guard hostEndsInNumber(from: start) else { return true }
    guard let address = ipv4Address(from: start) else { return false }
    record.bytes.truncate(to: start)
    address.write(to: &record.bytes)
    record.layout.hostKind = .ipv4
    record.layout.ipv4 = address.bits
    return true
  }

  private func hostEndsInNumber(from start: Int) -> Bool {
    IPv4Address.endsInNumber(record.bytes.span.extracting(start..<record.bytes.count))
  }

  private func ipv4Address(from start: Int) -> IPv4Address? {
    IPv4Address(record.bytes.span.extracting(start..<record.bytes.count))
  }

  @_lifetime(self: copy self)
  private mutating func writeDomainName(_ range: Range<Int>) -> Bool {
    let classes = classes(in: range)
    if classes.isDisjoint(with: [.percent, .nonASCII]) {
      guard classes.isDisjoint(with: .forbiddenDomain) else { return false }
      record.bytes.append(lowercasing: input.extracting(range))
      return true
    }
    decodeHost(range)
    return DomainName.write(hostScratch, to: &record.bytes)
  }

  /// Percent-decodes the host into the scratch and makes it UTF-8.
  ///
  /// `https://corp%2eexample/` is `corp.example`, and `%ef%bc%85` becomes `%`, which a domain must not hold: the
  /// decoded text is parsed, never decoded twice.
  @_lifetime(self: copy self)
  private mutating func decodeHost(_ range: Range<Int>) {
    hostScratch.removeAll(keepingCapacity: true)
    var index = range.lowerBound
    while index < range.upperBound {
      if let byte = percentEncodedByte(at: index, before: range.upperBound) {
        hostScratch.append(byte)
        index += 3
      } else {
        hostScratch.append(input[index])
        index += 1
      }
    }
    UTF8Repair.repair(&hostScratch)
  }

  private func percentEncodedByte(at index: Int, before end: Int) -> UInt8? {
    guard input[index] == ASCII.percent, index + 2 < end,
      let high = input[index + 1].hexDigitValue, let low = input[index + 2].hexDigitValue
    else { return nil }
    return high << 4 | low
  }

  /// All classes that occur in `range`.
  private func classes(in range: Range<Int>) -> ByteClass {
    var classes: ByteClass = []
    for index in range { classes.formUnion(ByteClass(of: input[index])) }
    return classes
  }
}
