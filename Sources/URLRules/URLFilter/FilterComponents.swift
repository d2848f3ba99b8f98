internal import Bytes

/// The list that a filter stands in. It changes the reading of its query, and the winner of a tie.
package enum FilterSide: UInt8, Sendable, Hashable {
  /// One matching occurrence of a query key suffices.
  case block
  /// Every occurrence of a query key must match: a second `v=` does not smuggle another video in.
  case allow
}

/// A URL filter taken apart as Chromium takes it apart: pieces of text that are compared byte by byte.
///
///     http://Example.COM:8080/Path?v=1   ->   http, example.com and below, 8080, /Path, v=1
///     .example.com                       ->   exactly example.com
///     *                                  ->   every host
///
/// Trap: nothing here is brought into a canonical form but ASCII letters of scheme and host. A filter that writes a
/// host or a path in another way than URLs are serialised never matches; `URLFilter` refuses it.
///
/// Source: Chromium, components/url_matcher/url_util.cc, `FilterToComponents`.
package struct FilterComponents: Sendable, Hashable {
  /// In lower case, without colon; empty for every scheme.
  package var scheme: [UInt8] = []
  /// In lower case, without the dot that says "exactly"; empty for every host, or with `matchesSubdomains` false for
  /// none at all.
  package var host: [UInt8] = []
  /// The host, and hosts below it.
  package var matchesSubdomains = true
  /// 0 for every port.
  package var port: UInt16 = 0
  /// The beginning of the path; empty for every path.
  package var path: [UInt8] = []
  /// The query as it is written, without `?`.
  package var query: [UInt8] = []

  package init() {}

  /// The filter names no host and takes all.
  package var takesEveryHost: Bool { host.isEmpty && matchesSubdomains }

  /// The filter `*`, which is the lowest in a block list.
  package var isWildcard: Bool {
    takesEveryHost && scheme.isEmpty && path.isEmpty && query.isEmpty && port == 0
  }

  /// The place of the filter among those that match one URL; the greatest decides, and of equal ones any.
  ///
  /// The `*` of a block list is the lowest of all. Then these count, one after the other: a host without hosts below
  /// it, a longer host, a longer path, more query conditions, and allowing. Scheme and port never count.
  package func rank(side: FilterSide, conditions: Int) -> UInt64 {
    if isWildcard, side == .block { return 0 }
    var rank: UInt64 = matchesSubdomains ? 2 : 3
    rank = rank << 17 | UInt64(host.count)
    rank = rank << 17 | UInt64(path.count)
    rank = rank << 17 | UInt64(conditions)
    return rank << 1 | (side == .allow ? 1 : 0)
  }
}

/// The part of a host that filters compare: without one dot before it and one behind.
///
///     example.com, example.com., .example.com   ->   example.com
///
/// Chromium writes every host with a dot at both ends before it searches. A URL without host becomes a single dot, and
/// is `isNothing` here.
package struct ComparedHost {
  /// The part's range in the host.
  package let range: Range<Int>
  let isNothing: Bool

  package init(_ host: Span<UInt8>) {
    let dot = UInt8(ascii: ".")
    isNothing = host.isEmpty || (host.count == 1 && host[0] == dot)
    guard !isNothing else {
      range = 0..<0
      return
    }
    let start = host[0] == dot ? 1 : 0
    range = start..<(host.count > start && host[host.count - 1] == dot ? host.count - 1 : host.count)
  }
}

extension FilterComponents {
  /// Whether the host is this filter's.
  func takes(host: Span<UInt8>) -> Bool {
    if takesEveryHost { return true }
    let theirs = ComparedHost(host)
    let ours = ComparedHost(self.host.span)
    if theirs.isNothing || ours.isNothing { return theirs.isNothing == ours.isNothing }
    let name = self.host.span.extracting(ours.range)
    let other = host.extracting(theirs.range)
    guard matchesSubdomains, other.count > name.count else { return other.matches(name) }
    let start = other.count - name.count
    return other[start - 1] == UInt8(ascii: ".") && other.extracting(start...).matches(name)
  }
}

/// Whether `bytes` begins with `prefix`.
func begins(_ bytes: Span<UInt8>, with prefix: Span<UInt8>) -> Bool {
  bytes.count >= prefix.count && bytes.extracting(0..<prefix.count).matches(prefix)
}

/// The pieces of a filter's text, found as Chromium's `SegmentURL` finds them.
///
///     host:8080/x      host, port 8080, path /x: what looks like a port does not end a scheme
///     host:65536       scheme `host`: that is no port
///     http;//host      scheme `http`: a semicolon may stand for the colon
///     custom://host    scheme `custom` and nothing else: Chromium knows no host in such URLs
///
/// Source: Chromium, components/url_formatter/url_fixer.cc and url/third_party/mozilla/url_parse.cc.
struct FilterSegments {
  /// In lower case; `http` when none is written, `file` when the text begins like a path.
  private(set) var scheme: [UInt8] = []
  /// The range of the written scheme.
  private(set) var writtenScheme: Range<Int>?
  private(set) var host: Range<Int>?
  private(set) var port: Range<Int>?
  private(set) var path: Range<Int>?
  private(set) var query: Range<Int>?

