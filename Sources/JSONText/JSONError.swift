/// Why bytes are not taken as JSON.
///
/// The first error wins; the bytes behind it are not looked at. Nothing of the input is repeated here, so an error can
/// be logged and sent to strangers.
package enum JSONError: Error, Equatable, Hashable, Sendable, CaseIterable {
  /// Nothing, or white space only.
  case empty

  /// More bytes than the parser was made for.
  case tooLong

  /// More than ``JSONParser/maximumDepth`` objects and arrays within each other.
  case tooDeep

  /// The bytes are not UTF-8 (RFC 8259, section 8.1).
  case notUTF8

  /// A string that never ends, holds a raw control character, an unknown escape, or half of a surrogate pair.
  case invalidString

  /// A number that breaks the grammar (`01`, `1.`), or that fits in neither 64 bits nor a double (`1e400`).
  case invalidNumber

  /// An object holds the same key twice, also when the two are escaped differently (`"a"` and `"\u0061"`).
  case duplicateKey

  /// A whole value, and then something that is not white space.
  case trailingContent

  /// Anything else: a comma, colon, quote or bracket that is missing or too many, or an unknown word.
  case syntax

  /// There was no memory for the parser's buffers.
  case outOfMemory
}

extension JSONError: CustomStringConvertible {
  /// A sentence for people.
  ///
  ///     "\(JSONError.duplicateKey)"   // "an object holds the same key twice"
  package var description: String {
    switch self {
    case .empty: "there is no JSON value"
    case .tooLong: "the JSON text is longer than allowed"
    case .tooDeep: "objects and arrays are nested deeper than allowed"
    case .notUTF8: "the JSON text is not valid UTF-8"
    case .invalidString: "a string has no end, holds a raw control character, or a wrong escape"
    case .invalidNumber: "a number is malformed or too large"
    case .duplicateKey: "an object holds the same key twice"
    case .trailingContent: "something follows the end of the JSON value"
    case .syntax: "a comma, colon, quote or bracket is missing or misplaced, or a word is unknown"
    case .outOfMemory: "there is no memory to read the JSON text"
    }
  }
}
