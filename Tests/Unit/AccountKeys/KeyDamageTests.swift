import AccountKeys
import Secrets
import TestSupport
import Testing

/// Files that somebody changed, removed or put back.
@Suite struct KeyDamageTests {
  private let disk = PowerCutDisk.machine()

  private func path(of id: KeyID, epoch: Int = 1) -> String { "state/keys/epoch-\(epoch)/\(id.hex).key" }

  /// Whose file it is and where it lies is bound to the key.
  @Test func eachPartOfTheAdditionalDataCounts() throws {
    let wrapping = SecretBytes.random(32)
    let machine = Array(World.machine.utf8)
    let id = try #require(KeyID(hex: "00112233445566778899aabbccddeeff"))
    let known = KnownKey(id: id, owner: World.anna, serial: 7)
    let file = WrappedKey(SecretBytes.random(32), known, epoch: 3, under: wrapping, machine: machine)
    let read = try #require(WrappedKey(file.bytes))
    #expect(read == file)
    #expect(read.open(under: wrapping, machine: machine) != nil)
    let changes: [(String, (inout WrappedKey) -> Void)] = [
      ("person", { $0.owner = World.bob }), ("account", { $0.owner = World.annasOther }),
      ("key id", { $0.id = KeyID(SixteenBytes(high: 1, low: 2)) }), ("epoch", { $0.epoch = 2 }),
      ("serial", { $0.serial = 8 }), ("nonce", { $0.nonce[0] ^= 1 }), ("key", { $0.sealed[0] ^= 1 }),
    ]
    for (name, change) in changes {
      var changed = file
      change(&changed)
      #expect(changed.open(under: wrapping, machine: machine) == nil, "\(name)")
    }
    #expect(file.open(under: wrapping, machine: machine + [48]) == nil)
    #expect(file.open(under: wrapping, machine: Array(machine.reversed())) == nil)
    #expect(file.open(under: SecretBytes.random(32), machine: machine) == nil)
  }

