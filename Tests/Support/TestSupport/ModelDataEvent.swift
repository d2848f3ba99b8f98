package import GuardModel

/// One question of an app about data that enters or leaves, in plain words.
package struct ModelDataEvent: Sendable {
  package var kind: EventKind
  package var instance = 0
  package var viewer: String?
  /// nil: not said; empty: nobody's.
  package var owner: String?
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

  package init(_ kind: EventKind) { self.kind = kind }
}
