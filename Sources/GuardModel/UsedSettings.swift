/// What of the configuration a decision used, and where that stands.
///
/// Empty where nobody knows: an explanation then leaves the places out.
package struct UsedSettings: Sendable, Hashable {
  /// Where the viewer's policy is stated.
  package var viewerPolicy: String?
  /// Where the viewer's rule set is stated.
  package var ruleSet: String?
  /// The entries of lists by which the rule takes the URL, in words.
  package var entries: [String] = []
  /// The entry of the account that the action counts as.
  package var account: String?
  /// What binds that account to its protection, in words: ``the pattern `*@contoso.com` (policy.yaml:16:17)``
  package var binding: String?
  /// Where the program stands that the URL may open in.
  package var program: String?
  /// The settings that made the outcome what it is, in the order in which they were asked.
  package var values: [UsedValue] = []

  package init() {}
}

/// One setting that a decision used.
package struct UsedValue: Sendable, Hashable {
  /// Whose it is: ``protection `contoso-standard` ``
  package let owner: String
  /// The key below its owner: `clipboard.level`
  package let key: String
  package let value: String
  /// Where it is stated; nil for a default.
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
