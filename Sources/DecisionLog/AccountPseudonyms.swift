internal import Bytes
internal import Digests

/// The accounts' names in the log, unless the settings say plain: the same account is recognised, its name is not read
/// (ledger D-21, DC-03).
///
///     var pseudonyms = AccountPseudonyms(key: Array("a key for the documentation only".utf8))
///     pseudonyms?.name(of: "work@contoso.com")    // acct:ba73f6075026d25eadf5
///     pseudonyms?.name(of: "")                    // the empty text: explicitly nobody
///
/// HMAC-SHA256 (RFC 2104) over the account's canonical text, cut to 80 bits. Two spellings of one account have two
/// names, so give the canonical one. A holder of the key can test guesses: keep it as secret as the accounts.
package struct AccountPseudonyms: Sendable {
  private let key: [UInt8]
  private var known: [String: String] = [:]

  /// Names remembered at most, so that a peer that invents accounts cannot fill the memory.
  private static let capacity = 4096

  /// The shortest key, in bytes: a shorter one can be guessed, and with it every name.
  package static let minimumKeyBytes = 16

  /// Names under that key; nil for a key that is too short. Give 32 random bytes.
  package init?(key: [UInt8]) {
    guard key.count >= Self.minimumKeyBytes else { return nil }
    self.key = key
  }

  /// The name of an account: `acct:` and 20 hexadecimal digits. An account asked for before allocates nothing.
  package mutating func name(of account: String) -> String {
    guard !account.isEmpty else { return "" }
    if let name = known[account] { return name }
    if known.count >= Self.capacity { known.removeAll(keepingCapacity: true) }
    let name = derive(account)
    known[account] = name
    return name
  }

  private func derive(_ account: String) -> String {
    let code = HMACSHA256.code(of: Array(account.utf8).span, key: key.span)
    var bytes = Array("acct:".utf8)
    for byte in code.prefix(10) { bytes.append(lowerCaseHex: byte) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
