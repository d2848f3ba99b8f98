/// The daemon's answer: may this happen?
///
/// The zero value is `block`: an unfilled decision stops the action. A client that reads an outcome it does not know
/// treats it as `block` (architecture, section 2).
public enum Outcome: UInt8, Sendable, Hashable, CaseIterable {
  /// It may not happen.
  case block = 0
  /// It may happen in the requested form.
  case allow
  /// It may happen after the user gave a justification.
  case warn
  /// It does not happen here; the same URL opens in the browser named by the offer.
  case redirect
  /// It leaves for another program, named by the offer.
  case handOff
  /// It may happen with its content replaced by a neutral text.
  case redact
  /// The app must first show another account, and then ask again.
  case switchIdentity

  /// The word on the wire, in the log and in tests: `Outcome.handOff.name` is `handOff`.
  public var name: String {
    switch self {
    case .block: "block"
    case .allow: "allow"
    case .warn: "warn"
    case .redirect: "redirect"
    case .handOff: "handOff"
    case .redact: "redact"
    case .switchIdentity: "switchIdentity"
    }
  }
}
