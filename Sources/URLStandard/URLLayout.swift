/// The places of a serialised URL's components, and their kinds.
///
///     https://user:pass@example.com:8080/path?query#fragment
///          |      |    ||          |    |    |     |
///          |      |    ||          |    |    |     queryEnd
///          |      |    ||          |    |    pathEnd
///          |      |    ||          |    pathStart
///          |      |    ||          hostEnd
///          |      |    |hostStart
///          |      |    passwordEnd
///          |      usernameEnd
///          schemeEnd
///
/// A component that is absent has an empty range, so `pathEnd == queryEnd` says that there is no `?`. The zero value
/// is that of no URL. Offsets only: the bytes belong to ``URLRecord``.
// INVARIANT: schemeEnd <= usernameEnd <= passwordEnd <= hostStart <= hostEnd <= pathStart <= pathEnd <= queryEnd.
struct URLLayout: Sendable, Equatable {
  /// Index of the colon after the scheme.
  var schemeEnd: UInt32 = 0

  /// End of the user name. Without authority this and the next three are the index after the scheme's colon.
  var usernameEnd: UInt32 = 0

  /// End of the password; equals `usernameEnd` when there is none, else a colon lies between.
  var passwordEnd: UInt32 = 0

  /// Start of the host; `@` lies before it when there are credentials.
  var hostStart: UInt32 = 0
  var hostEnd: UInt32 = 0

  /// Start of the path; port or the marker `/.` (no host, path begins with `//`) lie before it.
  var pathStart: UInt32 = 0
  var pathEnd: UInt32 = 0

  /// End of the query, where the fragment's `#` is if there is one.
  var queryEnd: UInt32 = 0

  var ipv4: UInt32 = 0
  var port: UInt16?
  var scheme = URLScheme.other
  var hostKind = HostKind.none
  var hasOpaquePath = false

  /// Position of a user name: after `//`, or after the scheme's colon when there is no authority.
  var authorityStart: UInt32 { hasAuthority ? schemeEnd + 3 : schemeEnd + 1 }

  var hasAuthority: Bool { hostKind != .none }
}

extension URLLayout {
  /// Moves everything from the host on by `distance`, as after a change in the credentials.
  mutating func shiftFromHost(by distance: Int32) {
    hostStart = hostStart.moved(by: distance)
    shiftFromHostEnd(by: distance)
  }

  /// Moves everything behind the host by `distance`, as after a change of the host's length.
  mutating func shiftFromHostEnd(by distance: Int32) {
    hostEnd = hostEnd.moved(by: distance)
    shiftFromPath(by: distance)
  }

  /// Moves path, query and fragment by `distance`, as after a change of the port.
  mutating func shiftFromPath(by distance: Int32) {
    pathStart = pathStart.moved(by: distance)
    pathEnd = pathEnd.moved(by: distance)
    queryEnd = queryEnd.moved(by: distance)
  }

  /// Moves everything by `distance`, as after a change of the scheme's length.
  mutating func shiftFromScheme(by distance: Int32) {
    schemeEnd = schemeEnd.moved(by: distance)
    usernameEnd = usernameEnd.moved(by: distance)
    passwordEnd = passwordEnd.moved(by: distance)
    shiftFromHost(by: distance)
  }
}

extension UInt32 {
  fileprivate func moved(by distance: Int32) -> UInt32 {
    self &+ UInt32(bitPattern: distance)
  }
}
