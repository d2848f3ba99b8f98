import AccountKeys
import Secrets
import TestSupport

/// The keys of one machine, open.
final class Keys<Disk: KeyDisk> {
  var store: KeyStore<Disk>

  init(
    _ disk: Disk, at state: String = "/state", credential: SecretBytes? = nil, machine: String = World.machine
  ) throws {
    store = try KeyStore.open(
      at: KeyPlace(state: state), credential: credential, machine: machine, disk: disk)
  }

  func hasKey(_ owner: KeyOwner) -> Bool { store.hasKey(owner) }
}

enum World {
  static let machine = "3d1219c7c4c5404aaa1f6d2a48adfda4"
  static let work = AccountTag(foldedName: "work@contoso.com")
  static let anna = KeyOwner(uid: 1001, account: work)
  static let bob = KeyOwner(uid: 1002, account: work)
  static let annasOther = KeyOwner(uid: 1001, account: AccountTag(foldedName: "anna@fabrikam.com"))

  static func object(_ number: Int) throws -> SealedObjectID {
    let digits = String(number, radix: 16)
    let text = String(repeating: "0", count: 64 - digits.count) + digits
    guard let object = SealedObjectID(hex: text) else { throw WorldError() }
    return object
  }
}

struct WorldError: Error {}

/// The refusal that a body ends with; nil when it succeeds.
func refusal(_ body: () throws -> Void) -> KeyStoreError? {
  do { try body() } catch { return error as? KeyStoreError }
  return nil
}

/// Somebody who has every file, free blocks too, and the secret of the machine.
enum Thief {
  /// The account keys that can be had from these files.
  static func keys(in files: [[UInt8]], secret: SecretBytes, machine: String = World.machine) -> [KeyID: [UInt8]] {
    let wrapping = files.filter { $0.count == 32 }.map { bytes in
      KeyDerivation.wrappingKey(secret, epoch: AccountKeysTests.secret(bytes))
    }
    var found: [KeyID: [UInt8]] = [:]
    for file in files.compactMap(WrappedKey.init) {
      for key in wrapping {
        if let opened = file.open(under: key, machine: Array(machine.utf8)) { found[file.id] = opened.array }
      }
    }
    return found
  }

  /// Whether eight bytes in a row of a key stand in a file.
  static func holds(_ file: [UInt8], _ key: [UInt8]) -> Bool {
    let pieces = Set((0...key.count - 8).map { Array(key[$0..<$0 + 8]) })
    guard file.count >= 8 else { return false }
    return (0...file.count - 8).contains { pieces.contains(Array(file[$0..<$0 + 8])) }
  }
}
