/// Says, in the state directory, that a policy was rolled back: which one is in force instead, across restarts, and which
/// ones do not come back by themselves.
package struct RollbackMark: Sendable, Hashable {
  /// The digest of the policy in force.
  package var to: String
  /// The digests of those that were rolled back from, the latest last.
  package var from: [String]

  package static let maximumBytes = 4_096
  /// Maximum digests that are remembered.
  private static let maximumFrom = 32

  /// Goes back from one policy to another.
  package init(to: String, from: String, after earlier: RollbackMark?) {
    self.to = to
    // Nothing was in force when there is no digest.
    self.from = ((earlier?.from ?? []).filter { $0 != from } + [from])
      .filter { $0 != to && KeptPolicy.isDigest($0) }.suffix(Self.maximumFrom)
  }

  /// Reads `text`; nil when it says anything else.
  package init?(_ text: String) {
    var to: String?
    from = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      guard words.count == 2, KeptPolicy.isDigest(words[1]) else { return nil }
      switch words[0] {
      case "to": to = String(words[1])
      case "from": from.append(String(words[1]))
      default: return nil
      }
    }
    guard let to else { return nil }
    self.to = to
  }

  /// A line for each digest.
  package var text: String { "to \(to)\n" + from.map { "from \($0)\n" }.joined() }
}
