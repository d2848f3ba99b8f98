import Digests
import Testing

struct DigestsTests {
  /// FIPS 180-4 and RFC 4231, sections 4.2 to 4.4 and 4.7.
  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
    (String(repeating: "a", count: 1_000_000), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
  ])
  func hashesAsTheStandardSays(_ text: String, _ expected: String) {
    let bytes = Array(text.utf8)
    #expect(SHA256.digest(of: bytes.span).hex == expected)
    for size in [1, 63, 64, 65, 4_096] where size == 4_096 || bytes.count < 1_000 {
      var hash = SHA256()
      for start in stride(from: 0, to: bytes.count, by: size) {
        hash.update(bytes.span.extracting(start..<min(start + size, bytes.count)))
      }
      #expect(hash.digest.hex == expected)
      #expect(hash.digest.bytes.count == SHA256Digest.count)
    }
  }

  @Test(arguments: [
    (
      [UInt8](repeating: 0x0b, count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Array("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func authenticatesAsTheStandardSays(_ key: [UInt8], _ text: String, _ expected: String) {
    let code = HMACSHA256.code(of: Array(text.utf8).span, key: key.span)
    #expect(code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() == expected)
  }

  /// A digest of the bytes so far ends nothing, and a copy goes its own way.
  @Test
  func hashesAreValues() {
    let (a, b) = (Array("a".utf8), Array("b".utf8))
    var hash = SHA256()
    hash.update(a.span)
    var copy = hash
    #expect(hash.digest == SHA256.digest(of: a.span))
    hash.update(b.span)
    #expect(copy.digest == SHA256.digest(of: a.span))
    copy.update(a.span)
    #expect(hash.digest == SHA256.digest(of: (a + b).span))
    #expect(copy.digest == SHA256.digest(of: (a + a).span))
    #expect(hash.digest != copy.digest)
  }

  /// Threads hash at once, each with the context that it keeps.
  @Test
  func threadsDoNotDisturbOneAnother() async {
    await withTaskGroup(of: Bool.self) { group in
      for thread in 0..<16 {
        group.addTask {
          let bytes = [UInt8](repeating: UInt8(thread), count: 1_000 + thread)
          var pieces = SHA256()
          for byte in bytes { pieces.update([byte].span) }
          return (0..<200).allSatisfy { _ in SHA256.digest(of: bytes.span) == pieces.digest }
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }
}
