/// A URL as it was read, with the ranges of its parts: the input of redaction.
///
/// `bytes` is the serialised URL; every range lies in it. Made by the shell from the parsed record, so that the log needs
/// no URL parser.
package struct URLText: Sendable, Hashable {
  package let bytes: [UInt8]
  /// User name and password with the `@`; empty when there are none.
  package var credentials: Range<Int> { credentialsSlot.range }
  /// Host and port; empty when the URL has no authority.
  package var host: Range<Int> { hostSlot.range }
  package var path: Range<Int> { pathSlot.range }
  /// The query with its `?`; empty when there is none.
  package var query: Range<Int> { querySlot.range }
  /// The fragment with its `#`; empty when there is none.
  package var fragment: Range<Int> { fragmentSlot.range }

  // Plain numbers: to copy or destroy a range, a value of a generic type, is a call each time.
  private let credentialsSlot: TextSlot
  private let hostSlot: TextSlot
  private let pathSlot: TextSlot
  private let querySlot: TextSlot
  private let fragmentSlot: TextSlot

  package init(
    bytes: [UInt8], credentials: TextSlot, host: TextSlot, path: TextSlot, query: TextSlot, fragment: TextSlot
  ) {
    self.bytes = bytes
    credentialsSlot = credentials
    hostSlot = host
    pathSlot = path
    querySlot = query
    fragmentSlot = fragment
  }

  package init(
    bytes: [UInt8], credentials: Range<Int>, host: Range<Int>, path: Range<Int>, query: Range<Int>, fragment: Range<Int>
  ) {
    self.init(
      bytes: bytes, credentials: TextSlot(credentials), host: TextSlot(host), path: TextSlot(path),
      query: TextSlot(query), fragment: TextSlot(fragment))
  }
}
