internal import Bytes

/// Reads texts into URL records; keeps its scratch memory from one text to the next.
///
///     var parser = URLParser()
///     var record = URLRecord()
///     parser.parse(bytes.span, into: &record)  // .valid, .invalid or .tooLong
///
/// A URL of the common shape is checked in one pass and copied once (``CommonURL``). Every other goes through the
/// basic URL parser of the standard. Both agree on every input; tests hold them to it.
///
/// Source: URL Standard, section 4.4. Input is a byte sequence in the standard's sense: UTF-8 decode comes first.
package struct URLParser: Sendable {
  private let usesCommonShape: Bool
  private var cleaned: [UInt8] = []
  private var host: [UInt8] = []

  /// A parser. `usesCommonShape: false` sends every text through the full parser: for tests that compare the two.
  package init(usesCommonShape: Bool = true) {
    self.usesCommonShape = usesCommonShape
  }

  /// Reads `input` as an absolute URL into `record`, which is empty when the answer is not `valid`.
  package mutating func parse(_ input: Span<UInt8>, into record: inout URLRecord) -> URLReading {
    if usesCommonShape, input.count < URLRecord.maximumLength, CommonURL.read(input, into: &record) { return .valid }
    return parseFully(input, base: nil, into: &record)
  }

  /// Reads `input`, which may be relative, as seen from `base`. An invalid `base` counts as none.
  package mutating func parse(
    _ input: Span<UInt8>, base: borrowing URLRecord, into record: inout URLRecord
  ) -> URLReading {
    if usesCommonShape, input.count < URLRecord.maximumLength, CommonURL.read(input, into: &record) { return .valid }
    return parseFully(input, base: base.isValid ? copy base : nil, into: &record)
  }

  private mutating func parseFully(_ input: Span<UInt8>, base: URLRecord?, into record: inout URLRecord) -> URLReading {
    record.reset()
    guard input.count <= URLRecord.maximumLength else { return .tooLong }
    let text = InputCleaning.trimmed(input)
    let reading: URLReading
    if InputCleaning.isClean(text) {
      reading = run(text, base: base, into: &record)
    } else {
      var clean: [UInt8] = []
      swap(&clean, &cleaned)
      InputCleaning.clean(text, into: &clean)
      // The replacement of broken bytes counts: it is three times as long as they are.
      reading = clean.count <= URLRecord.maximumLength ? run(clean.span, base: base, into: &record) : .tooLong
      swap(&clean, &cleaned)
    }
    if reading != .valid { record.reset() }
    return reading
  }

  private mutating func run(_ input: Span<UInt8>, base: URLRecord?, into record: inout URLRecord) -> URLReading {
    var parser = BasicURLParser(input, base: base)
    swap(&parser.record, &record)
    swap(&parser.hostScratch, &host)
    let isURL = parser.parseURL()
    swap(&parser.hostScratch, &host)
    swap(&parser.record, &record)
    guard isURL else { return .invalid }
    return record.bytes.count <= URLRecord.maximumLength ? .valid : .tooLong
  }
}

/// Preparation of a text for the basic URL parser.
///
/// Source: URL Standard, section 4.4: leading and trailing C0 controls and spaces go, tabs and newlines go wherever
/// they are. `java<newline>script:` is therefore `javascript:`, a way past every filter that reads the raw text.
enum InputCleaning {
  /// The text without leading and trailing C0 controls and spaces.
  @_lifetime(copy input)
  static func trimmed(_ input: Span<UInt8>) -> Span<UInt8> {
    var start = 0
    var end = input.count
    while start < end, input[start] <= ASCII.space { start += 1 }
    while end > start, input[end - 1] <= ASCII.space { end -= 1 }
    return input.extracting(start..<end)
  }

  /// True when there is nothing to remove or to repair: no tab, no newline, and valid UTF-8.
  static func isClean(_ text: Span<UInt8>) -> Bool {
    var sawNonASCII = false
    for index in text.indices {
      let byte = text[index]
      if byte.isTabOrNewline { return false }
      if byte >= 0x80 { sawNonASCII = true }
    }
    return !sawNonASCII || UTF8Repair.isValid(text)
  }

  /// Puts `text` into `output` without tabs and newlines, and with U+FFFD for invalid UTF-8.
  static func clean(_ text: Span<UInt8>, into output: inout [UInt8]) {
    output.removeAll(keepingCapacity: true)
    output.append(copying: text)
    // A tab inside a broken sequence ends it, so that repair has to come before removal.
    UTF8Repair.repair(&output)
    output.removeAll(where: \.isTabOrNewline)
  }
}

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
    if name.matches(candidate.name) { self = candidate }
  }
}
