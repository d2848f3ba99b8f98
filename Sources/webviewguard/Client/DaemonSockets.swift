internal import GuardProtocol

/// The socket of a method.
enum DaemonSocket: Sendable, Hashable {
  /// `guard.sock`, for apps.
  case forApps
  /// `admin.sock`, for administrators.
  case forAdministrators

  /// The socket that serves an interface; anything that is not for administrators goes to the apps' socket.
  init(servingInterfaceOf method: String) {
    let interface = method.lastIndex(of: ".").map { String(method[..<$0]) } ?? ""
    let isForAdministrators = interface == Interface.admin.rawValue || interface == Interface.rules.rawValue
    self = isForAdministrators ? .forAdministrators : .forApps
  }
}

/// The full name of a method as a person writes it.
///
///     MethodName.find("Navigate")    // "org.webviewguard.Guard.Navigate"
enum MethodName {
  /// The full name; nil when no interface has such a method. A name with a dot is taken as it is.
  static func find(_ name: String) -> String? {
    if name.contains(".") { return name }
    let interface = Interface.inOrderOfSearch.first { $0.methods.contains(name) }
    return interface.map { "\($0.rawValue).\(name)" }
  }

  /// A method that differs from the name in upper and lower case only.
  static func resembling(_ name: String) -> String? {
    let folded = name.lowercased()
    return Interface.inOrderOfSearch.flatMap(\.methods).first { $0.lowercased() == folded }
  }
}

extension Interface {
  /// A short name that several interfaces have means the first of these.
  fileprivate static let inOrderOfSearch: [Interface] = [.guard, .admin, .rules, .service]

  /// The methods that the interface file describes.
  fileprivate var methods: [String] {
    file.split(separator: UInt8(ascii: "\n")).compactMap { line in
      guard line.starts(with: "method ".utf8) else { return nil }
      let name = line.dropFirst("method ".utf8.count).prefix { $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: " ") }
      return String(decoding: name, as: UTF8.self)
    }
  }
}
