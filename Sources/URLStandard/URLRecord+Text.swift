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