  /// Every bit of a key's file. The account gets no new key in its place, and others work.
  @Test func aDamagedKeyIsNoNewKey() throws {
    let first = try Keys(disk)
    let object = try World.object(1)
    let key = try first.store.writingKey(for: object, of: World.anna)
    let bobs = try first.store.writingKey(for: object, of: World.bob)
    let file = try #require(disk.node(path(of: key.id)))
    let whole = file.bytes
    var broken = (0..<8 * whole.count).map { bit in
      var bytes = whole
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      return bytes
    }
    broken += [[], Array(whole.dropLast()), whole + [0], [UInt8](repeating: 0, count: whole.count)]
    // The whole file of another person, under this name.
    broken.append(try #require(disk.node(path(of: bobs.id))).bytes)
    for bytes in broken {
      file.bytes = bytes
      let keys = try Keys(disk)
      let faults = [
        refusal { _ = try keys.store.writingKey(for: object, of: World.anna) },
        refusal { _ = try keys.store.readingKey(for: object, under: key.id, of: World.anna) },
      ]
      for fault in faults {
        guard case .damaged = fault else {
          Issue.record("\(String(describing: fault)) for \(hex(bytes))")
          continue
        }
      }
      #expect(keys.store.notices.count == 1)
      #expect(try keys.store.writingKey(for: object, of: World.bob).bytes.isEqual(to: bobs.bytes))
    }
    file.bytes = whole
    #expect(try Keys(disk).store.writingKey(for: object, of: World.anna).bytes.isEqual(to: key.bytes))
  }

  @Test func aMissingKeyIsNoNewKey() throws {
    let object = try World.object(1)
    let key = try Keys(disk).store.writingKey(for: object, of: World.anna)
    let backup = disk.backup(of: path(of: key.id))
    disk.restore(nil, to: path(of: key.id))
    let keys = try Keys(disk)
    #expect(keys.store.notices == [.fault(key.id, .missing(key.id))])
    #expect(refusal { _ = try keys.store.writingKey(for: object, of: World.anna) } == .missing(key.id))
    // Only an administrator's rotation goes on, and what comes back opens again.
    let rotated = try keys.store.rotate(World.anna)
    #expect(try keys.store.writingKey(for: object, of: World.anna).id == rotated)
    disk.restore(backup, to: path(of: key.id))
    let read = try Keys(disk).store.readingKey(for: object, under: key.id, of: World.anna)
    #expect(read.bytes.isEqual(to: key.bytes))
  }

  /// Anna's file cannot be read, and Bob's key has to go. To destroy the epoch would destroy hers, too: by mistake.
  @Test func aDestructionDoesNotLoseTheKeysOfOthers() throws {
    let object = try World.object(1)
    let first = try Keys(disk)
    let old = try first.store.writingKey(for: object, of: World.anna)
    let rotated = try first.store.rotate(World.anna)
    let bobs = try first.store.writingKey(for: object, of: World.bob)
    let file = disk.backup(of: path(of: rotated))
    disk.restore(nil, to: path(of: rotated))
    let keys = try Keys(disk)
    for given: Set<KeyID> in [[], [old.id]] {
      #expect(refusal { _ = try keys.store.destroy([World.bob], givingUp: given) } == .wouldLose([rotated]))
    }
    #expect(keys.store.epoch == 1)
    // Her own destruction loses nothing of others.
    let backup = disk.backup(of: "state")
    #expect(
      try keys.store.destroy([World.anna]) == KeyDestruction(epoch: 2, destroyed: [old.id, rotated], lost: []))
    // The file is repaired: everything goes its way.
    disk.restore(backup, to: "state")
    disk.restore(file, to: path(of: rotated))
    let repaired = try Keys(disk)
    #expect(try repaired.store.destroy([World.bob]) == KeyDestruction(epoch: 2, destroyed: [bobs.id], lost: []))
    #expect(try repaired.store.writingKey(for: object, of: World.anna).id == rotated)
    // Or an administrator gives it up: the account goes on with its older key, and the lost one is destroyed.
    disk.restore(backup, to: "state")
    let without = try Keys(disk)
    let done = try without.store.destroy([World.bob], givingUp: [rotated])
    #expect(done == KeyDestruction(epoch: 2, destroyed: [bobs.id], lost: [rotated]))
    for keys in [without, try Keys(disk)] {
      #expect(
        refusal { _ = try keys.store.readingKey(for: object, under: rotated, of: World.anna) } == .destroyed(rotated))
      let written = try keys.store.writingKey(for: object, of: World.anna)
      #expect(written.id == old.id && written.bytes.isEqual(to: old.bytes))
    }
  }

  @Test func everyBitOfTheRegisterCounts() throws {
    let keys = try Keys(disk)
    _ = try keys.store.writingKey(for: try World.object(1), of: World.anna)
    _ = try keys.store.destroy([World.anna])
    _ = try keys.store.writingKey(for: try World.object(2), of: World.anna)
    let file = try #require(disk.node("state/keys.register"))
    let whole = file.bytes
    for bit in 0..<8 * whole.count {
      file.bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      let refused = refusal { _ = try Keys(disk) }
      if refused != .registerDamaged(path: "/state/keys.register") { Issue.record("\(String(describing: refused))") }
      file.bytes = whole
    }
    for length in 0..<whole.count {
      file.bytes = Array(whole.prefix(length))
      let refused = refusal { _ = try Keys(disk) }
      if refused != .registerDamaged(path: "/state/keys.register") { Issue.record("\(String(describing: refused))") }
    }
    file.bytes = whole
    #expect(refusal { _ = try Keys(disk) } == nil)
  }

  @Test func anEpochWithoutItsSecretOpensNothing() throws {
    _ = try Keys(disk).store.writingKey(for: try World.object(1), of: World.anna)
    let file = try #require(disk.node("state/keys/epoch-1/secret"))
    let whole = file.bytes
    for bytes in [[], Array(whole.dropLast()), whole + [1], [UInt8](repeating: 0, count: 32)] {
      file.bytes = bytes
      guard case .damaged = refusal({ _ = try Keys(disk) }) else { Issue.record("\(hex(bytes))"); continue }
    }
    file.bytes[0] ^= 1
    disk.restore(nil, to: "state/keys/epoch-1/secret")
    guard case .damaged = refusal({ _ = try Keys(disk) }) else { Issue.record("an epoch without a secret"); return }
  }

  /// Another secret, another machine, none at all: nothing is made anew.
  @Test func anotherSecretOrMachineIsRefused() throws {
    let credential = SecretBytes.random(32)
    _ = try Keys(disk, credential: credential).store.writingKey(for: try World.object(1), of: World.anna)
    let before = disk.image
    let damaged = KeyStoreError.registerDamaged(path: "/state/keys.register")
    #expect(refusal { _ = try Keys(disk, credential: .random(32)) } == damaged)
    #expect(refusal { _ = try Keys(disk, credential: credential, machine: "other") } == .otherMachine)
    #expect(refusal { _ = try Keys(disk, credential: credential, machine: "") } == .noMachine)
    guard case .secret = refusal({ _ = try Keys(disk) }) else { Issue.record("a secret was made"); return }
    #expect(disk.image == before, "a refusal changes nothing")
    #expect(refusal { _ = try Keys(disk, credential: credential) } == nil)
  }

  @Test func theSecretInTheFileIsMadeOnce() throws {
    let key = try Keys(disk).store.writingKey(for: try World.object(1), of: World.anna)
    let file = try #require(disk.node("state/keys.secret"))
    let whole = file.bytes
    for bytes in [[], Array(whole.dropLast()), [UInt8](repeating: 0, count: 32)] {
      file.bytes = bytes
      guard case .secret = refusal({ _ = try Keys(disk) }) else { Issue.record("\(hex(bytes))"); continue }
    }
    disk.restore(nil, to: "state/keys.secret")
    guard case .secret = refusal({ _ = try Keys(disk) }) else { Issue.record("a secret was made anew"); return }
    file.bytes = whole
    disk.node("state")?.entries["keys.secret"] = file
    #expect(try Keys(disk).store.readingKey(for: try World.object(1), under: key.id, of: World.anna).id == key.id)
  }
}
