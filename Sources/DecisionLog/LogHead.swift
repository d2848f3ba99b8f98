/// The newest record of a log: its number and the hash of its line.
///
/// Written elsewhere, to the system journal and into `status`, it attests the log's end: without it a log whose last
/// lines were cut off looks the same as one that simply ends there.
///
///     LogHead("7:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")?.seq    // 7
package struct LogHead: Sendable, Hashable {
  /// Number of the newest record; 0 before the first.
  package var seq: UInt64
  /// Hash of its line; zeros before the first.
  package var hash: LineHash

  /// The head of a log without records.
  package static let start = LogHead(seq: 0, hash: .zero)

  package init(seq: UInt64, hash: LineHash) {
    self.seq = seq
    self.hash = hash
  }

  /// `N:hex`, N in decimal without leading zeros.
  package var text: String { String(seq) + ":" + hash.hex }

  /// The head written as `text`; nil for anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let seq = UInt64(parts[0]), let hash = LineHash(hex: String(parts[1])) else { return nil }
    self.init(seq: seq, hash: hash)
    guard seq < .max, self.text == text else { return nil }
  }
}
