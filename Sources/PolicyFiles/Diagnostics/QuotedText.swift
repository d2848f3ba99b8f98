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

/// Finds the known word that the author probably meant.
package enum Suggestion {
  /// Longest word, in Unicode scalars, that is compared at all: the work grows with the square of it.
  private static let maximumLength = 64
  /// Most letters that may be wrong, missing or too many.
  private static let maximumDistance = 2

  /// The candidate nearest to `word`: the same letters in another case or with other separators, else the one with the
  /// smallest edit distance of at most two; nil when none is near. Among equals the first candidate wins.
  ///
  ///     Suggestion.nearest(to: "external_urls", among: ["id", "externalURLs"])   // "externalURLs"
  ///     Suggestion.nearest(to: "colour", among: ["id", "externalURLs"])          // nil
  package static func nearest(to word: String, among candidates: [String]) -> String? {
    let letters = Array(word.unicodeScalars.prefix(maximumLength + 1))
    guard letters.count <= maximumLength else { return nil }
    let folded = fold(word)
    if let same = candidates.first(where: { !folded.isEmpty && fold($0) == folded }) { return same }

    var best: (word: String, distance: Int)?
    for candidate in candidates {
      let other = Array(candidate.unicodeScalars)
      guard abs(other.count - letters.count) <= maximumDistance else { continue }
      let distance = editDistance(letters, other)
      // A word of two letters is two changes away from every other word of two letters: that is no likeness.
      guard distance <= maximumDistance, distance < min(letters.count, other.count) else { continue }
      if distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.word
  }

  private static func fold(_ word: String) -> String {
    word.lowercased().filter { $0 != "-" && $0 != "_" && $0 != " " }
  }

  /// The Levenshtein distance: letters to change, insert or delete to make one word the other.
  package static func editDistance(_ one: [Unicode.Scalar], _ other: [Unicode.Scalar]) -> Int {
    var row = Array(0...other.count)
    for (i, letter) in one.enumerated() {
      var diagonal = i
      row[0] = i + 1
      for (j, otherLetter) in other.enumerated() {
        let changed = diagonal + (letter == otherLetter ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(changed, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[other.count]
  }
}
