internal import Bytes

/// A URL as browsers read it: its serialisation in one flat buffer, and the places of its components there.
///
///     let record = URLRecord("HTTPS://User@EXAMPLE.com:443/a/../b?q")
///     record?.href      // "https://User@example.com/b?q"
///     record?.hostname  // "example.com"
///
/// Decisions are made on this record, never on the text it came from. `https://corp.example\@evil.example/` has the
/// host `corp.example` despite its looks, because the browser will go there.
///
/// The record can be used again: ``parse(_:)`` keeps the buffer, so that reading common URLs allocates nothing.
/// The empty record (``isValid`` is false) stands for no URL at all; all its ranges are empty.
///
/// Source: URL Standard, section 4.1, as of July 2026.
package struct URLRecord: Sendable, Equatable {
  /// Maximum length in bytes of a text and of its serialisation: 64 KiB.
  ///
  /// Browsers take up to 2 MiB; a limit bounds the cost of one question. Because it holds for the result as well, the
  /// `href` of every record can be read again.
  package static let maximumLength = 65_536

  /// The serialised URL (`href`) as ASCII bytes; empty when the record is not valid.
  package internal(set) var bytes: [UInt8] = []

  /// The places of its parts.
  package internal(set) var layout = URLLayout()

  /// The empty record, which is not valid.
  package init() {}

  /// The record of `text`, resolved against `base` if there is one; nil when that is not a URL or too long.
  ///
  ///     URLRecord("../b", base: URLRecord("https://a.example/x/y"))?.href  // "https://a.example/b"
  ///     URLRecord("//evil.example/", base: URLRecord("https://a.example"))?.hostname  // "evil.example"
  ///     URLRecord("example.com")                                           // nil: no scheme, no base
  ///
  /// A relative text can replace the host, as the second line shows: check the result, not the base.
  package init?(_ text: String, base: URLRecord? = nil) {
    var parser = URLParser()
    let utf8 = Array(text.utf8)
    let reading =
      if let base { parser.parse(utf8.span, base: base, into: &self) } else { parser.parse(utf8.span, into: &self) }
    guard reading == .valid else { return nil }
  }

  /// True when the record holds a URL.
  package var isValid: Bool { layout.schemeEnd > 0 }

  /// Empties the record, keeping the buffer's capacity.
  package mutating func reset() {
    bytes.removeAll(keepingCapacity: true)
    layout = URLLayout()
  }

  /// The end of the bytes written so far.
  var end: UInt32 { UInt32(truncatingIfNeeded: bytes.count) }
}

extension URLRecord {
  /// Reads `input` as an absolute URL into this record; its former contents are gone in any case.
  ///
  /// Bytes that are not UTF-8 are read as U+FFFD, as browsers do. When many unusual texts are read, a ``URLParser``
  /// saves its scratch memory from one to the next; for common ones both allocate nothing.
  package mutating func parse(_ input: Span<UInt8>) -> URLReading {
    var parser = URLParser()
    return parser.parse(input, into: &self)
  }

  /// Reads `input`, which may be relative, as seen from `base`. An invalid `base` counts as none.
  package mutating func parse(_ input: Span<UInt8>, base: borrowing URLRecord) -> URLReading {
    var parser = URLParser()
    return parser.parse(input, base: base, into: &self)
  }
}

extension URLRecord {
  /// Takes over another record byte by byte into this one's own buffer.
  ///
  /// Plain assignment would share the other's buffer, and the next change of either would have to allocate a new one.
  package mutating func assign(_ other: borrowing URLRecord) {
    bytes.assign(copying: other.bytes.span)
    layout = other.layout
  }
}

extension URLRecord {
  /// The origin, serialised; `null` for an opaque one, which equals no origin, not even itself.
  ///
  ///     URLRecord("https://user@example.com:443/path")?.origin  // "https://example.com"
  ///     URLRecord("blob:https://example.com/d0360e2f")?.origin  // "https://example.com"
  ///     URLRecord("blob:ftp://example.com/d0360e2f")?.origin    // "null"
  ///     URLRecord("file:///etc/hosts")?.origin                  // "null"
  ///
  /// Two records that both say `null` are not of one origin: never compare for equality alone.
  ///
  /// Source: URL Standard, section 4.7.
  package var origin: String {
    switch layout.scheme {
    case .http, .https, .ws, .wss, .ftp: "\(text(schemeRange))://\(host)"
    case .file: Self.opaqueOrigin
    case .other: text(schemeRange) == "blob" ? originOfBlob : Self.opaqueOrigin
    }
  }

  private static let opaqueOrigin = "null"

  private var originOfBlob: String {
    var inner = URLRecord()
    guard inner.parse(pathBytes) == .valid else { return Self.opaqueOrigin }
    switch inner.scheme {
    case .http, .https: return inner.origin
    default: return Self.opaqueOrigin
    }
  }
}

// The attributes of the web's `URL` interface, as text for people, logs and tests. Matching uses the ranges instead.
// Source: URL Standard, section 6.1.
extension URLRecord {
  /// The whole URL; empty when the record is not valid.
  package var href: String { text(0..<bytes.count) }

