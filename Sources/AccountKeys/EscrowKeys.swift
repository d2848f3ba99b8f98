internal import Digests
package import Secrets

/// The public half of an organisation's escrow key: copies of account keys are sealed to it, and the daemon cannot open them.
///
///     EscrowPublicKey(text: "wvg-escrow-public-1.3948…4d.0c1d2e3f")    // nil after a slip
package struct EscrowPublicKey: Sendable, Hashable {
  package let bytes: [UInt8]

  /// Nil unless these are 32 bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == X25519.keyCount else { return nil }
    self.bytes = bytes
  }

  package init?(text: some StringProtocol) {
    guard let bytes = CheckedText.escrowPublicKey.bytes(of: text) else { return nil }
    self.init(bytes: bytes)
  }

  /// Whether what is sealed to it stays secret: not with a point of low order, such as zeros.
  var isSafe: Bool { X25519.secret(.random(X25519.keyCount), bytes) != nil }

  /// As the policy has it.
  package var text: String { CheckedText.escrowPublicKey.text(of: bytes) }

  /// The first 16 bytes of SHA-256("webviewguard escrow key v1" 0x00 TEXT), which each copy begins with.
  package var id: SixteenBytes { SixteenBytes(hashing: "webviewguard escrow key v1\u{0}\(text)") }
}

/// The private half: with it every copy that was sealed to the public one opens. It stays off the machines that the daemon
/// guards.
package struct EscrowPrivateKey: Sendable {
  package let secret: SecretBytes
  package let publicKey: EscrowPublicKey

  private static let form = CheckedText("wvg-escrow-PRIVATE-1")
  /// Bytes of a file that may hold one, with a comment before it.
  package static let maximumFile = 4_096

  package init(secret: SecretBytes) {
    precondition(secret.count == X25519.keyCount)
    guard let key = EscrowPublicKey(bytes: X25519.publicKey(of: secret)) else { preconditionFailure() }
    (self.secret, publicKey) = (secret, key)
  }

  package static func random() -> EscrowPrivateKey { EscrowPrivateKey(secret: .random(X25519.keyCount)) }

  /// The key in the text of a file: one line, beside empty ones and those that begin with `#`. Nil for anything else.
  package init?(file text: String) {
    let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }
    guard lines.count == 1, let line = lines.first, var bytes = Self.form.bytes(of: line),
      bytes.count == X25519.keyCount
    else { return nil }
    self.init(secret: SecretBytes(taking: &bytes))
  }

  /// The file, which belongs under lock and key: nobody should keep this text in memory for long.
  package var file: String {
    """
    # The private escrow key of webviewguard. Whoever has it reads what was sealed on every machine whose policy names
    # \(publicKey.text)
    \(secret.withBytes { Self.form.text(of: Array($0)) })

    """
  }
}
