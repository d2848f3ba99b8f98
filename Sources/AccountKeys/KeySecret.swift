internal import Platform
package import Secrets

/// The secret that all account keys lie under: a credential of systemd, or a file that the daemon makes once.
///
/// The credential can be sealed to the machine's TPM (`systemd-creds encrypt --with-key=tpm2`), so that files which leave
/// the machine are worth nothing. The file lies beside the keys: whoever has both has them.
package enum KeySecret {
  /// The name of the credential: `LoadCredentialEncrypted=webviewguard.account-keys:…`.
  package static let credential = "webviewguard.account-keys"
  /// A shorter credential could be guessed.
  package static let minimumCount = 32
  package static let maximumCount = 4_096

  /// The credential in `$CREDENTIALS_DIRECTORY`; nil when systemd gives none.
  package static func credential(in directory: String) throws(KeyStoreError) -> SecretBytes? {
    let path = directory + "/" + credential
    var bytes: [UInt8]
    do throws(SystemError) {
      let file = try OpenFile.reading(path, followsLink: false)
      // Read into one array, which is wiped: one that grows would leave pieces behind.
      bytes = try file.bytes(in: 0..<min(file.status?.size ?? 0, maximumCount + 1))
    } catch {
      guard error.isAbsence else { throw .system(error) }
      return nil
    }
    let secret = SecretBytes(taking: &bytes)
    guard (minimumCount...maximumCount).contains(secret.count) else {
      throw .secret(path: path, reason: "it has to hold \(minimumCount) to \(maximumCount) bytes")
    }
    return secret
  }

  /// The secret in the file; made once, on a disk that has no keys yet.
  static func file<Disk: KeyDisk>(_ disk: Disk, _ place: KeyPlace, isFirst: Bool) throws(KeyStoreError) -> SecretBytes {
    if var bytes = try disk.bytes(at: place.secret, maximum: minimumCount) {
      let secret = SecretBytes(taking: &bytes)
      guard secret.count == minimumCount, !secret.isZero else {
        throw .secret(path: place.secret, reason: "it does not hold \(minimumCount) random bytes")
      }
      return secret
    }
    guard isFirst else { throw .secret(path: place.secret, reason: "it is gone, and systemd gives no credential") }
    let secret = SecretBytes.random(minimumCount)
    let new = place.secret + EpochFolder.unfinished
    // One of a start that was interrupted: nothing lies under it.
    if try disk.bytes(at: new, maximum: minimumCount) != nil { try disk.remove(new) }
    try KeyFiles<Disk>.create(disk, new, secret)
    try disk.move(new, to: place.secret)
    try disk.sync(place.state)
    return secret
  }
}
