internal import Bytes
internal import Digests

/// Sixteen bytes, in the order of their hexadecimal digits.
package struct SixteenBytes: Sendable, Hashable {
  let high: UInt64
  let low: UInt64

  package static let count = 16

  package init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

  /// The bytes with these 32 lower-case hexadecimal digits; nil for anything else: they have one spelling.
  package init?(hex digits: String) {
    let digits = digits.utf8.span
    guard digits.count == 2 * Self.count, let high = UInt64(lowerCaseHex: digits.extracting(0..<16)),
      let low = UInt64(lowerCaseHex: digits.extracting(16..<32))
    else { return nil }
    self.init(high: high, low: low)
  }

  package var bytes: [UInt8] { KeyBytes.bigEndian(high) + KeyBytes.bigEndian(low) }

  /// The first bytes of the SHA-256 of a text.
  package init(hashing text: String) {
    let digest = SHA256.digest(of: Array(text.utf8).span).bytes
    self.init(high: KeyBytes.number(digest[0..<8]), low: KeyBytes.number(digest[8..<16]))
  }

  /// Nil for any other number of bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.init(high: KeyBytes.number(bytes[0..<8]), low: KeyBytes.number(bytes[8..<16]))
  }

  /// 32 lower-case hexadecimal digits.
  package var hex: String { String(lowerCaseHex: bytes.span) }
}

/// The name of one key of one account: sixteen random bytes. It stands in every envelope that was sealed under the key, and
/// says nothing of account, person or machine.
package struct KeyID: Sendable, Hashable {
  package let value: SixteenBytes

  package init(_ value: SixteenBytes) { self.value = value }

  package init?(hex: String) {
    guard let value = SixteenBytes(hex: hex) else { return nil }
    self.init(value)
  }

  /// A name that no other key has.
  static func random() -> KeyID {
    var random = SystemRandomNumberGenerator()
    return KeyID(SixteenBytes(high: random.next(), low: random.next()))
  }

  package var hex: String { value.hex }
}

/// The id of an account, the same for every person and on every machine: the first 16 bytes of
///
///     SHA-256("webviewguard account id v1" 0x00 NAME)
///
/// The prefix is those 26 bytes of ASCII and one byte zero, 27 in all. NAME is the account's name in lower case
/// (`AccountName.fold`), as UTF-8: its UPN, or its object id where the policy has no UPN for it.
///
///     AccountTag(foldedName: "work@contoso.com").value.hex    // 2bb54003f51bb9c73f499e5146dc639c
///
/// Clients compute it, too, and write it into the header of an envelope. It hides nothing: whoever knows the name can
/// compute it.
package struct AccountTag: Sendable, Hashable {
  package let value: SixteenBytes

  package init(_ value: SixteenBytes) { self.value = value }

  package init(foldedName name: String) {
    value = SixteenBytes(hashing: "webviewguard account id v1\u{0}\(name)")
  }
}

/// Whose a key is. Persons with an account of one name have different keys.
package struct KeyOwner: Sendable, Hashable {
  /// The person.
  package let uid: UInt32
  package let account: AccountTag

  package init(uid: UInt32, account: AccountTag) { (self.uid, self.account) = (uid, account) }
}

/// The name of one object, a file or a text that is sealed as a whole: 32 random bytes, new for every writing.
package struct SealedObjectID: Sendable, Hashable {
  let digest: SHA256Digest

  /// The id with these 64 lower-case hexadecimal digits; nil for anything else.
  package init?(hex: String) {
    guard let digest = SHA256Digest(hex: hex.utf8.span) else { return nil }
    self.digest = digest
  }

  /// A name that no other object has.
  package static func random() -> SealedObjectID {
    var random = SystemRandomNumberGenerator()
    let bytes = (0..<4).flatMap { _ in KeyBytes.bigEndian(random.next() as UInt64) }
    return SealedObjectID(digest: SHA256.digest(of: bytes.span))
  }

  private init(digest: SHA256Digest) { self.digest = digest }

  package var hex: String { digest.hex }
  /// Its first eight bytes in hexadecimal digits: enough to find it again in a log, too little to ask for its key.
  package var shortHex: String { String(hex.prefix(16)) }
  var bytes: [UInt8] { digest.bytes }
}

/// Numbers as bytes, the highest first.
enum KeyBytes {
  static func bigEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
    stride(from: Number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> Number($0)) }
  }

  static func number<Number: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>) -> Number {
    bytes.reduce(0) { $0 << 8 | Number($1) }
  }
}

/// Reads the fields of a file in their order; nil behind its end.
struct KeyFieldReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func number<Number: FixedWidthInteger>() -> Number? {
    bytes(Number.bitWidth / 8).map { KeyBytes.number($0) }
  }

  mutating func sixteen() -> SixteenBytes? {
    guard let high: UInt64 = number(), let low: UInt64 = number() else { return nil }
    return SixteenBytes(high: high, low: low)
  }

  mutating func owner() -> KeyOwner? {
    guard let uid: UInt32 = number(), let account = sixteen() else { return nil }
    return KeyOwner(uid: uid, account: AccountTag(account))
  }
}

extension KeyOwner {
  /// 20 bytes: the person's uid and the account's id.
  var bytes: [UInt8] { KeyBytes.bigEndian(uid) + account.value.bytes }
}
