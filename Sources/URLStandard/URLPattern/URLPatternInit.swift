/// The dictionary form of a pattern, or of what is matched against one. What is nil is not said.
///
///     URLPatternInit(hostname: "*.example.com", pathname: "/docs/*")     // any scheme, any query
///
/// Trap: what a pattern does not say matches anything; the empty string matches only an absent component.
///
/// Source: URL Pattern Standard, section 1.2.
package struct URLPatternInit: Sendable, Hashable {
  private var texts: [URLComponent: String] = [:]
  /// What components are taken from that are less specific than all that are said.
  package var baseURL: String?

  package init(
    protocol: String? = nil, username: String? = nil, password: String? = nil, hostname: String? = nil,
    port: String? = nil, pathname: String? = nil, search: String? = nil, hash: String? = nil, baseURL: String? = nil
  ) {
    self.baseURL = baseURL
    self[.protocol] = `protocol`
    self[.username] = username
    self[.password] = password
    self[.hostname] = hostname
    self[.port] = port
    self[.pathname] = pathname
    self[.search] = search
    self[.hash] = hash
  }

  package subscript(component: URLComponent) -> String? {
    get { texts[component] }
    set { texts[component] = newValue }
  }
}

extension URLPatternInit {
  /// Components from the least specific to the most; one is inherited only when neither it nor any before it is said.
  private static let specificity: [URLComponent] = [.protocol, .hostname, .port, .pathname, .search, .hash]

  /// What the base gives to a pattern or, with user name and password, to an input.
  func inherited(from base: URLRecord, forPattern: Bool) -> [URLComponent: String] {
    var texts: [URLComponent: String] = [:]
    for component in Self.specificity {
      guard self[component] == nil else { break }
      texts[component] = base.text(base.range(of: component))
    }
    guard !forPattern, says(none: [.protocol, .hostname, .port, .username]) else { return texts }
    texts[.username] = base.username
    if self[.password] == nil { texts[.password] = base.password }
    return texts
  }

  private func says(none components: [URLComponent]) -> Bool { components.allSatisfy { self[$0] == nil } }

  /// The record of `baseURL`; nil when there is none.
  func base() throws(URLPatternError) -> URLRecord? {
    guard let baseURL else { return nil }
    guard let record = URLRecord(baseURL) else { throw URLPatternError("the base `\(baseURL)` is not a URL") }
    return record
  }
}