  /// Nil when there is nothing but white space.
  init?(_ text: String) {
    guard let first = text.unicodeScalars.firstIndex(where: { !Self.isWhiteSpace($0) }) else { return nil }
    var bytes = Array(text.utf8)
    let start = text.utf8.distance(from: text.startIndex, to: first)
    if bytes[start] == UInt8(ascii: "/") || bytes[start] == UInt8(ascii: "~") {
      scheme = Array("file".utf8)
      return
    }
    findScheme(&bytes)
    guard Self.hasHosts(scheme) else { return }
    if writtenScheme != nil {
      parse(bytes, shiftedBy: 0)
    } else {
      let inserted = scheme + (bytes[start] == UInt8(ascii: ":") ? [] : Array("://".utf8))
      bytes.insert(contentsOf: inserted, at: start)
      parse(bytes, shiftedBy: inserted.count)
    }
  }

  /// The schemes whose URLs have hosts for Chromium, `filesystem` and `file` apart, and `about`, which it pretends has.
  static func hasHosts(_ scheme: [UInt8]) -> Bool { namesWithHosts.contains(scheme) }

  /// The schemes with an authority, as Chrome registers them.
  private static let namesWithHosts: Set<[UInt8]> = Set(
    [
      "http", "https", "ws", "wss", "ftp", "about", "chrome", "chrome-untrusted", "chrome-error", "devtools",
      "chrome-extension", "chrome-native", "chrome-search", "chrome-distiller", "isolated-app",
    ].map { Array($0.utf8) })

  /// Unicode's White_Space.
  private static func isWhiteSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }
}

// The scheme.
extension FilterSegments {
  private mutating func findScheme(_ bytes: inout [UInt8]) {
    if takeScheme(bytes) { return }
    if let semicolon = bytes.firstIndex(of: UInt8(ascii: ";")), semicolon > 0 {
      bytes[semicolon] = UInt8(ascii: ":")
      if takeScheme(bytes), Self.isKnown(scheme) { return }
      bytes[semicolon] = UInt8(ascii: ";")
    }
    writtenScheme = nil
    scheme = Array("http".utf8)
  }

  /// The schemes for whose sake a semicolon is read as a colon.
  private static func isKnown(_ scheme: [UInt8]) -> Bool {
    hasHosts(scheme) || scheme == Array("file".utf8) || scheme == Array("filesystem".utf8)
  }

  /// Takes the text before the first colon when it is a scheme. A name with a dot is taken for a host, and so is one
  /// with a port behind the colon.
  private mutating func takeScheme(_ bytes: [UInt8]) -> Bool {
    guard let start = bytes.firstIndex(where: { $0 > 0x20 }),
      let colon = bytes[start...].firstIndex(of: UInt8(ascii: ":"))
    else { return false }
    let name = bytes[start..<colon].map(\.asciiLowercased)
    guard let first = name.first, Self.isLetter(first), name.allSatisfy(Self.isInSchemes) else { return false }
    guard !name.contains(UInt8(ascii: ".")), !Self.isPort(bytes[(colon + 1)...]) else { return false }
    scheme = name
    writtenScheme = start..<colon
    return true
  }

  /// Whether the text up to the end of an authority is a number that a port can be.
  private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
    let digits = bytes.prefix { !endsAuthority($0) }
    guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
    let number = digits.reduce(0) { min($0 * 10 + Int($1 - 0x30), 1 << 32) }
    return number <= 65_535
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte) }

  private static func isInSchemes(_ byte: UInt8) -> Bool {
    isLetter(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: ".")
  }
}

// The segments behind the scheme.
extension FilterSegments {
  private static func endsAuthority(_ byte: UInt8) -> Bool {
    isSlash(byte) || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
  }

  private static func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") }

  /// Finds host, port, path and query in a text with a scheme, of which `shift` bytes are not the filter's own.
  ///
  /// As in Chromium, seven spaces before a filter make the inserted scheme count as a written one.
  private mutating func parse(_ bytes: [UInt8], shiftedBy shift: Int) {
    guard let begin = bytes.firstIndex(where: { $0 > 0x20 }), let last = bytes.lastIndex(where: { $0 > 0x20 }),
      let colon = bytes[begin...last].firstIndex(of: UInt8(ascii: ":"))
    else { return }
    let text = bytes[...last]
    if shift > 0, begin >= shift { writtenScheme = begin - shift..<colon - shift }
    let start = text[(colon + 1)...].firstIndex { !Self.isSlash($0) } ?? text.endIndex
    let end = text[start...].firstIndex(where: Self.endsAuthority) ?? text.endIndex
    parseAuthority(text[start..<end], shiftedBy: shift)
    parsePath(text[end...], shiftedBy: shift)
  }

  private mutating func parseAuthority(_ authority: ArraySlice<UInt8>, shiftedBy shift: Int) {
    let at = authority.lastIndex(of: UInt8(ascii: "@"))
    let server = at.map { authority[($0 + 1)...] } ?? authority
    guard let first = server.first else { return }
    let bracket =
      server.lastIndex(of: UInt8(ascii: "]")) ?? (first == UInt8(ascii: "[") ? server.endIndex : server.startIndex - 1)
    var end = server.endIndex
    if let colon = server.lastIndex(of: UInt8(ascii: ":")), colon > bracket {
      port = colon + 1 - shift..<server.endIndex - shift
      end = colon
    }
    if end > server.startIndex { host = server.startIndex - shift..<end - shift }
  }

  private mutating func parsePath(_ whole: ArraySlice<UInt8>, shiftedBy shift: Int) {
    let text = whole.prefix { $0 != UInt8(ascii: "#") }
    let end = text.firstIndex(of: UInt8(ascii: "?")) ?? text.endIndex
    if end > text.startIndex { path = text.startIndex - shift..<end - shift }
    if end < text.endIndex { query = end + 1 - shift..<text.endIndex - shift }
  }
}
