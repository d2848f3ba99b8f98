package import GuardModel
internal import URLRules

/// The number of one running copy of an app for one user. A number is never given twice.
package struct InstanceID: Sendable, Hashable {
  let index: Int32
  /// Tells the tenants of one index apart.
  let serial: UInt64
}

/// One running copy of an app for one user: its viewers and its identities.
package struct Instance: Sendable {
  let serial: UInt64
  package let appName: String
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
  /// The identities of its connections' scopes, by connection.
  var scopes: [UInt64: Identity] = [:]
  var windows = ByteTable<Identity>()
  package internal(set) var viewers = ViewerTree()

  /// The identity of a window; `absent` when nothing is set or the window is not known.
  func identity(ofWindow name: Span<UInt8>) -> Identity { windows.value(for: name) ?? .absent }
}
