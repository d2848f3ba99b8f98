package import GuardModel
package import PolicyEngine

/// Distinct events that were asked lately, kept in memory and as they were asked. A preview of another policy judges
/// them.
///
///     let recent = RecentEvents(at: now)
///     recent.note(event, decision, of: instance, app: "com.contoso.portal", uid: 1000)
///     recent.all.first?.count    // 1
///
/// An event that is known costs the path to a decision a look into a table and a counter. Bounded in bytes, with a
/// share for each user: a user who floods it pushes out his own events.
///
/// It has whole URLs, which the log may not have. They never leave the memory; a preview redacts them.
package final class RecentEvents {
  /// Since when, in milliseconds since 1970.
  package let since: UInt64
  /// Questions that were not remembered: too long, or too many new ones in a second.
  package private(set) var missed: UInt64 = 0
  /// The number of the last question.
  @exclusivity(unchecked) private var order: UInt64 = 0
  private var users: [UInt32: UserEvents] = [:]
  /// The user of the last question, who mostly asks the next.
  @exclusivity(unchecked) private var latest: UserEvents?
  /// Stand-ins for each class of each app in keys, by their indices in the snapshot; it outlives reloads.
  @exclusivity(unchecked) private var askers: [[UInt64]] = []
  private let seed: UInt64
  private let limit: Int

  /// Bytes for all users.
  package static let standardLimit = 4 << 20
  private static let maximumUsers = 256

  package init(at time: UInt64, limit: Int = standardLimit) {
    since = time
    self.limit = limit
    var random = SystemRandomNumberGenerator()
    seed = .random(in: .min ... .max, using: &random)
  }

  /// Another policy is in force: classes have other indices.
  package func adopt(_ snapshot: Snapshot) {
    askers = snapshot.apps.map { app in
      [number(app.name, nil)] + app.classes.map { number(app.name, $0.name) }
    }
  }

  /// Counts an event that was just decided.
  package func note(_ event: borrowing Event, _ decision: Decision, of instance: InstanceID, app: String, uid: UInt32) {
    let user = user(uid)
    let key = EventKey.of(event, decision, asker: asker(decision, app), seed: seed)
    order &+= 1
    if user.count(key, as: order, event, instance, app) { return }
    guard user.insert(key, as: order, event, instance, app) else { return missed &+= 1 }
    makeRoom(user)
  }

  /// An instance has ended: its events can be judged again when another instance asks them.
  package func orphan(_ instance: InstanceID, uid: UInt32) { users[uid]?.orphan(instance) }

  /// All of them, in the order in which they were asked last.
  package var all: [RememberedEvent] {
    users.values.flatMap(\.remembered).sorted { $0.order < $1.order }
  }

  /// About how much memory they take.
  package var bytes: Int { users.values.reduce(0) { $0 + $1.bytes } }

  private func user(_ uid: UInt32) -> UserEvents {
    if let latest, latest.uid == uid { return latest }
    let user = users[uid] ?? add(uid)
    latest = user
    return user
  }

  private func add(_ uid: UInt32) -> UserEvents {
    if users.count >= Self.maximumUsers, let quietest = users.values.min(by: { $0.order < $1.order }) {
      users[quietest.uid] = nil
    }
    let user = UserEvents(uid: uid)
    users[uid] = user
    return user
  }

  /// A user above his share gives way; when all together have too much, the user with most.
  private func makeRoom(_ user: UserEvents) {
    while user.bytes > limit / 4 { user.shrink() }
    while bytes > limit, let largest = users.values.max(by: { $0.bytes < $1.bytes }) { largest.shrink() }
  }

  private func asker(_ decision: Decision, _ app: String) -> UInt64 {
    guard let index = decision.app, askers.indices.contains(Int(index.place)) else { return number(app, nil) }
    let classes = askers[Int(index.place)]
    let place = decision.viewerClass.map { Int($0.place) + 1 } ?? 0
    return classes.indices.contains(place) ? classes[place] : number(app, nil)
  }

  private func number(_ app: String, _ viewerClass: String?) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(app)
    hasher.combine(viewerClass)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

/// Two events with one key are the same to an administrator: the same app, class of viewer and account ask the same of the
/// same URL, place or program.
///
/// The viewer, the action, the clip's number and the scope are not in it: they differ each time. A secret seed keeps apps
/// from choosing events that share a key.
struct EventKey {
  private var state: UInt64

  private init(seed: UInt64) { state = seed }

  /// The key; never 0.
  static func of(_ event: borrowing Event, _ decision: Decision, asker: UInt64, seed: UInt64) -> UInt64 {
    var key = EventKey(seed: seed)
    key.mix(asker)
    key.mixWho(decision)
    key.mixWords(event)
    key.mixTexts(event)
    return key.state | 1
  }

  private mutating func mixWho(_ decision: Decision) {
    key(decision.identity)
    mix(UInt64(decision.policy?.rawValue ?? .max) << 1 | (decision.flags[.viewerIsUnknown] ? 1 : 0))
  }

  private mutating func key(_ identity: Identity) {
    switch identity {
    case .absent: mix(1)
    case .nobody: mix(2)
    case .account(let id): mix(3 + UInt64(UInt32(bitPattern: id.index)))
    }
  }

  private mutating func mixWords(_ event: borrowing Event) {
    var flags = UInt64(event.kind.rawValue)
    flags = flags << 3 | UInt64(event.frame.rawValue)
    flags = flags << 2 | UInt64(event.hop.rawValue)
    flags = flags << 2 | UInt64(event.gesture.rawValue)
    flags = flags << 2 | UInt64(event.selfOwned.rawValue)
    flags = flags << 1 | (event.isSameDocument ? 1 : 0)
    flags = flags << 1 | (event.opensWindow ? 1 : 0)
    flags = flags << 1 | (event.isCut ? 1 : 0)
    flags = flags << 1 | (event.offersPlainText ? 1 : 0)
    flags = flags << 1 | (event.isInPlace ? 1 : 0)
    if case .none = event.clip { flags <<= 1 } else { flags = flags << 1 | 1 }
    flags = flags << 1 | (event.proposal == nil ? 0 : 1)
    flags = flags << 1 | (event.isChooser ? 1 : 0)
    flags = flags << 1 | UInt64(event.surface.rawValue)
    // The length by its number of digits in binary: exceptions ask whether it is small.
    flags = flags << 7 | UInt64(event.length.map { 64 - UInt64($0).leadingZeroBitCount + 1 } ?? 0)
    mix(flags)
    mix(
      UInt64(event.selection.rawValue) << 32 | UInt64(event.location.rawValue) << 24
        | UInt64(event.channel.rawValue) << 16 | UInt64(event.capture.rawValue) << 8
        | UInt64(event.inspection.rawValue))
  }

  private mutating func mixTexts(_ event: borrowing Event) {
    mix(event.url, of: event)
    mix(event.from, of: event)
    mix(event.method, of: event)
    mix(event.owner, of: event)
    mix(event.locationAccount, of: event)
    mix(event.path, of: event)
    mix(event.peer, of: event)
    mix(event.peerAccount, of: event)
    guard event.hasFileOwner else { return }
    mix(event.origin, of: event)
    mix(event.labelOwner, of: event)
    mix(event.keptOwner, of: event)
  }

  private mutating func mix(_ claim: FileOwnerClaim, of event: borrowing Event) {
    switch claim {
    case .none: mix(0)
    case .unread, .unknown: mix(1)
    case .account(let slot): mix(slot, of: event)
    }
  }

  private mutating func mix(_ slot: TextSlot?, of event: borrowing Event) {
    guard let slot else { return mix(UInt64.max) }
    event.bytes(slot).withUnsafeBytes { bytes in
      mix(UInt64(bytes.count))
      var offset = 0
      while offset + 8 <= bytes.count {
        mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        offset += 8
      }
      var rest: UInt64 = 0
      while offset < bytes.count {
        rest = rest << 8 | UInt64(bytes[offset])
        offset += 1
      }
      mix(rest)
    }
  }

  /// Multiplies to 128 bits and folds: every bit of the input reaches every bit of the key.
  private mutating func mix(_ value: UInt64) {
    let product = (state ^ value).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    state = product.high ^ product.low ^ 0xD6E8_FEB8_6659_FD93
  }
}
