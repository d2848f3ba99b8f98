/// A scheme that the URL Standard treats in a way of its own, or any other.
///
///     URLRecord("WSS://example.com")?.scheme    // .wss
///     URLRecord("gopher://example.com")?.scheme // .other
///
/// Source: URL Standard, section 4.2 (special schemes and their default ports).
package enum URLScheme: UInt8, Sendable, Equatable {
  case other
  case http
  case https
  case ws
  case wss
  case ftp
  case file

  /// True for every scheme but `other`: backslashes are slashes, and a host is parsed as a domain or an address.
  package var isSpecial: Bool { self != .other }

  /// The port that a URL without a port means; nil for `file` and `other`.
  package var defaultPort: UInt16? {
    switch self {
    case .http, .ws: 80
    case .https, .wss: 443
    case .ftp: 21
    case .file, .other: nil
    }
  }

  /// The scheme as it is written in a URL, without the colon; empty for `other`.
  var name: StaticString {
    switch self {
    case .other: ""
    case .http: "http"
    case .https: "https"
    case .ws: "ws"
    case .wss: "wss"
    case .ftp: "ftp"
    case .file: "file"
    }
  }

  /// The scheme with this name, in lower case and without the colon.
  init(_ name: Span<UInt8>) {
    self = .other
    guard !name.isEmpty else { return }
    let candidate: URLScheme =
      switch (name.count, name[0]) {
      case (4, ASCII.h): .http
      case (5, ASCII.h): .https
      case (2, ASCII.w): .ws
      case (3, ASCII.w): .wss
      case (3, ASCII.f): .ftp
      case (4, ASCII.f): .file
      default: .other
      }
    if name.equals(candidate.name) { self = candidate }
  }
}
