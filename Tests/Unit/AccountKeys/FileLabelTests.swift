import AccountKeys
import Secrets
import TestSupport
import Testing

/// Labels of files: the daemon of one machine reads what it made, and nothing else.
@Suite struct FileLabelTests {
  private static let secret: [UInt8] = (0..<32).map { $0 }
  private let key = FileLabelTests.key()
  private let label = FileLabel(owner: World.anna, key: KeyID(hex: "0c0d0c0d0c0d0c0d0c0d0c0d0c0d0c0d"))

  private static func key(_ secret: [UInt8] = secret, machine: String = World.machine) -> LabelKey {
    LabelKey(secret: AccountKeysTests.secret(secret), machine: machine)
  }

  @Test func theBytesAreThoseOfTheDocumentation() {
    let bytes = key.bytes(of: label)
    #expect(bytes.count == 89 && FileLabel.byteCount == 89)
    #expect(Array(bytes[0..<5]) == Array("WVGL".utf8) + [1])
    // Behind the machine: uid 1001, the id of work@contoso.com, the key's id.
    #expect(Array(bytes[21..<25]) == [0, 0, 3, 0xE9])
    #expect(Array(bytes[25..<41]) == World.work.value.bytes)
    #expect(Array(bytes[41..<57]) == (0..<16).map { $0.isMultiple(of: 2) ? 0x0C : 0x0D })
    #expect(key.hex(of: label).utf8.count == 178)
  }

  @Test func whatWasMadeIsRead() {
    let without = FileLabel(owner: World.bob)
    for made in [label, without] {
      #expect(key.label(key.bytes(of: made)) == made)
      #expect(key.label(hex: key.hex(of: made).utf8.span) == made)
      // After a restart the key is derived again.
      #expect(Self.key().label(key.bytes(of: made)) == made)
    }
  }

  @Test func everyOtherBitAndLengthIsNone() {
    let bytes = key.bytes(of: label)
    for index in bytes.indices {
      for bit in 0..<8 {
        var forged = bytes
        forged[index] ^= 1 << UInt8(bit)
        #expect(key.label(forged) == nil, "byte \(index), bit \(bit)")
      }
    }
    for count in 0..<bytes.count { #expect(key.label(Array(bytes.prefix(count))) == nil) }
    #expect(key.label(bytes + [0]) == nil && key.label(bytes + bytes) == nil)
    #expect(key.label([UInt8](repeating: 0, count: 89)) == nil)
    for text in ["", "zz", String(repeating: "g", count: 178), String(repeating: "ä", count: 89)] {
      #expect(key.label(hex: text.utf8.span) == nil)
    }
  }

  /// A person's or account's id under the code of another label.
  @Test func partsOfTwoLabelsAreNone() {
    let (one, other) = (key.bytes(of: label), key.bytes(of: FileLabel(owner: World.bob, key: label.key)))
    for border in 1..<one.count {
      let mixed = Array(one.prefix(border) + other.suffix(one.count - border))
      #expect(mixed == other || key.label(mixed) == nil)
    }
  }

  @Test func otherMachinesAndSecretsMakeOthers() {
    let bytes = key.bytes(of: label)
    for stranger in [Self.key(machine: "another"), Self.key(Self.secret.reversed())] {
      #expect(stranger.label(bytes) == nil)
      #expect(key.label(stranger.bytes(of: label)) == nil)
      #expect(stranger.label(stranger.bytes(of: label)) == label)
    }
  }

  /// The key of labels stays where all account keys go.
  @Test func aWipeAndANewEpochKeepLabels() throws {
    let disk = PowerCutDisk.machine()
    let keys = try Keys(disk)
    let bytes = keys.store.labelKey.bytes(of: label)
    _ = try keys.store.writingKey(for: try World.object(1), of: World.anna)
    _ = try keys.store.destroy([World.anna])
    #expect(keys.store.epoch == 2)
    #expect(keys.store.labelKey.label(bytes) == label)
    #expect(try Keys(disk).store.labelKey.label(bytes) == label)
    #expect(try Keys(disk, machine: World.machine).store.census.newest.isEmpty)
  }

  /// Where the account keys are refused, their register still says that the secret is the right one.
  @Test func labelsAreReadWhereKeysAreRefused() throws {
    let disk = PowerCutDisk.machine()
    let keys = try Keys(disk)
    let bytes = keys.store.labelKey.bytes(of: label)
    let backup = disk.backup(of: "state/keys")
    _ = try keys.store.writingKey(for: try World.object(1), of: World.anna)
    _ = try keys.store.destroy([World.anna])
    disk.restore(backup, to: "state/keys")
    #expect(refusal { _ = try Keys(disk) } == .restored(epoch: 1, known: 2))
    func found(_ credential: SecretBytes? = nil, machine: String = World.machine) -> LabelKey? {
      KeyStore.labelKey(at: KeyPlace(state: "/state"), credential: credential, machine: machine, disk: disk)
    }
    #expect(found()?.label(bytes) == label)
    // Another secret or machine than those that wrote the register: no key at all.
    #expect(found(AccountKeysTests.secret(Self.secret)) == nil)
    #expect(found(machine: "another") == nil && found(machine: "") == nil)
  }

  @Test func thereIsNoneBeforeThereAreKeys() {
    let disk = PowerCutDisk.machine()
    #expect(KeyStore.labelKey(at: KeyPlace(state: "/state"), credential: nil, machine: "m", disk: disk) == nil)
  }
}
