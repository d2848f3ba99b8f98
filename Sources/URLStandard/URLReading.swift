/// The result of reading one text as a URL.
///
///     var record = URLRecord()
///     record.parse("https://example.com".utf8.span)   // .valid
///     record.parse("https://exa mple.com".utf8.span)  // .invalid
///
/// Only `valid` fills the record. Both other answers are judged as strictly as an external URL: a browser may still
/// make something of a text that we refuse.
package enum URLReading: Sendable, Equatable {
  /// The text is not a URL, by the URL Standard.
  case invalid

  /// The text, or its serialisation, is longer than ``URLRecord/maximumLength``.
  case tooLong

  /// The text is a URL, and the record holds it.
  case valid
}
