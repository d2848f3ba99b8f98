/// Has the interface of swift-crypto's HMAC as far as the modules under test use it, and authenticates nothing.
package struct HMAC<Hash> {
  private var hash = SHA256()

  package init(key: SymmetricKey) { hash.update(data: key.bytes) }

  package mutating func update(data: some Sequence<UInt8>) { hash.update(data: data) }

  package func finalize() -> SHA256Digest { hash.finalize() }
}

/// A key of `HMAC`.
package struct SymmetricKey: Sendable {
  fileprivate let bytes: [UInt8]

  package init(data: some Sequence<UInt8>) { bytes = Array(data) }
}
