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
