package import AccountKeys
internal import Bytes
internal import PolicyEngine

/// The things that the daemon knows of account keys beside the keys: whose they are by name, which apps use them, and which
/// have to be destroyed. The next daemon has it from the marks of the state file. There is no part of a key in it.
///
/// A header names an account by its id, from which no name can be computed: the book has the names. It is told which apps
/// took keys so that the wipe of one app leaves the data of the others readable.
package struct KeyBook: Sendable {
  /// An account that has or had keys.
  package struct Holder: Sendable, Hashable {
    /// All names that the account had when a key was last given, in lower case.
    package var names: [String]
    /// The apps that got keys of it, and whose data was not removed since.
    package var apps: Set<String>
  }

  /// A destruction that has not been carried out.
  package struct Owed: Sendable, Hashable {
    /// When it was ordered or tried last, in milliseconds since 1970: an old one comes out of a backup.
    package var time: UInt64
    /// Number of the set of changes by which the next daemon knows of it; nil until one is to have it. Nothing is destroyed
    /// before.
    package var set: UInt64?
  }

  /// The accounts that have or had keys.
  package private(set) var holders: [KeyOwner: Holder] = [:]
  /// The ids among them of each person: what one asks looks at nobody else's accounts.
  private var ids: [UInt32: Set<KeyOwner>] = [:]
  /// The destructions that are due.
  package private(set) var owed: [KeyOwner: Owed] = [:]
  /// Marks to be written, by name; an empty one goes.
  private var changes: [String: String] = [:]

  /// The marks that the state file has to get, since the last call.
  package mutating func takeChanges() -> [String: String] {
    defer { changes = [:] }
    return changes
  }

  // MARK: Use

  /// An app got a key of the account.
  package mutating func note(_ names: [String], of owner: KeyOwner, by app: String) {
    var holder = holders[owner] ?? Holder(names: [], apps: [])
    (holder.names, holder.apps) = (names, holder.apps.union([app]))
    guard holder != holders[owner] else { return }
    set(holder, of: owner)
  }

  /// Data of the account got a label, which names it by its id as headers do. No app has a key by that.
  ///
  /// - Returns: false when the person has too many accounts in the book.
  mutating func note(_ names: [String], of owner: KeyOwner, most: Int) -> Bool {
    let known = holders[owner]
    guard known?.names != names else { return true }
    guard known != nil || ids[owner.uid]?.count ?? 0 < most else { return false }
    set(Holder(names: names, apps: known?.apps ?? []), of: owner)
    return true
  }

  /// The accounts of a person that have, or had, one of these names.
  package func owners(of person: UInt32, named names: [String]) -> Set<KeyOwner> {
    let known = (ids[person] ?? []).filter { !(holders[$0]?.names ?? []).allSatisfy { !names.contains($0) } }
    return Set(names.map { KeyOwner(uid: person, account: AccountTag(foldedName: $0)) }).union(known)
  }

  // MARK: Destruction

  /// A wipe reached an app, or all of them (nil): what the account's key sealed there may go.
  package mutating func endUse(of owners: Set<KeyOwner>, by app: String?) {
    for owner in owners {
      guard var holder = holders[owner] else { continue }
      if let app { holder.apps.remove(app) } else { holder.apps = [] }
      if holder != holders[owner] { set(holder, of: owner) }
    }
  }

  /// Orders a destruction.
  ///
  /// - Returns: false when other apps use the keys, which stay.
  package mutating func owe(_ owners: Set<KeyOwner>, at time: UInt64) -> Bool {
    guard owners.allSatisfy({ holders[$0]?.apps.isEmpty ?? true }) else { return false }
    for owner in owners { set(Owed(time: time), of: owner) }
    return true
  }

  /// The state file has the new destructions from this set on.
  package mutating func keep(in set: UInt64) {
    for owner in owed.keys where owed[owner]?.set == nil { owed[owner]?.set = set }
  }

  /// It was tried and failed: it is not old.
  package mutating func noteAttempt(_ owners: Set<KeyOwner>, at time: UInt64) {
    for owner in owners where owed[owner] != nil { set(Owed(time: time, set: owed[owner]?.set), of: owner) }
  }

  /// It is done: nothing of these accounts is known any longer.
  package mutating func noteDestroyed(_ owners: Set<KeyOwner>) {
    for owner in owners {
      owed[owner] = nil
      keep(nil, of: owner)
      changes[Self.name(Self.destruction, owner)] = ""
      changes[Self.name(Self.holder, owner)] = ""
    }
  }

  private mutating func keep(_ holder: Holder?, of owner: KeyOwner) {
    holders[owner] = holder
    if holder != nil { ids[owner.uid, default: []].insert(owner) } else { ids[owner.uid]?.remove(owner) }
  }

  private mutating func set(_ holder: Holder, of owner: KeyOwner) {
    keep(holder, of: owner)
    let text = [holder.names, holder.apps.sorted()].map { String(lowerCaseHex: AccountNames.bytes($0).span) }
    changes[Self.name(Self.holder, owner)] = text.joined(separator: " ")
  }

  private mutating func set(_ destruction: Owed, of owner: KeyOwner) {
    owed[owner] = destruction
    changes[Self.name(Self.destruction, owner)] = String(destruction.time)
  }

  // MARK: Marks

  private static let holder = "key"
  private static let destruction = "keyDestruction"

  /// `key.1000.2bb54003f51bb9c73f499e5146dc639c`
  private static func name(_ kind: String, _ owner: KeyOwner) -> String {
    "\(kind).\(owner.uid).\(owner.account.value.hex)"
  }

  /// Of a machine without keys.
  package init() {}

  /// Takes up the marks of an earlier daemon. A destruction that was ordered long ago, or will be, comes out of a backup:
  /// it was carried out since, and what came after it stays.
  package init(marks: [String: String], at time: UInt64) {
    for (name, text) in marks {
      let parts = name.split(separator: ".")
      guard parts.count == 3, let uid = UInt32(parts[1]), let tag = SixteenBytes(hex: String(parts[2])) else {
        continue
      }
      let owner = KeyOwner(uid: uid, account: AccountTag(tag))
      if parts[0] == Self.holder { keep(Self.holder(text), of: owner) }
      guard parts[0] == Self.destruction else { continue }
      if let ordered = UInt64(text), ordered <= time + 60_000, ordered + KeptWipes.oldest >= time {
        owed[owner] = Owed(time: ordered, set: 0)
      } else {
        changes[name] = ""
      }
    }
  }

  private static func holder(_ text: String) -> Holder? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false).map { Self.texts(String($0)) }
    guard parts.count == 2, let names = parts[0], let apps = parts[1], !names.isEmpty else { return nil }
    return Holder(names: names, apps: Set(apps))
  }

  private static func texts(_ hex: String) -> [String]? {
    guard !hex.isEmpty else { return [] }
    return [UInt8](lowerCaseHex: hex.utf8.span).flatMap { AccountNames.names($0) }
  }
}
