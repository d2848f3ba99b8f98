import AccountKeys
import CCrypto
import Secrets
import Testing

/// Bytes of hexadecimal digits.
func hexBytes(_ digits: String) -> [UInt8] {
  let digits = Array(digits)
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0..<$0 + 2]), radix: 16) ?? 0 }
}

func hex(_ bytes: [UInt8]) -> String { bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }

func secret(_ bytes: [UInt8]) -> SecretBytes {
  var bytes = bytes
  return SecretBytes(taking: &bytes)
}

extension SecretBytes {
  var array: [UInt8] { withBytes { Array($0) } }
}

@Suite struct DerivationTests {
  /// RFC 5869, appendices A.1 to A.3.
  @Test(arguments: [
    (
      [UInt8](repeating: 0x0b, count: 22), Array(UInt8(0)...0x0c), Array(UInt8(0xf0)...0xf9),
      "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"
    ),
    (
      Array(UInt8(0)...0x4f), Array(UInt8(0x60)...0xaf), Array(UInt8(0xb0)...0xff),
      "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
        + "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
    ),
    (
      [UInt8](repeating: 0x0b, count: 22), [], [],
      "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"
    ),
  ])
  func derivesAsTheStandardSays(_ input: [UInt8], _ salt: [UInt8], _ info: [UInt8], _ expected: String) {
    let key = HKDFSHA256.key(expected.count / 2, from: secret(input), salt: salt, info: info)
    #expect(hex(key.array) == expected)
  }

  /// The test cases 13 to 16 of the specification of GCM that NIST SP 800-38D refers to: 256 bits of key.
  @Test(arguments: [
    (zeros, zeroNonce, "", "", "530f8afbc74536b9a963b4f1c4cb738b"),
    (
      zeros, zeroNonce, "00000000000000000000000000000000", "",
      "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919"
    ),
    (key, nonce, text, "", sealed + "898015adb094dac5d93471bdec1a502270e3cc6c"),
    (
      key, nonce, String(text.dropLast(8)), "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      sealed + "76fc6ece0f4e1768cddf8853bb2d551b"
    ),
  ])
  func sealsAsTheStandardSays(_ key: String, _ nonce: String, _ text: String, _ additional: String, _ expected: String)
  {
    let (key, nonce, additional) = (secret(hexBytes(key)), hexBytes(nonce), hexBytes(additional))
    let sealed = AES256GCM.seal(secret(hexBytes(text)), key: key, nonce: nonce, additional: additional)
    #expect(hex(sealed) == expected)
    let opened = AES256GCM.open(sealed, key: key, nonce: nonce, additional: additional)
    #expect(opened?.array == hexBytes(text))
  }

  private static let zeros = String(repeating: "0", count: 64)
  private static let zeroNonce = String(repeating: "0", count: 24)
  private static let key = String(repeating: "feffe9928665731c6d6a8f9467308308", count: 2)
  private static let nonce = "cafebabefacedbaddecaf888"
  private static let text =
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
  private static let sealed =
    "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
    + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"

  /// Every bit counts: of the sealed bytes, the tag, the nonce, the key and the additional data. So does every length.
  @Test func everyChangeIsNoticed() {
    let parts = [
      hexBytes(Self.sealed + "76fc6ece0f4e1768cddf8853bb2d551b"), hexBytes(Self.key), hexBytes(Self.nonce),
      hexBytes("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
    ]
    func opens(_ parts: [[UInt8]]) -> Bool {
      AES256GCM.open(parts[0], key: secret(parts[1]), nonce: parts[2], additional: parts[3]) != nil
    }
    #expect(opens(parts))
    for part in parts.indices {
      for bit in 0..<8 * parts[part].count {
        var changed = parts
        changed[part][bit / 8] ^= 1 << UInt8(bit % 8)
        if opens(changed) { Issue.record("part \(part), bit \(bit)") }
      }
    }
    for length in 0..<parts[0].count {
      #expect(!opens([Array(parts[0].prefix(length))] + parts.dropFirst()))
    }
    #expect(!opens(parts.dropLast() + [parts[3] + [0]]))
    #expect(!opens(parts.dropLast() + [[]]))
  }

  /// What does not open leaves nothing of the text behind.
  @Test func whatDoesNotOpenIsWiped() {
    var sealed = hexBytes(Self.sealed + "76fc6ece0f4e1768cddf8853bb2d551b")
    sealed[sealed.count - 1] ^= 1
    var text = [UInt8](repeating: 7, count: sealed.count - AES256GCM.tagCount)
    let additional = hexBytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    let cipher = AES256GCM(secret(hexBytes(Self.key)), .opening)
    let isOpen = text.withUnsafeMutableBytes { text in
      sealed.withUnsafeBytes { cipher.open($0, nonce: hexBytes(Self.nonce), additional: additional, into: text) }
    }
    #expect(!isOpen)
    #expect(text.allSatisfy { $0 == 0 })
  }

  @Test func secretsAreWipedWhereTheyCameFrom() {
    var bytes = [UInt8](repeating: 5, count: 32)
    let taken = SecretBytes(taking: &bytes)
    #expect(bytes.isEmpty && taken.array == [UInt8](repeating: 5, count: 32))
    #expect(taken.isEqual(to: secret([UInt8](repeating: 5, count: 32))))
    #expect(!taken.isEqual(to: secret([UInt8](repeating: 5, count: 31))))
    #expect(!taken.isEqual(to: SecretBytes.random(32)))
    var buffer = [UInt8](repeating: 9, count: 100)
    ccrypto_wipe(&buffer, 50)
    #expect(buffer == [UInt8](repeating: 0, count: 50) + [UInt8](repeating: 9, count: 50))
  }

  /// The id that clients compute, too; the numbers are those of `printf 'webviewguard account id v1\0NAME' | sha256sum`.
  @Test(arguments: [
    ("work@contoso.com", "2bb54003f51bb9c73f499e5146dc639c"),
    ("", "c8c8bfff23295d6725fde40f0c424338"),
    ("jürgen@contoso.com", "881ffda1693fe5e4d2fbfa9850eff0dd"),
  ])
  func accountsHaveOneIDEverywhere(_ name: String, _ expected: String) {
    #expect(AccountTag(foldedName: name).value.hex == expected)
  }

  @Test func idsHaveOneSpelling() {
    let id = "00112233445566778899aabbccddeeff"
    #expect(KeyID(hex: id)?.hex == id)
    #expect(SealedObjectID(hex: id + id)?.hex == id + id)
    for wrong in ["", id.uppercased(), String(id.dropLast()), id + "0", "0x" + id.dropLast(2), " " + id.dropLast()] {
      #expect(KeyID(hex: wrong) == nil)
      #expect(SealedObjectID(hex: wrong + wrong) == nil)
    }
  }
}
