/// Says of most hashes that they were never put in, with one look at eight bytes.
///
/// A Bloom filter in words of 64 bits, each hash in one of them: certain when it says no.
struct HashFilter: Sendable {
  private let words: FlatMemory
  private let parts: Buckets

  init(hashes: Int) {
    parts = Buckets(count: max(8, hashes / 8))
    words = FlatMemory(zeroes: parts.count * 8)
  }

  func insert(_ hash: UInt64) {
    let place = parts.number(of: hash) &* 8
    words.store(words.load(at: place, as: UInt64.self) | Self.mask(hash), at: place)
  }

  func mayHold(_ hash: UInt64) -> Bool {
    let mask = Self.mask(hash)
    return words.load(at: parts.number(of: hash) &* 8, as: UInt64.self) & mask == mask
  }

  /// Four bits, by parts of the hash that do not choose the word.
  private static func mask(_ hash: UInt64) -> UInt64 {
    1 &<< (hash & 63) | 1 &<< (hash &>> 6 & 63) | 1 &<< (hash &>> 12 & 63) | 1 &<< (hash &>> 18 & 63)
  }
}
