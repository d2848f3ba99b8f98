package import GuardModel

/// A URL on its way into a record.
package enum LoggedURL: Sendable, Hashable {
  /// The app gave none.
  case absent
  case valid(URLText)
  /// No browser would open the text. Only its length is logged: it may hold a password that no parser can find.
  case invalid(byteCount: Int)
  /// The app gave one, and it stays out of the log whole: the viewer shows, or showed then, unmanaged data.
  case withheld
}
