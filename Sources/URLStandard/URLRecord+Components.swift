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

/// The places of a serialised URL's components, and their kinds.
///
///     https://user:pass@example.com:8080/path?query#fragment
///          |      |    ||          |    |    |     |
///          |      |    ||          |    |    |     queryEnd
///          |      |    ||          |    |    pathEnd
///          |      |    ||          |    pathStart
///          |      |    ||          hostEnd
///          |      |    |hostStart
///          |      |    passwordEnd
///          |      usernameEnd
///          schemeEnd
///
/// A component that is absent has an empty range, so `pathEnd == queryEnd` says that there is no `?`. The zero value
/// is that of no URL. Offsets only: the bytes belong to ``URLRecord``.
// INVARIANT: schemeEnd <= usernameEnd <= passwordEnd <= hostStart <= hostEnd <= pathStart <= pathEnd <= queryEnd.
package struct URLLayout: Sendable, Equatable {
  /// Index of the colon after the scheme.
  package internal(set) var schemeEnd: UInt32 = 0

  /// End of the user name. Without authority this and the next three are the index after the scheme's colon.
  package internal(set) var usernameEnd: UInt32 = 0

  /// End of the password; equals `usernameEnd` when there is none, else a colon lies between.
  package internal(set) var passwordEnd: UInt32 = 0

  /// Start of the host; `@` lies before it when there are credentials.
  package internal(set) var hostStart: UInt32 = 0
  package internal(set) var hostEnd: UInt32 = 0

  /// Start of the path; port or the marker `/.` (no host, path begins with `//`) lie before it.
  package internal(set) var pathStart: UInt32 = 0
  package internal(set) var pathEnd: UInt32 = 0

  /// End of the query, where the fragment's `#` is if there is one.
  package internal(set) var queryEnd: UInt32 = 0

  var ipv4: UInt32 = 0
  var port: UInt16?
  var scheme = URLScheme.other
  var hostKind = HostKind.none
  var hasOpaquePath = false

  /// Position of a user name: after `//`, or after the scheme's colon when there is no authority.
  package var authorityStart: UInt32 { hasAuthority ? schemeEnd + 3 : schemeEnd + 1 }

  var hasAuthority: Bool { hostKind != .none }
}

extension URLLayout {
  /// Moves everything from the host on by `distance`, as after a change in the credentials.
  mutating func shiftFromHost(by distance: Int32) {
    hostStart = hostStart.moved(by: distance)
    shiftFromHostEnd(by: distance)
  }

  /// Moves everything behind the host by `distance`, as after a change of the host's length.
  mutating func shiftFromHostEnd(by distance: Int32) {
    hostEnd = hostEnd.moved(by: distance)
    shiftFromPath(by: distance)
  }

  /// Moves path, query and fragment by `distance`, as after a change of the port.
  mutating func shiftFromPath(by distance: Int32) {
    pathStart = pathStart.moved(by: distance)
    pathEnd = pathEnd.moved(by: distance)
    queryEnd = queryEnd.moved(by: distance)
  }

  /// Moves everything by `distance`, as after a change of the scheme's length.
  mutating func shiftFromScheme(by distance: Int32) {
    schemeEnd = schemeEnd.moved(by: distance)
    usernameEnd = usernameEnd.moved(by: distance)
    passwordEnd = passwordEnd.moved(by: distance)
    shiftFromHost(by: distance)
  }
}

extension UInt32 {
  fileprivate func moved(by distance: Int32) -> UInt32 {
    self &+ UInt32(bitPattern: distance)
  }
}

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
