/// Checks of lists of hosts beside bad lines: for `check`, since both take more time than reading does.
package struct ListChecks: Sendable {
  /// Whether a name of at most `ListLimits.maximumSuffixLabels` labels is a public suffix; in the form of the URL parser.
  package typealias SuffixTest = @Sendable (Span<UInt8>) -> Bool

  /// Whether repeated entries, and entries below another one, are counted.
  package var countsRepeats: Bool
  /// Nil for no check. A suffix gets a warning: such an entry takes every site below it.
  package var isPublicSuffix: SuffixTest?

  package init(countsRepeats: Bool = false, isPublicSuffix: SuffixTest? = nil) {
    self.countsRepeats = countsRepeats
    self.isPublicSuffix = isPublicSuffix
  }
}
