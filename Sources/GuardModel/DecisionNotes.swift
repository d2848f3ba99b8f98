/// Unknown or ignored parts of a question: why an answer is stricter than the person who asked expected.
package struct DecisionNotes: OptionSet, Sendable, Hashable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The policy does not know the account that owns the data: it counts as an unknown managed one.
  package static let unknownOwner = DecisionNotes(rawValue: 1)
  /// The policy does not know the account that the place belongs to.
  package static let unknownLocationAccount = DecisionNotes(rawValue: 2)
  /// The policy does not know the account of the other program.
  package static let unknownPeerAccount = DecisionNotes(rawValue: 4)
  /// The other program was not named, or is neither an app of the policy nor a managed one: it counts as unmanaged.
  package static let unknownPeer = DecisionNotes(rawValue: 8)
  /// The path leads through `..` or `//`, is relative, or holds control characters: the place counts as `other`.
  package static let unreadablePath = DecisionNotes(rawValue: 16)
  /// Such a place is not saved to, or not opened from: it counts as `other`.
  package static let otherLocation = DecisionNotes(rawValue: 32)
  /// Pictures belong to no account: the one that was given was not looked at (D-16).
  package static let accountIgnored = DecisionNotes(rawValue: 64)
  /// The app's own storage was named without its account while a managed one is shown: it counts as unmanaged (D-01).
  package static let localWithoutAccount = DecisionNotes(rawValue: 128)
  /// The app did not name the channel of the data.
  package static let unknownChannel = DecisionNotes(rawValue: 256)
  /// The app did not name the kind of screen recording.
  package static let unknownCapture = DecisionNotes(rawValue: 512)
  /// The app cannot replace content by a neutral text, so that it is blocked (D-20).
  package static let cannotRedact = DecisionNotes(rawValue: 1024)
  /// The app cannot switch identities when asked to, so that it is blocked (DT-10).
  package static let cannotSwitch = DecisionNotes(rawValue: 2048)
  /// The app named a place that this daemon has no word for: it counts as `other`.
  package static let unknownLocation = DecisionNotes(rawValue: 8192)
  /// It happens in a page that enforcing would not have opened.
  package static let afterAdvised = DecisionNotes(rawValue: 4096)
  /// A view for signing in, which the policy leaves unprotected (ledger HS-02).
  package static let unprotectedViewer = DecisionNotes(rawValue: 16384)
  /// The app cannot ask its user for a justification, so that it is blocked.
  package static let cannotWarn = DecisionNotes(rawValue: 32768)

  /// The app cannot lay a clip beside a notice, so that it is blocked.
  package static let cannotWrap = DecisionNotes(rawValue: 1 << 16)
  /// The app cannot take away all formats but plain text, so that it is blocked.
  package static let cannotStrip = DecisionNotes(rawValue: 1 << 17)

  /// The page that takes the data is external and counts as unmanaged (ledger WV-31).
  package static let externalReceiver = DecisionNotes(rawValue: 1 << 18)

  /// A rule of the policy names the place of the URL (ledger SL-05).
  package static let namedByRule = DecisionNotes(rawValue: 1 << 19)

  /// The words of the wire and the log, in the order of the interface.
  package static let names: [(name: String, note: DecisionNotes)] = [
    ("unknownOwner", .unknownOwner), ("unknownLocationAccount", .unknownLocationAccount),
    ("unknownPeerAccount", .unknownPeerAccount), ("unknownPeer", .unknownPeer), ("unreadablePath", .unreadablePath),
    ("unknownLocation", .unknownLocation), ("otherLocation", .otherLocation), ("accountIgnored", .accountIgnored),
    ("localWithoutAccount", .localWithoutAccount), ("unknownChannel", .unknownChannel),
    ("unknownCapture", .unknownCapture), ("cannotRedact", .cannotRedact), ("cannotSwitch", .cannotSwitch),
    ("afterAdvised", .afterAdvised), ("unprotectedViewer", .unprotectedViewer), ("cannotWarn", .cannotWarn),
    ("cannotWrap", .cannotWrap), ("cannotStrip", .cannotStrip),
    ("externalReceiver", .externalReceiver),
    ("namedByRule", .namedByRule),
  ]

  package var words: [String] { Self.names.filter { contains($0.note) }.map(\.name) }
}
