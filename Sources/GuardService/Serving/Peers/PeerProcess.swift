internal import Glibc

/// The process that connected, held by a descriptor that no other process of the same number can take over.
///
/// The attack: a process connects, hands its socket to a child and ends; its number goes to a process of another unit,
/// and `/proc`'s facts about that number would be believed of the attacker.
final class PeerProcess: Sendable {
  let descriptor: Int32

  /// Takes the descriptor of SO_PEERPIDFD (Linux 6.5).
  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Whether the process still runs, so that its number is its own. Facts read about the number before this returns
  /// true belong to the process.
  ///
  /// Source: pidfd_open(2): a descriptor of a process is readable once that has ended.
  var isRunning: Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, 0) == 0
  }
}
