/// Makes one table of the names of all host lists.
///
/// The names are sorted by their hashes, so that what is the same comes together and the table is written from its
/// beginning to its end; the memory of names is gone through in order but once.
struct HostListMerging: ~Escapable {
  /// A name; after merging, one of all that are the same.
  package struct Entry {
    var hash: UInt64
    /// Where its length and bytes lie in `names`.
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
  /// Where the entries of each bucket begin, with the end of the last.
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
        if let same = place(of: entry, in: start..<end) {
          entries[same].lists = sets.adding(Int32(entry.lists), to: entries[same].lists)
          continue
        }
        entry.lists = sets.adding(Int32(entry.lists), to: 0)
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
