internal import CFiles
internal import Glibc
package import GuardModel
internal import Platform

/// The removal of one directory of an account, with everything in it.
///
///     let outcome = DirectoryRemoval(owner: 1000, home: "/home/ada")
///       .remove("/home/ada/.local/share/contoso/work@contoso.com")
///     // .done(RemovalTally(removed: 214, kept: [:], linked: 0))
///
/// It works as the calling user, who must be the owner, and reads no file. What it removes lies in the directory at the
/// moment of the removal; links, mounts, files of others and everything outside stay, whatever a hostile program of the
/// same user does meanwhile (``TreeRemoval``).
///
/// Trap: the programs of the user may end this one, or make files later. It is no proof against them.
///
/// Source: design, accounts, section 6; openat2(2); landlock(7); ledger WP-02, WP-03.
package struct DirectoryRemoval: Sendable {
  package var owner: UInt32
  /// Of the owner, as the system's database of users has it.
  package var home: String
  package var limits = RemovalLimits()

  package init(owner: UInt32, home: String) {
    (self.owner, self.home) = (owner, home)
  }

  /// The end of a removal.
  package enum Outcome: Sendable, Hashable {
    /// Nothing is there: it was removed before, or never made.
    case absent
    /// Nothing was removed.
    case refused(RemovalRefusal)
    /// Whether anything stayed, the counts tell.
    case done(RemovalTally)
  }

  /// Goes through a directory that is not empty after a round without a reason this often: a file system may leave out
  /// names of a list while others go.
  private static let attempts = 4

  /// Removes a directory. It blocks until the end.
  package func remove(_ path: String) -> Outcome {
    if let fault = RemovablePath.fault(path, home: home) { return .refused(.path(fault)) }
    do throws(RemovalRefusal) {
      let place = try RemovedPlace.found(path, home: home, owner: owner)
      var tally = RemovalTally()
      for _ in 0..<Self.attempts {
        let (linked, removed) = (tally.linked, tally.removed)
        tally = try FencedRemoval.run(place.directory, owner: owner, limits: limits)
        tally.linked += linked
        tally.removed += removed
        guard tally.keptInAll == 0 else { break }
        guard let reason = place.removeEmpty() else {
          tally.removed += 1
          break
        }
        tally.keep(reason)
        guard reason == .filledAgain else { break }
      }
      return .done(tally)
    } catch .absent {
      return .absent
    } catch {
      return .refused(error)
    }
  }
}

/// Why a directory was not touched.
package enum RemovalRefusal: Error, Sendable, Hashable {
  case path(RemovablePath.Fault)
  /// A link lies on the way to it, or it is one.
  case link
  /// A mount lies between it and the home, or it is one.
  case mount
  case noDirectory
  case otherOwner(UInt32)
  /// It is the home, or the home lies in it, by another name.
  case home
  /// The kernel has no Landlock, without which nobody stops a program that moves directories meanwhile.
  case noFence(String)
  /// The words of the system.
  case system(String)
  /// Nothing is there. Never told: the outcome is `absent`.
  case absent

  /// Words for people, to stand behind the path.
  package var words: String {
    switch self {
    case .path(let fault): fault.words
    case .link: "has a link on its way"
    case .mount: "has a mount on its way, or is one"
    case .noDirectory: "is no directory"
    case .otherOwner(let uid): "belongs to uid \(uid)"
    case .home: "is a home, or has one in it"
    case .noFence(let words): "cannot be fenced off by the kernel (Landlock): \(words)"
    case .system(let words): "cannot be opened: \(words)"
    case .absent: "is not there"
    }
  }

  fileprivate init(_ error: Int32) {
    switch error {
    case ENOENT: self = .absent
    case ELOOP: self = .link
    case EXDEV: self = .mount
    case ENOTDIR: self = .noDirectory
    default: self = .system(SystemWords.text(error))
    }
  }
}

/// A directory that was found and judged, with the one that it lies in.
private struct RemovedPlace: ~Copyable {
  private let parent: Int32
  /// Open for listing.
  let directory: Int32
  /// In its parent, with a NUL at its end.
  private let name: [UInt8]
  private let facts: entry_facts

  /// Below the home no link and no mount may lie on the way; the way to the home is the system's own. Outside the home
  /// no link may.
  static func found(_ path: String, home: String, owner: UInt32) throws(RemovalRefusal) -> RemovedPlace {
    let (start, rest) = split(path, home)
    let anchor = open_place(start)
    guard anchor >= 0 else { throw RemovalRefusal(errno) }
    defer { close(anchor) }
    let slash = rest.lastIndex(of: "/")
    let way = slash.map { String(rest[..<$0]) } ?? "."
    let name = Array((slash.map { rest[rest.index(after: $0)...] } ?? rest[...]).utf8) + [0]
    let parent = open_beneath(anchor, way, start == "/" ? Int32(OPEN_MAY_CROSS) : 0)
    guard parent >= 0 else { throw RemovalRefusal(errno) }
    do throws(RemovalRefusal) {
      let (directory, facts) = try judged(parent, name, home: home, owner: owner)
      return RemovedPlace(parent: parent, directory: directory, name: name, facts: facts)
    } catch {
      close(parent)
      throw error
    }
  }

