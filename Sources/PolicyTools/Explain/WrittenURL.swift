internal import URLRules

/// The parts of a text as written, to show how the reading differs from it. Nothing is ever judged by this.
///
///     https://contoso.com@evil.example:443/x   ->  scheme https, credentials contoso.com, host evil.example, port 443
struct WrittenURL {
  /// In lower case; nil when the text begins with none.
  let scheme: String?
  /// The text before the last `@` of the authority; nil without one.
  private(set) var credentials: Substring?
  private(set) var host: Substring = ""
  /// The text behind the host's colon; nil without one.
  private(set) var port: Substring?
  /// The text after the authority.
  private(set) var rest: Substring = ""
  private(set) var hasAuthority = false
  /// Characters that every browser drops stood in the text: at its ends, or tabs and line breaks anywhere.
  let wasCleaned: Bool
  /// The text without these.
  let cleaned: String

  init(_ text: String) {
    let scalars = Array(text.unicodeScalars)
    let start = scalars.firstIndex { $0.value > 0x20 } ?? scalars.endIndex
    let end = scalars.lastIndex { $0.value > 0x20 }.map { $0 + 1 } ?? start
    let kept = scalars[start..<end].filter { !Self.isDropped($0) }
    wasCleaned = kept.count < scalars.count
    var view = String.UnicodeScalarView()
    view.append(contentsOf: kept)
    cleaned = String(view)
    scheme = Self.scheme(of: cleaned)
    if let scheme { split(cleaned.dropFirst(scheme.count + 1)) }
  }

  /// Whether its scheme is one whose URLs always have a host, and for which `\` is `/`.
  var isOfNetwork: Bool { scheme.map { ["http", "https", "ws", "wss", "ftp"].contains($0) } ?? false }

  /// The text behind the scheme and its colon.
  var behindScheme: Substring { cleaned.dropFirst(scheme.map { $0.count + 1 } ?? 0) }

  private static func isDropped(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\t" || scalar == "\n" || scalar == "\r"
  }

  private static func scheme(of text: String) -> String? {
    guard let colon = text.firstIndex(of: ":"), let first = text.unicodeScalars.first else { return nil }
    let name = text[..<colon]
    let isName = name.unicodeScalars.allSatisfy { isLetter($0) || "0123456789+-.".unicodeScalars.contains($0) }
    return isName && isLetter(first) ? name.lowercased() : nil
  }

  private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { scalar.isASCII && scalar.properties.isAlphabetic }

  private mutating func split(_ text: Substring) {
    let slashes = text.prefix { $0 == "/" || isOfNetwork && $0 == "\\" }
    guard isOfNetwork || slashes.count >= 2 else {
      rest = text
      return
    }
    hasAuthority = true
    let behind = isOfNetwork ? text.dropFirst(slashes.count) : text.dropFirst(2)
    var authority = behind.prefix { $0 != "/" && $0 != "?" && $0 != "#" && !(isOfNetwork && $0 == "\\") }
    rest = behind[authority.endIndex...]
    if let at = authority.lastIndex(of: "@") {
      credentials = authority[..<at]
      authority = authority[authority.index(after: at)...]
    }
    splitPort(authority)
  }

  private mutating func splitPort(_ authority: Substring) {
    let search = authority.first == "[" ? authority.firstIndex(of: "]") ?? authority.endIndex : authority.startIndex
    guard let colon = authority[search...].firstIndex(of: ":") else {
      host = authority
      return
    }
    host = authority[..<colon]
    port = authority[authority.index(after: colon)...]
  }
}
