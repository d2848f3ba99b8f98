internal import Bytes

/// The encoding of one component's fixed texts: as the URL parser would write them, or not at all.
///
///     hostname `Bücher.`  ->  `xn--bcher-kva.`         pathname `/a b`  ->  `/a%20b`
///
/// The pieces of a component are encoded one by one, each as if it stood in a URL of its own.
///
/// Source: URL Pattern Standard, section 3.1. Browsers are followed where they differ from the standard's text: a port
/// without a protocol has no default (web platform tests), and `..` that would eat text before the piece is refused
/// (Chromium).
enum ComponentEncoding {
  case `protocol`
  case userinfo
  case hostname
  case ipv6Hostname
  /// The port; with `of`, the default of that scheme is the empty string.
  case port(of: URLScheme)
  case pathname
  case opaquePathname
  case search
  case hash

  /// The encoded text; nil when it can stand in no URL.
  func encode(_ text: String) -> [UInt8]? {
    if text.isEmpty { return [] }
    let bytes = Array(text.utf8)
    switch self {
    case .protocol: return Self.scheme(text)
    case .userinfo: return Self.encode(bytes, .userinfoEncode)
    case .hostname: return Self.hostname(Self.withoutTabsAndNewlines(bytes))
    case .ipv6Hostname: return Self.ipv6Hostname(bytes)
    case .port(let scheme): return Self.port(Self.withoutTabsAndNewlines(bytes), of: scheme)
    case .pathname: return Self.pathname(Self.withoutTabsAndNewlines(bytes))
    case .opaquePathname: return Self.opaquePathname(Self.withoutTabsAndNewlines(bytes))
    case .search: return Self.encode(Self.withoutTabsAndNewlines(bytes), .specialQueryEncode)
    case .hash: return Self.encode(Self.withoutTabsAndNewlines(bytes), .fragmentEncode)
    }
  }

  /// The noun in the error for a text that cannot be encoded.
  var noun: String {
    switch self {
    case .protocol: "part of a scheme"
    case .hostname: "part of a host"
    case .ipv6Hostname: "part of an IPv6 address"
    case .port: "a port"
    case .userinfo, .pathname, .opaquePathname, .search, .hash: "part of a URL"
    }
  }

  private static func withoutTabsAndNewlines(_ bytes: [UInt8]) -> [UInt8] { bytes.filter { !$0.isTabOrNewline } }

  private static func scheme(_ text: String) -> [UInt8]? {
    URLRecord(text + "://dummy.invalid/").map { Array($0.bytes[$0.schemeRange]) }
  }

  private static func encode(_ text: [UInt8], _ set: ByteClass) -> [UInt8] {
    var output: [UInt8] = []
    for byte in text {
      if ByteClass(of: byte).contains(set) { output.append(percentEncoding: byte) } else { output.append(byte) }
    }
    return output
  }
}

// The states of the URL parser that the standard starts in the middle, each on a dummy URL.
extension ComponentEncoding {
  /// The hostname state: a path, query or fragment behind the host is dropped, a port is an error.
  private static func hostname(_ text: [UInt8]) -> [UInt8]? {
    var isInsideBrackets = false
    var end = 0
    scan: while end < text.count {
      switch text[end] {
      case ASCII.openBracket: isInsideBrackets = true
      case ASCII.closeBracket: isInsideBrackets = false
      case ASCII.colon where !isInsideBrackets: return nil
      case ASCII.slash, ASCII.backslash, ASCII.questionMark, ASCII.numberSign: break scan
      default: break
      }
      end += 1
    }
    guard end > 0 else { return nil }
    var parser = BasicURLParser(text.span, base: nil)
    parser.record.layout.scheme = .https
    guard parser.parseHost(0..<end) else { return nil }
    return Array(parser.record.bytes[parser.record.hostRange])
  }

  private static func ipv6Hostname(_ text: [UInt8]) -> [UInt8]? {
    let belongs = { (byte: UInt8) in
      byte.hexDigitValue != nil || byte == ASCII.openBracket || byte == ASCII.closeBracket || byte == ASCII.colon
    }
    return text.allSatisfy(belongs) ? text.map(\.asciiLowercased) : nil
  }

  /// The port state: it ends at the first byte that is no digit, and drops the rest.
  private static func port(_ text: [UInt8], of scheme: URLScheme) -> [UInt8]? {
    let digits = text.prefix(while: \.isASCIIDigit)
    guard !digits.isEmpty else { return nil }
    var port: UInt32 = 0
    for digit in digits {
      port = port * 10 + UInt32(digit &- ASCII.zero)
      guard port <= UInt16.max else { return nil }
    }
    if let standard = scheme.defaultPort, UInt32(standard) == port { return [] }
    return Array(String(port).utf8)
  }

  /// The path start state. A piece that does not begin with a slash is read behind `/-`, so that no slash is put before
  /// it and no dot at its start is resolved.
  private static func pathname(_ text: [UInt8]) -> [UInt8]? {
    guard let first = text.first else { return [] }
    let filler = first == ASCII.slash ? [] : Array("/-".utf8)
    var input = filler
    for byte in text {
      // Neither ends a path that is set on its own.
      let endsPath = byte == ASCII.questionMark || byte == ASCII.numberSign
      if endsPath { input.append(percentEncoding: byte) } else { input.append(byte) }
    }
    var parser = BasicURLParser(input.span, base: nil)
    parser.record.layout.scheme = .https
    parser.record.layout.hostKind = .domain
    parser.beginPath()
    guard parser.parsePathStart() else { return nil }
    let path = parser.record.bytes[parser.record.pathRange]
    return path.starts(with: filler) ? Array(path.dropFirst(filler.count)) : nil
  }

  /// The opaque path state: a query or fragment behind the path is dropped.
  private static func opaquePathname(_ text: [UInt8]) -> [UInt8]? {
    var parser = BasicURLParser(text.span, base: nil)
    parser.beginPath()
    guard parser.parseOpaquePath() else { return nil }
    return Array(parser.record.bytes[parser.record.pathRange])
  }
}
