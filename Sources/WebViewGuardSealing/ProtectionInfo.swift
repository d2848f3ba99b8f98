internal import Bytes

/// Whose data is, by its header alone. It is a claim: of sealed data it is true once the data was opened, of unmanaged data
/// never more than what somebody said.
///
///     try ProtectionInfo(of: data)?.isSealed
public enum ProtectionInfo: Sendable, Hashable {
  /// Data that only a program of the account can read. The ids are lower-case hexadecimal digits: of the account, of its
  /// key, and of this object.
  case sealed(accountID: String, keyID: String, objectID: String)
  /// Data with its owner's name, empty for nobody; everybody can read it.
  case unmanaged(account: String)

  /// Needs no key, and no more of the data than `longestHeader` bytes. Nil for data that is no envelope.
  public init?(of data: [UInt8]) throws(SealingError) {
    switch try DataHeader(Array(data.prefix(SealedFormat.longestHeader))) {
    case .foreign: return nil
    case .sealed(let header): self = header.info
    case .unmanaged(let account, _): self = .unmanaged(account: account)
    }
  }

  /// Of base64; nil for text that is no envelope.
  public init?(ofText text: String) throws(SealingError) {
    guard let envelope = try SealedText.envelope(text) else { return nil }
    try self.init(of: envelope)
  }

  /// Of a file. An empty one is error 105.
  public init?(ofFile path: String) throws(SealingError) {
    try self.init(of: SealedInput(opening: path).start(SealedFormat.longestHeader))
  }

  /// As many bytes as are needed to know whose data is.
  public static let longestHeader = SealedFormat.longestHeader

  /// Only a program of the account can read it.
  public var isSealed: Bool {
    if case .sealed = self { true } else { false }
  }
}

extension SealedHeader {
  var info: ProtectionInfo {
    .sealed(
      accountID: String(lowerCaseHex: accountID.span), keyID: String(lowerCaseHex: keyID.span),
      objectID: String(lowerCaseHex: objectID.span))
  }
}
