package import Bus
package import PolicyEngine

/// Reads from logind which persons are at the machine: their sessions, how long these have been idle, and whether
/// they are locked.
///
/// The trap: it proves nothing. Many lockers never set `LockedHint`, some desktops never set `IdleHint`, and a session may
/// say anything of itself. A property that is missing has no effect.
///
/// Source: org.freedesktop.login1(5); design accounts.md section 5.
package enum PresenceReading {
  static let service = "org.freedesktop.login1"
  private static let manager = "/org/freedesktop/login1"

  /// All changes of sessions' properties.
  static let news =
    "type='signal',sender='\(service)',interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',"
    + "path_namespace='\(manager)/session'"

  static let listing = BusCall(to: service, at: manager, service + ".Manager", "ListSessions")

  /// A session: its user, and the object that has its properties.
  package struct Session: Sendable, Hashable {
    package var uid: UInt32
    package var path: String

    package init(uid: UInt32, path: String) { (self.uid, self.path) = (uid, path) }

    var properties: BusCall {
      BusCall(
        to: PresenceReading.service, at: path, "org.freedesktop.DBus.Properties", "GetAll",
        [.string(PresenceReading.service + ".Session")])
    }
  }

  /// The sessions of `ListSessions`, `a(susso)`; nil for anything else.
  package static func sessions(_ answer: [BusValue]) -> [Session]? {
    guard answer.count == 1, case .array(of: "(susso)", let listed) = answer[0] else { return nil }
    return listed.compactMap { session in
      guard let parts = session.members, parts.count == 5, let uid = parts[1].number, let path = parts[4].text else {
        return nil
      }
      return Session(uid: UInt32(truncatingIfNeeded: uid), path: path)
    }
  }

  /// The presence by the properties of a session; nil for a session without a person, such as a greeter's or one
  /// that ends.
  ///
  /// - Parameter time: microseconds of the clock of `IdleSinceHintMonotonic`.
  package static func presence(_ answer: [BusValue], at time: UInt64) -> Presence? {
    guard answer.count == 1, case .array(of: "{sv}", _) = answer[0] else { return nil }
    let properties = answer[0]
    guard properties["Class"]?.text?.hasPrefix("user") ?? true, properties["State"]?.text != "closing" else {
      return nil
    }
    if properties["LockedHint"]?.flag == true { return .locked }
    guard let isIdle = properties["IdleHint"]?.flag else { return .unknown }
    guard isIdle else { return .present }
    guard let since = properties["IdleSinceHintMonotonic"]?.number, since > 0 else { return .idle(0) }
    return .idle(time > since ? (time - since) / 1000 : 0)
  }

  /// The presence of a person with these sessions: present at one of them is present; if all are locked, it is locked.
  package static func together(_ presences: [Presence]) -> Presence {
    var shortest: UInt64?
    var isUnknown = presences.isEmpty
    for presence in presences {
      switch presence {
      case .present: return .present
      case .idle(let duration): shortest = min(shortest ?? .max, duration)
      case .unknown: isUnknown = true
      case .locked: break
      }
    }
    if isUnknown { return .unknown }
    return shortest.map(Presence.idle) ?? .locked
  }
}
