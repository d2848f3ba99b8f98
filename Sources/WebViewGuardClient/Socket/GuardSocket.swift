internal import Glibc
internal import Platform

/// A stream socket to the daemon that never blocks, closed with its owner.
final class GuardSocket {
  let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Connects, and checks the listening user before it sends any data.
  static func connect(to place: DaemonPlace, _ trust: Trust) throws(GuardProblem) -> GuardSocket {
    let path = place.socket
    guard let address = UnixAddress(path: path) else {
      throw path.isEmpty ? .refused(path: path) : .pathTooLong(path: path)
    }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
    let made = GuardSocket(descriptor: descriptor)
    guard address.connect(descriptor) else { throw problem(path) }
    guard let uid = UnixAddress.peerUser(of: descriptor) else { throw .system(call: "getsockopt", code: errno) }
    guard trust.covers(uid) else { throw .strangerListens(path: path, uid: uid) }
    return made
  }

  /// Sends the first bytes and returns their number; 0 when there is no room.
  func send(_ bytes: ArraySlice<UInt8>) throws(GuardProblem) -> Int {
    let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    if count < 0, Self.isTemporary(errno) { return 0 }
    guard count >= 0 else { throw .closed }
    return count
  }

  /// Appends the bytes that arrived and returns their number; 0 when there are none.
  func receive(into buffer: inout [UInt8]) throws(GuardProblem) -> Int {
    let old = buffer.count
    buffer.append(contentsOf: repeatElement(0, count: Self.chunk))
    let count = buffer[old...].withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
    let code = errno
    buffer.removeLast(buffer.count - old - max(count, 0))
    if count < 0, Self.isTemporary(code) { return 0 }
    guard count > 0 else { throw .closed }
    return count
  }

  private static let chunk = 65_536

  private static func isTemporary(_ code: Int32) -> Bool { code == EAGAIN || code == EINTR }

  private static func problem(_ path: String) -> GuardProblem {
    switch errno {
    case ENOENT, ENOTDIR: .missing(path: path)
    // The listener's queue is full: `EAGAIN`.
    case ECONNREFUSED, EAGAIN: .refused(path: path)
    case EACCES, EPERM: .notPermitted(path: path)
    default: .system(call: "connect", code: errno)
    }
  }
}

/// One connection, as handled by the client's thread: messages out, messages in.
final class DaemonConnection {
  let socket: GuardSocket
  private var unsent: [UInt8] = []
  private var received: [UInt8] = []
  /// The length of the part of `received` without an end of message, so a dribbling daemon costs no more than a quick
  /// one.
  private var searched = 0

  /// The maximum length of a message. A longer one is not the daemon's and ends the connection.
  static let maximumMessage = 4 << 20

  init(_ socket: GuardSocket) { self.socket = socket }

  /// The connection waits for room to send.
  var hasUnsent: Bool { !unsent.isEmpty }

  func send(_ bytes: [UInt8]) throws(GuardProblem) {
    unsent += bytes
    var sent = 0
    while sent < unsent.count {
      let count = try socket.send(unsent[sent...])
      if count == 0 { break }
      sent += count
    }
    unsent.removeFirst(sent)
  }

  /// The complete messages that arrived. One turn reads one piece, so a flood cannot hold up a deadline.
  func receive() throws(GuardProblem) -> [Message] {
    guard try socket.receive(into: &received) > 0 else { return [] }
    var messages: [Message] = []
    var start = 0
    while let end = received[max(start, searched)...].firstIndex(of: 0) {
      guard let message = Message(reading: received[start..<end]) else { throw .unreadable }
      messages.append(message)
      start = end + 1
    }
    received.removeFirst(start)
    searched = received.count
    guard received.count <= Self.maximumMessage else { throw .unreadable }
    return messages
  }
}

