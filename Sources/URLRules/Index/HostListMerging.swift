/// Makes one table of the names of all host lists.
///
/// The names are sorted by their hashes, so that equal names come together and the table is written from its beginning
/// to its end; the memory of names is gone through in order but once.
struct HostListMerging: ~Escapable {
  /// A name; after merging, one of all that are the same.
  package struct Entry {
    var hash: UInt64
    /// Place of its length and bytes in `names`.
    var place: UInt32
    /// The number of the list it came from; after merging, of the set of lists that hold it.
    var lists: UInt32
  }

  let names: RawSpan
  let hash: ByteHash
  var sets = ListSets()
  private(set) var entries: [Entry] = []
  let buckets: Buckets
  /// The hashes of all names.
  let present: HashFilter
  /// Start of each bucket's entries, with the end of the last.
  private(set) var starts: [UInt32] = []
  private(set) var hasSingleLabels = false

  /// From names behind their lengths (2 bytes), list after list.
  @_lifetime(copy names)
  init(_ names: RawSpan, listStarts: [Int], hash: ByteHash) {
    self.names = names
    self.hash = hash
    var unsorted: [Entry] = []
    var place = 0
    for (list, _) in listStarts.enumerated() {
      let end = list + 1 < listStarts.count ? listStarts[list + 1] : names.byteCount
      while place < end {
        let length = Self.length(in: names, at: place)
        var walk = HostWalk(names, place + 2..<place + 2 + length, hash)
        while walk.next() {}
        if walk.labels == 1 { hasSingleLabels = true }
        unsorted.append(Entry(hash: walk.value, place: UInt32(place), lists: UInt32(list)))
        place += 2 + length
      }
    }
    buckets = Buckets(count: max(1, unsorted.count / 2))
    present = HashFilter(hashes: unsorted.count)
    distribute(unsorted)
  }

  /// Sorts the entries by bucket; those of one bucket stay in the order of lists.
  @_lifetime(self: copy self)
  private mutating func distribute(_ unsorted: [Entry]) {
    starts = [UInt32](repeating: 0, count: buckets.count + 2)
    for entry in unsorted {
      starts[buckets.number(of: entry.hash) + 2] += 1
      present.insert(entry.hash)
    }
    for bucket in 2..<starts.count { starts[bucket] += starts[bucket - 1] }
    entries = [Entry](repeating: Entry(hash: 0, place: 0, lists: 0), count: unsorted.count)
    for entry in unsorted {
      let bucket = buckets.number(of: entry.hash) + 1
      entries[Int(starts[bucket])] = entry
      starts[bucket] += 1
    }
    starts.removeLast()
  }

  @_lifetime(self: copy self)
  mutating func merge(nameCounts: [Int]) -> HostLists {
    mergeSame()
    let table = write()
    sets.freeze()
    return HostLists(table, sets, nameCounts: nameCounts)
  }

  /// Makes one entry of those with the same name, and sorts each bucket by hash.
  @_lifetime(self: copy self)
  private mutating func mergeSame() {
    var end = 0
    for bucket in 0..<buckets.count {
      let start = end
      for index in Int(starts[bucket])..<Int(starts[bucket + 1]) {
        var entry = entries[index]
        let list = HostListNumber(place: Int32(entry.lists))
        if let same = place(of: entry, in: start..<end) {
          entries[same].lists = sets.adding(list, to: entries[same].lists)
          continue
        }
        entry.lists = sets.adding(list, to: 0)
        var slot = end
        while slot > start, entries[slot - 1].hash > entry.hash {
          entries[slot] = entries[slot - 1]
          slot -= 1
        }
        entries[slot] = entry
        end += 1
      }
      starts[bucket] = UInt32(start)
    }
    starts[buckets.count] = UInt32(end)
    entries.removeSubrange(end...)
  }

  private func place(of entry: Entry, in range: Range<Int>) -> Int? {
    for index in range where entries[index].hash == entry.hash {
      if name(of: entries[index]).equals(name(of: entry)) { return index }
    }
    return nil
  }

  @_lifetime(copy self)
  func name(of entry: Entry) -> RawSpan {
    let place = Int(entry.place)
    return names.extracting(place + 2..<place + 2 + Self.length(in: names, at: place))
  }

  /// Behind the last byte of a name.
  func end(of entry: Entry) -> Int { Int(entry.place) + 2 + Self.length(in: names, at: Int(entry.place)) }

  static func length(in names: RawSpan, at place: Int) -> Int {
    Int(names.unsafeLoadUnaligned(fromByteOffset: place, as: UInt16.self))
  }
}

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

extension HostListMerging {
  /// A name of the table that may be a parent of another.
  private struct Parent {
    /// Index of the name that is below it, among those of one stretch.
    var child: Int
    var hash: UInt64
    /// Its place in the child.
    var start: Int
    var end: Int
    /// Its entry, when there is one; at first where its bucket begins.
    var entry = 0
    var isFound = false
  }

  /// Writes every name that is in a list which its parents are not in.
  ///
  /// Names and entries lie all over the memory, so a stretch of names goes through each step together: the processor
  /// then waits for many of them at once.
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

  /// Adds possible parents of the name in a range; an address has none.
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
