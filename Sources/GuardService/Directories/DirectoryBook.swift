internal import AccountKeys
internal import GuardModel

/// The directories of accounts that apps asked for, and the one program that opens and closes them. It forgets both with the
/// daemon: the keeper tells the next daemon which directories are open.
struct DirectoryBook {
  /// A directory that an app asked for and that has to be open.
  struct Wish: Sendable, Hashable {
    /// The account as the policy spells it, and all its names in lower case.
    var account: String
    var names: [String]
    /// The account under its other ids: of other names, or by which it once had keys.
    var formers: [KeyOwner]
    var way: FileEncryption
    var state = AccountDirectoryState.opening
    var path: String?
    var problem: String?
    /// Milliseconds of the machine's running time since which the person has no program here; nil while there is one.
    var unusedSince: UInt64?
  }

  /// The connection on which the keeper hears of changes; nil while none is there.
  private(set) var keeper: Connection?
  /// How the keeper's machine can keep directories.
  private(set) var ways: Set<FileEncryption> = []
  private(set) var wishes: [KeyOwner: Wish] = [:]
  /// The keeper has not heard of the latest change.
  private(set) var isStale = false

  /// Maximum directories of one person.
  static let most = 64
  /// A person without a program has no use for a directory: so long programs may be started anew meanwhile.
  static let patience: UInt64 = 60_000

  mutating func take(keeper: Connection, ways: Set<FileEncryption>) {
    (self.keeper, self.ways, isStale) = (keeper, ways, true)
  }

  /// The keeper closes what nobody wants any longer by itself, and tells the next daemon what is open.
  mutating func loseKeeper() {
    keeper = nil
    for owner in wishes.keys {
      wishes[owner]?.state = .failed
      wishes[owner]?.problem = Self.noKeeper
    }
  }

  static let noKeeper = "no program that opens directories runs: start webviewguard-directories.service"

  mutating func takeStale() -> Bool {
    defer { isStale = false }
    return isStale
  }

  /// An app asked for a directory, or it is open from before.
  ///
  /// - Returns: false when the person has too many.
  mutating func add(_ wish: Wish, of owner: KeyOwner) -> Bool {
    guard wishes[owner] != nil || wishes.keys.count(where: { $0.uid == owner.uid }) < Self.most else { return false }
    wishes[owner] = wish
    isStale = true
    return true
  }

  mutating func remove(_ owner: KeyOwner) {
    if wishes.removeValue(forKey: owner) != nil { isStale = true }
  }

  /// The keeper says what became of a directory; nothing for one that nobody wants any longer.
  mutating func note(_ state: AccountDirectoryState, of owner: KeyOwner, path: String?, problem: String?) {
    guard var wish = wishes[owner] else { return }
    (wish.state, wish.problem) = (state == .none ? .opening : state, state == .failed ? problem : nil)
    wish.path = path ?? wish.path
    wishes[owner] = wish
  }

  /// Counts how long the person has no program; true when that is too long.
  mutating func isUnused(_ owner: KeyOwner, hasPrograms: Bool, at time: UInt64) -> Bool {
    guard let since = wishes[owner]?.unusedSince, !hasPrograms else {
      wishes[owner]?.unusedSince = hasPrograms ? nil : time
      return false
    }
    return time >= since + Self.patience
  }
}
