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

/// Walks over the characters of a file, counts lines and columns, and replaces characters that YAML forbids.
struct YAMLTextScanner {
  private let file: String
  private var line = 1
  private var column = 1
  private var badCharacters = 0
  private var tagDirectives = 0

  /// The text so far, with U+FFFD for every bad character: one for one, so that columns stay the same.
  private(set) var clean: [UInt8] = []

  /// The place of the next character.
  var mark: YAMLEvent.Mark { YAMLEvent.Mark(line: line, column: column) }

  init(file: String, length: Int) {
    self.file = file
    clean.reserveCapacity(length)
  }

  /// Reads all of `bytes`; false when there is too much wrong to go on.
  mutating func scan(_ bytes: [UInt8], into diagnostics: inout Diagnostics) -> Bool {
    var index = 0
    while index < bytes.count {
      let byte = bytes[index]
      switch byte {
      case 0x20...0x7E, .tab:
        if column == 1, byte == UInt8(ascii: "%"), !allowDirective(bytes[index...], into: &diagnostics) { return false }
        column += 1
        clean.append(byte)
        index += 1
      case .lineFeed, .carriageReturn:
        clean.append(byte)
        index += 1
        if byte == .carriageReturn, index < bytes.count, bytes[index] == .lineFeed { continue }
        line += 1
        column = 1
      default:
        index += scanRareCharacter(bytes[index...], into: &diagnostics)
        column += 1
      }
      if badCharacters > YAMLText.maximumBadCharacters { return false }
    }
    return true
  }

  /// Takes the character at the front, which is a control character or not ASCII, and returns its length in bytes.
  private mutating func scanRareCharacter(_ rest: ArraySlice<UInt8>, into diagnostics: inout Diagnostics) -> Int {
    var iterator = rest.makeIterator()
    var parser = Unicode.UTF8.ForwardParser()
    switch parser.parseScalar(from: &iterator) {
    case .valid(let encoded):
      let scalar = Unicode.UTF8.decode(encoded)
      if let problem = Problem(scalar) {
        refuse(problem, into: &diagnostics)
      } else {
        clean.append(contentsOf: encoded)
      }
      return encoded.count
    case .error(let length):
      refuse(.invalidUTF8(rest.prefix(length).map { $0 }), into: &diagnostics)
      return length
    case .emptyInput:
      return 1
    }
  }

  private mutating func refuse(_ problem: Problem, into diagnostics: inout Diagnostics) {
    clean.append(contentsOf: [0xEF, 0xBF, 0xBD])
    badCharacters += 1
    if badCharacters > YAMLText.maximumBadCharacters {
      let hint = "is this a text file?"
      diagnostics.error(problem.code, at: here, "more bad characters follow, the file was not read", hint: hint)
    } else {
      diagnostics.error(problem.code, at: here, problem.message, hint: problem.hint)
    }
  }

  private mutating func allowDirective(_ rest: ArraySlice<UInt8>, into diagnostics: inout Diagnostics) -> Bool {
    guard rest.starts(with: "%TAG".utf8) else { return true }
    tagDirectives += 1
    guard tagDirectives > YAMLText.maximumTagDirectives else { return true }
    diagnostics.error(.tag, at: here, "too many tag directives, the file was not read", hint: "remove these lines")
    return false
  }

  private var here: SourceLocation { SourceLocation(file: file, line: line, column: column) }
}

extension YAMLTextScanner {
  /// Why a character may not stand in a file.
  private enum Problem {
    case invalidUTF8([UInt8])
    case nul
    case controlCharacter(Unicode.Scalar)
    case lineSeparator(Unicode.Scalar)

    /// The problem with `scalar`, or nil for one that YAML allows (YAML 1.2.2, section 5.1).
    init?(_ scalar: Unicode.Scalar) {
      switch scalar.value {
      case 0: self = .nul
      // libyaml ends a line at these, YAML 1.2 and editors do not: a setting could hide behind a `#` in a comment.
      case 0x85, 0x2028, 0x2029: self = .lineSeparator(scalar)
      case 0x01...0x08, 0x0B...0x0C, 0x0E...0x1F, 0x7F...0x9F: self = .controlCharacter(scalar)
      case 0xFEFF, 0xFFFE, 0xFFFF: self = .controlCharacter(scalar)
      default: return nil
      }
    }

    var code: Diagnostic.Code {
      switch self {
      case .invalidUTF8: .invalidUTF8
      case .nul: .nul
      case .controlCharacter: .controlCharacter
      case .lineSeparator: .lineSeparator
      }
    }

    var message: String {
      switch self {
      case .invalidUTF8(let bytes): "invalid UTF-8: \(bytes.map { "0x" + $0.hexadecimal(2) }.joined(separator: " "))"
      case .nul: "NUL character"
      case .controlCharacter(let scalar): "character U+\(scalar.value.hexadecimal(4)) is not allowed"
      case .lineSeparator(let scalar): "line separator U+\(scalar.value.hexadecimal(4)) is not allowed"
      }
    }

    var hint: String? {
      switch self {
      case .invalidUTF8: "save the file as UTF-8"
      case .nul: "remove it"
      case .controlCharacter(let scalar), .lineSeparator(let scalar):
        "remove it, or write it in double quotes as `\\u\(scalar.value.hexadecimal(4))`"
      }
    }
  }
}

extension FixedWidthInteger {
  fileprivate func hexadecimal(_ width: Int) -> String {
    let digits = String(self, radix: 16, uppercase: true)
    return String(repeating: "0", count: Swift.max(0, width - digits.count)) + digits
  }
}
