/// Ranges of uids that a machine gives to its users, for their containers: the text of `/etc/subuid`.
///
///     let ranges = SubordinateRanges(text: "alice:100000:65536\n1001:165536:65536\n") { $0 == "alice" ? 1000 : nil }
///     ranges.owners(of: 100_001)    // [1000]
///     ranges.owners(of: 200_000)    // [1001]
///
/// Source: subuid(5). A line that cannot be read gives nobody anything.
package struct SubordinateRanges: Sendable, Hashable {
  private struct Range: Sendable, Hashable {
    let first: UInt64
    let count: UInt64
    let owner: UInt32
  }

  private var ranges: [Range] = []

  /// - Parameter uid: the uid of a user's name; nil where there is no such user.
  package init(text: String, uid: (String) -> UInt32?) {
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count == 3, let first = UInt32(fields[1]), let count = UInt32(fields[2]), count > 0 else { continue }
      guard let owner = UInt32(fields[0]) ?? uid(String(fields[0])) else { continue }
      ranges.append(Range(first: UInt64(first), count: UInt64(count), owner: owner))
    }
  }

  /// Whom the machine gives this uid, each once; more than one where ranges lie over each other.
  package func owners(of uid: UInt32) -> [UInt32] {
    let uid = UInt64(uid)
    return Set(ranges.filter { $0.first <= uid && uid < $0.first + $0.count }.map(\.owner)).sorted()
  }
}
