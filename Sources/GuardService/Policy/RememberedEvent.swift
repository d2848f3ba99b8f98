package import GuardModel
package import PolicyEngine

/// One event that was asked lately, as the app wrote it, and how often.
package final class RememberedEvent: Sendable {
  package let event: Event
  /// The first running instance that asked it.
  package let instance: InstanceID
  package let uid: UInt32
  package let app: String
  /// How often apps asked it.
  package let count: UInt64
  /// When last, in milliseconds since 1970.
  package let last: UInt64

  init(_ event: Event, _ instance: InstanceID, of app: String, uid: UInt32, count: UInt64, last: UInt64) {
    self.event = event
    self.instance = instance
    self.uid = uid
    self.app = app
    self.count = count
    self.last = last
  }
}

/// The events of one user: a table of buckets, so that room is found, or made, in one of them.
final class UserEvents {
  let uid: UInt32
  /// 0 where nothing is. `ways` places are one bucket.
  @exclusivity(unchecked) private var keys: [UInt64]
  @exclusivity(unchecked) private var tallies: [Tally]
  @exclusivity(unchecked) private var entries: [Entry?]
  /// About how much memory the events take.
  private(set) var bytes = 0
  @exclusivity(unchecked) private(set) var last: UInt64 = 0
  /// Which second `inserted` counts.
  private var second: UInt64 = 0
  private var inserted = 0

  private struct Tally {
    var count: UInt64 = 0
    var last: UInt64 = 0
  }

  private final class Entry {
    let event: Event
    let instance: InstanceID
    let app: String
    /// Its instance has ended: the next one that asks the same takes its place.
    var isOrphaned = false

    init(_ event: borrowing Event, _ instance: InstanceID, _ app: String) {
      self.event = event.compacted()
      self.instance = instance
      self.app = app
    }

    var bytes: Int { UserEvents.overhead + event.text.count }
  }

  private static let ways = 4
  private static let smallest = 64
  private static let largest = 4_096
  /// Bytes of an event without its texts.
  private static let overhead = 448
  /// Longer ones are not remembered.
  private static let longest = 2_048
  /// Maximum new events a second; with more a flood would cost time, and help no preview.
  private static let insertionsPerSecond = 1_000

  init(uid: UInt32) {
    self.uid = uid
    keys = Array(repeating: 0, count: Self.smallest)
    tallies = Array(repeating: Tally(), count: Self.smallest)
    entries = Array(repeating: nil, count: Self.smallest)
  }

  /// Counts an event that is known; false when it is not.
  func count(_ key: UInt64, at time: UInt64, _ event: borrowing Event, _ instance: InstanceID, _ app: String) -> Bool {
    let bucket = start(of: key)
    for place in bucket..<(bucket + Self.ways) where keys[place] == key {
      tallies[place].count &+= 1
      tallies[place].last = time
      last = time
      if entries[place]?.isOrphaned ?? false { put(Entry(event, instance, app), at: place) }
      return true
    }
    return false
  }

  /// Remembers a new event; false when there is no room for it.
  func insert(_ key: UInt64, at time: UInt64, _ event: borrowing Event, _ instance: InstanceID, _ app: String) -> Bool {
    guard event.text.count <= Self.longest, mayInsert(at: time) else { return false }
    while !hasRoom(for: key), keys.count < Self.largest { grow() }
    let bucket = start(of: key)
    let place = (bucket..<(bucket + Self.ways)).min { tallies[$0].last < tallies[$1].last } ?? bucket
    put(Entry(event, instance, app), at: place)
    keys[place] = key
    tallies[place] = Tally(count: 1, last: time)
    last = time
    return true
  }

  /// Its instance has ended.
  func orphan(_ instance: InstanceID) {
    for entry in entries { if let entry, entry.instance == instance { entry.isOrphaned = true } }
  }

  /// Forgets a part of the events, those asked longest ago first.
  func shrink() {
    let known = keys.indices.filter { keys[$0] != 0 }.sorted { tallies[$0].last < tallies[$1].last }
    for place in known.prefix(max(1, known.count / 16)) {
      put(nil, at: place)
      keys[place] = 0
      tallies[place] = Tally()
    }
  }

  var remembered: [RememberedEvent] {
    zip(entries, tallies).compactMap { entry, tally in
      entry.map {
        RememberedEvent($0.event, $0.instance, of: $0.app, uid: uid, count: tally.count, last: tally.last)
      }
    }
  }

  private func mayInsert(at time: UInt64) -> Bool {
    if time / 1000 != second { (second, inserted) = (time / 1000, 0) }
    inserted += 1
    return inserted <= Self.insertionsPerSecond
  }

  private func put(_ entry: Entry?, at place: Int) {
    bytes += (entry?.bytes ?? 0) - (entries[place]?.bytes ?? 0)
    entries[place] = entry
  }

  /// Where the bucket of a key begins; how many there are is a power of two.
  private func start(of key: UInt64) -> Int {
    Int(truncatingIfNeeded: key >> 1) & (keys.count / Self.ways - 1) * Self.ways
  }

  private func hasRoom(for key: UInt64) -> Bool {
    let bucket = start(of: key)
    return (bucket..<(bucket + Self.ways)).contains { keys[$0] == 0 }
  }

  /// Doubles the table. Each bucket's events go to two, so that none is lost.
  private func grow() {
    let (oldKeys, oldTallies, oldEntries) = (keys, tallies, entries)
    keys = Array(repeating: 0, count: 2 * oldKeys.count)
    tallies = Array(repeating: Tally(), count: keys.count)
    entries = Array(repeating: nil, count: keys.count)
    for (index, key) in oldKeys.enumerated() where key != 0 {
      let bucket = start(of: key)
      guard let place = (bucket..<(bucket + Self.ways)).first(where: { keys[$0] == 0 }) else { continue }
      (keys[place], tallies[place], entries[place]) = (key, oldTallies[index], oldEntries[index])
    }
  }
}
