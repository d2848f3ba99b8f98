package import GuardModel
package import PolicyEngine

/// Distinct events that were asked lately, kept in memory and as they were asked: what a preview of another policy judges.
///
///     let recent = RecentEvents(at: now)
///     recent.note(event, decision, of: instance, app: "com.contoso.portal", uid: 1000)
///     recent.all.first?.count    // 1
///
/// An event that is known costs the path to a decision a look into a table and a counter. Bounded in bytes, with a share
/// for each user: whoever floods it pushes out what is his own.
///
/// It has whole URLs, which the log may not have. They never leave the memory; what a preview tells is redacted.
package final class RecentEvents {
  /// Since when, in milliseconds since 1970.
  package let since: UInt64
  /// Questions that were not remembered: too long, or too many new ones in a second.
  package private(set) var missed: UInt64 = 0
  private var users: [UInt32: UserEvents] = [:]
  /// Who asked last asks next.
  @exclusivity(unchecked) private var latest: UserEvents?
  /// What stands for each class of each app in keys, by their indices in the snapshot; it outlives reloads.
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
    if user.count(key, at: event.time, event, instance, app) { return }
    guard user.insert(key, at: event.time, event, instance, app) else { return missed &+= 1 }
    makeRoom(user)
  }

  /// An instance has ended: what it asked can be judged again when another one asks it.
  package func orphan(_ instance: InstanceID, uid: UInt32) { users[uid]?.orphan(instance) }

  /// All of them, in the order in which they were asked last.
  package var all: [RememberedEvent] {
    users.values.flatMap(\.remembered).sorted { ($0.last, $0.uid) < ($1.last, $1.uid) }
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
    if users.count >= Self.maximumUsers, let quietest = users.values.min(by: { $0.last < $1.last }) {
      users[quietest.uid] = nil
    }
    let user = UserEvents(uid: uid)
    users[uid] = user
    return user
  }

  /// Who is above his share gives way; when all together have too much, who has most.
  private func makeRoom(_ user: UserEvents) {
    while user.bytes > limit / 4 { user.shrink() }
    while bytes > limit, let largest = users.values.max(by: { $0.bytes < $1.bytes }) { largest.shrink() }
  }

  private func asker(_ decision: Decision, _ app: String) -> UInt64 {
    guard let index = decision.app, askers.indices.contains(Int(index)) else { return number(app, nil) }
    let classes = askers[Int(index)]
    let place = decision.viewerClass.map { Int($0) + 1 } ?? 0
    return classes.indices.contains(place) ? classes[place] : number(app, nil)
  }

  private func number(_ app: String, _ viewerClass: String?) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(app)
    hasher.combine(viewerClass)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}
