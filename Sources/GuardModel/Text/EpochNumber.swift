/// The format of ids that must not be mistaken for those of an earlier daemon: a word, the epoch, which differs at
/// every start, and a number in it.
///
///     EpochNumber.text("clip", epoch: 42, number: 7)      // "clip-000000000000002a-7"
enum EpochNumber {
  static func text(_ word: String, epoch: UInt64, number: UInt64) -> String {
    let hex = String(epoch, radix: 16)
    return word + "-" + String(repeating: "0", count: 16 - hex.count) + hex + "-" + String(number)
  }

  /// The parts of a text in exactly this format; nil for any other text.
  static func read(_ text: String, _ word: String) -> (epoch: UInt64, number: UInt64)? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == word, parts[1].utf8.count == 16 else { return nil }
    guard let epoch = UInt64(parts[1], radix: 16), let number = UInt64(parts[2]) else { return nil }
    guard Self.text(word, epoch: epoch, number: number) == text else { return nil }
    return (epoch, number)
  }
}
