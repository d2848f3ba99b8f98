internal import URLRules

/// A set of web URLs that a browser engine may be able to say: all of it must hold.
///
///     domain: contoso.com, scheme: https      ->  schemes https, hosts contoso.com and below
///     filter: "contoso.com:8443/team?v=1"     ->  hosts, port 8443, path from /team, query v=1
///
/// It speaks of http and https. The writer for an engine adds ws and wss, which are judged as these.
package struct StaticTerm: Sendable, Hashable {
  package struct Schemes: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    package static let http = Schemes(rawValue: 1)
    package static let https = Schemes(rawValue: 2)
    package static let web: Schemes = [.http, .https]

    /// One set for each scheme in it.
    package var single: [Schemes] { [.http, .https].filter(contains) }
    /// The port of a URL that names none.
    var defaultPort: UInt16? { self == .http ? 80 : self == .https ? 443 : nil }
  }

  /// The part behind host and port.
  package enum Place: Sendable, Hashable {
    case any
    /// The path begins so.
    case prefix([UInt8])
    /// Path and query are exactly this.
    case exactly([UInt8])
  }

  package var schemes = Schemes.web
  package var hosts = HostSet.every
  /// The port, or the scheme's own when the URL names none; nil: any.
  package var port: UInt16?
  package var place = Place.any
  var query: [QueryCondition] = []
  var texts: [StaticText] = []
  /// `hosts` follows from a text and need not be said beside it.
  var hostsAreImplied = false

  init() {}

  init(hosts: HostSet) { self.hosts = hosts }

  /// The same but for the hosts.
  var withoutHosts: StaticTerm {
    var copy = self
    copy.hosts = .every
    return copy
  }

  /// The same with the query that another demands.
  func withQuery(of other: StaticTerm) -> StaticTerm {
    var copy = self
    copy.query = other.query
    return copy
  }

  func with(hosts: HostSet) -> StaticTerm {
    var copy = self
    copy.hosts = hosts
    return copy
  }

  var isEmpty: Bool { schemes.isEmpty || hosts.isEmpty }

  /// One term for each host, but no more than so many.
  func singleHosts(atMost maximum: Int = .max) -> [StaticTerm] {
    guard let entries = hosts.entries else { return [self] }
    return entries.count == 1 ? [self] : entries.prefix(maximum).map { with(hosts: HostSet([$0])) }
  }
}

extension StaticTerm {
  /// The URLs of both; nil when there are none. With texts, there may be none all the same.
  package func intersection(_ other: StaticTerm) -> StaticTerm? {
    var both = self
    both.schemes.formIntersection(other.schemes)
    both.hosts = hosts.intersection(other.hosts)
    guard !both.isEmpty else { return nil }
    if let port, let theirs = other.port, port != theirs { return nil }
    both.port = port ?? other.port
    guard let place = place.intersection(other.place) else { return nil }
    both.place = place
    both.query += other.query.filter { !query.contains($0) }
    both.texts += other.texts.filter { !texts.contains($0) }
    both.hostsAreImplied =
      hostsAreImplied && both.hosts == hosts || other.hostsAreImplied && both.hosts == other.hosts
    return both.holdsItsQuery ? both : nil
  }

  package func intersects(_ other: StaticTerm) -> Bool {
    guard !schemes.isDisjoint(with: other.schemes), hosts.intersects(other.hosts) else { return false }
    if let port, let theirs = other.port, port != theirs { return false }
    return place.intersection(other.place) != nil
  }

  /// Whether every URL of `other` is certainly one of these.
  package func contains(_ other: StaticTerm) -> Bool {
    guard schemes.isSuperset(of: other.schemes), hosts.contains(other.hosts) else { return false }
    if let port, port != other.port { return false }
    guard place.contains(other.place), texts.allSatisfy(other.texts.contains) else { return false }
    return query.allSatisfy { other.query.contains($0) || other.place.holds($0) }
  }

  /// False when the place is one URL whose query is another one.
  private var holdsItsQuery: Bool {
    guard case .exactly = place else { return true }
    return query.allSatisfy(place.holds)
  }
}

extension StaticTerm.Place {
  func intersection(_ other: Self) -> Self? {
    switch (self, other) {
    case (.any, _): other
    case (_, .any): self
    case (.prefix(let one), .prefix(let two)): one.starts(with: two) ? self : two.starts(with: one) ? other : nil
    case (.exactly(let one), .exactly(let two)): one == two ? self : nil
    case (.exactly(let text), .prefix(let start)): Self.path(of: text).starts(with: start) ? self : nil
    case (.prefix(let start), .exactly(let text)): Self.path(of: text).starts(with: start) ? other : nil
    }
  }

  func contains(_ other: Self) -> Bool { self == .any || intersection(other) == other }

  /// Whether it is one text, whose query fulfils a condition.
  fileprivate func holds(_ condition: QueryCondition) -> Bool {
    guard case .exactly(let text) = self, let mark = text.firstIndex(of: UInt8(ascii: "?")) else { return false }
    return condition.holds(in: Array(text[(mark + 1)...]).span)
  }

  private static func path(of text: [UInt8]) -> ArraySlice<UInt8> { text.prefix { $0 != UInt8(ascii: "?") } }
}