  private init(parent: Int32, directory: Int32, name: [UInt8], facts: entry_facts) {
    (self.parent, self.directory, self.name, self.facts) = (parent, directory, name, facts)
  }

  deinit {
    close(directory)
    close(parent)
  }

  /// The home and the path below it; `/` for a path that is not below it.
  private static func split(_ path: String, _ home: String) -> (start: String, rest: String) {
    let below = home + "/"
    guard home.utf8.count > 1, path.utf8.starts(with: below.utf8) else { return ("/", String(path.dropFirst())) }
    return (home, String(decoding: path.utf8.dropFirst(below.utf8.count), as: UTF8.self))
  }

  private static func judged(
    _ parent: Int32, _ name: [UInt8], home: String, owner: UInt32
  ) throws(RemovalRefusal) -> (Int32, entry_facts) {
    var facts = entry_facts()
    guard name.withCString({ look_at_entry(parent, $0, &facts) }) == 0 else { throw RemovalRefusal(errno) }
    // A mount belongs to the user who made it: this goes first.
    guard !facts.is_mount_point else { throw .mount }
    guard facts.owner == owner else { throw .otherOwner(facts.owner) }
    let directory =
      facts.is_directory
      ? OwnedDirectory.open(parent, name, facts)
      : name.withCString { open_beneath(parent, $0, Int32(OPEN_DIRECTORY)) }
    guard directory >= 0 else { throw RemovalRefusal(errno) }
    guard look_at_entry(directory, "", &facts) == 0, facts.owner == owner, !isAbove(facts, home) else {
      close(directory)
      throw .home
    }
    return (directory, facts)
  }

  /// Whether a directory is the home, or one that the home lies in, whatever its path is: a home may have two.
  private static func isAbove(_ facts: entry_facts, _ home: String) -> Bool {
    var place = open_place(home)
    defer { close(place) }
    var own = entry_facts()
    while place >= 0, look_at_entry(place, "", &own) == 0 {
      if own.device == facts.device, own.number == facts.number { return true }
      let above = open_parent(place, 0)
      var next = entry_facts()
      // The root is its own parent.
      let isFound = above >= 0 && look_at_entry(above, "", &next) == 0
      guard isFound, next.number != own.number || next.mount != own.mount else {
        close(above)
        return false
      }
      close(place)
      place = above
    }
    return false
  }

  /// Removes the directory itself if it is empty; otherwise, why it stayed.
  func removeEmpty() -> KeptReason? {
    var now = entry_facts()
    guard name.withCString({ look_at_entry(parent, $0, &now) }) == 0, now.device == facts.device,
      now.number == facts.number
    else { return .moved }
    guard name.withCString({ unlinkat(parent, $0, AT_REMOVEDIR) }) != 0 else { return nil }
    switch errno {
    case ENOTEMPTY, EEXIST: return .filledAgain
    case EROFS: return .readOnly
    case EACCES, EPERM: return .denied
    case EBUSY: return .otherFileSystem
    default: return .failed
    }
  }
}

/// A removal in a thread of its own, which the kernel lets change nothing outside a directory.
private enum FencedRemoval {
  private final class Work {
    let base: Int32
    let owner: UInt32
    let limits: RemovalLimits
    var result: Result<RemovalTally, RemovalRefusal> = .failure(.noFence("no thread"))

    init(_ base: Int32, _ owner: UInt32, _ limits: RemovalLimits) {
      (self.base, self.owner, self.limits) = (base, owner, limits)
    }

    func run() {
      guard fence_thread(base) == 0 else { return result = .failure(.noFence(SystemWords.last)) }
      guard let removal = TreeRemoval(base: base, owner: owner, limits: limits) else {
        return result = .failure(.system(SystemWords.last))
      }
      result = .success(removal.run())
    }
  }

  static func run(_ base: Int32, owner: UInt32, limits: RemovalLimits) throws(RemovalRefusal) -> RemovalTally {
    let work = Work(base, owner, limits)
    let context = Unmanaged.passRetained(work)
    defer { context.release() }
    let error = run_in_thread(
      { context in
        context.map { Unmanaged<Work>.fromOpaque($0).takeUnretainedValue().run() }
      }, context.toOpaque())
    guard error == 0 else { throw .noFence(SystemWords.text(error)) }
    return try work.result.get()
  }
}
