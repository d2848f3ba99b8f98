internal import URLRules

/// What is particular to the lines of a hosts file (hosts(5)).
enum HostsFileLine {
  /// The name of a line in the usual shape, `0.0.0.0 name` or `127.0.0.1 name`, when nothing in it has to be changed;
  /// nil for every other line. `end` is where the line ends.
  @inline(__always)
  static func plainName(in line: Span<UInt8>, before end: Int) -> Range<Int>? {
    var start = 0
    if line.starts(with: "0.0.0.0", before: end) { start = 7 }
    if line.starts(with: "127.0.0.1", before: end) { start = 9 }
    guard start > 0, start < end, line[start].isBlank else { return nil }
    while start < end, line[start].isBlank { start += 1 }
    guard start < end, PlainHost.isPlain(line.extracting(start..<end)) else { return nil }
    return start..<end
  }

  /// Whether the first word of a line is an address as hosts files have them: `0.0.0.0`, `::1`, `fe80::1%lo0`, `0`.
  static func isAddress(_ word: Span<UInt8>) -> Bool {
    guard word.count <= 64 else { return false }
    let text = word.text
    guard text.utf8.contains(UInt8(ascii: ":")) else {
      return text == "0" || HostName(text).map { $0.isAddress && $0.bytes.elementsEqual(text.utf8) } ?? false
    }
    return HostName("[\(text.prefix { $0 != "%" })]") != nil
  }

  /// Whether a name only names the machine itself, or a group of addresses: such entries stand in every hosts file.
  static func isSelf(_ name: Span<UInt8>) -> Bool {
    guard name.count <= longestSelfName else { return false }
    return selfNames.contains { $0.utf8CodeUnitCount == name.count && name.starts(with: $0, before: name.count) }
  }

  private static let longestSelfName = 23
  private static let selfNames: [StaticString] = [
    "localhost", "localhost.localdomain", "localhost4", "localhost4.localdomain4", "localhost6",
    "localhost6.localdomain6", "local", "broadcasthost", "0.0.0.0", "ip6-localhost", "ip6-loopback", "ip6-localnet",
    "ip6-mcastprefix", "ip6-allnodes", "ip6-allrouters", "ip6-allhosts",
  ]
}

extension Span<UInt8> {
  /// Whether the first `end` bytes begin with `literal`, apart from the case of ASCII letters in these bytes.
  @inline(__always)
  fileprivate func starts(with literal: StaticString, before end: Int) -> Bool {
    literal.withUTF8Buffer { literal in
      guard literal.count <= end else { return false }
      for index in literal.indices {
        let byte = self[index]
        let isUpper = byte &- UInt8(ascii: "A") < 26
        guard (isUpper ? byte | 0x20 : byte) == literal[index] else { return false }
      }
      return true
    }
  }
}
