import AccountKeys
import Secrets
import TestSupport
import Testing

/// What the store hands out, and to whom.
@Suite struct KeyStoreTests {
  private let disk = PowerCutDisk.machine()

  @Test func aKeyIsMadeOnDemandAndStays() throws {
    let keys = try Keys(disk)
    #expect(keys.store.notices == [.began])
    let object = try World.object(1)
    #expect(!keys.hasKey(World.anna))
    let written = try keys.store.writingKey(for: object, of: World.anna)
    #expect(keys.hasKey(World.anna))
    #expect(written.bytes.count == 32)
    let again = try keys.store.writingKey(for: object, of: World.anna)
    #expect(again.id == written.id && again.bytes.isEqual(to: written.bytes))
    let read = try keys.store.readingKey(for: object, under: written.id, of: World.anna)
    #expect(read.bytes.isEqual(to: written.bytes))
    let next = try Keys(disk)
    #expect(next.store.notices == [])
    let later = try next.store.readingKey(for: object, under: written.id, of: World.anna)
    #expect(later.bytes.isEqual(to: written.bytes))
  }

  @Test func objectsPersonsAndAccountsHaveKeysOfTheirOwn() throws {
    let keys = try Keys(disk)
    var all: [[UInt8]] = []
    var ids: Set<KeyID> = []
    for owner in [World.anna, World.bob, World.annasOther] {
      for number in 1...3 {
        let key = try keys.store.writingKey(for: try World.object(number), of: owner)
        all.append(key.bytes.array)
        ids.insert(key.id)
      }
    }
    #expect(Set(all).count == 9, "two objects, persons or accounts have one key")
    #expect(ids.count == 3)
    #expect(keys.store.keyCount == 3)
    #expect(keys.store.accounts(of: 1001) == 2 && keys.store.accounts(of: 1002) == 1)
    _ = try keys.store.rotate(World.anna)
    #expect(keys.store.keyCount == 4 && keys.store.accounts(of: 1001) == 2, "accounts count, not keys")
    _ = try keys.store.destroy([World.anna])
    #expect(keys.store.accounts(of: 1001) == 1 && keys.store.accounts(of: 1003) == 0)
  }

  /// A program of one person asks with the id of another's key, which stands in every file that is shared.
  @Test func theIDsOfOthersAreUnknown() throws {
    let keys = try Keys(disk)
    let object = try World.object(1)
    let key = try keys.store.writingKey(for: object, of: World.anna)
    for owner in [World.bob, World.annasOther] {
      #expect(refusal { _ = try keys.store.readingKey(for: object, under: key.id, of: owner) } == .unknownKey(key.id))
    }
    _ = try keys.store.destroy([World.anna])
    for owner in [World.bob, World.annasOther] {
      #expect(refusal { _ = try keys.store.readingKey(for: object, under: key.id, of: owner) } == .unknownKey(key.id))
    }
    #expect(refusal { _ = try keys.store.readingKey(for: object, under: key.id, of: World.anna) } == .destroyed(key.id))
  }

  /// Nobody gets the account's key itself: it is on the disk, and no program has seen it.
  @Test func theAccountsKeyIsHandedToNobody() throws {
    let credential = SecretBytes.random(32)
    let keys = try Keys(disk, credential: credential)
    let own = try (1...50).map { try keys.store.writingKey(for: try World.object($0), of: World.anna) }
    let found = Thief.keys(in: disk.image, secret: credential)
    let account = try #require(found[own[0].id])
    #expect(!own.contains { $0.bytes.array == account })
    #expect(own.allSatisfy { key in !disk.image.contains { Thief.holds($0, key.bytes.array) } })
    #expect(!disk.image.contains { Thief.holds($0, account) }, "an account's key lies on the disk")
  }

  @Test func afterARotationOldIDsOnlyOpen() throws {
    let keys = try Keys(disk)
    let object = try World.object(1)
    let old = try keys.store.writingKey(for: object, of: World.anna)
    let untouched = try keys.store.writingKey(for: object, of: World.bob)
    let rotated = try keys.store.rotate(World.anna)
    #expect(rotated != old.id)
    for keys in [keys, try Keys(disk)] {
      let new = try keys.store.writingKey(for: object, of: World.anna)
      #expect(new.id == rotated && !new.bytes.isEqual(to: old.bytes))
      let read = try keys.store.readingKey(for: object, under: old.id, of: World.anna)
      #expect(read.bytes.isEqual(to: old.bytes))
      #expect(try keys.store.writingKey(for: object, of: World.bob).id == untouched.id)
    }
  }

  @Test func aDestructionTakesOneOwnerAndNobodyElse() throws {
    let keys = try Keys(disk)
    let object = try World.object(1)
    let bobs = try keys.store.writingKey(for: object, of: World.bob)
    let others = try keys.store.writingKey(for: object, of: World.annasOther)
    var gone: [KeyID] = []
    for _ in 0..<3 { gone.append(try keys.store.rotate(World.anna)) }
    let done = try keys.store.destroy([World.anna])
    #expect(done == KeyDestruction(epoch: 2, destroyed: gone, lost: []))
    #expect(disk.node("state/keys")?.entries.keys.sorted() == ["epoch-2"])
    for keys in [keys, try Keys(disk)] {
      for id in gone {
        #expect(refusal { _ = try keys.store.readingKey(for: object, under: id, of: World.anna) } == .destroyed(id))
      }
      for (owner, key) in [(World.bob, bobs), (World.annasOther, others)] {
        let read = try keys.store.readingKey(for: object, under: key.id, of: owner)
        #expect(read.bytes.isEqual(to: key.bytes))
      }
    }
    // It is ordered until it returns: the second time there is nothing to do.
    #expect(try keys.store.destroy([World.anna]) == KeyDestruction(epoch: 2, destroyed: [], lost: []))
    // Whoever is enrolled anew has a new key.
    let new = try keys.store.writingKey(for: object, of: World.anna)
    #expect(!gone.contains(new.id))
  }

  /// Random histories against a model of plain words.
  @Test func randomHistoriesAgreeWithPlainWords() throws {
    var random = SeededGenerator()
    for _ in 0..<Effort.scaled(200) {
      let disk = PowerCutDisk.machine()
      var keys = try Keys(disk)
      var living: [KeyOwner: [(DataKey, SealedObjectID)]] = [:]
      var dead: [(KeyOwner, KeyID)] = []
      for number in 0..<40 {
        let owner = random.one(of: [World.anna, World.bob, World.annasOther])
        switch random.below(6) {
        case 0:
          _ = try keys.store.destroy([owner])
          dead += (living[owner] ?? []).map { (owner, $0.0.id) }
          living[owner] = nil
        case 1: _ = try keys.store.rotate(owner)
        case 2: keys = try Keys(disk)
        default:
          let object = try World.object(number)
          let key = try keys.store.writingKey(for: object, of: owner)
          living[owner, default: []].append((key, object))
        }
        for (owner, held) in living {
          for (key, object) in held {
            let read = try keys.store.readingKey(for: object, under: key.id, of: owner)
            if !read.bytes.isEqual(to: key.bytes) { Issue.record("another key; \(random.note)") }
          }
        }
        for (owner, id) in dead {
          let refused = refusal { _ = try keys.store.readingKey(for: try World.object(0), under: id, of: owner) }
          if refused != .destroyed(id) { Issue.record("\(String(describing: refused)); \(random.note)") }
        }
      }
    }
  }
}
