internal import Bytes
internal import URLStandard

/// Takes the text of a filter apart, step by step as Chromium's `FilterToComponents` does.
struct FilterReader {
  private let text: String
  private let bytes: [UInt8]
  private let segments: FilterSegments
  private var components = FilterComponents()

  /// The components of `text`; throws where Chromium would drop the filter.
  static func read(_ text: String) throws(URLFilterError) -> FilterComponents {
    guard text.utf8.count <= URLRecord.maximumLength else {
      throw URLFilterError(
        kind: .tooLong, offset: URLRecord.maximumLength, message: "the filter is longer than any URL")
    }
    guard let segments = FilterSegments(text) else {
      throw URLFilterError(kind: .ignored, offset: 0, message: "the filter is empty", hint: "write `*` for every URL")
    }
    var reader = FilterReader(text, segments)
    try reader.read()
    return reader.components
  }

  private init(_ text: String, _ segments: FilterSegments) {
    self.text = text
    bytes = Array(text.utf8)
    self.segments = segments
  }

  private mutating func read() throws(URLFilterError) {
    if isWholeScheme {
      components.scheme = segments.scheme
    } else if segments.scheme == Array("file".utf8) {
      try readFile()
    } else if segments.scheme == Array("data".utf8) {
      try readData()
    } else {
      if segments.writtenScheme != nil { components.scheme = segments.scheme }
      try readHost()
      try readPort()
      if let path = segments.path { components.path = Array(bytes[path]) }
      if let query = segments.query { components.query = Array(bytes[query]) }
    }
  }

  /// `scheme:*` and `scheme://*`.
  private var isWholeScheme: Bool {
    let lowercased = bytes.map(\.asciiLowercased)
    return lowercased == segments.scheme + Array(":*".utf8) || lowercased == segments.scheme + Array("://*".utf8)
  }

  private mutating func readHost() throws(URLFilterError) {
    guard let range = segments.host else { throw missingHost }
    components.host = bytes[range].map(\.asciiLowercased)
    if components.host == [UInt8(ascii: "*")] {
      components.host = []
    } else if components.host.first == UInt8(ascii: ".") {
      components.host.removeFirst()
      components.matchesSubdomains = false
    } else {
      components.matchesSubdomains = isName(components.host)
    }
  }

  /// Whether a browser would take the host for a name: only then has it anything below it.
  private func isName(_ host: [UInt8]) -> Bool {
    let record = URLRecord("http://\(String(decoding: host, as: UTF8.self))/")
    return record?.hostKind == .domain
  }

  private var missingHost: URLFilterError {
    let scheme = segments.scheme
    if segments.writtenScheme != nil, !FilterSegments.hasHosts(scheme) {
      return URLFilterError(
        kind: .ignored, offset: segments.writtenScheme?.upperBound ?? 0,
        message: "no URL filter can name the host of a \(quoted(scheme + [UInt8(ascii: ":")])) URL",
        hint: "write \(quoted(scheme + Array(":*".utf8))) for all of them")
    }
    return URLFilterError(
      kind: .ignored, offset: 0, message: "\(quoted(bytes)) names no host", hint: "write `*` for every host")
  }

  private mutating func readPort() throws(URLFilterError) {
    guard let range = segments.port, !range.isEmpty else { return }
    let plus = bytes[range].first == UInt8(ascii: "+") ? 1 : 0
    let digits = bytes[range].dropFirst(plus)
    let isNumber = !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
    let number = digits.reduce(0) { min($0 * 10 + Int($1 & 0xF), 1 << 17) }
    guard isNumber, let port = UInt16(exactly: number), port > 0 else {
      throw URLFilterError(
        kind: .ignored, offset: range.lowerBound, message: "\(quoted(bytes[range])) is no port",
        hint: "a port is a number from 1 to 65535; leave it out for every port")
    }
    components.port = port
  }
}

// Filters of files and data, which have no host.
extension FilterReader {
  /// A `file:` filter is a path with its percent-encoding undone, and compared with paths that have theirs.
  ///
  /// A filter with an encoded character therefore matches nothing, in Chromium as here.
  private mutating func readFile() throws(URLFilterError) {
    guard let record = URLRecord(text), record.scheme == .file, Self.isLocal(record),
      let path = Self.fileName(Array(record.bytes[record.pathRange]))
    else {
      throw URLFilterError(
        kind: .ignored, offset: 0, message: "\(quoted(bytes)) is no URL of a local file",
        hint: "write `file:///` and the path")
    }
    components.scheme = segments.scheme
    components.path = path
  }

  private static func isLocal(_ record: URLRecord) -> Bool {
    let host = record.hostname
    return host.isEmpty || host.hasSuffix(".localhost") || host == "[::1]"
      || record.ipv4Address.map { $0 >> 24 == 127 } == true
  }

  private static func fileName(_ path: [UInt8]) -> [UInt8]? {
    var name: [UInt8] = []
    var index = 0
    while index < path.count {
      let encoded = PercentEncoding.byte(in: path, at: index)
      if encoded == 0 || encoded == UInt8(ascii: "/") { return nil }
      let byte = encoded ?? path[index]
      if byte != UInt8(ascii: "/") || name.last != byte { name.append(byte) }
      index += encoded == nil ? 1 : 3
    }
    return name.isEmpty ? nil : name
  }

  /// A `data:` filter is compared with the content from its beginning.
  private mutating func readData() throws(URLFilterError) {
    guard let record = URLRecord(text) else {
      throw URLFilterError(
        kind: .ignored, offset: 0, message: "\(quoted(bytes)) is no URL", hint: "write `data:*` for every `data:` URL")
    }
    components.scheme = segments.scheme
    components.path = Array(record.bytesWithoutFragment.extracting((record.schemeRange.upperBound + 1)...))
  }
}

extension Array where Element == UInt8 {
  fileprivate init(_ span: Span<UInt8>) { self.init(copying: span) }
}

/// Why a text is no URL filter.
///
///     custom://app   no URL filter can name the host of a `custom:` URL (write `custom:*` for all of them)
///     bücher.example no URL has the host `bücher.example` (write `xn--bcher-kva.example`)
///
/// Filters that Chromium would drop without a word, or keep although they can match nothing, are refused here: a filter
/// that does nothing is a hole unknown to its author.
package struct URLFilterError: Error, Sendable, Hashable, CustomStringConvertible {
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// Chromium logs the filter as invalid and goes on without it.
    case ignored
    /// Chromium keeps the filter, and no URL ever matches it.
    case matchesNothing
    /// Longer than any URL: ``URLRecord/maximumLength``.
    case tooLong
  }

  package var kind: Kind
  /// Byte offset in the filter.
  package var offset: Int
  package var message: String
  /// A suggestion for the author.
  package var hint: String?

  package var description: String { hint.map { "\(message) (\($0))" } ?? message }
}

/// A text as a message quotes it: in backticks, on one line, and not longer than a line.
func quoted(_ bytes: some Sequence<UInt8>) -> String {
  let text = String(decoding: Array(bytes), as: UTF8.self)
  var quote = ""
  for character in text.unicodeScalars.prefix(80) {
    let isPlain = character.properties.generalCategory != .control && character != "`"
    quote.unicodeScalars.append(isPlain ? character : "\u{FFFD}")
  }
  return "`\(quote)\(text.unicodeScalars.count > 80 ? "…" : "")`"
}
