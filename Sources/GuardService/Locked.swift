internal import Glibc

/// A value that one thread at a time may touch.
///
/// `Synchronization.Mutex` would do the same, but its code is in the standard library, which the thread sanitizer does not
/// see: under it every use would be reported. A POSIX mutex it knows, and so it can judge the daemon with nothing suppressed.
///
/// The lock is not recursive: a body that takes it again waits for ever.
package final class Locked<Value: ~Copyable>: @unchecked Sendable {
  // Both at addresses of their own: a mutex must not move, and the value is guarded by it rather than by exclusivity checks.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

  package init(_ initial: consuming sending Value) {
    value.initialize(to: initial)
    mutex.initialize(to: pthread_mutex_t())
    // Fails for lack of memory only with attributes, which there are none of.
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Runs `body` and returns its result; while it runs no other thread has the value.
  package func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }
}
