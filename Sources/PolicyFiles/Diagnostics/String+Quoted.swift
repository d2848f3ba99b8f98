extension String {
  /// Most Unicode scalars of a user's text that a message repeats.
  private static var maximumQuotedLength: Int { 60 }

  /// The text in backticks, fit to stand in a message: escaped, and cut when it is long.
  ///
  ///     "block".quoted          // `block`
  ///     "two\nlines".quoted     // `two\u{A}lines`
  package var quoted: String {
    let scalars = unicodeScalars.prefix(Self.maximumQuotedLength + 1)
    guard scalars.count > Self.maximumQuotedLength else { return "`\(escapedForDisplay)`" }
    return "`\(String(scalars.dropLast()).escapedForDisplay)...`"
  }

  /// The text with every control, line-breaking and bidirectional character written as `\u{...}`.
  ///
  /// The attack: a key that holds an escape sequence, or a right-to-left override, makes a terminal show another
  /// message than the one printed ("Trojan Source", CVE-2021-42574).
  package var escapedForDisplay: String {
    guard unicodeScalars.contains(where: \.misleadsReaders) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.misleadsReaders {
        result += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension String {
  /// JSON text with the same characters written as JSON's own escapes: the same values, and nothing in it that a terminal or
  /// an editor obeys. Line breaks between values stay.
  ///
  ///     #"{"viewer":"a\u{202E}b"}"#.escapedAsJSON    // {"viewer":"a\u202Eb"}
  package var escapedAsJSON: String {
    guard unicodeScalars.contains(where: { $0.value >= 0x7F && $0.misleadsReaders }) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.value >= 0x7F, scalar.misleadsReaders {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Whether a terminal or an editor may obey this character instead of showing it.
  fileprivate var misleadsReaders: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0: true
    case 0x061C, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x2069, 0xFEFF: true
    default: false
    }
  }
}

extension Sequence where Element == String {
  /// The texts in backticks with commas between them, in their own order: "`block`, `redirect`".
  package var quotedList: String {
    map(\.quoted).joined(separator: ", ")
  }
}
