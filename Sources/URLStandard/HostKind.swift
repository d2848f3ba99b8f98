/// The kind of a URL's host (URL Standard, section 3.1).
package enum HostKind: UInt8, Sendable, Equatable {
  /// No host at all, as in `mailto:a@example.com`. The standard's null.
  case none

  /// A host that is written but empty, as in `file:///etc/hosts`.
  case empty

  /// A name, as in `https://example.com/`: lower case, ASCII, international names as `xn--…`.
  case domain

  /// An IPv4 address. However it was written (`0x7f.1`, `017700000001`), the record says `127.0.0.1`.
  case ipv4

  /// An IPv6 address, in brackets and compressed as RFC 5952 says: `[::1]`.
  case ipv6

  /// The uninterpreted host of a scheme that is not special, as in `redis://Cache%20One/`.
  case opaque
}
