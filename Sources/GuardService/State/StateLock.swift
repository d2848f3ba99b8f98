internal import CLinux
internal import Glibc

/// Held as long as a daemon keeps its state in a directory; the kernel lets go of it however the daemon ends.
///
/// SQLite locks its file too, but only while that is open: without this lock a second daemon could move a file aside that
/// the first one is writing.
final class StateLock: Sendable {
  private let descriptor: Int32

  /// Throws `EWOULDBLOCK` when another daemon has it.
  init(file: String) throws(SystemError) {
    descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw SystemError("open", file) }
    let failure = lock_exclusively(descriptor)
    guard failure == 0 else { throw SystemError("lock", file, failure) }
  }

  deinit {
    guard descriptor >= 0 else { return }
    lock_release(descriptor)
    close(descriptor)
  }
}
