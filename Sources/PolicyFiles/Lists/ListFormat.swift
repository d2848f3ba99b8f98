/// The format of the lines of a list file. It is stated beside the name of the list, and never guessed from its lines.
package enum ListFormat: String, Sendable, Hashable, CaseIterable {
  /// One host a line: that host and everything below it.
  case domains
  /// The lines of a hosts file, `0.0.0.0 ads.example`: the names, and everything below them.
  case hosts
  /// One URL filter of Chromium's a line.
  case urlFilters
}
