internal import GuardModel

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

  /// The text with every invisible character written as `\u{...}`: `isInvisible` tells which, and why.
  package var escapedForDisplay: String {
    guard unicodeScalars.contains(where: \.isInvisible) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.isInvisible { result += scalar.visibleNumber } else { result.unicodeScalars.append(scalar) }
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
    guard unicodeScalars.contains(where: { $0.value >= 0x7F && $0.isInvisible }) else { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.value >= 0x7F, scalar.isInvisible {
        for unit in String(scalar).utf16 { result += Self.jsonEscape(unit) }
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func jsonEscape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16, uppercase: true)
    return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }
}

extension Sequence where Element == String {
  /// The texts in backticks with commas between them, in their own order: "`block`, `redirect`".
  package var quotedList: String {
    map(\.quoted).joined(separator: ", ")
  }
}
