internal import Digests

/// The digest of a configuration: what tells that two daemons run the same policy.
///
/// SHA-256 over all files in the order of their names below the root; of each the length of the name, the name, the
/// length of the file and its bytes, lengths as eight bytes with the most significant first. Of a list that a rule
/// names the SHA-256 of the file as it is stored stands in place of the bytes. The root's own path is not in it, so a
/// copy has the same digest.
///
/// The attack it withstands: without the lengths, bytes could be moved from one file into the next unseen.
enum ConfigurationDigest {
  /// 64 lower-case hexadecimal digits.
  static func hex(of files: [ConfigurationFile], lists: [ListFile] = []) -> String {
    let parts =
      files.map { Part(name: $0.name, length: $0.bytes.count, bytes: $0.bytes) }
      + lists.map { Part(name: "rules/" + $0.name, length: $0.storedBytes, bytes: $0.hash) }
    var hash = SHA256()
    for part in parts.sorted(by: { $0.name < $1.name }) {
      update(&hash, length: part.name.utf8.count, Array(part.name.utf8))
      update(&hash, length: part.length, part.bytes)
    }
    return hash.digest.hex
  }

  private struct Part {
    var name: String
    var length: Int
    var bytes: [UInt8]
  }

  private static func update(_ hash: inout SHA256, length: Int, _ bytes: [UInt8]) {
    let number = UInt64(clamping: length)
    let head = stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
    hash.update(head.span)
    hash.update(bytes.span)
  }
}
