/// Text that becomes part of a notice. It goes by Unicode scalars: a character of Swift may be a quotation mark with an
/// accent on it, which equals no quotation mark, and ends an attribute all the same.
enum NoticeText {
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
      default: escaped.append(unseen.contains(scalar) ? "\u{FFFD}" : scalar)
      }
    }
    return String(escaped)
  }

  /// Words as a person may see them: nothing in them is hidden, reversed, or ends the line. Marks that a language needs
  /// stay.
  static func shown(_ words: String) -> String { replacing(unseen, in: words) }

  /// A name as a person may see it: of two names that look the same each character is seen.
  static func name(_ text: String) -> String { replacing(unseenInNames, in: text) }

  private static func replacing(_ letters: NoticeLetters, in text: String) -> String {
    guard text.unicodeScalars.contains(where: letters.contains) else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.map { letters.contains($0) ? "\u{FFFD}" : $0 }))
  }

  private static let unseen = NoticeLetters(["anywhere"])
  private static let unseenInNames = NoticeLetters(["anywhere", "names"])

  /// What is no visible letter of ASCII as its percent-encoded bytes, as browsers write a URL out.
  static func ascii(_ url: Substring.UnicodeScalarView) -> String {
    var ascii = ""
    for byte in Substring(url).utf8 {
      if 0x21...0x7E ~= byte {
        ascii.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        ascii += digits.utf8.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return ascii
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
    let takesASubject = scheme == "mailto:" && !rest.contains("?") && !rest.contains("#")
    let whole = ascii(link.unicodeScalars[...])
    return takesASubject ? "\(whole)?subject=webviewguard%20\(code)" : whole
  }

  /// A link as a person says it: `help@contoso.com`. The subject of a mail is not said.
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

  static func isOfScheme(_ scalar: Unicode.Scalar) -> Bool {
    isLetter(scalar) || isDigit(scalar) || scalar == "+" || scalar == "-" || scalar == "."
  }
}

/// Letters by their numbers, of the lists in clients/notice/notice.json.
struct NoticeLetters {
  private let ranges: [ClosedRange<UInt32>]

  init(_ lists: [String]) {
    let texts = lists.flatMap { NoticeWords.all["unseen"]?[$0]?.strings ?? [] }
    ranges = texts.compactMap { text in
      let ends = text.split(separator: "-").compactMap { UInt32($0, radix: 16) }
      return ends.count == 2 && ends[0] <= ends[1] ? ends[0]...ends[1] : nil
    }
  }

  func contains(_ scalar: Unicode.Scalar) -> Bool { ranges.contains { $0.contains(scalar.value) } }
}
