package import GuardModel

/// One question of an app about data that enters or leaves, in plain words.
package struct ModelDataEvent: Sendable {
  package var kind: EventKind
  package var instance = 0
  package var viewer: String?
  /// nil: not said; empty: nobody's.
  package var owner: String?
  /// The account in the file's label, and in the table's entry for it; nil: there is none. `unreadable` names nobody.
  package var label: String?
  package var kept: String?
  /// Further words about the owner, and those of them that are managed owners beside the first.
  var words: [String] = []
  var beside: [String] = []
  /// A label or an entry names no managed owner: nobody knows whose the file is.
  var isStrange = false
  package var location = Location.other
  package var locationAccount: String?
  package var path: String?
  package var peer: String?
  package var peerAccount: String?
  package var url: String?
  package var from: String?
  package var isInPlace = false
  package var isChooser = false
  package var isProbe = false
  package var channel = Channel.unknown
  package var capture = CaptureKind.unknown
  package var scope = ModelIdentity.absent
  package var time: UInt64 = 0

  /// What is done with files while no viewer is named is done in the background; a backup always is (MI-09, MI-15).
  package var isFileTask: Bool {
    kind == .exchange ? channel == .backup : viewer == nil && [.save, .open, .receive, .download].contains(kind)
  }

  /// The label that nobody can read.
  package static let unreadable = "?"

  package init(_ kind: EventKind) { self.kind = kind }
}
