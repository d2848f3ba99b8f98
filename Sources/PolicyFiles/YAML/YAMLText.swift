/// The bytes of one file, made fit for libyaml: UTF-8 without byte-order mark and without characters that YAML forbids.
///
/// libyaml stops at the first bad byte, and gives only an offset for it. The bytes are therefore checked here first:
/// every bad one is reported with its place and replaced by U+FFFD, and the rest of the file can still be read.
struct YAMLText {
  /// Largest number of bad characters reported; a file with more of them is no text, and is not read at all.
  static let maximumBadCharacters = 20
  /// Most `%TAG` directives that are passed on: libyaml compares each with all before it.
  static let maximumTagDirectives = 16

  let file: String
  let bytes: [UInt8]
  /// The place behind the last character.
  let end: YAMLEvent.Mark

  /// The text of `raw`, or nil when it is not worth reading on. Problems go to `diagnostics` in either case.
  static func read(
    _ raw: Span<UInt8>, file: String, limit: Int, into diagnostics: inout Diagnostics
  ) -> YAMLText? {
    let start = SourceLocation(file: file)
    guard raw.count <= limit else {
      diagnostics.error(
        .fileTooLarge, at: start, "file has \(raw.count) bytes, more than the \(limit) allowed",
        hint: "move long lists to a file of their own, one entry a line")
      return nil
    }
    guard !looksLikeUTF16(raw) else {
      diagnostics.error(
        .utf16, at: start, "file is encoded in UTF-16 or UTF-32", hint: "save the file as UTF-8")
      return nil
    }
    var scanner = YAMLTextScanner(file: file, length: raw.count)
    guard scanner.scan(withoutByteOrderMark(raw), into: &diagnostics) else { return nil }
    return YAMLText(file: file, bytes: scanner.clean, end: scanner.mark)
  }

  /// YAML 1.2.2, section 5.2: told by the byte-order mark, or by the positions of zero bytes in the first characters.
  private static func looksLikeUTF16(_ raw: Span<UInt8>) -> Bool {
    guard raw.count >= 2 else { return false }
    if raw[0] == 0xFE && raw[1] == 0xFF || raw[0] == 0xFF && raw[1] == 0xFE { return true }
    guard raw.count >= 4 else { return false }
    let isZero = (raw[0] == 0, raw[1] == 0, raw[2] == 0, raw[3] == 0)
    return switch isZero {
    case (true, false, true, false), (false, true, false, true): true  // UTF-16
    case (true, true, true, false), (false, true, true, true): true  // UTF-32
    default: raw[0] == 0 && raw[1] == 0 && raw[2] == 0xFE && raw[3] == 0xFF
    }
  }

  private static func withoutByteOrderMark(_ raw: Span<UInt8>) -> [UInt8] {
    let hasMark = raw.count >= 3 && raw[0] == 0xEF && raw[1] == 0xBB && raw[2] == 0xBF
    return raw.withUnsafeBufferPointer { Array($0.dropFirst(hasMark ? 3 : 0)) }
  }

  /// The bytes of a line counted from 1, without its end; empty when there is no such line.
  func line(_ number: Int) -> ArraySlice<UInt8> {
    var start = 0
    for _ in 1..<max(number, 1) {
      guard let end = bytes[start...].firstIndex(where: \.endsLine) else { return [] }
      let isPair = bytes[end] == .carriageReturn && end + 1 < bytes.count && bytes[end + 1] == .lineFeed
      start = end + (isPair ? 2 : 1)
    }
    return bytes[start...].prefix { !$0.endsLine }
  }
}

extension UInt8 {
  static var lineFeed: UInt8 { 0x0A }
  static var carriageReturn: UInt8 { 0x0D }
  static var tab: UInt8 { 0x09 }
  /// Whether YAML ends a line here (YAML 1.2.2, section 5.4).
  var endsLine: Bool { self == .lineFeed || self == .carriageReturn }
}
