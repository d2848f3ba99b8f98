internal import Digests

/// The organisation's public key for copies of account keys (design, accounts, section 8).
///
///     escrow: { publicKey: wvg-escrow-public-1.3948…4d.0c1d2e3f }
extension PolicyFileReader {
  var escrow: YAMLDecoder<String> {
    .mapping { reader in reader.required("publicKey", .escrowKey) }
  }
}

extension YAMLDecoder where Value == String {
  /// A public key whose check digits fit. With a slip in it nobody could open any copy, and nobody would notice before the
  /// day on which they are needed.
  fileprivate static var escrowKey: Self {
    Self("a public escrow key") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      guard CheckedText.escrowPublicKey.bytes(of: text)?.count == 32 else {
        diagnostics.error(
          .invalidEscrowKey, at: node.location, "\(text.quoted) is not a public escrow key",
          hint: "take the text that `webviewguard account escrow new-key` printed, whole")
        return nil
      }
      return text
    }
  }
}
