internal import URLRules
internal import URLStandard

/// Why no browser opens a text, as far as that can be told.
///
///     URLProblem.words(for: "https://exa mple.com/")   // the host `exa mple.com` holds a space
///     URLProblem.words(for: "contoso.com")             // it has no scheme, such as `https:`
///
/// Every guess was tried: with the named part mended, the text is read as a URL.
enum URLProblem {
  static func words(for text: String, levels: Int = URLSubject.maximumNesting) -> String {
    let written = WrittenURL(text)
    if written.cleaned.isEmpty { return "it is empty" }
    if text.utf8.count > URLRecord.maximumLength { return "it is longer than \(URLRecord.maximumLength) bytes" }
    guard let scheme = written.scheme else {
      let isMissing = isURL("https://" + written.cleaned)
      return isMissing ? "it has no scheme, such as `https:`" : "it does not begin with a scheme"
    }
    if isURL(written.cleaned), URLExplanation.wrappers.contains(scheme) {
      guard levels > 0 else { return "more than \(URLSubject.maximumNesting) URLs stand around one another" }
      let inner = words(for: String(written.behindScheme), levels: levels - 1)
      return "what stands behind `\(scheme):` is no URL: \(inner)"
    }
    guard written.hasAuthority else { return "nothing can be made of what follows `\(scheme):`" }
    return problem(of: written, scheme)
  }

  private static func problem(of written: WrittenURL, _ scheme: String) -> String {
    if written.host.isEmpty { return "it names no host" }
    let port = written.port.map(String.init) ?? ""
    if !port.isEmpty, isURL("\(scheme)://\(written.host)/") {
      let isNumber = port.utf8.allSatisfy { (0x30...0x39).contains($0) }
      return isNumber ? "the port \(port.shown) is greater than 65535" : "\(port.shown) is no port"
    }
    return problem(ofHost: String(written.host), scheme)
  }

  private static func problem(ofHost host: String, _ scheme: String) -> String {
    if host.hasPrefix("[") { return "\(host.shown) is no IPv6 address" }
    if host.contains(" ") || host.lowercased().contains("%20") { return "the host \(host.shown) holds a space" }
    if host.unicodeScalars.contains(where: isForbidden) {
      return "the host \(host.shown) holds characters that no host may hold"
    }
    let last = host.split(separator: ".").last ?? ""
    if last.allSatisfy(\.isNumber) || last.lowercased().hasPrefix("0x") {
      return "the host \(host.shown) ends in a number and is no IPv4 address"
    }
    return "\(host.shown) is no name that a host may have"
  }

  /// URL Standard, section 3.1, forbidden domain code points; a space is told apart.
  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || scalar.value == 0x7F || "#%/:<>?@[\\]^|".unicodeScalars.contains(scalar)
  }

  private static func isURL(_ text: String) -> Bool { URLRecord(text) != nil }
}

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
