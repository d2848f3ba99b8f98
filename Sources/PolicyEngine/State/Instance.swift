package import GuardModel
internal import URLRules

/// The number of one running copy of an app for one user. A number is never given twice.
package struct InstanceID: Sendable, Hashable {
  /// Negative for one of a daemon before this one.
  let index: Int32
  /// Tells the tenants of one index apart. A program that comes back to a restarted daemon keeps its own.
  package let serial: UInt64
}

extension InstanceID {
  /// An instance of a daemon before this one, whose program may still run and come back.
  static func missing(_ serial: UInt64) -> InstanceID { InstanceID(index: -1, serial: serial) }

  /// An instance of a daemon before this one that has ended.
  static func gone(_ serial: UInt64) -> InstanceID { InstanceID(index: -2, serial: serial) }

  var isMissing: Bool { index == -1 }
}

/// One running copy of an app for one user: its viewers and its identities.
package struct Instance: Sendable {
  let serial: UInt64
  package let appName: String
  /// What its program can do beside what every client can.
  package internal(set) var features: ClientFeatures = []
  /// The languages that its user reads, the preferred one first.
  package internal(set) var languages: [LanguageTag] = []
  package let peer: Peer
  /// Index of the app in the snapshot; nil when it left the policy.
  package internal(set) var app: Int32?
  /// Index of its user's clips.
  let user: Int
  /// The app's name as a number that outlives reloads: what "same app" compares.
  let appNumber: Int32
  /// The protection that binds the accounts of this user's groups.
  var groupProtection: Int32?
  package internal(set) var process = Identity.absent
  /// The policy stated it, not the app.
  var processIsStated = false
  /// Its program said to a daemon before this one whose data it shows, and has not said it again.
  package internal(set) var owesIdentity = false
  /// The windows of which it said so, and has not said it again.
  var owedWindows: Set<UInt64> = []
  /// The identities of its connections' scopes, by connection.
  var scopes: [UInt64: Identity] = [:]
  /// The identity of each window; of one that shows several, the strictest.
  var windows = ByteTable<Identity>()
  /// All identities of the windows that show several (ledger MI-24).
  var mixedWindows = ByteTable<[Identity]>()
  /// What the daemon asked the app to switch to.
  var requests: [SwitchRequest] = []
  package internal(set) var viewers = ViewerTree()
  /// Some viewer once opened a page that enforcing would not have opened.
  var mayShowAdvised = false

  /// The identity of a window; `absent` when nothing is set or the window is not known.
  package func identity(ofWindow name: Span<UInt8>) -> Identity { windows.value(for: name) ?? .absent }
}

/// What a client can do that an answer may need.
package struct ClientFeatures: OptionSet, Sendable, Hashable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Replaces content by a neutral text; without it `redact` is `block` (D-20).
  package static let redact = ClientFeatures(rawValue: 1)
  /// Shows another account when asked to; without it `switchIdentity` is `block` (ledger DT-10).
  package static let switchIdentity = ClientFeatures(rawValue: 2)

  /// Asks its user for a justification, and says with `Acknowledge` what came of it; without it `warn` is `block`.
  package static let warn = ClientFeatures(rawValue: 4)

  /// The words of the wire.
  package static let names: [(name: String, feature: ClientFeatures)] = [
    ("redact", .redact), ("switchIdentity", .switchIdentity), ("warn", .warn),
  ]

  /// Those of the words that are such features.
  package init(words: [String]) {
    self = Self.names.reduce(into: []) { if words.contains($1.name) { $0.insert($1.feature) } }
  }

  package var words: [String] { Self.names.filter { contains($0.feature) }.map(\.name) }
}
