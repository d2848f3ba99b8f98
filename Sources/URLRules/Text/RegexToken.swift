/// One piece of a pattern, as PCRE2 reads it.
enum RegexToken: Sendable, Hashable {
  /// One byte out of a set; a set of one is a literal.
  case bytes(ByteSet)
  /// `^` or `\A`.
  case start
  /// `$`, `\Z` or `\z`.
  case end
  /// `\b`, or `\B` when it is denied.
  case border(isDenied: Bool)
  case open(Group)
  case close
  case bar
  /// An option for the rest of the group: `(?i)`.
  case option
  /// Something that is not read in full; the reader says that the pattern is unusual.
  case unusual

  /// The group that a parenthesis begins.
  enum Group: Sendable, Hashable {
    /// `(`, `(?:`, `(?<name>`, `(?>`, `(?i:`
    case consuming
    /// `(?=`, `(?!`, `(?<=`, `(?<!`: matches and takes nothing.
    case look(isBehind: Bool, isDenied: Bool)
    case unusual
  }
}

/// The number of times that the piece before it may come.
package struct RegexRepeat: Sendable, Hashable {
  package var least = 1
  /// Nil: without end.
  package var most: Int? = 1

  package static let once = RegexRepeat()

  package init(least: Int = 1, most: Int? = 1) {
    self.least = least
    self.most = most
  }
}
