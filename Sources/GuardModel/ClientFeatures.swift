/// The abilities of a client that an answer may need.
package struct ClientFeatures: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Replaces content by a neutral text; without it `redact` is `block` (D-20).
  package static let redact = ClientFeatures(rawValue: 1)
  /// Shows another account when asked to; without it `switchIdentity` is `block` (ledger DT-10).
  package static let switchIdentity = ClientFeatures(rawValue: 2)

  /// Asks its user for a justification, and reports the result with `Acknowledge`; without it `warn` is `block`.
  package static let warn = ClientFeatures(rawValue: 4)

  /// Reports each change of the selections that it makes; without it the daemon cannot know whether a copy took place.
  package static let clipEcho = ClientFeatures(rawValue: 8)
  /// Lays a clip beside a notice; without it a clip that needs that is `block` (ledger CB-17).
  package static let wrap = ClientFeatures(rawValue: 16)
  /// Takes away all formats but plain text; without it an answer that needs that is `block`.
  package static let plainText = ClientFeatures(rawValue: 32)

  /// The words of the wire.
  package static let names: [(name: String, feature: ClientFeatures)] = costs.map { ($0.name, $0.feature) }

  /// The words of the wire with what an app pays that does not claim them. Nothing else says it.
  private static let costs: [(name: String, feature: ClientFeatures, cost: String)] = [
    ("redact", .redact, "a notification that would show a neutral text is blocked"),
    ("switchIdentity", .switchIdentity, "what another account of the app may do is blocked instead of switched to it"),
    ("warn", .warn, "instead of a warning that people may pass, they get a block"),
    (
      "clipEcho", .clipEcho,
      "the daemon guesses by its length whether a copy took place, and a copy that lowers protection may be missed"
    ),
    ("wrap", .wrap, "copies that only managed apps may read are blocked"),
    ("plainText", .plainText, "copies and pastes that may keep nothing but plain text are blocked"),
  ]

  /// The features among the words.
  package init(words: [String]) {
    self = Self.names.reduce(into: []) { if words.contains($1.name) { $0.insert($1.feature) } }
  }

  package var words: [String] { Self.names.filter { contains($0.feature) }.map(\.name) }

  /// What the app did not claim, and the cost of each.
  ///
  ///     ClientFeatures([.redact, .switchIdentity, .warn, .clipEcho, .plainText]).missing.map(\.word)    // ["wrap"]
  package var missing: [MissingFeature] {
    Self.costs.filter { !contains($0.feature) }.map { MissingFeature($0.name, $0.cost) }
  }
}
