extension HostLists {
  /// So many names of a list are told.
  private static let maximumExamples = 8

  /// The shortest names in each list, by its number. Looks once through the whole table, whose order is another one in
  /// each process.
  package var examples: [[String]] {
    var shortest = [[[UInt8]]](repeating: [], count: count)
    table.forEach { name, set in
      for list in sets.lists(of: set) {
        let isFull = shortest[Int(list)].count == Self.maximumExamples
        guard !isFull || name.byteCount <= (shortest[Int(list)].last?.count ?? 0) else { continue }
        let bytes = name.withUnsafeBytes { Array($0) }
        let place = shortest[Int(list)].firstIndex { Self.stands(bytes, before: $0) } ?? shortest[Int(list)].endIndex
        shortest[Int(list)].insert(bytes, at: place)
        if isFull { shortest[Int(list)].removeLast() }
      }
    }
    return shortest.map { names in names.map { String(decoding: $0, as: UTF8.self) } }
  }

  private static func stands(_ name: [UInt8], before other: [UInt8]) -> Bool {
    name.count == other.count ? name.lexicographicallyPrecedes(other) : name.count < other.count
  }
}
