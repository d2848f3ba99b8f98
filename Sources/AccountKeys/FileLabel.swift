internal import Bytes
internal import Digests
package import Secrets

/// The label of a file or directory that an account of the organisation owns: the bytes of the extended attribute
/// `user.webviewguard.owner` (ledger FO; design, accounts, section 8; docs/labels.md).
///
///     "WVGL"               4 bytes
///     version              1, the number 1
///     machine              16: SHA-256("webviewguard label machine v1" 0x00 ID), its first bytes
///     uid                  4, big-endian
///     account id           16
///     key id               16; zeros where the account had no key
///     HMAC-SHA-256         32, of the 57 bytes before it
///
/// The file is not named in it, since `cp -a` has to keep it. So a label says that data is the organisation's, and never
/// that data is not: who copies a label onto a file of their own only makes that file stricter.
package struct FileLabel: Sendable, Hashable {
  package var owner: KeyOwner
  /// The newest key of the account when the label was made; nil where it had none.
  package var key: KeyID?

  package init(owner: KeyOwner, key: KeyID? = nil) { (self.owner, self.key) = (owner, key) }

  static let magic = Array("WVGL".utf8)
  static let version: UInt8 = 1
  package static let byteCount = 57 + SHA256Digest.count
}

/// Makes and reads labels, by a key that the daemon alone has. It is derived from the secret that all account keys lie
/// under, and from the machine's id: so it stays through wipes, restarts and new epochs, and another machine has another.
/// No program can compute it, and no account's key comes of it.
package final class LabelKey: Sendable {
  private let key: SecretBytes
  private let machine: [UInt8]

  package init(secret: SecretBytes, machine: String) {
    key = KeyDerivation.labelKey(secret, machine: Array(machine.utf8))
    self.machine = SixteenBytes(hashing: "webviewguard label machine v1\u{0}\(machine)").bytes
  }

  /// The bytes of a label.
  package func bytes(of label: FileLabel) -> [UInt8] {
    let key = label.key?.value ?? SixteenBytes(high: 0, low: 0)
    let text = FileLabel.magic + [FileLabel.version] + machine + label.owner.bytes + key.bytes
    return text + code(of: text)
  }

  /// The label in these bytes; nil for anything that this daemon did not make on this machine: a forgery, damage, a label of
  /// another machine or of a later version. Whose file that is nobody knows, and it is not nobody's.
  ///
  /// The time of it depends on the number of bytes alone, not on where they differ from a genuine label.
  package func label(_ bytes: [UInt8]) -> FileLabel? {
    guard bytes.count == FileLabel.byteCount else { return nil }
    let text = Array(bytes.prefix(FileLabel.byteCount - SHA256Digest.count))
    guard SecretBytes.areEqual(Array(bytes.suffix(SHA256Digest.count)), code(of: text)) else { return nil }
    var reader = KeyFieldReader(text[...])
    guard reader.bytes(FileLabel.magic.count)?.elementsEqual(FileLabel.magic) == true,
      reader.number() == FileLabel.version, reader.bytes(machine.count)?.elementsEqual(machine) == true,
      let owner = reader.owner(), let key = reader.sixteen()
    else { return nil }
    return FileLabel(owner: owner, key: key == SixteenBytes(high: 0, low: 0) ? nil : KeyID(key))
  }

  /// The label as programs pass it on: in lower-case hexadecimal digits.
  package func hex(of label: FileLabel) -> String { String(lowerCaseHex: bytes(of: label).span) }

  /// The label in these lower-case hexadecimal digits; nil as for bytes, and for any other text: a label has one spelling.
  package func label(hex digits: Span<UInt8>) -> FileLabel? {
    guard digits.count == 2 * FileLabel.byteCount else { return nil }
    return [UInt8](lowerCaseHex: digits).flatMap { label($0) }
  }

  private func code(of text: [UInt8]) -> [UInt8] {
    key.withBytes { HMACSHA256.code(of: text.span, key: Span(_unsafeBytes: $0)) }
  }
}

extension KeyStore {
  /// The key of labels.
  package var labelKey: LabelKey {
    LabelKey(secret: files.secret, machine: String(decoding: files.machine, as: UTF8.self))
  }

  /// The key of labels, without the account keys: also where those cannot be used, so that labels are read through any
  /// trouble with them. Nil where there is no register that this secret and this machine wrote: nothing else says that the
  /// secret is the right one.
  package static func labelKey(at place: KeyPlace, credential: SecretBytes?, machine: String, disk: Disk) -> LabelKey? {
    do throws(KeyStoreError) {
      guard !machine.isEmpty,
        let stored = try disk.bytes(at: place.register, maximum: KeyRegister.maximumBytes)
      else { return nil }
      let secret: SecretBytes
      if let credential { secret = credential } else { secret = try KeySecret.file(disk, place, isFirst: false) }
      let files = KeyFiles(
        disk: disk, place: place, secret: secret, registerKey: KeyDerivation.registerKey(secret),
        machine: Array(machine.utf8))
      _ = try files.register(stored)
      return LabelKey(secret: secret, machine: machine)
    } catch { return nil }
  }
}
