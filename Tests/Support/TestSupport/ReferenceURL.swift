package import URLStandard

/// A text as rules see it, worked out with strings: slow, and meant to be right at a glance.
///
///     ReferenceURL("view-source:https://user@mail.contoso.com./x#top")   // .url(https://mail.contoso.com/x)
///
/// Source: architecture, section 5; amendments, navigation step 6.
package enum ReferenceURL: Sendable {
  case absent
  case invalid
  case script
  /// `about:blank`, `about:srcdoc`, `data:`, a `blob:` without origin.
  case madeByPage
  case url(ReferenceParts)

  package init(_ text: String?, wrappersLeft: Int = 4) {
    guard let text else {
      self = .absent
      return
    }
    guard let record = URLRecord(text) else {
      self = .invalid
      return
    }
    let inner = String(record.href.dropFirst(record.protocol.utf8.count))
    switch record.protocol {
    case "javascript:": self = .script
    case "data:": self = .madeByPage
    case "about:" where record.pathname == "blank" || record.pathname == "srcdoc": self = .madeByPage
    case "blob:", "filesystem:":
      let scheme = URLRecord(inner)?.protocol
      let hasOrigin = scheme == "http:" || scheme == "https:"
      self = hasOrigin ? Self(inside: inner, wrappersLeft) : .madeByPage
    case "view-source:": self = Self(inside: inner, wrappersLeft)
    default: self = .url(ReferenceParts(record))
    }
  }

  private init(inside text: String, _ wrappersLeft: Int) {
    self = wrappersLeft > 0 ? Self(text, wrappersLeft: wrappersLeft - 1) : .invalid
  }

  /// Step 6: what a page made is judged as that page, when it is known.
  package func judged(as creator: ReferenceURL) -> ReferenceURL {
    guard case .madeByPage = self, case .url(var parts) = creator else { return self }
    parts.hasFragment = false
    return .url(parts)
  }

  package var parts: ReferenceParts? {
    if case .url(let parts) = self { parts } else { nil }
  }
}

/// The parts of a reduced URL: no credentials, no fragment, no dot behind the host, no `ws`.
package struct ReferenceParts: Sendable, Equatable {
  package var href: String
  package var scheme: String
  package var host: String
  /// The port, or the scheme's own; nil when there is neither.
  package var port: UInt16?
  package var path: String
  /// All behind the first `?` of the text, which no host and no path holds.
  package var query: String
  package var hadCredentials: Bool
  package var isAddress: Bool
  package var hasFragment: Bool

  package init(_ record: URLRecord) {
    let reduced = Self.reduced(record)
    href = reduced.href
    scheme = String(reduced.protocol.dropLast())
    host = reduced.hostname
    let ownPorts: [String: UInt16] = ["http": 80, "https": 443, "ftp": 21]
    port = UInt16(reduced.port) ?? ownPorts[scheme]
    path = reduced.pathname
    query = String(href.drop { $0 != "?" }.dropFirst())
    hadCredentials = !record.username.isEmpty || !record.password.isEmpty
    hasFragment = !record.hash.isEmpty
    isAddress = reduced.hostKind == .ipv4 || reduced.hostKind == .ipv6
  }

  package var isWeb: Bool { scheme == "http" || scheme == "https" }

  /// The host is a name, or ends in a dot and that name; an address is only itself.
  package func host(isBelow name: String) -> Bool { host == name || !isAddress && host.hasSuffix("." + name) }

  package func hasOrigin(of other: ReferenceParts) -> Bool {
    scheme == other.scheme && host == other.host && port == other.port
  }

  /// Writes the URL again without what rules do not see, and reads that.
  private static func reduced(_ record: URLRecord) -> URLRecord {
    let schemes = ["ws:": "http:", "wss:": "https:"]
    let scheme = schemes[record.protocol] ?? record.protocol
    let withoutFragment = record.href.prefix { $0 != "#" }
    guard record.hasAuthority else { return URLRecord(String(withoutFragment)) ?? URLRecord() }
    var host = record.hostname
    if record.hostKind == .domain, scheme != "file:", host.hasSuffix("."), host != ".", !host.hasSuffix("..") {
      host.removeLast()
    }
    let port = record.port.isEmpty ? "" : ":" + record.port
    let query = withoutFragment.drop { $0 != "?" }
    let text = scheme + "//" + host + port + record.pathname + query
    return URLRecord(text) ?? URLRecord()
  }
}
