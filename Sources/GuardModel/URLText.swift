/// A URL as it was read, with the ranges of its parts: the input of redaction.
///
/// `bytes` is the serialised URL; every range lies in it. Made by the shell from the parsed record, so that the log needs
/// no URL parser.
package struct URLText: Sendable, Hashable {
  package var bytes: [UInt8]
  /// User name and password with the `@`; empty when there are none.
  package var credentials: Range<Int>
  /// Host and port; empty when the URL has no authority.
  package var host: Range<Int>
  package var path: Range<Int>
  /// The query with its `?`; empty when there is none.
  package var query: Range<Int>
  /// The fragment with its `#`; empty when there is none.
  package var fragment: Range<Int>

  package init(
    bytes: [UInt8], credentials: Range<Int>, host: Range<Int>, path: Range<Int>, query: Range<Int>, fragment: Range<Int>
  ) {
    self.bytes = bytes
    self.credentials = credentials
    self.host = host
    self.path = path
    self.query = query
    self.fragment = fragment
  }
}
