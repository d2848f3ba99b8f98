/// The parts of the configuration that a decision used, and their locations.
///
/// Empty if they are unknown: an explanation then leaves the locations out.
package struct UsedSettings: Sendable, Hashable {
  /// Location of the viewer's policy.
  package var viewerPolicy: String?
  /// Location of the viewer's rule set.
  package var ruleSet: String?
  /// The entries of lists by which the rule takes the URL, in words.
  package var entries: [String] = []
  /// The entry of the account that the action counts as.
  package var account: String?
  /// The reason why its protection binds that account, in words: ``the pattern `*@contoso.com` (policy.yaml:16:17)``
  package var binding: String?
  /// Location of the program that the URL may open in.
  package var program: String?
  /// The settings that led to the outcome, in the order in which they were asked.
  package var values: [UsedValue] = []

  package init() {}
}

/// One setting that a decision used.
package struct UsedValue: Sendable, Hashable {
  /// Its owner: ``protection `contoso-standard` ``
  package let owner: String
  /// The key below its owner: `clipboard.level`
  package let key: String
  package let value: String
  /// Its location; nil for a default.
  package let place: String?

  package init(_ owner: String, _ key: String, _ value: String, at place: String?) {
    self.owner = owner
    self.key = key
    self.value = value
    self.place = place
  }

  /// ``protection `contoso-standard`: `webTransfer` is `managedBrowser` (policy.yaml:17:5)``
  package var sentence: String {
    let source = place.map { " (\($0))" } ?? ", the default, since nothing is stated"
    return "\(owner): `\(key)` is \(value.isEmpty ? "empty" : "`\(value)`")\(source)"
  }
}
