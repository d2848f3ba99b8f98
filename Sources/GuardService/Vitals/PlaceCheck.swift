internal import Glibc
internal import Platform

/// Whether a file or directory that the daemon relies on can only have been written by those whom it trusts: root and the
/// user it runs as.
///
///     let check = PlaceCheck()
///     check.finding(at: "/var/log/webviewguard", .directory)?.description
///     // `/var/log/webviewguard` has mode 0777, so others may write it; run `chmod o-w /var/log/webviewguard`
///
/// Whoever else may write a policy writes the policy; whoever may write the log writes what happened. A group may write
/// only where it is the daemon's own and the daemon is not root: the private group of a user. An access list that names
/// further writers shows in the group's bits, and counts as them.
package struct PlaceCheck: Sendable {
  /// The user that the daemon runs as, or will.
  package var uid: UInt32
  /// That user's primary group.
  package var gid: UInt32

  /// What the place is for.
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

  /// What is wrong with a place, after symbolic links; nil when nothing is, or nothing is there.
  package func finding(at path: String, _ kind: Kind) -> PlaceFinding? {
    guard let status = FileStatus(path) else { return nil }
    if let expected = Self.mismatch(status, kind) {
      return PlaceFinding(path: path, problem: "is no \(expected)", remedy: "move it away")
    }
    return ownerFinding(path, status) ?? modeFinding(path, status, kind)
  }

  /// The same of something that was looked at already, whatever it is.
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

  /// A group that holds nobody but the daemon's own user, as far as the system's custom goes.
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
  /// What is wrong, to stand behind the path.
  package var problem: String
  /// What to do.
  package var remedy: String

  package var description: String { "`\(path)` \(problem); \(remedy)" }
}
