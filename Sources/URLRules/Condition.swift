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
  case regex(Regex)
  case same(Sameness)
  /// The condition holds of the page or hop that led here.
  case from(Condition)
  /// The navigation is (or is not) a server redirect.
  case hop(Bool)
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

extension Ternary {
  /// Kleene's `and`: `no` wins, then `unknown`.
  package static func and(_ left: Ternary, _ right: @autoclosure () -> Ternary) -> Ternary {
    if left == .no { return .no }
    let other = right()
    if other == .no { return .no }
    return left == .yes ? other : .unknown
  }

  /// Kleene's `or`: `yes` wins, then `unknown`.
  package static func or(_ left: Ternary, _ right: @autoclosure () -> Ternary) -> Ternary {
    if left == .yes { return .yes }
    let other = right()
    if other == .yes { return .yes }
    return left == .no ? other : .unknown
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
