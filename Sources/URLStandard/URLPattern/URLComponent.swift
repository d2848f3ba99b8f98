/// One of the eight parts of a URL in a pattern, under the standard's name.
///
/// The order is the one in which the standard compiles and reports them.
///
/// Source: URL Pattern Standard, section 1.3.
package enum URLComponent: String, CaseIterable, Sendable, Hashable {
  case `protocol`
  case username
  case password
  case hostname
  case port
  case pathname
  case search
  case hash
}

extension URLRecord {
  /// The component's range in `bytes`, without the marks around it; empty when the URL has none.
  ///
  ///     https://example.com:8080/a?b#c      protocol `https`, port `8080`, search `b`, hash `c`
  ///
  /// Source: URL Pattern Standard, section 1.4, match.
  package func range(of component: URLComponent) -> Range<Int> {
    switch component {
    case .protocol: schemeRange
    case .username: usernameRange
    case .password: passwordRange
    case .hostname: hostRange
    case .port: portNumber == nil ? 0..<0 : hostRange.upperBound + 1..<pathRange.lowerBound
    case .pathname: pathRange
    case .search: queryRange ?? 0..<0
    case .hash: fragmentRange ?? 0..<0
    }
  }
}
