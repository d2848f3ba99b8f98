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
