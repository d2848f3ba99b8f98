internal import Bytes
internal import URLStandard

/// Whether any URL at all can have the parts that a filter demands.
///
/// Filters are compared byte by byte with serialised URLs, so a host in upper-case Unicode, a path with a space or a
/// query with a quotation mark waits for ever. Each part is put into URLs of every kind that could carry it; a part
/// that comes out of none as it went in can be in none, because serialised URLs read as themselves.
struct FilterReach {
  private let text: String
  private let components: FilterComponents
  private let conditions: [QueryCondition]

  init(_ text: String, _ components: FilterComponents, _ conditions: [QueryCondition]) {
    self.text = text
    self.components = components
    self.conditions = conditions
  }

  /// Why no URL can match; nil when one can, as far as each part alone is concerned.
  var error: URLFilterError? {
    if !components.host.isEmpty, !hostIsPossible { return hostError }
    if !components.path.isEmpty, !pathIsPossible {
      return error("no URL has a path that begins with", components.path, hint: encodedHint(components.path))
    }
    for condition in conditions where !isPossible(query: condition.text) {
      return error("no URL has the query part", condition.text, hint: encodedHint(condition.text))
    }
    return nil
  }

  private func error(_ message: String, _ part: [UInt8], hint: String?) -> URLFilterError {
    URLFilterError(
      kind: .matchesNothing, offset: offset(of: part), message: "\(message) \(quoted(part))", hint: hint)
  }

  /// The offset of the part in the filter; 0 when it does not stand there as it is.
  private func offset(of part: [UInt8]) -> Int {
    let bytes = text.utf8.map(\.asciiLowercased)
    let sought = part.map(\.asciiLowercased)
    guard bytes.count >= sought.count else { return 0 }
    return (0...bytes.count - sought.count).first { bytes[$0...].starts(with: sought) } ?? 0
  }
}

// Hosts.
extension FilterReach {
  /// The host as browsers write it in web URLs; nil when they refuse it.
  static func webHost(_ host: [UInt8]) -> [UInt8]? { serialized(host, scheme: "http") }

  /// A host is possible when it, or its compared part, comes out of a URL with the same part to compare.
  private var hostIsPossible: Bool {
    let host = components.host
    let part = ComparedHost(host.span)
    let schemes = components.scheme.isEmpty ? ["http", "x"] : [Self.text(components.scheme)]
    return schemes.contains { scheme in
      [host, Array(host[part.range])].contains { spelling in
        guard let written = Self.serialized(spelling, scheme: scheme) else { return false }
        let theirs = ComparedHost(written.span)
        return theirs.isNothing == part.isNothing && written[theirs.range] == host[part.range]
      }
    }
  }

  private static func serialized(_ host: [UInt8], scheme: String) -> [UInt8]? {
    guard let record = URLRecord("\(scheme)://\(text(host))/"), record.pathRange.count == 1 else { return nil }
    return record.hasCredentials ? nil : Array(record.bytes[record.hostRange])
  }

  private var hostError: URLFilterError {
    let host = components.host
    let hint = Self.webHost(host).map { "write \(quoted((components.matchesSubdomains ? [] : dot(for: $0)) + $0))" }
    return error("no URL has the host", host, hint: hint)
  }

  /// The dot that says "exactly", for names; addresses need none.
  private func dot(for host: [UInt8]) -> [UInt8] {
    URLRecord("http://\(Self.text(host))/")?.hostKind == .domain ? [UInt8(ascii: ".")] : []
  }

  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

// Paths and queries.
extension FilterReach {
  /// The beginnings of URLs that the filter's path may follow.
  private var fronts: [String] {
    let scheme = Self.text(components.scheme)
    if scheme == "file" { return ["file://"] }
    if scheme == "data" { return ["data:"] }
    let schemes = components.scheme.isEmpty ? ["https", "x"] : [scheme]
    return schemes.flatMap { components.host.isEmpty ? ["\($0)://h", "\($0):"] : ["\($0)://h"] }
  }

  /// A prefix may end within a segment, and `/a/..` begins `/a/..b`: so it is tried with a letter behind it too.
  private var pathIsPossible: Bool {
    let path = Self.text(components.path)
    for front in fronts {
      for end in ["", "x"] {
        guard let record = URLRecord(front + path + end) else { continue }
        if begins(record.pathBytes, with: components.path.span) { return true }
      }
    }
    return false
  }

  private func isPossible(query: [UInt8]) -> Bool {
    let text = Self.text(query)
    return fronts.contains { front in
      guard let record = URLRecord("\(front)/?\(text)"), let range = record.queryRange else { return false }
      return record.bytes.span.extracting(range).matches(query.span)
    }
  }

  /// The part as browsers would write it, when that is another way of writing the same.
  private func encodedHint(_ part: [UInt8]) -> String? {
    guard components.scheme != Array("file".utf8) else {
      return "Chromium compares the decoded path with encoded ones; end the filter before the encoded part"
    }
    guard let record = URLRecord("https://h/?\(Self.text(part))"), let range = record.queryRange else { return nil }
    let written = record.bytes[range]
    return written.elementsEqual(part) ? nil : "URLs have it as \(quoted(written))"
  }
}
