import PolicyFiles
import TestSupport
import Testing
import URLRules

/// The reader of lists, which has a fast way for most names, against the URL parser's own reading of every name.
@Suite struct ListDifferentialTests {
  private static let parts: [[UInt8]] = [
    "a", "b", "z", "0", "9", "-", "_", ".", ".", "example", "xn--", "ads", "A", "Z", "com", "7up", "0x1f", "127.0.0.1",
    "10.1", "*.", ".*", " ", "\t", " #", "#", "!", ":", "::1", "[::1]", "/", "%2e", "@", ",", "\u{FC}", "\u{DF}",
    "\u{4E2D}", "\u{FF21}", "\u{3002}", "\u{200D}", "\u{AD}", "\u{5D0}", "\u{FEFF}", "\r", "\0", "||", "^",
  ].map { Array($0.utf8) }

  @Test func randomLinesAreReadAsTheParserReadsThem() {
    var generator = SeededGenerator()
    let note = generator.note
    var goodCount = 0
    for _ in 0..<Effort.scaled(1_000) {
      let lines = (0..<200).map { _ in Self.line(&generator) }
      let expected = lines.map(Self.reference)
      let list = ReadList(Array(lines.joined(separator: [0x0A])))
      let good = expected.compactMap(\.host)
      #expect(list.hosts == good, "\(note)")
      let bad = expected.count { $0.isBad }
      let areTooMany = bad * 100 > bad + good.count
      #expect(list.problems.contains(" lines are bad, more than one in a hundred") == areTooMany, "\(note)")
      goodCount += good.count
    }
    #expect(goodCount > Effort.scaled(30_000))
  }

  private static func line(_ generator: inout SeededGenerator) -> [UInt8] {
    // Usual names, names of pieces that mean something, and bytes of every value.
    switch generator.below(4) {
    case 0:
      return (0...generator.below(20)).map { _ in generator.one(of: Array("abcxyz0189-_..ABZ".utf8)) }
    case 1:
      return generator.one(of: Self.parts) + (0..<generator.below(6)).flatMap { _ in generator.one(of: Self.parts) }
    case 2:
      let name = (0..<generator.below(300)).map { _ in generator.oneIn(30) ? UInt8(ascii: ".") : UInt8(ascii: "q") }
      return name
    default:
      let bytes = (0..<generator.below(12)).map { _ in
        generator.oneIn(4) ? UInt8(truncatingIfNeeded: generator.next()) : generator.one(of: Array("ab.-".utf8))
      }
      return bytes.filter { $0 != 0x0A }
    }
  }

  /// What a line means, said as slowly and plainly as can be: the host, or that the line is bad, or neither.
  private static func reference(_ line: [UInt8]) -> (host: String?, isBad: Bool) {
    var text = line[...]
    if text.last == 0x0D { text = text.dropLast() }
    text = trimmed(text)
    guard let first = text.first, first != UInt8(ascii: "#"), first != UInt8(ascii: "!") else { return (nil, false) }
    let comment = text.indices.dropFirst().first { text[$0] == UInt8(ascii: "#") && isBlank(text[$0 - 1]) }
    if let comment { text = trimmed(text[..<comment]) }
    guard let name = String(validating: text, as: UTF8.self), let host = host(name) else { return (nil, true) }
    return (host, false)
  }

  private static func host(_ text: String) -> String? {
    var name = text[...]
    let isWildcard = name.hasPrefix("*.") || name.hasPrefix(".")
    if isWildcard, name.count > 1 { name = name.drop { $0 == "*" }.dropFirst() }
    if name.utf8.last == UInt8(ascii: ".") { name = name.dropLast() }
    let isIPv6 = name.contains(":") && !name.hasPrefix("[")
    guard !name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: "%") }),
      !name.hasPrefix("."), !name.hasSuffix("."), !name.contains(".."),
      let host = HostName(isIPv6 ? "[\(name)]" : String(name))
    else { return nil }
    let result = String(decoding: host.bytes, as: UTF8.self)
    if host.isAddress { return !isWildcard && (result.hasPrefix("[") || result == name) ? result : nil }
    let labels = result.split(separator: ".", omittingEmptySubsequences: false)
    let isPlain = result.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz0123456789-_.".utf8.contains($0) }
    return isPlain && result.utf8.count <= 253 && labels.allSatisfy { (1...63).contains($0.utf8.count) } ? result : nil
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let start = text.drop(while: isBlank)
    let end = start.lastIndex { !isBlank($0) } ?? start.startIndex - 1
    return start[...end]
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
