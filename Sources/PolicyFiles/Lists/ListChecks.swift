/// What is looked for in lists of hosts beside bad lines: for `check`, since both take more time than reading does.
package struct ListChecks: Sendable {
  /// Whether a name of at most `ListLimits.maximumSuffixLabels` labels is a public suffix; in the form of the URL parser.
  package typealias SuffixTest = @Sendable (Span<UInt8>) -> Bool

  /// Whether entries are counted that stand there already, or below another entry.
  package var countsRepeats: Bool
  /// Nil when nobody shall be asked. Suffixes are warned of: such an entry takes every site below it.
  package var isPublicSuffix: SuffixTest?

  package init(countsRepeats: Bool = false, isPublicSuffix: SuffixTest? = nil) {
    self.countsRepeats = countsRepeats
    self.isPublicSuffix = isPublicSuffix
  }
}
