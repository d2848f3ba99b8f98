/// Text that becomes part of a notice. It goes by Unicode scalars: a character of Swift may be a quotation mark with an
/// accent on it, which equals no quotation mark, and ends an attribute all the same.
enum NoticeText {
  private static let longestAddress = 400

  /// Text that is text in any place of a page, also within an attribute.
  static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "\"": escaped.append(contentsOf: "&quot;".unicodeScalars)
      case "'": escaped.append(contentsOf: "&#39;".unicodeScalars)
      case "\u{0}"..<" ", "\u{7F}": escaped.append("\u{FFFD}")
      default: escaped.append(scalar)
      }
    }
    return String(escaped)
  }

  /// The lines with their values, once: a value is never read for placeholders. A line is left out whose only content is
  /// a value that is empty.
  static func filled(_ lines: [String], _ values: [String: String]) -> String {
    let kept = lines.filter { line in
      guard line.hasPrefix("{"), line.hasSuffix("}") else { return true }
      return values[String(line.dropFirst().dropLast())].map { !$0.isEmpty } ?? true
    }
    return kept.map { filled($0, values) }.joined(separator: "\n")
  }

  private static func filled(_ line: String, _ values: [String: String]) -> String {
    var filled = ""
    var rest = line[...]
    while let opening = rest.firstIndex(of: "{") {
      filled += rest[..<opening]
      rest = rest[opening...]
      guard let closing = rest.firstIndex(of: "}"),
        let value = values[String(rest[rest.index(after: opening)..<closing])]
      else {
        filled.append(rest.removeFirst())
        continue
      }
      filled += value
      rest = rest[rest.index(after: closing)...]
    }
    return filled + rest
  }

  /// The host and the address, as others may see them on a picture: no password, no query, no page inside a URL.
  static func address(_ url: String) -> (host: String, address: String) {
    let shown = url.unicodeScalars.prefix { $0 != "?" && $0 != "#" }
    guard let scheme = scheme(of: shown) else { return ("", cut(shown)) }
    let rest = shown.dropFirst(scheme.unicodeScalars.count + 1)
    guard rest.starts(with: "//".unicodeScalars) else {
      let hidesAPage = ["data", "blob", "javascript"].contains(scheme)
      return ("", hidesAPage ? "\(scheme):…" : cut("\(scheme):\(Substring(rest))".unicodeScalars[...]))
    }
    let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "\\" }
    let path = rest[authority.endIndex...]
    let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
    return (cut(withoutPort(host)), cut("\(scheme)://\(Substring(host))\(Substring(path))".unicodeScalars[...]))
  }

  private static func withoutPort(_ host: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
    guard let colon = host.lastIndex(of: ":"), host[colon...].dropFirst().allSatisfy(isDigit) else { return host }
    return host[..<colon]
  }

  private static func cut(_ text: Substring.UnicodeScalarView) -> String {
    text.count <= longestAddress ? String(text) : String(text.prefix(longestAddress)) + "…"
  }

  /// The scheme in small letters; nil for text without one.
  private static func scheme(of text: Substring.UnicodeScalarView) -> String? {
    guard let first = text.first, isLetter(first), let colon = text.firstIndex(of: ":") else { return nil }
    return text[..<colon].allSatisfy(isOfScheme) ? String(text[..<colon]).lowercased() : nil
  }

  /// Where the form of a warning may go: to the app's own scheme.
  static func formTarget(_ link: String) -> String {
    let scheme = link.unicodeScalars.prefix { $0 != ":" }
    let isOne =
      scheme.endIndex < link.unicodeScalars.endIndex && scheme.first.map(isLetter) ?? false
      && scheme.allSatisfy { isOfScheme($0) && !("A"..."Z").contains($0) }
    return isOne ? "\(Substring(scheme)):" : "'self'"
  }

  /// The link to the organisation's contact, with the code as the subject of a mail. Empty for any other than `https:`,
  /// `mailto:` and `tel:`: `javascript:` and the like never become a link, whoever wrote the policy.
  static func contact(_ link: String, code: String) -> String {
    let scheme = ["https:", "mailto:", "tel:"].first { link.unicodeScalars.starts(with: $0.unicodeScalars) }
    guard let scheme else { return "" }
    let rest = link.unicodeScalars.dropFirst(scheme.unicodeScalars.count)
    guard !rest.isEmpty, rest.allSatisfy({ $0 > " " }) else { return "" }
    let takesASubject = scheme == "mailto:" && !rest.contains("?")
    return takesASubject ? "\(link)?subject=webviewguard%20\(code)" : link
  }

  /// A link as a person says it: `help@contoso.com`
  static func spoken(_ link: String) -> String {
    let scalars = link.unicodeScalars
    guard scalars.starts(with: "mailto:".unicodeScalars) || scalars.starts(with: "tel:".unicodeScalars) else {
      return link
    }
    let rest = scalars.drop { $0 != ":" }.dropFirst()
    return String(rest.prefix { $0 != "?" && $0 != ":" })
  }

  /// A colour as it may stand in a style; nil for any other text.
  static func color(_ text: String?) -> String? {
    guard let text, text.utf8.count == 7, text.utf8.first == UInt8(ascii: "#") else { return nil }
    let isColor = text.utf8.dropFirst().allSatisfy { byte in
      Character(Unicode.Scalar(byte)).isHexDigit && byte < 0x80
    }
    return isColor ? text : nil
  }

  static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }

  static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

  private static func isOfScheme(_ scalar: Unicode.Scalar) -> Bool {
    isLetter(scalar) || isDigit(scalar) || scalar == "+" || scalar == "-" || scalar == "."
  }
}
