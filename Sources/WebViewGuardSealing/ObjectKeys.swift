internal import Bytes
internal import Secrets
public import WebViewGuardClient

/// A question for the key of one object. Ids are lower-case hexadecimal digits, as on the wire.
public struct KeyRequest: Sendable, Hashable {
  /// What the key is for.
  public enum Use: String, Sendable, Hashable, CaseIterable {
    /// A new object.
    case write
    /// An object that exists.
    case read
  }

  /// What the key is for.
  public let use: Use
  /// To write the account's name; to read the account id of the header.
  public let account: String
  /// 32 bytes.
  public let objectID: String
  /// 16 bytes to read; nil to write, which takes the newest.
  public let keyID: String?
}

/// The key of one object: whoever has it can read that object, and no other. It is overwritten in memory at its end.
public struct ObjectKey: Sendable {
  let secret: SecretBytes
  let keyID: [UInt8]
  let accountID: [UInt8]

  /// Takes over the 32 bytes of a key, which are overwritten where they were. Nil for anything but 32, 16 and 16 bytes.
  public init?(taking key: inout [UInt8], keyID: [UInt8], accountID: [UInt8]) {
    secret = SecretBytes(taking: &key)
    (self.keyID, self.accountID) = (keyID, accountID)
    guard secret.count == AES256GCM.keyCount, keyID.count == 16, accountID.count == 16 else { return nil }
  }

  /// Reads what the daemon answers, each in lower-case digits; nil for anything else.
  package init?(key: String, keyID: String, accountID: String) {
    guard var bytes = [UInt8](lowerCaseHex: key.utf8.span), let id = [UInt8](lowerCaseHex: keyID.utf8.span),
      let account = [UInt8](lowerCaseHex: accountID.utf8.span)
    else { return nil }
    self.init(taking: &bytes, keyID: id, accountID: account)
  }
}

/// Gives the key of an object. Nil to write: the account is not managed, and its data stays as it is. Nil to read: there is
/// no key any more.
public typealias KeySource = @Sendable (KeyRequest) async throws(SealingError) -> ObjectKey?

/// What the daemon's errors mean to who seals.
package enum KeyRefusal {
  private static let strange: Set<String> = ["NoApp", "AppAmbiguous", "AppMismatch", "NotAttached", "NoPolicy"]

  /// The end of a question that the daemon refused with the error of this last word: nil for data that stays as it is, else
  /// 100, 102 or 103.
  package static func answer(_ word: String, to use: KeyRequest.Use, _ text: String) throws(SealingError) -> ObjectKey?
  {
    if word == "NotManaged", use == .write { return nil }
    if strange.contains(word) { throw SealingError(.appNotManaged, nil, text) }
    throw noKey(use, text)
  }

  package static func noKey(_ use: KeyRequest.Use, _ text: String) -> SealingError {
    SealingError(use == .write ? .encryptFailed : .decryptFailed, .noKey, text)
  }
}

extension GuardAccounts {
  /// Asks for the key of one object: `org.webviewguard.Accounts.DataKey`. `guardian.sealing` does so by itself.
  public nonisolated(nonsending) func dataKey(_ request: KeyRequest) async throws(GuardError) -> ObjectKey {
    let reply = try await dataKeyReply(
      account: request.account, use: request.use.rawValue, object: request.objectID, keyID: request.keyID)
    guard let key = ObjectKey(key: reply.key, keyID: reply.keyID, accountID: reply.accountID) else {
      throw .invalidReply
    }
    return key
  }

  /// The daemon as a source of keys.
  var source: KeySource {
    { (request) async throws(SealingError) in
      do throws(GuardError) { return try await dataKey(request) } catch {
        guard case .refused(let refusal) = error else { throw KeyRefusal.noKey(request.use, error.description) }
        let reason = refusal.parameters["reason"]?.string.map { ", \($0)" } ?? ""
        return try KeyRefusal.answer(refusal.word, to: request.use, error.description + reason)
      }
    }
  }
}
