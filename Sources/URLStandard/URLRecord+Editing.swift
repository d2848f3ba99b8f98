// Changes that bring a record into the form that rules see. Each works in place and allocates nothing beyond the
// buffer's capacity; the record afterwards equals what reading its own `href` would give.
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
