internal import DecisionLog
internal import Glibc
internal import Platform
internal import PolicyFiles

/// Checks that only trusted users can have written a file or directory that the daemon relies on: root and the user it
/// runs as.
///
///     let check = PlaceCheck()
///     check.finding(at: "/var/log/webviewguard", .directory)?.description
///     // `/var/log/webviewguard` has mode 0777, so others may write it; run `chmod o-w /var/log/webviewguard`
///
/// Another user who may write a policy makes the policy; one who may write the log makes the history. A group may write
/// only if it is the daemon's own and the daemon is not root: the private group of a user. An access list that names
/// further writers shows in the group's bits, and counts as them.
package struct PlaceCheck: Sendable {
  /// The user that the daemon runs as, or will.
  package var uid: UInt32
  /// That user's primary group.
  package var gid: UInt32

  /// The purpose of the place.
  package enum Kind: Sendable, Hashable, CaseIterable {
    case directory
    case file
    /// A file that only its owner may read.
    case secret
  }

  /// The checks of a daemon that runs as that user; as the caller unless another is given.
  package init(uid: UInt32 = geteuid(), gid: UInt32 = getegid()) {
    self.uid = uid
    self.gid = gid
  }

  /// The fault of a place, after symbolic links; nil when it has none, or nothing is there.
  package func finding(at path: String, _ kind: Kind) -> PlaceFinding? {
    guard let status = FileStatus(path) else { return nil }
    if let expected = Self.mismatch(status, kind) {
      return PlaceFinding(path: path, problem: "is no \(expected)", remedy: "move it away")
    }
    return ownerFinding(path, status) ?? modeFinding(path, status, kind)
  }

  /// The same of a file that was looked at already, of any kind.
  func finding(at path: String, _ status: FileStatus) -> PlaceFinding? {
    ownerFinding(path, status) ?? modeFinding(path, status, .file)
  }

  private func ownerFinding(_ path: String, _ status: FileStatus) -> PlaceFinding? {
    guard status.owner != 0, status.owner != uid else { return nil }
    return PlaceFinding(
      path: path, problem: "belongs to uid \(status.owner), who could change it", remedy: "run `chown \(uid) \(path)`")
  }

  private static func mismatch(_ status: FileStatus, _ kind: Kind) -> String? {
    if kind == .directory { return status.kind == .directory ? nil : "directory" }
    return status.kind == .regular ? nil : "regular file"
  }

  private func modeFinding(_ path: String, _ status: FileStatus, _ kind: Kind) -> PlaceFinding? {
    let mode = Self.octal(status.mode)
    if kind == .secret, status.mode & 0o077 != 0 {
      return PlaceFinding(
        path: path, problem: "has mode \(mode), but it is a secret", remedy: "run `chmod 0600 \(path)`")
    }
    let isOthers = status.mode & 0o002 != 0
    let isGroups = status.mode & 0o020 != 0 && !isOurs(status)
    guard isOthers || isGroups else { return nil }
    let who = isOthers ? (isGroups ? "its group and others" : "others") : "its group"
    let bits = (isGroups ? "g" : "") + (isOthers ? "o" : "")
    return PlaceFinding(
      path: path, problem: "has mode \(mode), so \(who) may write it", remedy: "run `chmod \(bits)-w \(path)`")
  }

  /// A group that holds only the daemon's own user, as far as the system's custom goes.
  private func isOurs(_ status: FileStatus) -> Bool { uid != 0 && status.group == gid }

  /// A mode as `chmod` takes it: `0640`.
  package static func octal(_ mode: UInt32) -> String {
    let digits = String(mode & 0o7777, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }
}

/// A place that others may have written, and how to mend it.
package struct PlaceFinding: Sendable, Hashable, CustomStringConvertible {
  package var path: String
  /// The fault, to stand behind the path.
  package var problem: String
  /// The remedy.
  package var remedy: String

  package var description: String { "`\(path)` \(problem); \(remedy)" }
}

extension PlaceCheck {
  /// Faults of the log: the way to its directory, that, its files and the key of its pseudonyms. Missing files are
  /// well.
  package func logFindings(in directory: String) -> [PlaceFinding] {
    let names = Self.names(in: directory).filter(LogNames.isLog)
    let files = names.map { finding(at: directory + "/" + $0, .file) }
    let key = finding(at: directory + "/" + LogNames.key, .secret)
    return way(to: directory) + (files + [key]).compactMap(\.self)
  }

  /// Faults of the state directory. `StatePlace` checks the file in it: it sets a doubtful one aside.
  package func stateFindings(in directory: String) -> [PlaceFinding] {
    way(to: directory)
  }

  /// Faults of a configuration: of each file that was read, link targets included, and of the directories that they lie
  /// in and those above them: a user who may write those may put another file in its place.
  package func configurationFindings(roots: [String], files: [String]) -> [PlaceFinding] {
    var directories = Set(roots)
    for root in roots {
      let base = root.hasSuffix("/") ? String(root.dropLast()) : root
      directories.formUnion(["policy.d", "rules"].map { base + "/" + $0 })
    }
    for file in files { directories.formUnion(Self.directories(of: file, below: roots)) }
    let all = directories.sorted().map { finding(at: $0, .directory) } + files.sorted().map { finding(at: $0, .file) }
    let found = all.compactMap(\.self)
    // A directory that is wrong itself is told once.
    var told = Set(found.map(\.path))
    let ways = (roots.sorted() + files.sorted()).flatMap { parentFindings(of: $0) }
    return found + ways.filter { told.insert($0.path).inserted }
  }

  /// Faults of a directory, and of the way to it.
  private func way(to directory: String) -> [PlaceFinding] {
    parentFindings(of: directory) + [finding(at: directory, .directory)].compactMap(\.self)
  }

  /// The directories between the root and the file, and the one that the file itself lies in when a link leads there.
  private static func directories(of file: String, below roots: [String]) -> Set<String> {
    var found: Set<String> = []
    var path = parent(of: file)
    while roots.contains(where: { path.hasPrefix($0) }), found.insert(path).inserted { path = parent(of: path) }
    if let real = realpath(file, nil) {
      found.insert(parent(of: String(cString: real)))
      free(real)
    }
    return found
  }

  private static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func names(in directory: String) -> [String] {
    ((try? SystemFiles().entries(of: directory)) ?? []).map(\.name).sorted()
  }
}

/// Users who may write a directory on the way to a place could put another file or directory there.
///
/// The attack: `/srv/policies` is root's and well, and `/srv` belongs to another user, who moves it away and makes
/// another.
extension PlaceCheck {
  /// Faults on the way to a place, from the root of the file system on, links followed; `finding` judges the place
  /// itself. Missing files are well.
  package func parentFindings(of path: String) -> [PlaceFinding] {
    var walk = PathWalk(path)
    var findings: [PlaceFinding] = []
    while let step = walk.next() {
      if let finding = finding(on: step), !findings.contains(finding) { findings.append(finding) }
    }
    return findings
  }

  /// Whether others could put another file in the place of an entry of a directory. If the directory is sticky, only
  /// the owner of the entry could.
  private func finding(on step: PathWalk.Step) -> PlaceFinding? {
    if !isTrusted(step.parent.owner) {
      return PlaceFinding(
        path: step.directory,
        problem: "belongs to uid \(step.parent.owner), who could put another `\(step.name)` there",
        remedy: "run `chown \(uid) \(step.directory)`")
    }
    guard let writers = finding(at: step.directory, step.parent) else { return nil }
    guard step.parent.mode & S_ISVTX != 0 else { return writers }
    guard !isTrusted(step.entry.owner) else { return nil }
    return PlaceFinding(
      path: step.path, problem: "belongs to uid \(step.entry.owner), who could put another one there",
      remedy: "run `chown -h \(uid) \(step.path)`")
  }

  private func isTrusted(_ owner: UInt32) -> Bool { owner == 0 || owner == uid }
}

/// The entries that lead to a place, one after the other, as the system finds them.
private struct PathWalk {
  /// An entry of a directory.
  struct Step {
    let directory: String
    let name: String
    let parent: FileStatus
    /// The entry itself, also where it is a link.
    let entry: FileStatus

    var path: String { directory == "/" ? "/" + name : directory + "/" + name }
  }

  /// The way that was gone: no links in it.
  private var place: [String] = []
  /// Names that are still to go, the next last.
  private var names: [String] = []
  private var links = 0

  /// As many as the system follows.
  private static let maximumLinks = 40

  init(_ path: String) {
    names = Self.names(path)
    if !path.hasPrefix("/") { names += Self.names(Directory.working) }
  }

  mutating func next() -> Step? {
    while let name = names.popLast() {
      guard name != "." else { continue }
      guard name != ".." else {
        _ = place.popLast()
        continue
      }
      return enter(name)
    }
    return nil
  }

  /// Goes into an entry, or where it leads as a link; nil when nothing is there.
  private mutating func enter(_ name: String) -> Step? {
    let directory = "/" + place.joined(separator: "/")
    let path = directory == "/" ? "/" + name : directory + "/" + name
    guard let parent = FileStatus(directory), let entry = FileStatus(entry: path) else { return nil }
    if entry.kind == .link {
      guard links < Self.maximumLinks, let target = Self.target(of: path) else { return nil }
      links += 1
      if target.hasPrefix("/") { place = [] }
      names += Self.names(target)
    } else {
      place.append(name)
    }
    return Step(directory: directory, name: name, parent: parent, entry: entry)
  }

  private static func names(_ path: String) -> [String] { path.split(separator: "/").reversed().map(String.init) }

  private static func target(of link: String) -> String? {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(link, &buffer, buffer.count)
    return count > 0 ? String(decoding: buffer[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self) : nil
  }
}
