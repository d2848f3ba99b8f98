internal import Glibc
internal import Platform
internal import WebViewGuardClient

/// A directory of this program alone for content that may not lie about in plain: it lies there for a moment only, and goes
/// with the program.
///
/// It is locked as long as it is used. What a killed program left is not locked any more, and the next program that needs a
/// directory in that place removes it.
final class PrivatePlace {
  let directory: String
  private let lock: OpenFile

  private static let prefix = ".webviewguard-"

  /// Another program may take a directory for one that was left, before it is locked: then there is another try.
  init(in base: String, label: [UInt8]?) throws {
    Self.clear(base)
    while true {
      let path = try Self.made(in: base)
      let lock = try OpenFile.reading(path, followsLink: false)
      guard flock(lock.descriptor, LOCK_EX) == 0, lock.isSame(as: path) else { continue }
      if let label { _ = LabelAttribute.set(label, of: lock.descriptor) }
      directory = path
      self.lock = lock
      return
    }
  }

  deinit { Self.remove(directory) }

  private static func made(in base: String) throws -> String {
    while true {
      let path = "\(base)/\(prefix)\(String(UInt64.random(in: .min ... .max), radix: 36))"
      if mkdir(path, 0o700) == 0 { return path }
      guard errno == EEXIST else { throw SystemError("make directory", path) }
    }
  }

  /// Removes the directories below `base` that programs of this user left when they were killed.
  static func clear(_ base: String) {
    for name in (try? Directory.names(in: base)) ?? [] where name.hasPrefix(prefix) {
      let path = base + "/" + name
      guard let left = try? OpenFile.reading(path, followsLink: false), let status = left.status,
        status.kind == .directory, status.isOwn, flock(left.descriptor, LOCK_EX | LOCK_NB) == 0
      else { continue }
      remove(path)
    }
  }

  /// A directory and the files in it; nothing that a link leads to.
  private static func remove(_ directory: String) {
    for name in (try? Directory.names(in: directory)) ?? [] { unlink(directory + "/" + name) }
    rmdir(directory)
  }

  /// The place for a copy of so many bytes: the person's directory in memory, where there is room twice, so that nothing of
  /// it reaches the disk; else the person's cache.
  static func memory(_ size: Int?) -> String {
    let wanted = UInt64(size ?? unknownSize).multipliedReportingOverflow(by: 2)
    if let runtime = Environment["XDG_RUNTIME_DIR"], isOwn(runtime), room(runtime) >= wanted.partialValue,
      !wanted.overflow
    {
      return runtime
    }
    let home = Environment["HOME"] ?? Users.home(ofUser: geteuid()) ?? "/"
    let cache = (Environment["XDG_CACHE_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? home + "/.cache") + "/webviewguard"
    if (try? Directory.make(cache)) != nil, isOwn(cache) { return cache }
    return Environment["TMPDIR"] ?? "/tmp"
  }

  /// All places that `memory` may name.
  static var places: Set<String> { [memory(0), memory(Int.max)] }

  /// The bytes that a download of unknown length may need.
  private static let unknownSize = 64 << 20

  /// Nobody else can put or read anything there.
  private static func isOwn(_ directory: String) -> Bool {
    guard directory.hasPrefix("/"), let status = FileStatus(directory) else { return false }
    return status.kind == .directory && status.isOwn && status.mode & 0o077 == 0
  }

  private static func room(_ directory: String) -> UInt64 {
    var volume = statvfs()
    guard statvfs(directory, &volume) == 0 else { return 0 }
    return UInt64(volume.f_bavail) * UInt64(volume.f_frsize)
  }
}
