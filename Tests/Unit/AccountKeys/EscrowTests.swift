import AccountKeys
import Secrets
import TestSupport
import Testing

/// Copies of keys for the organisation: made before a key is used, opened by one private key alone, and taken back by no
/// machine that destroyed the key.
@Suite struct EscrowTests {
  private let disk = PowerCutDisk.machine()
  private let organisation = EscrowPrivateKey(secret: secret(Array(1...32)))

  private func copies(_ disk: PowerCutDisk) -> [EscrowCopy] {
    let files = disk.node("state/escrow")?.entries ?? [:]
    return files.sorted { $0.key < $1.key }.compactMap { name, file in
      EscrowCopy(file.bytes).flatMap { $0.name == name ? $0 : nil }
    }
  }

  private func opened() throws -> Keys<PowerCutDisk> {
    let keys = try Keys(disk)
    try keys.store.keepCopies(for: organisation.publicKey)
    return keys
  }

  /// RFC 9180, appendix A.1.1: the KEM, which does not depend on the cipher.
  @Test func agreesAsTheStandardSays() throws {
    let own = secret(hexBytes("52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736"))
    let peer = hexBytes("3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d")
    #expect(hex(X25519.publicKey(of: own)) == "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431")
    let agreed = try #require(X25519.secret(own, peer))
    #expect(
      hex(HPKE.sharedSecret(agreed, X25519.publicKey(of: own), peer).array)
        == "fe0e18c9f024ce43799ae393c7e8fe8fce9d218875e8227b0187c04e7d2ea1fc")
  }

  /// A message of the HPKE in Python's `cryptography` 48 under AES-256-GCM.
  @Test func opensWhatAnotherImplementationSealed() {
    let message = HPKE(
      encapsulated: hexBytes("c0d6f0701715d193d3de04dec11bac92a2e9c42c80b893b9e58599fce1253800"),
      sealed: hexBytes(
        "6beab762f00d80fb820e3e934b4ae490aae2a7413518871f5b498cb2351304d0782e62a14b060ea13db3bad7d4b779f7"))
    let text = message.open(with: organisation.secret, info: Array("purpose".utf8), additional: [])
    #expect(text?.array == Array(100...131))
    #expect(message.open(with: organisation.secret, info: Array("purpos".utf8), additional: []) == nil)
    #expect(message.open(with: organisation.secret, info: Array("purpose".utf8), additional: [0]) == nil)
  }

  /// Points of low order, with which everybody knows the common secret.
  @Test(arguments: [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  ])
  func aKeyThatProtectsNothingIsRefused(_ point: String) throws {
    let recipient = try #require(EscrowPublicKey(bytes: hexBytes(point)))
    let keys = try Keys(disk)
    #expect(refusal { try keys.store.keepCopies(for: recipient) } == .escrowKeyUnsafe)
    #expect(refusal { _ = try keys.store.writingKey(for: World.object(1), of: World.anna) } == .escrowKeyUnsafe)
    #expect(keys.store.keyCount == 0)
  }

  @Test func eachKeyHasItsCopyBeforeItIsGiven() throws {
    let keys = try opened()
    var given: [DataKey] = []
    for owner in [World.anna, World.bob, World.annasOther] {
      given.append(try keys.store.writingKey(for: World.object(1), of: owner))
      #expect(copies(disk).contains { $0.id == given.last?.id && $0.owner == owner })
    }
    let rotated = try keys.store.rotate(World.anna)
    #expect(copies(disk).map(\.id).contains(rotated) && copies(disk).count == 4)
    for key in given {
      let copy = try #require(copies(disk).first { $0.id == key.id })
      #expect(copy.objectKey(try World.object(1), with: organisation)?.array == key.bytes.array)
      #expect(copy.open(with: .random()) == nil)
    }
    #expect(Set(keys.store.takeFreshCopies().map(\.id)) == Set(copies(disk).map(\.id)))
    #expect(keys.store.takeFreshCopies() == [] && keys.store.missingCopies == 0)
  }

  /// Each byte of a copy counts: what names another person, account, key or machine opens nowhere.
  @Test func aChangedCopyDoesNotOpen() throws {
    let keys = try opened()
    _ = try keys.store.writingKey(for: World.object(1), of: World.anna)
    let bytes = try #require(copies(disk).first?.bytes)
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 1
      // The highest bit of the encapsulated key has no meaning in X25519, but HPKE binds it all the same.
      #expect(EscrowCopy(changed)?.open(with: organisation) == nil, "byte \(place)")
    }
    #expect(EscrowCopy(Array(bytes.dropLast())) == nil && EscrowCopy(bytes + [0]) == nil && EscrowCopy([]) == nil)
  }

  /// Escrow that begins, or changes its key, later: all keys get a copy, and no writing overtakes it.
  @Test func keysOfBeforeGetACopy() throws {
    let keys = try Keys(disk)
    let old = try keys.store.writingKey(for: World.object(1), of: World.anna)
    _ = try keys.store.writingKey(for: World.object(1), of: World.bob)
    #expect(copies(disk).isEmpty && keys.store.missingCopies == 0 && keys.store.isReadyToWrite(World.anna))
    try keys.store.keepCopies(for: organisation.publicKey, most: 0)
    #expect(keys.store.missingCopies == 2 && !keys.store.isReadyToWrite(World.anna))
    #expect(try keys.store.writingKey(for: World.object(1), of: World.anna).id == old.id)
    #expect(copies(disk).map(\.id) == [old.id] && keys.store.isReadyToWrite(World.anna))
    try keys.store.keepCopies(for: organisation.publicKey, most: 1)
    #expect(keys.store.missingCopies == 0 && copies(disk).count == 2)
    let next = EscrowPrivateKey.random()
    try keys.store.keepCopies(for: next.publicKey)
    #expect(copies(disk).count == 4)
    #expect(copies(disk).count { $0.open(with: next) != nil } == 2)
    #expect(keys.store.census.copies(of: [World.anna]) == 2)
  }

  @Test func aCopyThatIsGoneOrChangedIsMadeAgain() throws {
    let id = try opened().store.writingKey(for: World.object(1), of: World.anna).id
    let folder = try #require(disk.node("state/escrow"))
    for damage in [{ folder.entries = [:] }, { folder.entries.values.first?.bytes = [1, 2, 3] }] {
      damage()
      let keys = try Keys(disk)
      #expect(keys.store.census.copies(of: [World.anna]) == 0)
      try keys.store.keepCopies(for: organisation.publicKey)
      #expect(copies(disk).map(\.id) == [id] && copies(disk).first?.open(with: organisation) != nil)
    }
    #expect(try Keys(disk).store.census.copies(of: [World.anna]) == 1)
  }

  /// Where no copy can be written no key is made and none seals; what was sealed still opens.
  @Test func withoutItsCopyNoKeySeals() throws {
    let keys = try Keys(disk)
    let old = try keys.store.writingKey(for: World.object(1), of: World.anna)
    try keys.store.keepCopies(for: organisation.publicKey, most: 0)
    disk.failing = 0...Int.max
    #expect(refusal { _ = try keys.store.writingKey(for: World.object(2), of: World.anna) } != nil)
    #expect(refusal { _ = try keys.store.writingKey(for: World.object(2), of: World.bob) } != nil)
    #expect(refusal { _ = try keys.store.rotate(World.anna) } != nil)
    let read = try keys.store.readingKey(for: World.object(1), under: old.id, of: World.anna)
    #expect(read.bytes.isEqual(to: old.bytes))
    disk.failing = nil
    #expect(keys.store.keyCount == 1 && copies(disk).isEmpty)
    #expect(try keys.store.writingKey(for: World.object(2), of: World.anna).id == old.id)
    #expect(copies(disk).count == 1)
  }

  /// The power is cut at every step: each key that a program got has a copy that opens.
  @Test func noKeyIsGivenBeforeItsCopyIsOnTheDisk() throws {
    var random = SeededGenerator(seed: 0xE5C)
    var cuts = 0
    for end in 0..<400 {
      let disk = PowerCutDisk.machine()
      var given: [DataKey] = []
      disk.end = end
      do {
        let keys = try Keys(disk)
        try keys.store.keepCopies(for: organisation.publicKey)
        for owner in [World.anna, World.bob] {
          given.append(try keys.store.writingKey(for: World.object(1), of: owner))
          _ = try keys.store.rotate(owner)
          given.append(try keys.store.writingKey(for: World.object(1), of: owner))
        }
        _ = try keys.store.destroy([World.bob])
      } catch { cuts += 1 }
      disk.restart(withoutPower: true, &random)
      for key in given {
        let copy = copies(disk).first { $0.id == key.id }
        #expect(
          copy?.objectKey(try World.object(1), with: organisation)?.array == key.bytes.array, "cut before step \(end)")
      }
      let next = try Keys(disk)
      try next.store.keepCopies(for: organisation.publicKey)
      #expect(next.store.missingCopies == 0)
    }
    #expect(cuts > 50)
  }

  // MARK: Back

  private func handedOver(_ copy: EscrowCopy, to machine: Keys<PowerCutDisk>) throws -> EscrowCopy {
    try #require(copy.resealed(with: organisation, to: machine.store.importKey))
  }

  @Test func aNewMachineReadsWhatTheLostOneSealed() throws {
    let lost = try opened()
    let first = try lost.store.writingKey(for: World.object(1), of: World.anna)
    _ = try lost.store.rotate(World.anna)
    let second = try lost.store.writingKey(for: World.object(2), of: World.anna)
    let other = PowerCutDisk.machine()
    let machine = try Keys(other, machine: "another machine")
    let anna = KeyOwner(uid: 2001, account: World.work)
    for copy in copies(disk) {
      #expect(refusal { _ = try machine.store.recover(copy, for: 2001) } != nil, "it is not sealed to this machine")
      let mine = try handedOver(copy, to: machine)
      #expect(try machine.store.recover(mine, for: 2001))
      #expect(try !machine.store.recover(mine, for: 2001), "it is here already")
      #expect(refusal { _ = try machine.store.recover(mine, for: 2002) } != nil, "it is another person's")
    }
    for _ in 0..<2 {
      let next = try Keys(other, machine: "another machine")
      for (key, number) in [(first, 1), (second, 2)] {
        let read = try next.store.readingKey(for: World.object(number), under: key.id, of: anna)
        #expect(read.bytes.isEqual(to: key.bytes))
        let object = try World.object(number)
        #expect(refusal { _ = try next.store.readingKey(for: object, under: key.id, of: World.bob) } != nil)
      }
      let written = try next.store.writingKey(for: World.object(3), of: anna).id
      #expect(written != first.id && written != second.id, "new data gets a key of this machine")
    }
    let final = try Keys(other, machine: "another machine")
    #expect(Set(try final.store.destroy([anna]).destroyed).isSuperset(of: [first.id, second.id]))
    for copy in copies(disk) {
      let mine = try handedOver(copy, to: final)
      #expect(refusal { _ = try final.store.recover(mine, for: 2001) } == .destroyed(copy.id))
    }
  }

  /// A wipe is for good on its machine: the organisation reads such data, and no program of the person ever again.
  @Test func aDestroyedKeyStaysDestroyed() throws {
    let keys = try opened()
    let key = try keys.store.writingKey(for: World.object(1), of: World.anna)
    _ = try keys.store.destroy([World.anna])
    #expect(copies(disk).count == 1 && keys.store.census.copies(of: [World.anna]) == 1)
    let copy = try #require(copies(disk).first)
    #expect(copy.objectKey(try World.object(1), with: organisation)?.array == key.bytes.array)
    for uid: UInt32 in [1001, 1002] {
      let mine = try handedOver(copy, to: keys)
      #expect(refusal { _ = try keys.store.recover(mine, for: uid) } == .destroyed(key.id))
      let later = try Keys(disk)
      #expect(refusal { _ = try later.store.recover(mine, for: uid) } == .destroyed(key.id))
    }
  }

  // MARK: Texts

  @Test func aSlipInAKeyIsNoticed() throws {
    let text = organisation.publicKey.text
    #expect(text.hasPrefix("wvg-escrow-public-1.07a37cbc142093c8b755dc1b10e86cb426374ad16aa853ed0bdfc0b2b86d1c7c."))
    #expect(EscrowPublicKey(text: text) == organisation.publicKey)
    for (place, letter) in zip(text.indices, text) {
      for other in ["0", "a", ".", "F"] where other != String(letter) {
        #expect(EscrowPublicKey(text: text.replacingCharacters(at: place, with: other)) == nil)
      }
    }
    #expect(EscrowPublicKey(text: text + " ") == nil && EscrowPublicKey(text: "") == nil)
    let file = organisation.file
    #expect(EscrowPrivateKey(file: file)?.publicKey == organisation.publicKey)
    #expect(EscrowPrivateKey(file: file + file) == nil && EscrowPrivateKey(file: text) == nil)
    #expect(EscrowPublicKey(text: file) == nil)
  }
}

extension String {
  fileprivate func replacingCharacters(at place: Index, with other: String) -> String {
    String(self[..<place]) + other + String(self[index(after: place)...])
  }
}
