/// A feature that an app did not claim when it attached, and what it loses by that.
///
///     MissingFeature("warn", "instead of a warning that people may pass, they get a block")
public struct MissingFeature: Sendable, Hashable {
  /// The word of `Attach`.
  public let word: String
  /// One sentence, for the app's author.
  public let cost: String

  package init(_ word: String, _ cost: String) { (self.word, self.cost) = (word, cost) }
}
