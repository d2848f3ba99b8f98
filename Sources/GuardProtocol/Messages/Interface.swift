internal import CInterfaces

/// One varlink interface, with its file compiled in.
///
///     Interface.guard.rawValue       // "org.webviewguard.Guard"
///
/// The file is the single source of truth: a test compares every table of this module with it.
package enum Interface: String, Sendable, Hashable, CaseIterable {
  case service = "org.varlink.service"
  case `guard` = "org.webviewguard.Guard"
  case accounts = "org.webviewguard.Accounts"
  case rules = "org.webviewguard.Rules"
  case admin = "org.webviewguard.Admin"

  /// The interface file, byte for byte, as `GetInterfaceDescription` answers it.
  package var file: [UInt8] {
    let file =
      switch self {
      case .service: cinterfaces_service()
      case .guard: cinterfaces_guard()
      case .accounts: cinterfaces_accounts()
      case .rules: cinterfaces_rules()
      case .admin: cinterfaces_admin()
      }
    return Array(UnsafeBufferPointer(start: file.bytes, count: file.count))
  }

  static let byName = NameTable(words: Interface.self)
}

/// The interfaces that a socket serves.
///
///     InterfaceSet.guardSocket.contains(.admin)   // false
///
/// The admin socket has its own file mode, so its interfaces must never be reachable through the guard socket.
package struct InterfaceSet: Sendable, Hashable {
  /// In the order in which `GetInfo` lists them.
  package let interfaces: [Interface]

  package static let guardSocket = InterfaceSet(interfaces: [.service, .guard, .accounts])
  package static let adminSocket = InterfaceSet(interfaces: [.service, .admin, .rules])

  package func contains(_ interface: Interface) -> Bool { interfaces.contains(interface) }
}
