internal import URLStandard

/// Rules by exact URL.
struct URLIndex: Sendable {
  private let table: FlatTable
  private let lists: [PostingList]
  private let hash = ByteHash.ofThisProcess

  /// URLs longer than `FlatTable.maximumName` cannot be filed.
  init(_ urls: [[UInt8]: PostingList]) {
    let hash = hash
    let sorted = urls.map { (hash: hash.hash($0.key.span.bytes), url: $0.key, rules: $0.value) }
      .sorted { $0.hash < $1.hash }
    var writer = FlatTableWriter(names: sorted.count, nameBytes: sorted.reduce(0) { $0 + $1.url.count })
    for (number, entry) in sorted.enumerated() {
      writer.append(entry.url.span.bytes, hash: entry.hash, value: UInt32(number))
    }
    table = writer.finish()
    lists = sorted.map(\.rules)
  }

  var isEmpty: Bool { lists.isEmpty }
  var residentBytes: Int { table.residentBytes + lists.count * MemoryLayout<PostingList>.stride }

  /// The rules for exactly this URL.
  func list(of record: borrowing URLRecord) -> PostingList {
    let text = record.bytes.span.bytes
    guard let number = table.value(of: text, hash: hash.hash(text)) else { return PostingList() }
    return lists[Int(number)]
  }
}
