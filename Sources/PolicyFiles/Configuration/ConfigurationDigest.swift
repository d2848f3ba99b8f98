internal import Crypto

/// The digest of a configuration: what tells that two daemons run the same policy.
///
/// SHA-256 over all files in the order of their names below the root; of each the length of the name, the name, the
/// length of the file and its bytes, lengths as eight bytes with the most significant first. The root's own path is not
/// in it, so a copy has the same digest.
///
/// The attack it withstands: without the lengths, bytes could be moved from one file into the next unseen.
enum ConfigurationDigest {
  /// 64 lower-case hexadecimal digits.
  static func hex(of files: [ConfigurationFile]) -> String {
    var hash = SHA256()
    for file in files.sorted(by: { $0.name < $1.name }) {
      update(&hash, Array(file.name.utf8))
      update(&hash, file.bytes)
    }
    return hash.finalize().map(hexadecimal).joined()
  }

  private static func update(_ hash: inout SHA256, _ bytes: [UInt8]) {
    let length = UInt64(bytes.count)
    hash.update(data: stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: length >> UInt64($0)) })
    hash.update(data: bytes)
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
  }
}
