import Foundation
import JSONText
import TestSupport
import Testing
import WebViewGuardSealing

/// Who wants other data to come out than went in.
@Suite struct SealedDamageTests {
  /// One chunk and none in full. Three chunks have 66,000 bits; each is tried where the compiler optimises.
  @Test(arguments: ["16/0", "16/1", "12/8200"]) func everyBitAndEveryLengthIsNoticed(_ name: String) async throws {
    let vectors = try await SealedVectors()
    let whole = try #require(vectors.made[name])
    let plain = try await vectors.sealing.unprotect(whole)
    let step = whole.count < 200 || !Effort.isReduced ? 1 : 7
    for bit in stride(from: 0, to: 8 * whole.count, by: step) {
      var data = whole
      data[bit / 8] ^= 1 << UInt8(bit % 8)
      guard case .error(let error) = await Reading.unprotect.result(of: data, vectors.sealing) else {
        Issue.record("bit \(bit)")
        continue
      }
      // The flags and the version may be of the future; an object id that nobody knows has no key.
      let isLater = (8..<9).contains(bit / 8) || (11..<16).contains(bit / 8)
      let wanted = ["103 damaged", isLater ? "103 newer" : (48..<80).contains(bit / 8) ? "103 noKey" : "103 damaged"]
      #expect(wanted.contains(error), "bit \(bit)")
    }
    for length in stride(from: 1, to: whole.count, by: step) {
      for way in [Reading.unprotect, .stream] {
        let found = await way.result(of: Array(whole.prefix(length)), vectors.sealing)
        #expect(found == .error("103 damaged"), "\(length) \(way)")
      }
    }
    #expect(try await vectors.sealing.unprotect(whole) == plain)
  }

  @Test func chunksInAnotherOrderAreNoticed() async throws {
    var generator = SeededGenerator()
    let data = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let whole = try await Vault.sealing.sealed(data, "a", exponent: 12)
    let unit = 4096 + 16
    let parts = stride(from: 112, to: whole.count, by: unit).map { whole[$0..<min($0 + unit, whole.count)] }
    for _ in 0..<Effort.scaled(50) {
      var mixed = parts
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: mixed.swapAt(0, Int.random(in: 1..<parts.count, using: &generator))
      case 1: mixed.remove(at: Int.random(in: 0..<parts.count, using: &generator))
      default: mixed.insert(parts[Int.random(in: 0..<parts.count, using: &generator)], at: 0)
      }
      let damaged = Array(whole[..<112]) + mixed.joined()
      for way in [Reading.stream, .file] {
        #expect(await way.result(of: damaged, Vault.sealing) == .error("103 damaged"))
      }
    }
    #expect(try await Vault.sealing.unprotect(whole) == data)
  }

  @Test func theKeyOfAnotherObjectOrAccountOpensNothing() async throws {
    let sealed = try await Vault.sealing.protect([1, 2, 3], account: "a")
    let otherKey = Sealing { _ in
      var key = [UInt8](repeating: 1, count: 32)
      return ObjectKey(taking: &key, keyID: Vault.keyID, accountID: Vault.accountID)
    }
    // The right key with other names: a header that names another account than its key is of.
    let otherNames = Sealing { request in
      var key = [UInt8](repeating: 1, count: 32)
      return ObjectKey(
        taking: &key, keyID: Vault.keyID, accountID: request.use == .write ? Vault.accountID : Vault.keyID)
    }
    #expect(await Reading.unprotect.result(of: sealed, otherKey) == .error("103 damaged"))
    let claimed = try await otherNames.protect([1, 2, 3], account: "a")
    #expect(await Reading.unprotect.result(of: claimed, otherNames) == .error("103 damaged"))
    #expect(await Reading.unprotect.result(of: sealed, Sealing { _ in nil }) == .error("103 noKey"))
    let withheld = Sealing { _ throws(SealingError) in throw SealingError(.encryptFailed, .noKey) }
    await #expect(throws: SealingError(.encryptFailed, .noKey)) { try await withheld.protect([1], account: "a") }
  }

  @Test func namesThatNoAccountHasAreRefused() async {
    for name in [String(repeating: "a", count: 1025), String(repeating: "é", count: 513), "a\u{0}b"] {
      do {
        _ = try await Vault.sealing.protect([1], account: name)
        Issue.record("\(name.count)")
      } catch { #expect(error.code == .invalidArguments) }
    }
    await #expect(throws: SealingError(.emptyData)) { try await Vault.sealing.protect([], account: "a") }
    await #expect(throws: SealingError(.emptyData)) { try await Vault.sealing.unprotect([]) }
  }

  @Test func keysHaveOneSpelling() {
    let (key, id) = (String(repeating: "0a", count: 32), String(repeating: "0b", count: 16))
    #expect(ObjectKey(key: key, keyID: id, accountID: id) != nil)
    #expect(ObjectKey(key: key.uppercased(), keyID: id, accountID: id) == nil)
    #expect(ObjectKey(key: String(key.dropLast(2)), keyID: id, accountID: id) == nil)
    #expect(ObjectKey(key: key, keyID: id + "0b", accountID: id) == nil)
    #expect(ObjectKey(key: key, keyID: id, accountID: String(id.dropLast()) + "g") == nil)
  }
}
