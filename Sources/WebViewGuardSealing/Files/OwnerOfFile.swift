internal import Bytes
public import GuardModel
package import WebViewGuardClient

/// The owner of a file. A standing that this library does not know is `unknown`.
///
///     try await guardian.files.getOwner("report.txt").account    // work@contoso.com
public struct OwnerOfFile: Sendable, Hashable {
  /// The owner, as the app that asks sees it.
  public let standing: FileStanding
  /// As the policy spells it; nil unless the standing is `mine` or `managed`.
  public let account: String?
  /// Stored data has to be encrypted.
  public let mustEncrypt: Bool

  init(_ standing: FileStanding, account: String? = nil, mustEncrypt: Bool = false) {
    (self.standing, self.account, self.mustEncrypt) = (standing, account, mustEncrypt)
  }

  /// The organisation's, also when nobody can say which account's.
  public var isManaged: Bool { standing != .unmanaged }

  /// Reads a reply of the daemon.
  ///
  /// - Throws: `GuardError.invalidReply` for one that is none.
  package init(reading reply: [String: GuardValue]) throws(GuardError) {
    let members = GuardValue.object(reply)
    let account = members["owner"]
    guard let word = members["standing"]?.string, let mustEncrypt = members["mustEncrypt"]?.bool,
      account == nil || account?.string != nil
    else { throw .invalidReply }
    self.init(FileStanding(rawValue: word) ?? .unknown, account: account?.string, mustEncrypt: mustEncrypt)
  }
}

/// An owner that was just given, and the label to set.
struct LabelledFile: Sendable {
  let owner: OwnerOfFile
  /// Nil for the table, and for files that are nobody's.
  let label: [UInt8]?
  /// Nothing keeps the owner of this file.
  let mustSeal: Bool

  init(_ owner: OwnerOfFile, label: [UInt8]? = nil, mustSeal: Bool = false) {
    (self.owner, self.label, self.mustSeal) = (owner, label, mustSeal)
  }

  init(reading reply: [String: GuardValue]) throws(GuardError) {
    let members = GuardValue.object(reply)
    let digits = members["label"]
    let label = digits?.string.flatMap { [UInt8](lowerCaseHex: $0.utf8.span) }
    guard let mustSeal = members["mustSeal"]?.bool, digits == nil || label != nil else { throw .invalidReply }
    self.init(try OwnerOfFile(reading: reply), label: label, mustSeal: mustSeal)
  }
}
