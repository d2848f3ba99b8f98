extension HostLists {
  /// So many names of a list are told.
  private static let maximumExamples = 8

  /// The shortest names in a list; none for a list that does not exist. Looks through the whole table, whose order is
  /// another one in each process.
  func examples(of list: Int32) -> [String] {
    guard holds(list) else { return [] }
    var shortest: [[UInt8]] = []
    table.forEach { name, set in
      let isFull = shortest.count == Self.maximumExamples
      guard !isFull || name.byteCount <= (shortest.last?.count ?? 0), sets.contains(list, in: set) else { return }
      let bytes = (0..<name.byteCount).map { name.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
      let place = shortest.firstIndex { Self.stands(bytes, before: $0) } ?? shortest.endIndex
      shortest.insert(bytes, at: place)
      if isFull { shortest.removeLast() }
    }
    return shortest.map { String(decoding: $0, as: UTF8.self) }
  }

  private static func stands(_ name: [UInt8], before other: [UInt8]) -> Bool {
    name.count == other.count ? name.lexicographicallyPrecedes(other) : name.count < other.count
  }
}
