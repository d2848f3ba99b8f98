internal import CFiles
internal import Glibc

/// Removes everything beneath an open directory, for a user whose programs may work against it.
///
/// - Everything goes by descriptors and single names, so paths have no longest length.
/// - No link is followed, no mount is crossed, nothing of another user is removed.
/// - Memory is bounded: 64 directories are open with a piece of their list; of those above them only name and identity
///   are kept, and they are opened again by `..`.
/// - A directory is left for another round where a program changed it meanwhile.
///
/// The attack: a program moves a directory that is being emptied to another place, and what shall go missing into it. The
/// fence of the thread (`fence_thread`) stops that: the kernel asks at each removal where the directory lies now.
struct TreeRemoval: ~Copyable {
  private let base: Int32
  private let owner: UInt32
  private let limits: RemovalLimits
  /// Where the base lies, and what it is.
  private let device: UInt64
  private let mount: UInt64
  private var levels: [Level] = []
  private var tally = RemovalTally()
  private var looked = 0
  /// This round removed something.
  private var hasProgress = false
  /// Something was missed in this round, which another round may find.
  private var isChanged = false

  /// Directories that are open at one time.
  private static let mostOpen = 64

  /// - Parameter base: open for listing; it stays open.
  init?(base: Int32, owner: UInt32, limits: RemovalLimits) {
    var facts = entry_facts()
    guard look_at_entry(base, "", &facts) == 0 else { return nil }
    (self.base, self.owner, self.limits) = (base, owner, limits)
    (device, mount) = (facts.device, facts.mount)
  }

  /// Removes, in as many rounds as it takes. Call it once, in a thread with a fence around the base.
  consuming func run() -> RemovalTally {
    for _ in 0..<limits.rounds {
      tally.kept = [:]
      (hasProgress, isChanged) = (false, false)
      goThrough()
      // A round that removed nothing finds nothing in the next either.
      guard isChanged, hasProgress, looked < limits.entries else { break }
    }
    return tally
  }

  private mutating func goThrough() {
    guard lseek(base, 0, SEEK_SET) == 0 else { return tally.keep(.failed) }
    levels = [Level(descriptor: base, device: device, number: 0, name: [])]
    while !levels.isEmpty {
      guard let entry = nextEntry() else {
        leave()
        continue
      }
      looked += 1
      guard looked <= limits.entries else {
        tally.keep(.tooMany)
        return abandon()
      }
      remove(entry)
    }
  }

  // MARK: Entries

  /// The next name in the innermost directory, with a NUL at its end; nil at the end of its list.
  private mutating func nextEntry() -> [UInt8]? {
    let last = levels.count - 1
    while true {
      while let name = levels[last].takeName() {
        if name != Level.this, name != Level.parent { return name }
      }
      guard levels[last].list() else { return nil }
    }
  }

  private mutating func remove(_ name: [UInt8]) {
    let directory = levels[levels.count - 1].descriptor
    var facts = entry_facts()
    guard name.withCString({ look_at_entry(directory, $0, &facts) }) == 0 else { return failed(errno, facts) }
    guard facts.owner == owner else { return keep(.otherOwner) }
    guard !facts.is_mount_point, facts.mount == mount else { return keep(.otherFileSystem) }
    if facts.is_directory { return enter(name, facts) }
    guard name.withCString({ unlinkat(directory, $0, 0) }) == 0 else { return failed(errno, facts) }
    countRemoved()
    if facts.names > 1 { tally.linked += 1 }
  }

  private mutating func countRemoved() {
    tally.removed += 1
    hasProgress = true
  }

  private mutating func keep(_ reason: KeptReason) {
    tally.keep(reason)
    levels[levels.count - 1].hasKept = true
  }

  /// An entry could not be removed.
  private mutating func failed(_ error: Int32, _ facts: entry_facts) {
    switch error {
    case ENOENT: break  // Somebody else removed or moved it.
    case EISDIR, ENOTDIR, ELOOP, EAGAIN: changed(.filledAgain)  // It is another entry by now.
    case ENOTEMPTY, EEXIST: changed(.filledAgain)
    case EXDEV, EBUSY: keep(.otherFileSystem)
    case EROFS: keep(.readOnly)
    case EPERM, EACCES: keep(facts.is_immutable || isImmutableHere ? .immutable : .denied)
    default: keep(.failed)
    }
  }

  private mutating func changed(_ reason: KeptReason) {
    isChanged = true
    keep(reason)
  }

  private var isImmutableHere: Bool {
    var facts = entry_facts()
    return look_at_entry(levels[levels.count - 1].descriptor, "", &facts) == 0 && facts.is_immutable
  }

  // MARK: Directories

