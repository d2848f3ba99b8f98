package import GuardModel
internal import URLRules

/// The number of one running copy of an app for one user. A number is never given twice.
package struct InstanceID: Sendable, Hashable {
  /// Negative for an instance of an earlier daemon.
  let index: Int32
  /// Distinguishes successive instances of one index. A program that comes back to a restarted daemon keeps its own.
  package let serial: UInt64
}

extension InstanceID {
  /// An instance of an earlier daemon, whose program may still run and come back.
  static func missing(_ serial: UInt64) -> InstanceID { InstanceID(index: -1, serial: serial) }

  /// An instance of an earlier daemon that has ended.
  static func gone(_ serial: UInt64) -> InstanceID { InstanceID(index: -2, serial: serial) }

  var isMissing: Bool { index == -1 }

  /// Its place among the instances. A subscript by the id would allocate for each change.
  @inline(__always)
  var place: Int { Int(index) }
}

/// One running copy of an app for one user: its viewers and its identities.
package struct Instance: Sendable {
  let serial: UInt64
  package let appName: String
  /// The optional abilities of its program, as its first connection claimed them.
  package internal(set) var features: ClientFeatures = []
  /// The languages that its user reads, the preferred one first.
  package internal(set) var languages: [LanguageTag] = []
  /// The versions of its program and of its client library, by their own word.
  var version: String?
  var clientVersion: String?
  /// The digest of the configuration that its static rules were exported from, by its program's word; nil where it has none.
  var rules: String?
  package let peer: Peer
  /// Index of the app in the snapshot; nil when it left the policy.
  package internal(set) var app: AppIndex?
  /// Index of its user's clips.
  let user: Int
  /// The app's name as a number that outlives reloads: the basis of "same app".
  let appNumber: AppNumber
  /// The protections that bind every account of a user in these groups.
  var groupProtections = ProtectionSet()
  package internal(set) var process = Identity.absent
  /// The policy stated it, not the app.
  var processIsStated = false
  /// The policy states the account of its app.
  var processIsFixed = false
  /// The identity is unknown, and may be some managed account's: in single mode the policy names none, or more than
  /// one, that may be its user's. Until its program names it, everything is blocked.
  package internal(set) var mustState = false
  /// Its program has to name its identity: it told an earlier daemon and not this one, or its statement was refused.
  package internal(set) var owesIdentity = false
  /// The account that it named last and that may not be shown.
  var refused: AccountID?
  /// The windows whose identity it named then, and has not named again.
  var owedWindows: Set<UInt64> = []
  /// The identities of its connections' scopes, by connection.
  var scopes: [UInt64: Identity] = [:]
  /// The identity of each window; for a window that shows several, the strictest.
  var windows = ByteTable<Identity>()
  /// All identities of the windows that show several (ledger MI-24).
  var mixedWindows = ByteTable<[Identity]>()
  /// The identities that it showed a moment ago.
  var recentIdentities = RecentIdentities()
  /// The daemon's requests to switch.
  var requests: [SwitchRequest] = []
  package internal(set) var viewers = ViewerTree()
  /// The pages of viewers that it has forgotten, or not registered again yet.
  var left = LeftPages()
  /// The accounts that it named and that only a pattern or a group takes; each counts one of its uses.
  var names: Set<AccountID> = []
  /// Number of their bytes.
  var nameBytes = 0
  /// A clip may name them.
  var mayOwnClips = false
  /// Accounts whose data was removed while it runs: it shows them no more.
  var wiped: Set<AccountID> = []
  /// The standings of its accounts, by their life.
  var standings = AccountStandings()
  /// Some viewer once opened a page that enforcing would not have opened.
  var mayShowAdvised = false

  /// Nothing passes before its program names its identity.
  var isUnstated: Bool { mustState || owesIdentity }

  /// Its program must first name the identity of some window.
  package var hasOwedWindows: Bool { !owedWindows.isEmpty }

  /// Its program named its identity.
  mutating func hasStated() { (mustState, owesIdentity, refused) = (false, false, nil) }

  /// The identity of a window; `absent` when nothing is set or the window is not known.
  package func identity(ofWindow name: Span<UInt8>) -> Identity { windows.value(for: name) ?? .absent }
}

/// The accounts that an instance no longer shows but showed a moment ago: its unannounced clips may still be theirs,
/// since a copy takes its time (amendments, clipboard, second part).
struct RecentIdentities: Sendable {
  private var left: [AccountID] = []
  private var times: [UInt64] = []
  /// Its identity until then is unknown.
  private var unknownUntil: UInt64 = 0

  /// Milliseconds for which an identity that was left still counts.
  static let time: UInt64 = 10_000
  private static let most = 8

  /// The instance leaves an account. If there is no more room, the identity becomes unknown.
  mutating func leave(_ account: AccountID, at time: UInt64) {
    drop(before: time)
    guard let known = left.firstIndex(of: account) else {
      guard left.count < Self.most else { return leaveUnknown(at: time) }
      left.append(account)
      times.append(time &+ Self.time)
      return
    }
    times[known] = time &+ Self.time
  }

  /// The instance may have shown any account's data until now.
  mutating func leaveUnknown(at time: UInt64) { unknownUntil = time &+ Self.time }

  func isUnknown(at time: UInt64) -> Bool { time < unknownUntil }

  func forEach(at time: UInt64, _ body: (AccountID) -> Void) {
    for index in left.indices where time < times[index] { body(left[index]) }
  }

  private mutating func drop(before time: UInt64) {
    for index in left.indices.reversed() where times[index] <= time {
      left.remove(at: index)
      times.remove(at: index)
    }
  }
}

extension GuardState {
  /// An identity that an instance showed until now, at some level.
  mutating func leave(_ identity: Identity, in id: InstanceID) {
    guard case .account(let account) = identity, instance(id) != nil else { return }
    instances[id.place]?.recentIdentities.leave(account, at: time)
  }

  /// The identity of a viewer that is gone, or shows something else from now on.
  mutating func leave(_ viewer: ViewerIndex, in id: InstanceID, _ snapshot: Snapshot) {
    guard let instance = instance(id), let app = instance.app else { return }
    let resolved = instance.resolve(viewer, in: snapshot.viewerPolicies(of: app))
    leave(instance.identity(of: resolved, scope: .absent, accounts).identity, in: id)
    for identity in instance.identities(of: resolved) ?? [] { leave(identity, in: id) }
  }
}

/// Limits on the registrations of one instance. Caps refuse new entries; they never drop existing ones.
package struct StateLimits: Sendable, Hashable {
  package var viewersPerInstance = 4096
  package var windowsPerInstance = 1024
  /// Accounts that no entry of the policy names, only a pattern.
  package var accountsPerUser = 4096
  package var instancesPerUser = 256
  /// Bytes of a viewer's, window's or class's name.
  package var nameBytes = 256
  /// Maximum depth of nested viewers.
  package var nesting = 64
  /// Accounts that one window may show together.
  package var accountsPerWindow = 16
  /// Names of viewers that are gone and showed an external page; beyond the cap, every new viewer counts as one that
  /// does.
  package var leftPagesPerInstance = 4096
  /// Switches of identity that wait for an answer.
  package var requestsPerInstance = 16
  /// Milliseconds that the daemon waits for a switch that it asked for.
  package var switchMilliseconds: UInt64 = 30_000

  package init() {}
}
