internal import CFiles
internal import Glibc

/// A file that appears as a whole or not at all: nobody sees a part of it, and after a crash there is the old one or the new
/// one.
///
///     let file = try WholeFile(at: "report.pdf", .replacing)
///     try file.write(bytes.span)
///     try file.commit()       // without it nothing has happened
///
/// It has no name before it is whole, so a program that is killed leaves nothing behind. A file system that cannot do that
/// (FAT, NFS) keeps it under a name `.NAME.*.new`, which stays when the program is killed.
///
/// A file that is replaced hands on its owner, permissions, access control list and attributes of users (`user.*`), a label
/// among them, unless the new one has attributes of its own. A file that changed since the beginning is not replaced.
///
/// Trap: another name of the old file (a hard link) keeps the old content.
package final class WholeFile {
  /// What may be in its place.
  package enum Aim: Sendable, Hashable {
    /// Nothing, not even a link that leads nowhere.
    case creating
    /// A file, whose permissions and owner the new one has, or nothing. Where the path is a link, the file that it leads to.
    case replacing
  }

  /// The path with all links resolved.
  package let path: String
  /// The file that was there at the beginning.
  package let old: FileStatus?
  private let aim: Aim
  private let name: String
  private let folder: Int32
  /// For its attributes; it is written by `write`.
  package let descriptor: Int32
  private let hasOwnAttributes: Bool
  /// Its name for now; nil where it has none.
  private var temporary: String?

  /// - Parameters:
  ///   - mode: the permissions where no file is there; the process's mask applies.
  ///   - hasOwnAttributes: those of a file that it replaces go with that.
  package init(
    at path: String, _ aim: Aim, mode: UInt32 = 0o666, hasOwnAttributes: Bool = false
  ) throws(SystemError) {
    self.hasOwnAttributes = hasOwnAttributes
    let place = Self.place(path, aim)
    (self.path, self.aim, name) = (path, aim, place.name)
    old = FileStatus(entry: place.directory + "/" + place.name)
    try Self.check(old, path, aim)
    folder = open(place.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else {
      descriptor = -1
      throw SystemError("open", place.directory)
    }
    let mode = old == nil ? mode : 0o600
    let nameless = Self.openNameless(folder, mode)
    if nameless >= 0 {
      descriptor = nameless
    } else {
      let temporary = Self.temporaryName(place.name)
      descriptor = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
      guard descriptor >= 0 else { throw SystemError("write", path) }
      self.temporary = temporary
    }
  }

  deinit {
    if let temporary { unlinkat(folder, temporary, 0) }
    if descriptor >= 0 { close(descriptor) }
    if folder >= 0 { close(folder) }
  }

  package func write(_ bytes: borrowing Span<UInt8>) throws(SystemError) {
    guard Stream.write(bytes, to: descriptor) else { throw SystemError("write", path) }
  }

  /// Brings it to the disk and to its place. Nothing can be written after it.
  package func commit() throws(SystemError) {
    if let old { try takeOver(old) }
    guard fsync(descriptor) == 0 else { throw SystemError("sync", path) }
    // That may have taken seconds, in which somebody else saved the file.
    if let old, FileStatus(in: folder, entry: name) != old { throw SystemError("replace", path, EBUSY) }
    switch (aim, old) {
    case (.creating, _), (.replacing, nil): try appear()
    case (.replacing, .some): try replace()
    }
    guard fsync(folder) == 0 else { throw SystemError("sync", path) }
  }

  /// Gives it the owner and the permissions of the old one.
  private func takeOver(_ old: FileStatus) throws(SystemError) {
    guard let own = FileStatus(descriptor: descriptor) else { throw SystemError("look at", path) }
    if own.owner != old.owner || own.group != old.group, fchown(descriptor, old.owner, old.group) != 0 {
      throw SystemError("keep the owner of", path)
    }
    // Before the permissions, which may forbid to write them.
    if old.kind == .regular, !hasOwnAttributes { try takeOverAttributes() }
    // A file system without permissions, such as FAT behind FUSE, refuses to set them, and has the same for each file.
    if fchmod(descriptor, old.mode & 0o777) == 0 { return }
    let failure = SystemError("keep the permissions of", path)
    guard FileStatus(descriptor: descriptor)?.mode == old.mode else { throw failure }
  }

  /// Without them it would have more rights, or no label: a file that cannot be read is not replaced.
  private func takeOverAttributes() throws(SystemError) {
    let source = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard source >= 0 else { throw SystemError("read the attributes of", path) }
    defer { close(source) }
    guard copy_attributes(source, descriptor) == 0 else { throw SystemError("keep the attributes of", path) }
  }

  /// Takes a place where nothing is.
  private func appear() throws(SystemError) {
    if link(as: name) { return }
    if errno == EEXIST, aim == .replacing { return try replace() }
    // A file system without hard links: a file that appears between these two is lost.
    guard let temporary, errno == EPERM || errno == EOPNOTSUPP, faccessat(folder, name, F_OK, 0) != 0,
      renameat(folder, temporary, folder, name) == 0
    else { throw SystemError("write", path) }
    self.temporary = nil
  }

  /// Takes the place of what is there.
  private func replace() throws(SystemError) {
    let temporary = self.temporary ?? Self.temporaryName(name)
    if self.temporary == nil {
      guard link(as: temporary) else { throw SystemError("write", path) }
      self.temporary = temporary
    }
    guard renameat(folder, temporary, folder, name) == 0 else { throw SystemError("replace", path) }
    self.temporary = nil
  }

  private func link(as name: String) -> Bool {
    if let temporary { return linkat(folder, temporary, folder, name, 0) == 0 }
    return linkat(AT_FDCWD, "/proc/self/fd/\(descriptor)", folder, name, AT_SYMLINK_FOLLOW) == 0
  }

  private static func check(_ old: FileStatus?, _ path: String, _ aim: Aim) throws(SystemError) {
    guard let old else { return }
    if aim == .creating { throw SystemError("write", path, EEXIST) }
    if old.kind == .directory { throw SystemError("replace", path, EISDIR) }
    // A pipe or a device is no file that could be whole. A link here leads nowhere, and is replaced itself.
    guard old.kind == .regular || old.kind == .link else { throw SystemError("replace", path, ENOTSUP) }
  }

  /// The directory and the name in it, behind all links that lead anywhere.
  private static func place(_ path: String, _ aim: Aim) -> (directory: String, name: String) {
    var path = path
    if aim == .replacing, let real = realpath(path, nil) {
      path = String(cString: real)
      free(real)
    }
    guard let slash = path.lastIndex(of: "/") else { return (".", path) }
    let directory = path[..<slash]
    return (directory.isEmpty ? "/" : String(directory), String(path[path.index(after: slash)...]))
  }

  /// A descriptor of a file without a name; negative where there is none.
  private static func openNameless(_ folder: Int32, _ mode: UInt32) -> Int32 {
    // Without /proc it could never get a name.
    guard access("/proc/self/fd", X_OK) == 0 else { return -1 }
    return openat(folder, ".", tmpfile | O_WRONLY | O_CLOEXEC, mode)
  }

  /// O_TMPFILE, which Swift does not see.
  private static let tmpfile: Int32 = 0o20_000_000 | O_DIRECTORY

  private static func temporaryName(_ name: String) -> String {
    // A name has 255 bytes at most.
    let start = String(decoding: name.utf8.prefix(100), as: UTF8.self)
    return ".\(start).\(String(UInt64.random(in: .min ... .max), radix: 16)).new"
  }
}
