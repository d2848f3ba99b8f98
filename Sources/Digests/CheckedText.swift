internal import Bytes

/// Bytes as one word that people copy by hand or by mail: what it is, hexadecimal digits, and eight more of a SHA-256, so that
/// a slip is noticed before anybody relies on it.
///
///     CheckedText("wvg-escrow-public-1").text(of: bytes)
///     // wvg-escrow-public-1.4c8e…2f.5d1b03c2
///
/// It keeps no attack off: an attacker who writes another word writes its digits as well.
package struct CheckedText: Sendable, Hashable {
  /// Letters, digits and `-`.
  package let prefix: String

  package init(_ prefix: String) { self.prefix = prefix }

  package func text(of bytes: [UInt8]) -> String {
    "\(prefix).\(String(lowerCaseHex: bytes.span)).\(check(bytes))"
  }

  /// The bytes; nil for any text that `text(of:)` does not write.
  package func bytes(of text: some StringProtocol) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == prefix else { return nil }
    let digits = String(parts[1])
    let bytes = [UInt8](lowerCaseHex: digits.utf8.span) ?? []
    return !bytes.isEmpty && parts[2] == check(bytes) ? bytes : nil
  }

  /// The first eight digits of SHA-256(prefix 0x00 bytes).
  private func check(_ bytes: [UInt8]) -> String {
    String(SHA256.digest(of: (Array(prefix.utf8) + [0] + bytes).span).hex.prefix(8))
  }
}

extension CheckedText {
  /// The public half of an organisation's escrow key, as the policy names it.
  package static let escrowPublicKey = CheckedText("wvg-escrow-public-1")
}
