/// Why a text is no URL filter.
///
///     custom://app   no URL filter can name the host of a `custom:` URL (write `custom:*` for all of them)
///     bücher.example no URL has the host `bücher.example` (write `xn--bcher-kva.example`)
///
/// Filters that Chromium would drop without a word, or keep although they can match nothing, are refused here: a filter
/// that does nothing is a hole unknown to its author.
package struct URLFilterError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Chromium logs the filter as invalid and goes on without it.
    case ignored
    /// Chromium keeps the filter, and no URL ever matches it.
    case matchesNothing
    /// Longer than any URL: ``URLRecord/maximumLength``.
    case tooLong
  }

  package var kind: Kind
  /// Byte offset in the filter.
  package var offset: Int
  package var message: String
  /// A suggestion for the author.
  package var hint: String?

  package var description: String { hint.map { "\(message) (\($0))" } ?? message }
}

/// A text as a message quotes it: in backticks, on one line, and not longer than a line.
func quoted(_ bytes: some Sequence<UInt8>) -> String {
  let text = String(decoding: Array(bytes), as: UTF8.self)
  var quote = ""
  for character in text.unicodeScalars.prefix(80) {
    let isPlain = character.properties.generalCategory != .control && character != "`"
    quote.unicodeScalars.append(isPlain ? character : "\u{FFFD}")
  }
  return "`\(quote)\(text.unicodeScalars.count > 80 ? "…" : "")`"
}
