extension URLRecord {
  /// The origin, serialised; `null` for an opaque one, which is the same as no other, not even itself.
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
