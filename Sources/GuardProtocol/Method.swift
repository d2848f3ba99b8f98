/// A method of one of our interfaces.
///
///     Method.guard(.navigate).qualifiedName    // "org.webviewguard.Guard.Navigate"
package enum Method: Sendable, Hashable {
  case service(ServiceMethod)
  case `guard`(GuardMethod)
  case rules(RulesMethod)
  case admin(AdminMethod)

  package var interface: Interface {
    switch self {
    case .service: .service
    case .guard: .guard
    case .rules: .rules
    case .admin: .admin
    }
  }

  /// The name with its interface, as it is called.
  package var qualifiedName: String { "\(interface.rawValue).\(name)" }

  /// Whether it answers with several replies, so that it must be called with `more`.
  package var needsMore: Bool { self == .admin(.monitor) || self == .guard(.subscribe) }

  private var name: String {
    switch self {
    case .service(let method): method.rawValue
    case .guard(let method): method.rawValue
    case .rules(let method): method.rawValue
    case .admin(let method): method.rawValue
    }
  }
}

package enum ServiceMethod: String, Sendable, Hashable, CaseIterable {
  case getInfo = "GetInfo"
  case getInterfaceDescription = "GetInterfaceDescription"

  static let byName = NameTable(words: ServiceMethod.self)
}

package enum RulesMethod: String, Sendable, Hashable, CaseIterable {
  case classify = "Classify"
  case explain = "Explain"

  static let byName = NameTable(words: RulesMethod.self)
}

package enum AdminMethod: String, Sendable, Hashable, CaseIterable {
  case status = "Status"
  case reload = "Reload"
  case rollback = "Rollback"
  case monitor = "Monitor"
  case addException = "AddException"
  case listExceptions = "ListExceptions"
  case removeException = "RemoveException"
  case health = "Health"
  case metrics = "Metrics"

  static let byName = NameTable(words: AdminMethod.self)
}
