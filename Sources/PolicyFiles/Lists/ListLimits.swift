/// Limits of list files. A list of a million names is usual; a list over these limits is a mistake, or an attack.
package enum ListLimits {
  /// Most bytes of a list file as it is stored, and most bytes of its text. A gzip file of 260 kB can unpack to this.
  package static let maximumBytes = 256 << 20
  /// Most entries of one list.
  package static let maximumEntries = 10_000_000
  /// Most bad lines before reading stops: they take longer than good ones, and no user repairs so many one by one.
  package static let maximumBadLines = 100_000
  /// Most bytes of a line, comments apart: some hundred names of a hosts file.
  package static let maximumLineLength = 8_192
  /// Most bad lines of a list that are shown one by one.
  package static let maximumShownLines = 20
  /// Most bytes of a host name, and of one label (RFC 1035, section 2.3.4, without the dot at the end).
  package static let maximumHostLength = 253
  package static let maximumLabelLength = 63
  /// Most labels of a name that is looked up among the public suffixes: no suffix has more.
  package static let maximumSuffixLabels = 3

  /// The crossed limit on lines; nil when none is crossed.
  static func refusal(entries: Int, badLines: Int) -> String? {
    if entries > maximumEntries { return "more than \(maximumEntries.grouped) entries" }
    return badLines > maximumBadLines ? "more than \(maximumBadLines.grouped) bad lines" : nil
  }
}
