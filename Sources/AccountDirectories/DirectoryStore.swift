package import AccountKeys
internal import Glibc
package import Platform
package import Secrets

/// The directories of accounts on this machine: made, opened and closed by root. A directory is open while its account may
/// work; closed, `cat` fails in it for everybody (design, accounts, section 8; ledger FE-01).
///
///     let store = DirectoryStore(root: "/var/lib/webviewguard-accounts")
///     let place = store.place(of: owner)
///     try store.open(place, by: mark, key: key)     // place.files can be read and written by its user
///     try store.close(place)                        // .closed
///
/// One thread uses it at a time. A crash at any point leaves a directory that `open` makes whole or opens.
///
/// Trap: the person's programs can read the files while the directory is open, and may have copied them elsewhere.
package struct DirectoryStore: Sendable {
  package let root: String
  package var programs = VaultPrograms()

  package init(root: String) { self.root = root }

  package func place(of owner: KeyOwner) -> DirectoryPlace { DirectoryPlace(of: owner, below: root) }

  /// Every directory that was made, and why others cannot be seen.
  package func places() -> (places: [DirectoryPlace], faults: [SystemError]) { DirectoryPlace.all(below: root) }

  package enum State: Sendable, Hashable {
    case absent
    case closed
    case open
  }

  /// How far a directory is closed.
  package enum Closing: Sendable, Hashable {
    case closed
    /// It cannot be opened any more, but programs that have files open can go on with these until they close them.
    case filesStillOpen
  }

  /// By what a directory was made; nil where there is none yet.
  package func mark(of place: DirectoryPlace) throws(DirectoryFault) -> DirectoryMark? {
    guard let status = FileStatus(entry: place.made) else { return nil }
    guard status.kind == .regular, status.isOwn, status.onlyOwnerWrites,
      let text = SmallFile.text(at: place.made, maximum: 512), let mark = DirectoryMark(text)
    else { throw .damaged(path: place.made, reason: "this program did not write it") }
    return mark
  }

  package func state(of place: DirectoryPlace) throws(DirectoryFault) -> State {
    guard let mark = try mark(of: place) else { return .absent }
    return try vault(mark.way).isOpen(place) ? .open : .closed
  }

  /// Opens a directory, and makes it before where there is none.
  ///
  /// - Parameters:
  ///   - mark: the directory's own where it has one.
  ///   - key: 32 bytes, derived for this directory.
  package func open(_ place: DirectoryPlace, by mark: DirectoryMark, key: SecretBytes) throws(DirectoryFault) {
    if let made = try self.mark(of: place) {
      guard made == mark else { throw .wrongKey(path: place.files) }
    } else {
      try prepare(place, mark)
    }
    try vault(mark.way).open(place, key)
  }

  /// Closes a directory, whatever its mark says; nothing happens where none is open.
  @discardableResult
  package func close(_ place: DirectoryPlace) throws(DirectoryFault) -> Closing {
    guard FileStatus(entry: place.area) != nil else { return .closed }
    // A mount first: below it lies what fscrypt would look at.
    _ = try GocryptfsVault(programs: programs).close(place)
    do throws(DirectoryFault) { return try FscryptVault().close(place) } catch {
      if case .unable = error { return .closed }
      throw error
    }
  }

  /// Closes a directory and removes it with everything in it, for good. Its key is destroyed, so nobody can read what a
  /// crash leaves.
  ///
  /// - Returns: the process that removes it, which may take long; nil when there is nothing to remove.
  @discardableResult
  package func remove(_ place: DirectoryPlace) throws(DirectoryFault) -> Int32? {
    try close(place)
    // Under a name that is no account's, where nothing opens it again.
    let gone = "\(place.area).removed.\(String(UInt64.random(in: .min ... .max), radix: 16))"
    do throws(SystemError) { try DirectoryEntry.move(place.area, to: gone) } catch {
      guard error.isAbsence else { throw .system(error) }
      return nil
    }
    // rm follows no link, whatever a program of the user does in the tree meanwhile.
    guard let process = ChildProgram.startTelling(["rm", "-rf", "--one-file-system", "--", gone], "") else {
      throw .program("rm", status: -1)
    }
    return process
  }

  /// The right to open and close directories here, for as long as the lock lives: two programs that follow two daemons, or
  /// one that ends while another begins, would close each other's.
  ///
  /// - Throws: `taken` while another program has it.
  package func lock() throws(DirectoryFault) -> FileLock {
    try RootDirectory.make(root, mode: 0o711)
    do throws(SystemError) { return try FileLock(root + "/keeper.lock") } catch {
      throw error.number == EWOULDBLOCK ? .taken(path: root) : .system(error)
    }
  }

  // MARK: Inside

  private func vault(_ way: DirectoryWay) -> any Vault {
    switch way {
    case .fscrypt: FscryptVault()
    case .gocryptfs: GocryptfsVault(programs: programs)
    }
  }

  /// The directories around it belong to root and can only be entered; then the mark, which comes first.
  private func prepare(_ place: DirectoryPlace, _ mark: DirectoryMark) throws(DirectoryFault) {
    for path in [root, "\(root)/\(place.owner.uid)", place.area] {
      try RootDirectory.make(path, mode: 0o711)
    }
    try system { () throws(SystemError) in
      try SmallFile.replace(place.made, with: Array(mark.text.utf8), mode: 0o600, synced: true)
      try Directory.sync("\(root)/\(place.owner.uid)")
    }
  }
}

/// One way to keep a directory.
protocol Vault {
  func isOpen(_ place: DirectoryPlace) throws(DirectoryFault) -> Bool
  /// Makes the directory whole where it is not.
  func open(_ place: DirectoryPlace, _ key: SecretBytes) throws(DirectoryFault)
}

/// Directories that only root can change.
enum RootDirectory {
  /// Makes a directory, or takes the one that is there, if nobody else can change it.
  static func make(_ path: String, mode: UInt32, owner: UInt32 = geteuid()) throws(DirectoryFault) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system(SystemError("make directory", path)) }
    guard let status = FileStatus(entry: path) else { throw .system(SystemError("make directory", path)) }
    guard status.kind == .directory, status.isOwn || status.owner == owner, status.onlyOwnerWrites else {
      throw .damaged(path: path, reason: "others than root can change it")
    }
    guard chmod(path, mode) == 0, lchown(path, owner, group(of: owner)) == 0 else {
      throw .system(SystemError("change", path))
    }
  }

  /// The user's own group, else the one that keeps nobody else in.
  static func group(of uid: UInt32) -> UInt32 { uid == geteuid() ? getegid() : Users.gid(ofUser: uid) ?? 65_534 }
}

func system<Result>(_ body: () throws(SystemError) -> Result) throws(DirectoryFault) -> Result {
  do throws(SystemError) { return try body() } catch { throw .system(error) }
}
