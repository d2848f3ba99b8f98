internal import URLRules

/// The value of `domain` or `host`: a host as the URL parser would give it.
///
///     domain: Bücher.Example.    // xn--bcher-kva.example
///     domain: "*.contoso.com"    // error; hint: `domain` takes everything below, too: write `contoso.com`
enum HostValue: String, Sendable {
  /// The host and everything below it.
  case domain
  /// Exactly this host.
  case host

  var decoder: YAMLDecoder<Condition> {
    YAMLDecoder("a host name") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      guard let problem = problem(with: text) else { return condition(text, node, &diagnostics) }
      diagnostics.error(.invalidHost, at: node.location, problem.message, hint: problem.hint)
      return nil
    }
  }

  private func condition(_ text: String, _ node: YAMLNode, _ diagnostics: inout Diagnostics) -> Condition? {
    guard let name = HostName(text) else {
      diagnostics.error(.invalidHost, at: node.location, "\(text.quoted) is not a host name")
      return nil
    }
    return self == .domain ? .domain(name.bytes) : .host(name.bytes)
  }

  /// The problem of a text that is more, or less, than a host, with the matcher that was meant.
  private func problem(with text: String) -> (message: String, hint: String)? {
    let key = rawValue.quoted
    if text.contains("*") || text.hasPrefix(".") { return wildcard(text) }
    if text.contains("://") {
      return ("\(key) takes a host name and no URL", "use `url` for one whole URL, or `scheme` beside \(key)")
    }
    if text.contains(where: { "/\\?#".contains($0) }) {
      return ("\(key) takes a host name without a path", "use `url` for one whole URL, or `regex` for a part of one")
    }
    if text.contains("@") {
      return ("\(key) takes a host name without a user name", "leave out everything up to `@`")
    }
    return colons(text)
  }

  private func wildcard(_ text: String) -> (message: String, hint: String) {
    let rest = String(text.drop { $0 == "*" || $0 == "." })
    let isBelow = text.hasPrefix("*.") || text.hasPrefix(".")
    guard isBelow, !rest.contains("*"), HostName(rest) != nil else {
      return ("\(rawValue.quoted) takes no wildcards", "use `domain` for a host and all below it, or `regex`")
    }
    return switch self {
    case .domain:
      ("`domain` takes no wildcards", "`domain` takes the sub-domains already: write \(rest.quoted)")
    case .host:
      ("`host` takes no wildcards", "write `domain: \(rest)` for the host and all below it")
    }
  }

  private func colons(_ text: String) -> (message: String, hint: String)? {
    guard !text.hasPrefix("["), let colon = text.lastIndex(of: ":") else { return portBehindAddress(text) }
    if HostName("[\(text)]") != nil {
      return ("an IPv6 address stands in brackets", "write \("\"[\(text)]\"".quoted)")
    }
    return port(text[..<colon], text[colon...].dropFirst())
  }

  private func portBehindAddress(_ text: String) -> (message: String, hint: String)? {
    guard text.hasPrefix("["), let end = text.range(of: "]:") else { return nil }
    return port(text[...end], text[text.index(end, offsetBy: 2)...])
  }

  private func port(_ host: Substring, _ port: Substring) -> (message: String, hint: String)? {
    guard !port.isEmpty, port.allSatisfy(\.isNumber) else { return nil }
    return ("\(rawValue.quoted) takes a host name without a port", "write `port: \(port)` beside it")
  }
}

extension String {
  /// The index at which `other` begins.
  fileprivate func range(of other: String) -> Index? {
    indices.first { self[$0...].hasPrefix(other) }
  }
}
