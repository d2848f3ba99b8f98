extension HostListMerging {
  /// A name of the table that may be a parent of another.
  private struct Parent {
    /// Index of the name that is below it, among those of one stretch.
    var child: Int
    var hash: UInt64
    /// Where it stands in the child.
    var start: Int
    var end: Int
    /// Its entry, when there is one; at first where its bucket begins.
    var entry = 0
    var isFound = false
  }

  /// Writes every name that is in a list which its parents are not in.
  ///
  /// Names and entries lie all over the memory, so a stretch of names goes through each step together: the processor then
  /// waits for many of them at once.
  @_lifetime(self: copy self)
  mutating func write() -> HostTable {
    var writer = HostTableWriter(names: entries.count, nameBytes: names.byteCount - 2 * entries.count, hash: hash)
    var ends = InlineArray<64, Int>(repeating: 0)
    var inherited = InlineArray<64, UInt32>(repeating: 0)
    var parents: [Parent] = []
    for start in stride(from: 0, to: entries.count, by: ends.count) {
      let stretch = start..<min(start + ends.count, entries.count)
      parents.removeAll(keepingCapacity: true)
      for index in stretch { ends[index - start] = end(of: entries[index]) }
      for index in stretch {
        inherited[index - start] = 0
        addParents(of: Int(entries[index].place) + 2..<ends[index - start], child: index - start, to: &parents)
      }
      find(&parents)
      for parent in parents where parent.isFound {
        let lists = entries[parent.entry].lists
        inherited[parent.child] = inherited[parent.child] == 0 ? lists : sets.union(inherited[parent.child], lists)
      }
      for index in stretch {
        let above = inherited[index - start]
        let all = above == 0 ? entries[index].lists : sets.union(above, entries[index].lists)
        let name = names.extracting(Int(entries[index].place) + 2..<ends[index - start])
        if all != above { writer.append(name, hash: entries[index].hash, value: all) }
      }
    }
    return writer.finish()
  }

  /// Adds what may be parents of the name in a range; an address has none.
  private func addParents(of name: Range<Int>, child: Int, to parents: inout [Parent]) {
    var walk = HostWalk(names, name, hash)
    while walk.next(), !walk.isWhole {
      if walk.labels == 1, !hasSingleLabels { continue }
      guard present.mayHold(walk.value), !Self.isAddress(names.extracting(name)) else { continue }
      parents.append(Parent(child: child, hash: walk.value, start: walk.start, end: name.upperBound))
    }
  }

  /// Finds the entries of those that are in the table.
  private func find(_ parents: inout [Parent]) {
    for index in parents.indices { parents[index].entry = Int(starts[buckets.number(of: parents[index].hash)]) }
    for index in parents.indices {
      let hash = parents[index].hash
      while parents[index].entry < entries.count, entries[parents[index].entry].hash < hash {
        parents[index].entry += 1
      }
    }
    for index in parents.indices {
      let name = names.extracting(parents[index].start..<parents[index].end)
      var entry = parents[index].entry
      while entry < entries.count, entries[entry].hash == parents[index].hash {
        if self.name(of: entries[entry]).equals(name) {
          parents[index].entry = entry
          parents[index].isFound = true
          break
        }
        entry += 1
      }
    }
  }

  /// An address has no parents. No name ends in a number, so one that does is an address (URL Standard, section 3.5).
  private static func isAddress(_ name: RawSpan) -> Bool {
    var index = name.byteCount - 1
    while index >= 0 {
      let byte = name.unsafeLoad(fromByteOffset: index, as: UInt8.self)
      if byte == UInt8(ascii: ".") { return index < name.byteCount - 1 }
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return byte == UInt8(ascii: "]") }
      index -= 1
    }
    return false
  }
}
