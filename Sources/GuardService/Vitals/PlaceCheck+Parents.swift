internal import Glibc
internal import Platform

/// Who could put another file or directory where a place is: whoever may write a directory on the way to it.
///
/// The attack: `/srv/policies` is root's and well, and `/srv` belongs to somebody else, who moves it away and makes another.
extension PlaceCheck {
  /// What is wrong on the way to a place, from the root of the file system on, links followed; the place itself is for
  /// `finding` to judge. What is not there is well.
  package func parentFindings(of path: String) -> [PlaceFinding] {
    var walk = PathWalk(path)
    var findings: [PlaceFinding] = []
    while let step = walk.next() {
      if let finding = finding(on: step), !findings.contains(finding) { findings.append(finding) }
    }
    return findings
  }

  /// Whether others could put something else in the place of an entry of a directory. Where the directory is sticky, only
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
  /// What is still to go, the next last.
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
