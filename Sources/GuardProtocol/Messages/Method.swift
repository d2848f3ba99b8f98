/// A method of one of our interfaces.
///
///     Method.guard(.navigate).qualifiedName    // "org.webviewguard.Guard.Navigate"
package enum Method: Sendable, Hashable, CaseIterable {
  case service(ServiceMethod)
  case `guard`(GuardMethod)
  case accounts(AccountsMethod)
  case rules(RulesMethod)
  case admin(AdminMethod)

  package static let allCases =
    ServiceMethod.allCases.map(Method.service) + GuardMethod.allCases.map(Method.guard)
    + AccountsMethod.allCases.map(Method.accounts) + RulesMethod.allCases.map(Method.rules)
    + AdminMethod.allCases.map(Method.admin)

  package var interface: Interface {
    switch self {
    case .service: .service
    case .guard: .guard
    case .accounts: .accounts
    case .rules: .rules
    case .admin: .admin
    }
  }

  /// The name with its interface, as it is called.
  package var qualifiedName: String { "\(interface.rawValue).\(name)" }

  /// It answers with several replies, so it must be called with `more`.
  package var needsMore: Bool {
    [.admin(.monitor), .admin(.keepDirectories), .guard(.subscribe)].contains(self)
  }

  private var name: String {
    switch self {
    case .service(let method): method.rawValue
    case .guard(let method): method.rawValue
    case .accounts(let method): method.rawValue
    case .rules(let method): method.rawValue
    case .admin(let method): method.rawValue
    }
  }
}

package enum ServiceMethod: String, Sendable, Hashable, CaseIterable {
  case getInfo = "GetInfo"
  case getInterfaceDescription = "GetInterfaceDescription"
}

package enum AccountsMethod: String, Sendable, Hashable, CaseIterable {
  case register = "Register"
  case deregister = "Deregister"
  case list = "List"
  case deviceAccount = "DeviceAccount"
  case maySignIn = "MaySignIn"
  case allowedAccounts = "AllowedAccounts"
  case config = "Config"
  case remediate = "Remediate"
  case signedIn = "SignedIn"
  case complete = "Complete"
  case filesRemoved = "FilesRemoved"
  case notices = "Notices"
  case dataKey = "DataKey"
  case openDirectory = "OpenDirectory"
  case fileCreated = "FileCreated"
  case readLabel = "ReadLabel"
  case setOwner = "SetOwner"
}

package enum RulesMethod: String, Sendable, Hashable, CaseIterable {
  case classify = "Classify"
  case explain = "Explain"
}

package enum AdminMethod: String, Sendable, Hashable, CaseIterable {
  case status = "Status"
  case reload = "Reload"
  case rollback = "Rollback"
  case monitor = "Monitor"
  case addException = "AddException"
  case listExceptions = "ListExceptions"
  case removeException = "RemoveException"
  case accounts = "Accounts"
  case deregisterAccount = "DeregisterAccount"
  case wipeAccount = "WipeAccount"
  case approveWipe = "ApproveWipe"
  case restoreAccount = "RestoreAccount"
  case rotateAccountKey = "RotateAccountKey"
  case escrow = "Escrow"
  case recoverAccountKey = "RecoverAccountKey"
  case wipes = "Wipes"
  case health = "Health"
  case metrics = "Metrics"
  case noteFailedCheckIn = "NoteFailedCheckIn"
  case forgetCheckIns = "ForgetCheckIns"
  case keepDirectories = "KeepDirectories"
  case directoryKey = "DirectoryKey"
  case noteDirectory = "NoteDirectory"
}

extension Method {
  /// The method with this name, for a socket that serves these interfaces.
  ///
  /// A name without a dot is no method's name at all, so the call's `method` is invalid. An interface that this socket
  /// does not serve counts as unknown.
  static func find(_ name: Span<UInt8>, in served: InterfaceSet) throws(ServiceError) -> Method {
    if let method = byQualifiedName[name], served.contains(method.interface) { return method }
    guard let dot = lastDot(in: name) else { throw .invalidParameter("method") }
    let interfaceName = name.extracting(0..<dot)
    guard let interface = Interface.byName[interfaceName], served.contains(interface) else {
      throw .interfaceNotFound(shortened(interfaceName))
    }
    throw .methodNotFound(shortened(name))
  }

  private static let byQualifiedName = NameTable(allCases, name: \.qualifiedName)

  private static func lastDot(in name: Span<UInt8>) -> Int? {
    var index = name.count
    while index > 0 {
      index -= 1
      if name[index] == UInt8(ascii: ".") { return index }
    }
    return nil
  }
}

/// A stranger's name for use in an error: cut to at most `limit` bytes.
///
/// Without a limit, a call of half a megabyte would get an error of the same length.
func shortened(_ name: Span<UInt8>, to limit: Int = 64) -> String {
  var end = name.count
  if end > limit {
    end = limit
    while end > 0, name[end] & 0xC0 == 0x80 { end -= 1 }
  }
  return name.extracting(0..<end).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
}
