/// A language by its BCP 47 tag, compared without case: `de`, `de-AT`, `zh-Hant-TW`.
///
///     LanguageTag("de-AT")?.broader     // de
///     LanguageTag("de_AT")              // nil: that is a locale's name, not a tag
package struct LanguageTag: Sendable, Hashable, CustomStringConvertible {
  /// The tag in lower case.
  package let description: String

  /// Nil for a text that is no language tag: RFC 5646 section 2.1, as far as it names languages. `default` is the name
  /// of the texts for all other users.
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard text.utf8.count <= Self.maximumBytes, let language = parts.first, (2...8).contains(language.count),
      language.allSatisfy(\.isASCIILetter),
      parts.allSatisfy({ (1...8).contains($0.count) && $0.allSatisfy(\.isASCIIAlphanumeric) }),
      text.lowercased() != Self.reserved
    else { return nil }
    description = text.lowercased()
  }

  private init(known text: Substring) { description = String(text) }

  /// The next wider language: RFC 4647 section 3.4 takes the last part away, and one of a single letter before it.
  package var broader: LanguageTag? {
    guard let dash = description.lastIndex(of: "-") else { return nil }
    let shorter = description[..<dash]
    let isExtension = shorter.dropLast().last == "-"
    return LanguageTag(known: isExtension ? shorter.dropLast(2) : shorter)
  }

  /// Longest tag that RFC 5646 section 4.4.1 asks for.
  package static let maximumBytes = 35
  package static let reserved = "default"
}

extension UInt8 {
  fileprivate var isASCIILetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

  fileprivate var isASCIIAlphanumeric: Bool {
    isASCIILetter || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
  }
}
