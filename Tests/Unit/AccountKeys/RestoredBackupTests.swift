import AccountKeys
import Secrets
import TestSupport
import Testing

/// Files that come back out of a backup of the day before a destruction.
@Suite struct RestoredBackupTests {
  private let disk = PowerCutDisk.machine()

  /// Bob's key is backed up, then destroyed.
  private func destroyed() throws -> (backup: [String: PowerCutDisk.Node?], gone: DataKey, kept: DataKey) {
    let keys = try Keys(disk)
    let gone = try keys.store.writingKey(for: try World.object(1), of: World.bob)
    let kept = try keys.store.writingKey(for: try World.object(2), of: World.anna)
    let paths = ["state/keys", "state/keys.register", "state/keys/epoch-1"]
    let backup = Dictionary(uniqueKeysWithValues: paths.map { ($0, disk.backup(of: $0)) })
    _ = try keys.store.destroy([World.bob])
    return (backup, gone, kept)
  }

  private func restore(_ path: String, _ backup: [String: PowerCutDisk.Node?]) {
    disk.restore(backup[path] ?? nil, to: path)
  }

  private func expectWhole(_ keys: Keys<PowerCutDisk>, _ gone: DataKey, _ kept: DataKey) throws {
    let refused = refusal {
      _ = try keys.store.readingKey(for: try World.object(1), under: gone.id, of: World.bob)
    }
    #expect(refused == .destroyed(gone.id))
    let read = try keys.store.readingKey(for: try World.object(2), under: kept.id, of: World.anna)
    #expect(read.bytes.isEqual(to: kept.bytes))
  }

  @Test func aDirectoryOfADestroyedEpochIsRefused() throws {
    let (backup, gone, kept) = try destroyed()
    let now = disk.backup(of: "state/keys")
    restore("state/keys", backup)
    for _ in 0..<3 {
      #expect(refusal { _ = try Keys(disk) } == .restored(epoch: 1, known: 2))
    }
    // Nothing was touched, so that the right one can be put back.
    #expect(disk.node("state/keys/epoch-1")?.entries.count == 3)
    disk.restore(now, to: "state/keys")
    try expectWhole(try Keys(disk), gone, kept)
  }

  @Test func aRegisterOfADestroyedEpochIsRefused() throws {
    let (backup, gone, kept) = try destroyed()
    let now = disk.backup(of: "state/keys.register")
    restore("state/keys.register", backup)
    #expect(refusal { _ = try Keys(disk) } == .registerRestored(epoch: 1, found: 2))
    // With the old directory beside the new one, too.
    restore("state/keys/epoch-1", backup)
    #expect(refusal { _ = try Keys(disk) } == .registerRestored(epoch: 1, found: 2))
    disk.restore(now, to: "state/keys.register")
    try expectWhole(try Keys(disk), gone, kept)
  }

  /// A backup that is unpacked over what is there.
  @Test func anOldEpochBesideTheNewOneIsErased() throws {
    let (backup, gone, kept) = try destroyed()
    restore("state/keys/epoch-1", backup)
    let keys = try Keys(disk)
    #expect(keys.store.notices == [.erased(epoch: 1)])
    try expectWhole(keys, gone, kept)
    #expect(disk.node("state/keys")?.entries.keys.sorted() == ["epoch-2"])
  }

  /// Somebody carries the old files into the folder of the epoch in force, the epoch's secret or not.
  @Test func oldFilesInTheNewEpochOpenNothing() throws {
    let (backup, gone, kept) = try destroyed()
    let old = try #require(backup["state/keys/epoch-1"] ?? nil)
    let name = gone.id.hex + ".key"
    disk.restore(old.entries[name], to: "state/keys/epoch-2/" + name)
    let keys = try Keys(disk)
    #expect(keys.store.notices == [.foreign(path: "/state/keys/epoch-2/" + name)])
    try expectWhole(keys, gone, kept)
    disk.restore(old.entries["secret"], to: "state/keys/epoch-2/secret")
    let mixed = try Keys(disk)
    for (key, owner, number) in [(gone, World.bob, 1), (kept, World.anna, 2)] {
      let object = try World.object(number)
      #expect(refusal { _ = try mixed.store.readingKey(for: object, under: key.id, of: owner) } != nil)
    }
  }

  @Test func keysWithoutARegisterAreRefused() throws {
    let (_, _, _) = try destroyed()
    disk.restore(nil, to: "state/keys.register")
    #expect(refusal { _ = try Keys(disk) } == .registerLost(path: "/state/keys.register"))
  }

  @Test func aRegisterWithoutKeysIsRefused() throws {
    let (_, _, _) = try destroyed()
    disk.restore(nil, to: "state/keys")
    #expect(refusal { _ = try Keys(disk) } == .keysLost(epoch: 2))
  }

  /// A register of the same epoch that knows less: the keys that were made since are taken up, and not forgotten.
  @Test func aRegisterThatKnowsLessLosesNothing() throws {
    let keys = try Keys(disk)
    _ = try keys.store.writingKey(for: try World.object(1), of: World.bob)
    let backup = disk.backup(of: "state/keys.register")
    let key = try keys.store.writingKey(for: try World.object(2), of: World.anna)
    disk.restore(backup, to: "state/keys.register")
    let next = try Keys(disk)
    #expect(next.store.notices == [.adopted(key.id)])
    let read = try next.store.writingKey(for: try World.object(2), of: World.anna)
    #expect(read.id == key.id && read.bytes.isEqual(to: key.bytes))
    #expect(try Keys(disk).store.notices == [])
  }
}
