/// A URL as browsers read it: its serialisation in one flat buffer, and where the components lie in it.
///
///     let record = URLRecord("HTTPS://User@EXAMPLE.com:443/a/../b?q")
///     record?.href      // "https://User@example.com/b?q"
///     record?.hostname  // "example.com"
///
/// Decisions are made on this record, never on the text it came from. `https://corp.example\@evil.example/` has the
/// host `corp.example`, whatever it looks like, because that is where the browser will go.
///
/// The record can be used again: ``parse(_:)`` keeps the buffer, so that reading common URLs allocates nothing.
/// The empty record (``isValid`` is false) stands for no URL at all; all its ranges are empty.
///
/// Source: URL Standard, section 4.1, as of July 2026.
package struct URLRecord: Sendable, Equatable {
  /// The length in bytes beyond which neither a text nor its serialisation is accepted: 64 KiB.
  ///
  /// Browsers take up to 2 MiB; a limit bounds what one question can cost. Because it holds for the result as well,
  /// the `href` of every record can be read again.
  package static let maximumLength = 65_536

  /// The serialised URL (`href`) as ASCII bytes; empty when the record is not valid.
  package internal(set) var bytes: [UInt8] = []

  var layout = URLLayout()

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

  /// The end of what has been written so far.
  var end: UInt32 { UInt32(truncatingIfNeeded: bytes.count) }
}

extension URLRecord {
  /// Reads `input` as an absolute URL into this record; what the record held before is gone in any case.
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
