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
  /// The number of the question that asked it last, counted over all users.
  package let order: UInt64

  init(_ event: Event, _ instance: InstanceID, of app: String, uid: UInt32, asked tally: AskedTally) {
    self.event = event
    self.instance = instance
    self.uid = uid
    self.app = app
    (count, last, order) = (tally.count, tally.last, tally.order)
  }
}

/// How often an event was asked, and when last.
struct AskedTally {
  var count: UInt64 = 0
  /// Milliseconds since 1970.
  var last: UInt64 = 0
  /// The number of the last question: many are asked in one millisecond.
  var order: UInt64 = 0
}

/// The events of one user, in a table of places: an event lies at the place of its key, or at the next that was free.
final class UserEvents {
  let uid: UInt32
  /// 0 where nothing is, which is in half of the places at least.
  @exclusivity(unchecked) private var keys: [UInt64] = []
  @exclusivity(unchecked) private var tallies: [AskedTally] = []
  @exclusivity(unchecked) private var entries: [Entry?] = []
  /// Number of events.
  private var known = 0
  /// About how much memory the events take.
  private(set) var bytes = 0
  /// The number of the user's last question.
  @exclusivity(unchecked) private(set) var order: UInt64 = 0
  /// Which second `inserted` counts.
  private var second: UInt64 = 0
  private var inserted = 0

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

    var bytes: Int { UserEvents.overhead + event.textCount }
  }

  private static let smallest = 64
  /// Bytes of an event without its texts.
  private static let overhead = 448
  /// Longer ones are not remembered.
  private static let longest = 2_048
  /// Maximum new events a second; with more a flood would cost time, and help no preview.
  private static let insertionsPerSecond = 1_000

  init(uid: UInt32) {
    self.uid = uid
    arrange()
  }

  /// Counts an event that is known, asked as question `order`; false when it is not.
  func count(
    _ key: UInt64, as order: UInt64, _ event: borrowing Event, _ instance: InstanceID, _ app: String
  ) -> Bool {
    let place = place(of: key)
    guard keys[place] == key else { return false }
    tallies[place].count &+= 1
    tallies[place].last = event.time
    tallies[place].order = order
    self.order = order
    if entries[place]?.isOrphaned ?? false { put(Entry(event, instance, app), at: place) }
    return true
  }

  /// Remembers a new event; false when it is too long, or one of too many in a second.
  func insert(
    _ key: UInt64, as order: UInt64, _ event: borrowing Event, _ instance: InstanceID, _ app: String
  ) -> Bool {
    guard event.textCount <= Self.longest, mayInsert(at: event.time) else { return false }
    known += 1
    if 2 * known > keys.count { arrange() }
    let place = place(of: key)
    put(Entry(event, instance, app), at: place)
    keys[place] = key
    tallies[place] = AskedTally(count: 1, last: event.time, order: order)
    self.order = order
    return true
  }

  /// Its instance has ended.
  func orphan(_ instance: InstanceID) {
    for entry in entries { if let entry, entry.instance == instance { entry.isOrphaned = true } }
  }

  /// Forgets a part of the events, those asked longest ago first.
  func shrink() {
    let oldest = keys.indices.filter { keys[$0] != 0 }.sorted { tallies[$0].order < tallies[$1].order }
    for place in oldest.prefix(max(1, known / 16)) {
      put(nil, at: place)
      keys[place] = 0
      known -= 1
    }
    arrange()
  }

  var remembered: [RememberedEvent] {
    zip(entries, tallies).compactMap { entry, tally in
      entry.map { RememberedEvent($0.event, $0.instance, of: $0.app, uid: uid, asked: tally) }
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

  /// The place of a key, or the free one where it belongs. The number of places is a power of two.
  private func place(of key: UInt64) -> Int {
    let mask = keys.count - 1
    var place = Int(truncatingIfNeeded: key >> 1) & mask
    while keys[place] != 0, keys[place] != key { place = (place + 1) & mask }
    return place
  }

  /// Gives every event its place anew, in a table that has between two and four times as many as are known.
  private func arrange() {
    let (oldKeys, oldTallies, oldEntries) = (keys, tallies, entries)
    var size = Self.smallest
    while size < 2 * known { size *= 2 }
    keys = Array(repeating: 0, count: size)
    tallies = Array(repeating: AskedTally(), count: size)
    entries = Array(repeating: nil, count: size)
    for (index, key) in oldKeys.enumerated() where key != 0 {
      let place = place(of: key)
      (keys[place], tallies[place], entries[place]) = (key, oldTallies[index], oldEntries[index])
    }
  }
}
