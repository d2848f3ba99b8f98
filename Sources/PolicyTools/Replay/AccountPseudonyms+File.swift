package import DecisionLog
internal import PolicyFiles

extension AccountPseudonyms {
  private static let maximumKey = 4096

  /// The pseudonyms by the key in a file; nil when no file is named.
  package static func read(_ path: String?) throws(CommandFailure) -> AccountPseudonyms? {
    guard let path else { return nil }
    guard let pseudonyms = AccountPseudonyms(key: try FileBytes.read(path, limit: maximumKey)) else {
      throw CommandFailure("`\(path.escapedForDisplay)` is too short for a key")
    }
    return pseudonyms
  }
}
