import GuardModel

extension Outcome {
  /// How much it lets happen; a neutral text is less than the content, and a switch less than the data.
  var freedom: Int {
    switch self {
    case .block: 0
    case .switchIdentity, .redirect, .redact: 1
    case .handOff, .warn: 2
    case .allow: 3
    }
  }
}
