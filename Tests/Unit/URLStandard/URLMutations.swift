import TestSupport

/// Makes broken, confusing and rare URLs from ordinary ones.
struct URLMutations {
  private var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  /// `url` after one to four random changes; need not be UTF-8 any more.
  mutating func mutate(_ url: [UInt8]) -> [UInt8] {
    var bytes = url
    for _ in 0..<Int.random(in: 1...4, using: &generator) { change(&bytes) }
    return bytes
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    let position = Int.random(in: 0...bytes.count, using: &generator)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0..<5:
      let piece = Self.pieces.randomElement(using: &generator) ?? ""
      bytes.insert(contentsOf: piece.utf8, at: position)
    case 5:
      bytes.insert(UInt8.random(in: 0...255, using: &generator), at: position)
    case 6:
      bytes.removeSubrange(position..<min(bytes.count, position + 3))
    default:
      for index in bytes.indices.prefix(position) where bytes[index] & 0xC0 == 0x40 { bytes[index] ^= 0x20 }
    }
  }

  private static let pieces = [
    "/", "\\", "//", ":", "@", "?", "#", ".", "..", "/./", "/../", "%2e", "/%2E%2e/", "%", "%00", "%41", "[", "]",
    "::", "[::1]", "[1:2::3]", "0x", "0x7f.", "127.0.0.1", "256", "09", ".0.", "|", "/C|/", "C:", "/c:/", " ", "\t",
    "\r\n", "\0", "\u{7F}", "\"", "'", "<", "`", "{", "}", "^", ";", "=", "\u{E9}", "\u{DF}", "\u{1E9E}", "\u{5D0}",
    "\u{FEFF}", "\u{FF0E}", "\u{3002}", "\u{AD}", "http:", "https://", "ws://", "wss:", "file:", "file://", "data:",
    "blob:https://", "javascript:", "foo:", "foo://", "foo:/..//", "ftp://", "localhost", "localhost.", "xn--",
    "xn--a", "user:pass@", ":80", ":443", ":0", ":65535", ":65536", ":00080", "a", "Z", "-", "_", "~", "example.com.",
  ]
}