/// The place of the daemon: its socket and failure contract.
package struct DaemonPlace: Sendable, Hashable {
  package var socket: String
  /// The daemon of a user may run as that user; the machine's may not.
  package var ownUserMayServe: Bool

  /// The failure contract, beside the socket.
  var contract: String {
    guard let slash = socket.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "contract.json" }
    return socket[...slash] + "contract.json"
  }

  /// The given place; else the machine's, if it has a daemon; else the user's. If the machine has a daemon, the client
  /// neither looks for a user's own one nor believes it.
  ///
  /// - Parameter look: returns the kind of entry at a path.
  package static func find(
    _ given: String?, _ look: (String) -> SystemDaemon.Found? = DaemonPlace.found
  ) -> DaemonPlace {
    let hasSystem = SystemDaemon.isInstalled(look)
    if let given { return DaemonPlace(socket: given, ownUserMayServe: !hasSystem) }
    let systemPlace = DaemonPlace(socket: SystemDaemon.directory + "/guard.sock", ownUserMayServe: false)
    guard !hasSystem, let directory = Environment["XDG_RUNTIME_DIR"] else { return systemPlace }
    return DaemonPlace(socket: directory + "/webviewguard/guard.sock", ownUserMayServe: true)
  }

  /// The machine has a daemon of its own, running or not.
  package static var hasSystemDaemon: Bool { SystemDaemon.isInstalled(found) }

  /// The owners whose sockets and files the client trusts there, unless an app names others.
  package var trust: Trust { Trust(uids: nil, ownUserMayServe: ownUserMayServe) }

  package static func found(_ path: String) -> SystemDaemon.Found? {
    switch FileStatus(path)?.kind {
    case nil: nil
    case .regular: .file
    case .directory: .directory
    default: .other
    }
  }
}

/// The environment variables of the program.
package enum Environment {
  /// The value; nil when it is missing or empty.
  package static subscript(name: String) -> String? {
    guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else { return nil }
    return value
  }
}

/// The owners whose sockets and files the client trusts.
package struct Trust: Sendable, Hashable {
  /// Replaces everything below, when given.
  var uids: Set<UInt32>?
  var ownUserMayServe: Bool

  package init(uids: Set<UInt32>?, ownUserMayServe: Bool) {
    (self.uids, self.ownUserMayServe) = (uids, ownUserMayServe)
  }

  /// Root, the user `webviewguard`, and, where allowed, the app's own user.
  package func covers(_ uid: UInt32) -> Bool {
    if let uids { return uids.contains(uid) }
    return uid == 0 || (ownUserMayServe && uid == geteuid()) || uid == Self.daemonUser
  }

  /// The uid of the user `webviewguard`, looked up once, and only when another user serves; nil when there is none.
  private static let daemonUser: UInt32? = Users.uid(ofUser: SystemDaemon.user)
}

/// A client's way to find out that a machine has a daemon of its own, so that it believes no other.
///
/// A user can set variables, and listen on a socket: the user's own daemon could answer everything with `allow`. On a
/// machine with a daemon of its own, clients believe only root and the daemon's user, whatever a variable or a path
/// says. On a machine without one, as for a developer or a user's own service, the caller's own user may be the daemon.
package enum SystemDaemon {
  /// The directory of its sockets and its failure contract.
  package static let directory = "/run/webviewguard"

  /// The daemon's account, which clients believe besides root.
  package static let user = "webviewguard"

  /// systemd's search path for units: the first place that has it counts.
  package static let unitDirectories = ["/etc", "/usr/local/lib", "/usr/lib", "/lib"].map { "\($0)/systemd/system" }

  /// The kind of file at a path, links followed.
  package enum Found: Sendable { case file, directory, other }

  /// Whether the machine has one, running or not: its directory is there, or one of its units that is not masked (a link to
  /// `/dev/null`). Only root can make those, or mask them.
  package static func isInstalled(_ look: (String) -> Found?) -> Bool {
    if look(directory) != nil { return true }
    return ["service", "socket"].contains { hasUnit("webviewguard.\($0)", look) }
  }

  private static func hasUnit(_ name: String, _ look: (String) -> Found?) -> Bool {
    for directory in unitDirectories {
      if let found = look("\(directory)/\(name)") { return found == .file }
    }
    return false
  }
}
