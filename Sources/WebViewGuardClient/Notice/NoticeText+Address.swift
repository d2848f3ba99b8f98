/// Addresses, so that nobody takes their host for another.
extension NoticeText {
  /// A name of DNS is not longer, so a host that is has its end shown, where its domain is.
  private static let longestHost = 253
  /// Of what stands behind the host, and of an address without one.
  private static let longestRest = 400
  /// A longer scheme is none: whatever it is, no program has it.
  private static let longestScheme = 64
  /// Browsers take any slashes for the two of these, and a backslash for a slash.
  private static let web = ["http", "https", "ws", "wss", "ftp"]
  /// They hold a page, and what looks like a host in them is none.
  private static let inside = ["data", "blob", "javascript"]

  /// The host and the address, as others may see them on a picture: no password, no query, no page inside a URL. The URL
  /// is read as browsers read it.
  ///
  ///     NoticeText.address("https:\\\\evil.example\\@contoso.com")    // ("evil.example", "https://evil.example\\@contoso.com")
  static func address(_ url: String) -> (host: String, address: String) {
    let read = Substring(readable(url)).unicodeScalars
    guard let scheme = scheme(of: read) else { return ("", cut(ascii(read))) }
    if inside.contains(scheme) { return ("", "\(scheme):…") }
    let rest = read.dropFirst(scheme.unicodeScalars.count + 1)
    let takesBackslash = web.contains(scheme) || scheme == "file"
    let isSlash = { (scalar: Unicode.Scalar) in scalar == "/" || (takesBackslash && scalar == "\\") }
    guard let start = authorityStart(rest, scheme, isSlash) else {
      return ("", cut(scheme + ":" + ascii(rest)))
    }
    let authority = rest[start...].prefix { !isSlash($0) }
    let named = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    let host = withoutPort(named)
    let shown = cutInFront(ascii(host))
    return (shown, "\(scheme)://\(shown)\(cut(ascii(rest[host.endIndex...])))")
  }

  /// A URL up to its query, without what browsers drop: controls and spaces around it, tabs and line breaks anywhere.
  private static func readable(_ url: String) -> String {
    let all = url.unicodeScalars.drop { $0 <= " " }
    let end = all.lastIndex { $0 > " " }.map { all.index(after: $0) } ?? all.startIndex
    let shown = all[..<end].prefix { $0 != "?" && $0 != "#" }
    return String(String.UnicodeScalarView(shown.filter { $0 != "\t" && $0 != "\n" && $0 != "\r" }))
  }

  private static func authorityStart(
    _ rest: Substring.UnicodeScalarView, _ scheme: String, _ isSlash: (Unicode.Scalar) -> Bool
  ) -> Substring.UnicodeScalarView.Index? {
    if web.contains(scheme) { return rest.drop(while: isSlash).startIndex }
    let start = rest.prefix(2)
    return start.count == 2 && start.allSatisfy(isSlash) ? start.endIndex : nil
  }

  private static func withoutPort(_ host: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
    guard let colon = host.lastIndex(of: ":"), host[colon...].dropFirst().allSatisfy(isDigit) else { return host }
    return host[..<colon]
  }

  private static func cutInFront(_ host: String) -> String {
    host.utf8.count <= longestHost ? host : "…" + String(host.suffix(longestHost))
  }

  private static func cut(_ text: String) -> String {
    text.utf8.count <= longestRest ? text : String(text.prefix(longestRest)) + "…"
  }

  /// The scheme in small letters; nil for text without one.
  private static func scheme(of text: Substring.UnicodeScalarView) -> String? {
    guard let first = text.first, isLetter(first), let colon = text.firstIndex(of: ":") else { return nil }
    let scheme = text[..<colon]
    return scheme.allSatisfy(isOfScheme) && scheme.count <= longestScheme ? String(scheme).lowercased() : nil
  }
}
