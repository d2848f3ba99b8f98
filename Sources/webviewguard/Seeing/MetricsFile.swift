internal import Glibc
internal import GuardService
internal import PolicyFiles
internal import PolicyTools

/// The file that a textfile collector reads: replaced as a whole, so that nobody reads half of one.
enum MetricsFile {
  /// What it says when the daemon cannot be asked.
  static var textOfNone: [UInt8] {
    var text = MetricsText()
    text.single("webviewguard_up", .gauge, "Whether the daemon answers.", 0)
    return text.bytes
  }

  /// The temporary name does not end in `.prom`, so that the collector never takes it for another file of its own.
  static func replace(_ path: String, with bytes: [UInt8]) throws(CommandFailure) {
    let temporary = path + ".new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure("make", temporary) }
    defer { close(descriptor) }
    var written = 0
    while written < bytes.count {
      let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("write", temporary) }
      written += count
    }
    guard fchmod(descriptor, 0o644) == 0, rename(temporary, path) == 0 else { throw failure("replace", path) }
  }

  private static func failure(_ call: String, _ path: String) -> CommandFailure {
    CommandFailure("cannot \(call) `\(path.escapedForDisplay)`: \(SystemWords.last)")
  }
}