  private mutating func enter(_ name: [UInt8], _ facts: entry_facts) {
    // A file system may have several devices, such as subvolumes.
    guard facts.device == device else { return keep(.otherFileSystem) }
    guard levels.count <= limits.depth else { return keep(.tooDeep) }
    let descriptor = OwnedDirectory.open(levels[levels.count - 1].descriptor, name, facts)
    guard descriptor >= 0 else { return failed(errno, facts) }
    // It may be another one than the one that was looked at.
    var opened = entry_facts()
    guard look_at_entry(descriptor, "", &opened) == 0, opened.owner == owner, opened.device == device else {
      close(descriptor)
      return changed(.moved)
    }
    let folded = levels.count - Self.mostOpen
    if folded > 0 { levels[folded].fold() }
    levels.append(Level(descriptor: descriptor, device: opened.device, number: opened.number, name: name))
  }

  /// Goes back from a directory whose list is at its end, and removes it.
  private mutating func leave() {
    let child = levels.removeLast()
    guard !levels.isEmpty else { return }
    let last = levels.count - 1
    let isOpen = levels[last].unfold(from: child.descriptor)
    close(child.descriptor)
    guard isOpen else {
      // Its parent is another one by now: everything else is found in the next round.
      isChanged = true
      tally.keep(.moved)
      return abandon()
    }
    guard !child.hasKept else {
      levels[last].hasKept = true
      return
    }
    if child.name.withCString({ unlinkat(levels[last].descriptor, $0, AT_REMOVEDIR) }) == 0 {
      countRemoved()
    } else {
      failed(errno, entry_facts())
    }
  }

  /// Ends the round where it is.
  private mutating func abandon() {
    for level in levels.dropFirst() where level.descriptor >= 0 { close(level.descriptor) }
    levels = []
  }
}

/// Opens a directory of this user beneath another one, and makes it its owner's to change where it is not: programs make
/// read-only directories, and nothing may hide in one.
enum OwnedDirectory {
  /// - Parameter name: with a NUL at its end.
  /// - Returns: a descriptor for listing, or -1 with an `errno`.
  static func open(_ directory: Int32, _ name: [UInt8], _ facts: entry_facts) -> Int32 {
    if facts.mode & 0o700 != 0o700 {
      let found = name.withCString { open_beneath(directory, $0, 0) }
      guard found >= 0 else { return -1 }
      // Where it fails, opening or removing fails too, and says why.
      _ = open_to_owner(found, facts.mode)
      close(found)
    }
    return name.withCString { open_beneath(directory, $0, Int32(OPEN_DIRECTORY)) }
  }
}

/// A directory on the way to the innermost one.
private struct Level {
  /// -1 while it is folded.
  private(set) var descriptor: Int32
  private let device: UInt64
  private let number: UInt64
  /// Its name in the one above it, with a NUL at its end.
  let name: [UInt8]
  /// Something in it stayed.
  var hasKept = false
  /// A piece of its list.
  private var listed: [UInt8] = []
  private var place = 0
  /// Where its list goes on behind the latest name, for `lseek`.
  private var next: Int64 = 0

  static let this = [UInt8(ascii: "."), 0]
  static let parent = [UInt8(ascii: "."), UInt8(ascii: "."), 0]
  /// Some hundred names.
  private static let pieceBytes = 32_768

  init(descriptor: Int32, device: UInt64, number: UInt64, name: [UInt8]) {
    (self.descriptor, self.device, self.number, self.name) = (descriptor, device, number, name)
  }

  /// The next name of the piece, with a NUL at its end.
  mutating func takeName() -> [UInt8]? {
    guard place < listed.count else { return nil }
    var entry = listed_entry()
    let isWhole = listed.withUnsafeBytes { bytes in
      bytes.baseAddress.map { read_entry($0 + place, bytes.count - place, &entry) } ?? false
    }
    guard isWhole else {
      place = listed.count
      return nil
    }
    let start = place + Int(entry.name_start)
    let end = listed[start...].firstIndex(of: 0) ?? start
    place += Int(entry.length)
    next = entry.next
    return Array(listed[start...end])
  }

  /// Fills the piece with the next part of the list; false at its end.
  mutating func list() -> Bool {
    let descriptor = descriptor
    listed = [UInt8](unsafeUninitializedCapacity: Self.pieceBytes) { room, count in
      count = max(0, list_entries(descriptor, room.baseAddress, room.count))
    }
    place = 0
    return !listed.isEmpty
  }

  /// Closes it, and forgets the piece.
  mutating func fold() {
    guard descriptor >= 0 else { return }
    close(descriptor)
    descriptor = -1
    (listed, place) = ([], 0)
  }

  /// Opens it again, where it is folded, as the directory that its child lies in; false when that is another one.
  mutating func unfold(from child: Int32) -> Bool {
    guard descriptor < 0 else { return true }
    let found = open_parent(child, Int32(OPEN_DIRECTORY))
    guard found >= 0 else { return false }
    var facts = entry_facts()
    let isSame = look_at_entry(found, "", &facts) == 0 && facts.device == device && facts.number == number
    guard isSame, lseek(found, off_t(next), SEEK_SET) >= 0 else {
      close(found)
      return false
    }
    descriptor = found
    return true
  }
}

extension [UInt8] {
  /// The bytes as a C string; a NUL stands at their end.
  func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { $0.baseAddress.map(body) } ?? body("")
    }
  }
}
