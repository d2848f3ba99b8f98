package import Bytes
package import GuardModel

/// The result of redacting a URL.
package struct RedactedURL: Sendable, Hashable {
  /// The existing parts that were left out.
  package var dropped: URLParts
  package var replayable: Replayability
}

extension RedactionSettings {
  /// The longest serialised URL that is written, in bytes; a longer one is left out whole. A URL of 64 KiB, the most
  /// that the parser takes, is at most three times as long when every byte is percent-encoded.
  static let maximumURLBytes = 200 * 1024

  /// Appends the logged part of a URL to `text`.
  ///
  ///     https://alice:secret@docs.contoso.com/d/42?token=1#top    // https://docs.contoso.com/d/42
  ///     data:text/html,Hello                                      // data:
  ///
  /// The rest of `data:` and `javascript:` URLs is content and is never kept under any settings. A URL whose ranges do
  /// not fit its bytes is left out whole: masking that cannot be done must not leak.
  package func append(_ url: URLText, to text: inout GrowingBytes) -> RedactedURL {
    guard url.bytes.count <= Self.maximumURLBytes, let prefix = url.soundPrefix else {
      return RedactedURL(dropped: .whole, replayable: .no)
    }
    let bytes = url.bytes.span
    if Self.isContent(bytes, prefix) { return appendScheme(of: bytes, to: &text) }
    let dropped = parts(droppedFrom: url, prefix)
    appendKept(of: url, prefix, without: dropped, to: &text)
    return RedactedURL(dropped: dropped, replayable: replayability(without: dropped, of: bytes, prefix))
  }

  /// The parts lie one behind the other, so that those before the query are one piece as a rule.
  private func appendKept(of url: URLText, _ prefix: Int, without dropped: URLParts, to text: inout GrowingBytes) {
    let bytes = url.bytes.span
    if dropped.isDisjoint(with: [.credentials, .path]) {
      text.append(bytes, 0..<(bytes.count - url.query.count - url.fragment.count))
    } else {
      text.append(bytes, 0..<prefix)
      if !dropped.contains(.credentials) { text.append(bytes, url.credentials) }
      text.append(bytes, url.host)
      if !dropped.contains(.path) { text.append(bytes, url.path) }
    }
    if !dropped.contains(.query) { text.append(bytes, url.query) }
    if !dropped.contains(.fragment) { text.append(bytes, url.fragment) }
  }

  /// Keeps only the scheme of a URL that itself holds the shown or executed content: everything after the scheme is
  /// content.
  private func appendScheme(of bytes: Span<UInt8>, to text: inout GrowingBytes) -> RedactedURL {
    let end = Self.schemeEnd(in: bytes, bytes.count)
    text.append(bytes, 0..<end)
    text.append(UInt8(ascii: ":"))
    return RedactedURL(dropped: end + 1 < bytes.count ? .path : [], replayable: .host)
  }

  private func parts(droppedFrom url: URLText, _ prefix: Int) -> URLParts {
    var dropped: URLParts = []
    if case .drop = credentials, !url.credentials.isEmpty { dropped.insert(.credentials) }
    if !keepsPath(of: url, prefix), !url.path.isEmpty { dropped.insert(.path) }
    if case .drop = query, !url.query.isEmpty { dropped.insert(.query) }
    if case .drop = fragment, !url.fragment.isEmpty { dropped.insert(.fragment) }
    return dropped
  }

  /// A path of `/` says nothing and stays. A path without a host may be another URL inside this one, with credentials
  /// that the parser did not look for.
  private func keepsPath(of url: URLText, _ prefix: Int) -> Bool {
    if case .keep = path, !url.host.isEmpty, !Self.isWrapper(url.bytes.span, prefix) { return true }
    let bytes = url.bytes[url.path]
    if bytes.count == 1, bytes.first == UInt8(ascii: "/") { return true }
    guard path == .keep else { return false }
    guard url.host.isEmpty else { return true }
    if credentials == .drop, bytes.first != UInt8(ascii: "/"), bytes.contains(UInt8(ascii: "@")) { return false }
    guard Self.isWrapper(url.bytes.span, prefix) else { return true }
    return Self.innerStarts.contains { bytes.starts(with: $0.utf8) } && !bytes.contains(UInt8(ascii: "@"))
  }

  /// The only starts of a URL inside another that are kept. The parser does not rewrite the inner part, so anything
  /// else, another spelling of `data:` among it, counts as content.
  private static let innerStarts = ["http://", "https://", "null/"]

  private static func isContent(_ url: Span<UInt8>, _ prefix: Int) -> Bool {
    guard begins(url, "d", "j", "v") else { return false }
    let end = schemeEnd(in: url, prefix)
    return isScheme("data", url, end) || isScheme("javascript", url, end) || isScheme("vbscript", url, end)
  }

