internal import DecisionLog
internal import URLRules

/// Finds the site under which the advice of a record is counted.
struct AdvisedSite {
  private var url = URLSubject()
  private let suffixes = PublicSuffixes()

  /// The registrable domain of its URL; the host where there is none, as of an address, and `mailto:` and the like
  /// where there is no host.
  mutating func name(of record: LogRecord) -> String {
    guard let text = record["url"] else { return record["urlInvalid"] == nil ? DiffSite.none : DiffSite.invalid }
    url.read(text)
    guard url.kind == .url else { return DiffSite.name(of: url) }
    return suffixes.site(of: url.judged) ?? DiffSite.name(of: url)
  }
}
