internal import Bytes
package import URLStandard

/// The page that a URL of Google's only shows: out of its AMP cache, its AMP viewer, its web cache or its translator.
///
///     https://example-com.cdn.ampproject.org/c/s/example.com/x    ->  https://example.com/x
///     https://www.google.de/amp/s/example.com/x                   ->  https://example.com/x
///     https://webcache.googleusercontent.com/search?q=cache:example.com/  ->  http://example.com/
///     https://translate.google.com/translate?u=example.com        ->  http://example.com/
///
/// Rules judge the host that is asked, which is Google's. `classify --explain` says that such a URL holds the address
/// of another page: a block list that names only that page is walked around.
///
/// Source: Chromium, components/url_matcher/url_util.cc, `GetEmbeddedURL`.
package enum EmbeddedURL {
  /// The address of the page inside; nil when the URL holds no page, or when the text inside is no URL.
  package static func inside(_ record: URLRecord) -> String? {
    guard record.isValid else { return nil }
    return ampCache(record) ?? ampViewer(record) ?? webCache(record) ?? translation(record)
  }

  /// `/c/s/example.com`: a letter, `s/` for https, and the page. The query is the page's.
  private static func ampCache(_ record: URLRecord) -> String? {
    let host = withoutDot(record.hostname)
    guard host == "cdn.ampproject.org" || host.hasSuffix(".cdn.ampproject.org") else { return nil }
    let path = Array(record.bytes[record.pathRange])
    guard path.count >= 3, path[0] == slash, (0x61...0x7A).contains(path[1]), path[2] == slash else { return nil }
    return page(path[3...], query: record.queryRange.map { record.bytes[$0] })
  }

  /// `/amp/s/example.com`, percent-encoded as a whole.
  private static func ampViewer(_ record: URLRecord) -> String? {
    guard isWeb(record), record.portNumber == nil, GoogleDomain.isGoogle(record.hostname, allowingWWW: true) else {
      return nil
    }
    let path = record.bytes[record.pathRange]
    guard path.starts(with: "/amp/".utf8) else { return nil }
    let rest = path.dropFirst(5)
    let isSecure = rest.starts(with: secureMark)
    let inside = PercentEncoding.decode(Array(rest.dropFirst(isSecure ? 2 : 0))) { $0 < 0x80 }
    return url(inside, isSecure: isSecure)
  }

  /// `q=cache:` with a fingerprint of twelve characters or without, the page, and words that were searched for.
  private static func webCache(_ record: URLRecord) -> String? {
    guard record.hostname == "webcache.googleusercontent.com", record.pathname.hasPrefix("/search"),
      let query = value(of: "q", in: record), query.starts(with: "cache:".utf8)
    else { return nil }
    let rest = query.dropFirst(6)
    let afterFingerprint = rest.dropFirst(12)
    if afterFingerprint.first == colon, let page = cachedPage(afterFingerprint.dropFirst()) { return page }
    return cachedPage(rest)
  }

  private static func cachedPage(_ text: ArraySlice<UInt8>) -> String? {
    let isSecure = text.starts(with: "https://".utf8)
    let scheme = isSecure ? 8 : text.starts(with: "http://".utf8) ? 7 : 0
    let rest = text.dropFirst(scheme)
    guard !rest.contains(colon) else { return nil }
    return url(Array(rest.prefix { $0 != UInt8(ascii: " ") }), isSecure: isSecure)
  }

  /// `u=` with the page, which may lack a scheme.
  private static func translation(_ record: URLRecord) -> String? {
    guard isTranslator(record), let value = value(of: "u", in: record) else { return nil }
    let text = String(decoding: value, as: UTF8.self)
    guard let segments = FilterSegments(text) else { return nil }
    if segments.writtenScheme == nil, segments.scheme == Array("http".utf8) {
      return URLRecord(value.first == colon ? "http" + text : "http://" + text)?.href
    }
    return URLRecord(text)?.href
  }

  private static func isTranslator(_ record: URLRecord) -> Bool {
    let host = record.hostname
    if host == "translate.googleusercontent.com" { return true }
    return isWeb(record) && record.portNumber == nil && host.hasPrefix("translate.")
      && GoogleDomain.isGoogle(String(host.dropFirst(10)), allowingWWW: false)
  }
}

extension EmbeddedURL {
  private static let slash = UInt8(ascii: "/")
  private static let colon = UInt8(ascii: ":")
  private static let secureMark = Array("s/".utf8)

  private static func isWeb(_ record: URLRecord) -> Bool { record.scheme == .http || record.scheme == .https }

  private static func withoutDot(_ host: String) -> String { host.hasSuffix(".") ? String(host.dropLast()) : host }