  private static func isWrapper(_ url: Span<UInt8>, _ prefix: Int) -> Bool {
    guard begins(url, "v", "b", "f") else { return false }
    let end = schemeEnd(in: url, prefix)
    return isScheme("view-source", url, end) || isScheme("blob", url, end) || isScheme("filesystem", url, end)
  }

  /// Whether the first letter is one of three: nearly all URLs begin with another.
  private static func begins(_ url: Span<UInt8>, _ a: Unicode.Scalar, _ b: Unicode.Scalar, _ c: Unicode.Scalar) -> Bool
  {
    guard url.count > 0 else { return false }
    let first = url[0]
    return first == UInt8(ascii: a) || first == UInt8(ascii: b) || first == UInt8(ascii: c)
  }

  /// Index of the colon behind the scheme, or `limit`.
  private static func schemeEnd(in url: Span<UInt8>, _ limit: Int) -> Int {
    var end = 0
    while end < limit, url[end] != UInt8(ascii: ":") { end += 1 }
    return end
  }

  private static func isScheme(_ scheme: StaticString, _ url: Span<UInt8>, _ end: Int) -> Bool {
    guard scheme.utf8CodeUnitCount == end else { return false }
    return scheme.withUTF8Buffer { scheme in scheme.indices.allSatisfy { scheme[$0] == url[$0] } }
  }

  private func replayability(without dropped: URLParts, of url: Span<UInt8>, _ prefix: Int) -> Replayability {
    if dropped.contains(.credentials) { return .no }
    if dropped.contains(.path) { return Self.isWrapper(url, prefix) ? .no : .host }
    return dropped.contains(.query) ? .path : .full
  }
}

extension URLText {
  /// The end of the scheme and its slashes; nil when the ranges do not cover the rest one behind the other, or when a
  /// serialised URL cannot hold one of the bytes.
  fileprivate var soundPrefix: Int? {
    var end = bytes.count
    guard
      ends(fragment, at: &end), ends(query, at: &end), ends(path, at: &end), ends(host, at: &end),
      ends(credentials, at: &end)
    else { return nil }
    let text = bytes.span
    var colon = 0
    while colon < end, text[colon] != UInt8(ascii: ":") { colon += 1 }
    guard colon > 0, colon < end, Self.areSlashes(text.extracting((colon + 1)..<end)) else { return nil }
    return Self.arePrintable(text) ? end : nil
  }

  /// Whether all bytes are ASCII from the space to the tilde. Eight bytes at a time, the last ones with some before them.
  private static func arePrintable(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count >= 8 else { return bytes.indices.allSatisfy { bytes[$0] &- 0x20 <= 0x5E } }
    let text = bytes.bytes
    var others: UInt64 = 0
    var index = 0
    while index < bytes.count {
      let word = text.unsafeLoadUnaligned(fromByteOffset: min(index, bytes.count - 8), as: UInt64.self)
      // The high bit of a byte: it is above 0x7F, it is below the space, it is 0x7F.
      others |= word | (word &- 0x2020_2020_2020_2020) & ~word | (word &+ 0x0101_0101_0101_0101)
      index += 8
    }
    return others & 0x8080_8080_8080_8080 == 0
  }

  /// Whether a part ends there, and the required end of the part before it. An empty one may stand anywhere.
  private func ends(_ part: Range<Int>, at end: inout Int) -> Bool {
    guard !part.isEmpty else { return part.lowerBound >= 0 && part.lowerBound <= bytes.count }
    guard part.upperBound == end, part.lowerBound >= 0 else { return false }
    end = part.lowerBound
    return true
  }

  /// Nothing, `//` or `/.`: the possible texts between the scheme and the rest.
  private static func areSlashes(_ bytes: Span<UInt8>) -> Bool {
    guard !bytes.isEmpty else { return true }
    return bytes.count == 2 && bytes[0] == UInt8(ascii: "/") && (bytes[1] == bytes[0] || bytes[1] == UInt8(ascii: "."))
  }
}

extension GrowingBytes {
  fileprivate mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    guard !range.isEmpty else { return }
    append(copying: bytes.extracting(range))
  }
}

/// Parts of a URL that a record left out.
package struct URLParts: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let credentials = URLParts(rawValue: 1)
  package static let path = URLParts(rawValue: 2)
  package static let query = URLParts(rawValue: 4)
  package static let fragment = URLParts(rawValue: 8)
  /// All of it: its parts could not be told apart, so nothing could be masked.
  package static let whole = URLParts(rawValue: 16)

  /// The words in the record, in the order in which they stand there.
  static let words: [(part: URLParts, word: StaticString)] = [
    (.credentials, "credentials"), (.path, "path"), (.query, "query"), (.fragment, "fragment"), (.whole, "url"),
  ]
}
