/// The process at the other end of a connection, as the kernel names it.
package struct LoggedPeer: Sendable, Hashable {
  package var uid: UInt32
  /// 0 when the process is in no namespace that the daemon sees.
  package var pid: Int32

  package init(uid: UInt32, pid: Int32) {
    self.uid = uid
    self.pid = pid
  }
}
