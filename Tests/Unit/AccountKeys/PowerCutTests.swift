import AccountKeys
import Secrets
import TestSupport
import Testing

/// The daemon is killed, or the machine loses its power, at every step: no destroyed key comes back, and no key of an
/// account that lives is lost.
@Suite struct PowerCutTests {
  /// What became of a key that a program got.
  enum Fate {
    case lives
    /// Its destruction was ordered, and did not return.
    case open
    case destroyed
  }

  /// What programs got, and what was ordered.
  struct Story {
    var got: [(owner: KeyOwner, object: SealedObjectID, key: DataKey, fate: Fate)] = []
    private var count = 0

    mutating func write(_ keys: Keys<PowerCutDisk>, _ owner: KeyOwner) throws {
      count += 1
      let object = try World.object(count)
      let key = try keys.store.writingKey(for: object, of: owner)
      got.append((owner, object, key, .lives))
    }

    mutating func destroy(_ keys: Keys<PowerCutDisk>, _ owner: KeyOwner) throws {
      let doomed = got.indices.filter { got[$0].owner == owner && got[$0].fate != .destroyed }
      for place in doomed { got[place].fate = .open }
      _ = try keys.store.destroy([owner])
      for place in doomed { got[place].fate = .destroyed }
    }

    mutating func run(on disk: PowerCutDisk, _ credential: SecretBytes?) throws {
      let keys = try Keys(disk, credential: credential)
      try write(keys, World.anna)
      try write(keys, World.bob)
      _ = try keys.store.rotate(World.anna)
      try write(keys, World.anna)
      try write(keys, World.annasOther)
      try destroy(keys, World.bob)
      try write(keys, World.bob)
      try destroy(keys, World.anna)
      try write(keys, World.annasOther)
    }

    /// The first thing that is not as it should be.
    func fault(_ keys: Keys<PowerCutDisk>) -> String? {
      for (owner, object, key, fate) in got {
        var bytes: [UInt8]?
        let refused = refusal { bytes = try keys.store.readingKey(for: object, under: key.id, of: owner).bytes.array }
        let opens = bytes == key.bytes.array
        switch fate {
        case .lives where !opens: return "\(object.hex.suffix(2)) is lost: \(refused?.description ?? "other bytes")"
        case .destroyed where refused != .destroyed(key.id): return "\(object.hex.suffix(2)) came back"
        case .open where !opens && refused != .destroyed(key.id): return "\(object.hex.suffix(2)) is neither"
        default: continue
        }
      }
      return nil
    }

    /// A key that is destroyed and can still be had from the disk.
    func leak(_ disk: PowerCutDisk, _ credential: SecretBytes?) -> String? {
      guard let secret = credential ?? disk.node("state/keys.secret").map({ AccountKeysTests.secret($0.bytes) }) else {
        return nil
      }
      let found = Thief.keys(in: disk.image, secret: secret)
      return got.first { $0.fate == .destroyed && found[$0.key.id] != nil }.map { "\($0.object.hex.suffix(2)) leaks" }
    }
  }

  /// The whole story once without a cut: how many steps it has, and that the thief finds what there is to find.
  private static func whole(_ credential: SecretBytes?) throws -> Int {
    let disk = PowerCutDisk.machine()
    var story = Story()
    try story.run(on: disk, credential)
    let steps = disk.steps
    let keys = try Keys(disk, credential: credential)
    #expect(story.fault(keys) == nil)
    #expect(story.leak(disk, credential) == nil)
    let secret = try #require(credential ?? disk.node("state/keys.secret").map { AccountKeysTests.secret($0.bytes) })
    let found = Set(Thief.keys(in: disk.image, secret: secret).keys)
    #expect(found == Set(story.got.filter { $0.fate == .lives }.map(\.key.id)), "the thief is no thief")
    return steps
  }

  @Test(arguments: [true, false]) func everyStepMayBeTheLast(_ hasCredential: Bool) throws {
    let credential = hasCredential ? SecretBytes.random(32) : nil
    let steps = try Self.whole(credential)
    #expect(steps > 100)
    var random = SeededGenerator()
    var cuts = 0
    for end in 1...steps {
      for round in 0...Effort.scaled(30) {
        let fault = try Self.cut(at: end, withoutPower: round > 0, credential, &random)
        cuts += 1
        if let fault { Issue.record("step \(end) of \(steps), round \(round): \(fault); \(random.note)") }
      }
    }
    print("\(cuts) cuts")
  }

  private static func cut(
    at end: Int, withoutPower: Bool, _ credential: SecretBytes?, _ random: inout SeededGenerator
  ) throws -> String? {
    let disk = PowerCutDisk.machine()
    var story = Story()
    disk.end = end
    guard refusal({ try story.run(on: disk, credential) }) != nil else { return "it did not end" }
    // The next daemons end early, too.
    for _ in 0..<random.below(3) {
      disk.restart(withoutPower: withoutPower, &random)
      disk.end = 1 + random.below(40)
      guard let keys = try? Keys(disk, credential: credential), !disk.isEnded else { continue }
      if let fault = story.fault(keys) { return fault }
    }
    disk.restart(withoutPower: withoutPower, &random)
    let keys = try Keys(disk, credential: credential)
    if let fault = story.fault(keys) { return fault }
    // Whoever ordered a destruction that did not return orders it again.
    for owner in Set(story.got.filter { $0.fate == .open }.map(\.owner)) { try story.destroy(keys, owner) }
    try story.write(keys, World.annasOther)
    if let fault = story.fault(keys) { return fault }
    disk.restart(withoutPower: withoutPower, &random)
    let again = try Keys(disk, credential: credential)
    return story.fault(again) ?? story.leak(disk, credential)
  }

  /// A disk that is full or fails for a while, and a daemon that goes on: calls fail, and nothing is lost or comes back.
  @Test func everyStepMayFail() throws {
    let steps = try Self.whole(nil)
    var random = SeededGenerator()
    for first in 1...steps {
      let disk = PowerCutDisk.machine()
      var story = Story()
      disk.failing = first...first + random.below(4)
      let failed = refusal { try story.run(on: disk, nil) } != nil
      disk.failing = nil
      let keys = try Keys(disk)
      if let fault = story.fault(keys) { Issue.record("step \(first), \(failed): \(fault); \(random.note)") }
      for owner in Set(story.got.filter { $0.fate == .open }.map(\.owner)) { try story.destroy(keys, owner) }
      if let leak = story.leak(disk, nil) { Issue.record("step \(first): \(leak); \(random.note)") }
    }
  }

  /// The same store goes on behind a failure, unless it says that it is in doubt.
  @Test func aStoreGoesOnBehindAFailure() throws {
    let steps = try Self.whole(nil)
    var goesOn = 0
    for first in 1...steps {
      let disk = PowerCutDisk.machine()
      guard let keys = try? Keys(disk) else { continue }
      var story = Story()
      try story.write(keys, World.anna)
      try story.write(keys, World.bob)
      disk.failing = disk.steps + first...disk.steps + first
      let failed = refusal { try story.destroy(keys, World.bob) }
      disk.failing = nil
      guard failed != nil else { break }
      if let again = refusal({ try story.destroy(keys, World.bob) }) {
        #expect(again == .inDoubt, "step \(first)")
        let next = try Keys(disk)
        try story.destroy(next, World.bob)
        #expect(story.fault(next) == nil, "step \(first)")
      } else {
        goesOn += 1
        #expect(story.fault(keys) == nil, "step \(first)")
      }
      #expect(story.leak(disk, nil) == nil, "step \(first)")
    }
    #expect(goesOn > 10)
  }
}