  private static func page(_ text: ArraySlice<UInt8>, query: ArraySlice<UInt8>?) -> String? {
    let isSecure = text.starts(with: secureMark)
    let rest = Array(text.dropFirst(isSecure ? 2 : 0))
    return url(query.map { rest + [UInt8(ascii: "?")] + $0 } ?? rest, isSecure: isSecure)
  }

  private static func url(_ rest: [UInt8], isSecure: Bool) -> String? {
    URLRecord((isSecure ? "https://" : "http://") + String(decoding: rest, as: UTF8.self))?.href
  }

  /// The first value of a key in the query, with `+` as space and printable ASCII decoded. The parser of the page's
  /// address would encode the remaining characters again.
  private static func value(of key: String, in record: URLRecord) -> [UInt8]? {
    guard let range = record.queryRange else { return nil }
    let prefix = Array(key.utf8) + [UInt8(ascii: "=")]
    for element in record.bytes[range].split(separator: UInt8(ascii: "&")) where element.starts(with: prefix) {
      let spaced = element.dropFirst(prefix.count).map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
      return PercentEncoding.decode(spaced) { (0x20..<0x7F).contains($0) }
    }
    return nil
  }
}

/// The domains under which Google answers as itself: `google.com`, `google.co.uk`, `google.de` and so on.
///
/// `google.nope` is not Google's, and neither is `google.com.evil.example`: the list is closed.
///
/// Source: the top-level domains that Chromium counts as Google's (components/google/core/common), as of 2026.
enum GoogleDomain {
  /// Whether `host` is `google.` and one of Google's top-level domains, or the same with `www.` before it.
  static func isGoogle(_ host: String, allowingWWW: Bool) -> Bool {
    var name = host[...]
    if name.hasSuffix(".") { name = name.dropLast() }
    if allowingWWW, name.hasPrefix("www.") { name = name.dropFirst(4) }
    return name.hasPrefix("google.") && topLevelDomains.contains(String(name.dropFirst(7)))
  }

  private static let topLevelDomains: Set<String> = Set(
    plain.split(separator: " ").map { String($0) }
      + underCo.split(separator: " ").map { "co.\($0)" }
      + underCom.split(separator: " ").map { "com.\($0)" })

  /// Directly `google.` and this.
  private static let plain = """
    ac ad ae af ag al am as at aw az ba be bf bg bi bj bm bn bo bs bt by ca cat cc cd cf cg ch ci cl cm \
    cn co com cv cz de dj dk dm do dz ec ee es eu fi fm fr ga gd ge gf gg gl gm gp gr gw gy hk hn hr ht \
    hu ie im in info io iq is it it.ao je jo jobs jp kg ki km kr kz la li lk lt lu lv ma md me mg mh mk \
    ml mn mr ms mu mv mw mx ne ne.jp net ng nl no nr nu off.ai org pf ph pk pl pn ps pt qa re ro rs ru \
    rw sc se sg sh si sk sl sm sn so sr st sz td tel tg tk tl tm tn to tt tw ua us uz vg vn vu ws yt
    """

  /// `google.co.` and this.
  private static let underCo = """
    ao bw ck cr gy hu id il im in je jp ke kr ls ma mz nz rs th tz ug uk uz ve vi za zm zw
    """

  /// `google.com.` and this.
  private static let underCom = """
    af ag ai ar au bd bh bi bn bo br by bz cn co cu cy do dz ec eg er et fj ge gh gi gp gr gt gy hk ht \
    iq jm jo kh kw kz lb lv ly mm mt mx my na nc nf ng ni np nr om pa pe pg ph pk pl pr ps pt py qa ru \
    sa sb sg sl sv tj tm tn tr tw ua uy vc ve vn
    """
}

/// Bytes written as `%` and two hexadecimal digits.
enum PercentEncoding {
  /// The byte that is written at `index`; nil when none is.
  static func byte(in text: [UInt8], at index: Int) -> UInt8? {
    guard index + 2 < text.count, text[index] == UInt8(ascii: "%"), let high = text[index + 1].hexDigitValue,
      let low = text[index + 2].hexDigitValue
    else { return nil }
    return high << 4 | low
  }

  /// The text with every encoded byte undone that `isDecoded` takes.
  static func decode(_ text: [UInt8], where isDecoded: (UInt8) -> Bool) -> [UInt8] {
    var output: [UInt8] = []
    var index = 0
    while index < text.count {
      if let byte = byte(in: text, at: index), isDecoded(byte) {
        output.append(byte)
        index += 3
      } else {
        output.append(text[index])
        index += 1
      }
    }
    return output
  }
}