  /// The scheme with its colon: `https:`.
  package var `protocol`: String { isValid ? text(0..<Int(layout.schemeEnd) + 1) : "" }

  /// The user name, percent-encoded.
  package var username: String { text(usernameRange) }

  /// The password, percent-encoded.
  package var password: String { text(passwordRange) }

  /// The host and, when it is not the scheme's own, the port: `example.com:8080`.
  package var host: String { text(Int(layout.hostStart)..<Int(authorityEnd)) }

  /// The host without the port: `example.com`, `[::1]`.
  package var hostname: String { text(hostRange) }

  /// The port as digits; empty when there is none or it is the scheme's own.
  package var port: String { layout.port.map { String($0) } ?? "" }

  /// The path: `/a/b`.
  package var pathname: String { text(pathRange) }

  /// The query with its `?`; empty when there is no query or nothing in it.
  package var search: String { textOfNonEmpty(queryRange) }

  /// The fragment with its `#`; empty when there is no fragment or nothing in it.
  package var hash: String { textOfNonEmpty(fragmentRange) }

  /// The end of host and port. The marker `/.` of a URL without host does not belong to it.
  var authorityEnd: UInt32 { layout.hasAuthority ? layout.pathStart : layout.hostEnd }

  /// The bytes in `range`, which is one of this record's, as text.
  package func text(_ range: Range<Int>) -> String {
    String(decoding: bytes[range], as: UTF8.self)
  }

  private func textOfNonEmpty(_ range: Range<Int>?) -> String {
    guard let range, !range.isEmpty else { return "" }
    return text(range.lowerBound - 1..<range.upperBound)
  }
}

// Changes that bring a record into the form that rules see. Each works in place and allocates nothing beyond the
// buffer's capacity; the record afterwards equals the result of reading its own `href`.
extension URLRecord {
  /// Removes user name and password.
  ///
  ///     https://user:pass@example.com/  ->  https://example.com/
  ///
  /// Why: `https://corp.example@evil.example/` must not look like corp.example to a rule that reads from the left.
  package mutating func removeCredentials() {
    guard hasCredentials else { return }
    let start = layout.authorityStart
    let length = layout.hostStart - start
    bytes.removeSubrange(Int(start)..<Int(layout.hostStart))
    layout.usernameEnd = start
    layout.passwordEnd = start
    layout.shiftFromHost(by: -Int32(truncatingIfNeeded: length))
  }

  /// Removes the fragment and its `#`.
  ///
  ///     https://example.com/#top  ->  https://example.com/
  ///
  /// An opaque path keeps its trailing `%20`, which the parser wrote because a fragment followed.
  package mutating func removeFragment() {
    bytes.truncate(to: Int(layout.queryEnd))
  }

  /// Removes the dot at the end of a domain, if it is the only one there.
  ///
  ///     https://example.com./  ->  https://example.com/
  ///
  /// Left as they are: `https://./` and `https://1../` (the rest would be no host, or an address), and file URLs
  /// (the host `localhost` means none there).
  package mutating func removeTrailingHostDot() {
    let host = hostRange
    guard layout.hostKind == .domain, layout.scheme != .file, host.count > 1 else { return }
    guard bytes[host.upperBound - 1] == ASCII.dot, bytes[host.upperBound - 2] != ASCII.dot else { return }
    bytes.remove(at: host.upperBound - 1)
    layout.shiftFromHostEnd(by: -1)
  }

  /// Puts `scheme` in the place of the present one; false, and nothing done, when one of the two is `file` or `other`.
  ///
  ///     wss://example.com/     -> https  ->  https://example.com/
  ///     wss://example.com:80/  -> http   ->  http://example.com/
  ///     ws://example.com/      -> https  ->  https://example.com/   (now port 443)
  ///
  /// A port that is not written stays unwritten and so means the new scheme's own, as in the `protocol` setter of
  /// the web. A written port that is the new scheme's own is dropped.
  package mutating func replaceScheme(with scheme: URLScheme) -> Bool {
    guard layout.scheme.isNetwork, scheme.isNetwork else { return false }
    let name = scheme.name
    let growth = Int32(truncatingIfNeeded: name.utf8CodeUnitCount - Int(layout.schemeEnd))
    name.withUTF8Buffer { bytes.replaceSubrange(schemeRange, with: $0) }
    layout.scheme = scheme
    layout.shiftFromScheme(by: growth)
    if layout.port == scheme.defaultPort { removePort() }
    return true
  }

  private mutating func removePort() {
    guard layout.port != nil else { return }
    let length = layout.pathStart - layout.hostEnd
    bytes.removeSubrange(Int(layout.hostEnd)..<Int(layout.pathStart))
    layout.port = nil
    layout.shiftFromPath(by: -Int32(truncatingIfNeeded: length))
  }
}

extension URLScheme {
  /// True for the schemes that always have a host and may have a port.
  fileprivate var isNetwork: Bool { self != .other && self != .file }
}
