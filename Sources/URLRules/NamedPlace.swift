package import GuardModel

/// The place that a rule names for the URLs it takes, and the place's owner (ledger SL-05, SL-09).
///
///     internal: { domain: contoso.sharepoint.com }
///     location: sharePoint
///     account: own
package struct NamedPlace: Sendable, Hashable {
  package enum Owner: Sendable, Hashable {
    /// No account was stated, or the rule is external.
    case nobody
    /// The account that asks.
    case own
    /// An account of the policy, as the rule spells it.
    case account(String)

    /// The word of a rule file; nil where none is written.
    package var written: String? {
      switch self {
      case .nobody: nil
      case .own: Self.ownWord
      case .account(let name): name
      }
    }

    /// No account has it for a name: it is no UPN.
    package static let ownWord = "own"
  }

  package var location: Location
  package var owner: Owner

  package init(_ location: Location, of owner: Owner) {
    self.location = location
    self.owner = owner
  }

  /// The places that a URL can be: services, and systems that the organisation runs itself.
  package static let locations: [Location] = [
    .oneDriveForBusiness, .sharePoint, .box, .dropbox, .googleDrive, .iManage, .egnyte, .accountDocument, .other,
  ]
}
