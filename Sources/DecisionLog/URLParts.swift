/// Parts of a URL that a record left out.
package struct URLParts: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let credentials = URLParts(rawValue: 1)
  package static let path = URLParts(rawValue: 2)
  package static let query = URLParts(rawValue: 4)
  package static let fragment = URLParts(rawValue: 8)
  /// All of it: its parts could not be told apart, so nothing could be masked.
  package static let whole = URLParts(rawValue: 16)

  /// The words in the record, in the order in which they stand there.
  static let words: [(part: URLParts, word: StaticString)] = [
    (.credentials, "credentials"), (.path, "path"), (.query, "query"), (.fragment, "fragment"), (.whole, "url"),
  ]
}
