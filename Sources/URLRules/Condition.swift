package import GuardModel

/// What a rule demands of a URL and of how it was reached.
///
/// Names in it are already in the form the parser gives hosts and schemes, so matching compares bytes.
package indirect enum Condition: Sendable {
  /// All hold. Empty: always.
  case all([Condition])
  /// At least one holds. Empty: never.
  case any([Condition])
  case not(Condition)
  /// http(s) with this host or one below it, at label borders: `contoso.com` takes `mail.contoso.com`, never
  /// `evilcontoso.com`.
  case domain([UInt8])
  /// http(s) with exactly this host.
  case host([UInt8])
  /// Exactly this URL, fragment and credentials apart.
  case url([UInt8])
  case scheme([UInt8])
  /// The port, or the scheme's own when the URL names none.
  case port(UInt16)
  /// http(s) with a host that is in the list with this number, or is below one that is (`HostLists`).
  /// `file` is what people call it.
  case list(Int32, file: String = "")
  /// http(s) with an address as host that is in the network.
  case network(IPNetwork)
  case regex(Regex)
  case pattern(URLPattern)
  /// A URL filter in Chromium's format.
  case filter(URLFilter)
  /// What a block list with an allow list of URL filters blocks, by Chromium's precedence; or what any of many takes.
  /// `file` is the list that they stand in.
  case filters(URLFilterSet, file: String = "")
  case same(Sameness)
  /// The same site as the document of the viewer.
  case sameSite(PublicSuffixes)
  /// The condition holds of the page or hop that led here.
  case from(Condition)
  /// The navigation is (or is not) a server redirect.
  case hop(Bool)
}

extension Condition {
  /// Whether it asks for a list: of the URL's own host, or (`inFrom`) of the host that led here.
  func asksLists(inFrom: Bool) -> Bool {
    switch self {
    case .list: !inFrom
    case .all(let parts), .any(let parts): parts.contains { $0.asksLists(inFrom: inFrom) }
    case .not(let part): part.asksLists(inFrom: inFrom)
    case .from(let part): inFrom && (part.asksLists(inFrom: false) || part.asksLists(inFrom: true))
    case .domain, .host, .url, .scheme, .port, .network, .regex, .pattern, .filter, .filters, .same, .sameSite, .hop:
      false
    }
  }
}

extension Condition {
  /// Whether it compares with the viewer's document, at whatever depth.
  var asksDocument: Bool {
    switch self {
    case .same, .sameSite: true
    case .all(let parts), .any(let parts): parts.contains(where: \.asksDocument)
    case .not(let part), .from(let part): part.asksDocument
    case .domain, .host, .url, .scheme, .port, .list, .network, .regex, .pattern, .filter, .filters, .hop: false
    }
  }
}

/// What `same:` compares with the document that the app registered for the viewer.
package enum Sameness: String, Sendable, Hashable, CaseIterable {
  /// The same URL, fragment apart.
  case document
  /// The same origin and path; the query may differ.
  case documentPath
  /// The same scheme, host and port.
  case origin
}

// `==` on an enumeration of another module is a call through a table, `switch` is a comparison: the decision path says
// `isYes` and `isNo`.
extension Ternary {
  var isYes: Bool { if case .yes = self { true } else { false } }
  var isNo: Bool { if case .no = self { true } else { false } }

  /// Kleene's `and`: `no` wins, then `unknown`.
  package static func and(_ left: Ternary, _ right: @autoclosure () -> Ternary) -> Ternary {
    if left.isNo { return .no }
    let other = right()
    if other.isNo { return .no }
    return left.isYes ? other : .unknown
  }

  /// Kleene's `or`: `yes` wins, then `unknown`.
  package static func or(_ left: Ternary, _ right: @autoclosure () -> Ternary) -> Ternary {
    if left.isYes { return .yes }
    let other = right()
    if other.isYes { return .yes }
    return left.isNo ? other : .unknown
  }

  /// Unknown stays unknown: no chain of `not` makes a certainty of it.
  package var negated: Ternary {
    switch self {
    case .yes: .no
    case .no: .yes
    case .unknown: .unknown
    }
  }
}
