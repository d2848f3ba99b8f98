extension URLRecord {
  /// The scheme, as far as the standard treats it in a way of its own.
  package var scheme: URLScheme { layout.scheme }

  /// True for http, https, ws, wss, ftp and file.
  package var isSpecial: Bool { layout.scheme.isSpecial }

  /// The kind of the URL's host.
  package var hostKind: HostKind { layout.hostKind }

  /// True when the path is a text without structure, as in `data:,x` or `mailto:a@example.com`.
  package var hasOpaquePath: Bool { layout.hasOpaquePath }

  /// True when `//` follows the scheme: there is a host, though it may be empty.
  package var hasAuthority: Bool { layout.hasAuthority }

  /// True when the URL carries a user name or a password.
  package var hasCredentials: Bool { layout.hostStart > layout.authorityStart }

  /// The port that is written in the URL; nil when there is none or it is the scheme's own.
  ///
  ///     URLRecord("https://example.com:443")?.portNumber  // nil
  package var portNumber: UInt16? { layout.port }

  /// The port a browser would connect to; nil when the scheme has no default and none is written.
  ///
  ///     URLRecord("https://example.com")?.effectivePort  // 443
  package var effectivePort: UInt16? { layout.port ?? layout.scheme.defaultPort }

  /// The address when the host is IPv4, most significant part first: `127.0.0.1` is 0x7F000001.
  package var ipv4Address: UInt32? { layout.hostKind == .ipv4 ? layout.ipv4 : nil }
}

// Ranges into `bytes`. Valid for every record: those of an invalid record are all empty.
extension URLRecord {
  /// The scheme, without its colon.
  package var schemeRange: Range<Int> { 0..<Int(layout.schemeEnd) }

  /// The user name, percent-encoded; empty when there is none.
  package var usernameRange: Range<Int> {
    isValid ? Int(layout.authorityStart)..<Int(layout.usernameEnd) : 0..<0
  }

  /// The password, percent-encoded, without the colon before it; empty when there is none.
  package var passwordRange: Range<Int> {
    let start = layout.usernameEnd == layout.passwordEnd ? layout.usernameEnd : layout.usernameEnd + 1
    return Int(start)..<Int(layout.passwordEnd)
  }

  /// The host without port (`hostname`); IPv6 addresses with their brackets.
  package var hostRange: Range<Int> { Int(layout.hostStart)..<Int(layout.hostEnd) }

  /// The path with its leading slash; of an opaque path all of it.
  package var pathRange: Range<Int> { Int(layout.pathStart)..<Int(layout.pathEnd) }

  /// The query without `?`; nil when there is none, empty for `https://example.com/?`.
  package var queryRange: Range<Int>? {
    layout.queryEnd > layout.pathEnd ? Int(layout.pathEnd) + 1..<Int(layout.queryEnd) : nil
  }

  /// The fragment without `#`; nil when there is none, empty for `https://example.com/#`.
  package var fragmentRange: Range<Int>? {
    bytes.count > Int(layout.queryEnd) ? Int(layout.queryEnd) + 1..<bytes.count : nil
  }
}

// The same as spans, for matching without a copy.
extension URLRecord {
  /// The scheme's bytes, without the colon.
  package var schemeBytes: Span<UInt8> {
    @_lifetime(borrow self) get { bytes.span.extracting(schemeRange) }
  }

  /// The host's bytes, without the port.
  package var hostBytes: Span<UInt8> {
    @_lifetime(borrow self) get { bytes.span.extracting(hostRange) }
  }

  /// The path's bytes.
  package var pathBytes: Span<UInt8> {
    @_lifetime(borrow self) get { bytes.span.extracting(pathRange) }
  }

  /// The bytes of the whole URL up to the fragment.
  package var bytesWithoutFragment: Span<UInt8> {
    @_lifetime(borrow self) get { bytes.span.extracting(0..<Int(layout.queryEnd)) }
  }
}
