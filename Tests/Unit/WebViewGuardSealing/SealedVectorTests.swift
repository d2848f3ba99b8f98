import Digests
import Foundation
import JSONText
import Testing
import WebViewGuardSealing

/// SD-02 to SD-05, by the vectors that Python and C have too.
@Suite struct SealedVectorTests {
  @Test(arguments: [Int.max, 1000, 4096, 70_000]) func envelopesAreWritten(_ step: Int) async throws {
    let vectors = try await SealedVectors()
    let rows = vectors.rows("sealed")
    #expect(rows.count == 19)
    for row in rows {
      let (name, found) = (try row.text("name"), try await vectors.seal(row, step: step))
      let wanted = try #require(row["envelope"])
      if let digits = wanted["digits"]?.string {
        let bytes = try vectors.bytes(digits)
        #expect(found == bytes, "\(name)")
      } else if let text = wanted["base64"]?.string {
        #expect(Data(found).base64EncodedString() == text)
      } else {
        #expect(wanted["length"]?.int == Int64(found.count))
        let sum = try wanted.text("sha256")
        #expect(SHA256.digest(of: found.span).hex == sum, "\(name)")
      }
    }
  }

  @Test func envelopesAreRead() async throws {
    let vectors = try await SealedVectors()
    let keys = Dictionary(uniqueKeysWithValues: try vectors.rows("keys").map { (try $0.text("object"), $0) })
    for row in vectors.rows("sealed") {
      let (name, object) = (try row.text("name"), try row.text("object"))
      let envelope = try #require(vectors.made[name])
      let plain = try vectors.plain(row)
      for way in Reading.allCases {
        #expect(await way.result(of: envelope, vectors.sealing) == .data(plain), "\(name) \(way)")
      }
      let key = try #require(keys[object])
      let info = ProtectionInfo.sealed(
        accountID: try key.text("accountId"), keyID: try key.text("keyId"), objectID: object)
      #expect(try ProtectionInfo(of: Array(envelope.prefix(112))) == info)
    }
  }

  @Test func unmanagedAndForeignData() async throws {
    let vectors = try await SealedVectors()
    let nobodys = Sealing { _ in nil }
    for row in vectors.rows("unmanaged") {
      let (account, envelope) = (try row.text("account"), try vectors.bytes(row.text("envelope")))
      let plain = try vectors.bytes(row.text("plain"))
      for way in Reading.allCases {
        #expect(await way.result(of: envelope, vectors.sealing) == .data(plain), "\(account) \(way)")
      }
      #expect(try ProtectionInfo(of: envelope) == .unmanaged(account: account))
      #expect(try await nobodys.sealed(plain, account) == envelope)
    }
    #expect(vectors.rows("foreign").count > 5)
    for row in vectors.rows("foreign") {
      let data = try vectors.bytes(row.text("data"))
      #expect(await Reading.unprotect.result(of: data, vectors.sealing) == .data(data))
      #expect(await Reading.stream.result(of: data, vectors.sealing) == .data(data))
      #expect(await Reading.file.result(of: data, vectors.sealing) == .error("104 "))
      #expect(try ProtectionInfo(of: data) == nil)
      let file = try MemoryFile(data)
      await #expect(throws: SealingError(.notProtected, nil, "it is no envelope")) {
        try await vectors.sealing.stream(descriptor: file.descriptor, demanded: true) { _ in Issue.record("a piece") }
      }
    }
  }

  @Test func damageIsNoticed() async throws {
    let vectors = try await SealedVectors()
    let rows = vectors.rows("damaged")
    #expect(rows.count > 100)
    for row in rows {
      let (name, data) = (try row.text("name"), try vectors.damaged(row))
      let wanted = "\(row["code"]?.int ?? 0) \(try row.text("reason"))"
      for way in Reading.allCases {
        #expect(await way.result(of: data, vectors.sealing) == .error(wanted), "\(name) \(way)")
      }
    }
  }

  @Test func texts() async throws {
    let vectors = try await SealedVectors()
    #expect(vectors.rows("texts").count > 20)
    for row in vectors.rows("texts") {
      let (name, text) = (try row.text("name"), try row.text("text"))
      do {
        let found = try await vectors.sealing.unprotectText(text)
        #expect(row["code"] == nil, "\(name)")
        #expect(found == row["plain"]?.string ?? text, "\(name)")
      } catch {
        #expect(Reading.text(error) == "\(row["code"]?.int ?? 0) \(row["reason"]?.string ?? "")", "\(name)")
      }
    }
    for text in ["x", "Grüße", "ab", "abc", String(repeating: "ab", count: 70_000)] {
      let sealed = try await Vault.sealing.protectText(text, account: "a")
      #expect(Data(base64Encoded: sealed) != nil && sealed.hasPrefix("iVdWRzENCh"))
      #expect(try await Vault.sealing.unprotectText(sealed) == text)
      #expect(try ProtectionInfo(ofText: sealed)?.isSealed == true)
    }
    #expect(try ProtectionInfo(ofText: "hello") == nil)
    await #expect(throws: SealingError(.emptyData)) { try await Vault.sealing.protectText("", account: "a") }
  }
}

/// Gives any object a key of its own, which every program of the tests can compute.
enum Vault {
  static let keyID = [UInt8](repeating: 7, count: 16)
  static let accountID = [UInt8](repeating: 9, count: 16)

  static let sealing = Sealing { request in
    var key = SHA256.digest(of: Array(request.objectID.utf8).span).bytes
    return ObjectKey(taking: &key, keyID: keyID, accountID: accountID)
  }
}
