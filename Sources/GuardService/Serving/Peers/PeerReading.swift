internal import CLinux
internal import Glibc
internal import GuardProtocol
internal import NIOCore
internal import Platform
internal import PolicyEngine

/// The other end of a connection that was just made, as far as the kernel tells it at once. Files and name services are
/// read beside the loop; see `LookUps`.
struct AcceptedPeer: Sendable {
  /// Without its unit and its person.
  let peer: Peer
  /// Nil where the kernel does not hold it.
  let process: PeerProcess?
  let served: InterfaceSet
}

/// Reads the kernel's facts about the other end of a Unix socket.
///
/// uid and groups are those at the time of `connect`. Unit and label belong to the process; they tell apps of one uid
/// apart and authenticate nobody.
enum PeerReading {
  /// The peer of a channel; nil when the kernel does not say, and then the connection must be closed.
  static func caller(of channel: any Channel, through servedSocket: ServedSocket) -> AcceptedPeer? {
    guard let options = channel as? any SocketOptionProvider else { return nil }
    guard let credentials: peer_credentials = read(options, CLinux.PEER_CREDENTIALS) else { return nil }
    var peer = Peer(uid: credentials.uid, pid: credentials.pid, groups: [credentials.gid])
    // More groups than there is room for: a peer that is not known in full is not served.
    guard let listed: peer_groups = read(options, CLinux.PEER_GROUPS) else { return nil }
    peer.groups += groups(listed)
    peer.isSameUser = credentials.uid == geteuid()
    peer.socket = servedSocket.socket
    if let label: peer_label = read(options, CLinux.PEER_LABEL) { peer.label = ProcessLabel.name(of: text(label)) }
    return AcceptedPeer(peer: peer, process: process(of: channel), served: servedSocket.served)
  }

  /// The process that connected; nil before Linux 6.5, and when it has ended.
  static func process(of channel: any Channel) -> PeerProcess? {
    guard let options = channel as? any SocketOptionProvider else { return nil }
    let descriptor: CInt? = read(options, CLinux.PEER_PROCESS)
    return descriptor.map(PeerProcess.init(descriptor:))
  }

  /// The unit of the process that connected; nil when it has ended, since its number may be another's by now. Reads a
  /// file.
  ///
  /// Remaining gap: before Linux 6.5 the kernel does not hold the process, and one that ends between `connect` and this
  /// may be taken for its successor.
  static func unit(of caller: AcceptedPeer) -> String? {
    guard caller.peer.pid > 0 else { return nil }
    // An older kernel does not know the question. Any other failure is no reason to believe.
    guard let process = caller.process else { return hasPeerProcesses ? nil : ProcessUnit.unit(of: caller.peer.pid) }
    let unit = ProcessUnit.unit(of: caller.peer.pid)
    return process.isRunning ? unit : nil
  }

  /// Whether the kernel answers SO_PEERPIDFD: asked of a socket of our own.
  private static let hasPeerProcesses: Bool = {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      return true
    }
    defer { for end in ends { close(end) } }
    var descriptor: Int32 = -1
    var length = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(ends[0], SOL_SOCKET, Int32(CLinux.PEER_PROCESS), &descriptor, &length) == 0 else {
      return errno != ENOPROTOOPT
    }
    close(descriptor)
    return true
  }()

  /// NIO answers at once when it is asked on the channel's own loop.
  private static func read<Value: Sendable>(_ options: any SocketOptionProvider, _ name: Int) -> Value? {
    let answer: EventLoopFuture<Value> = options.unsafeGetSocketOption(
      level: .socket, name: NIOBSDSocket.Option(rawValue: CInt(name)))
    let box = ValueBox<Value>()
    answer.assumeIsolated().whenSuccess { box.value = $0 }
    return box.value
  }

  private static func groups(_ listed: peer_groups) -> [UInt32] {
    var listed = listed
    return Array(unsafeUninitializedCapacity: Int(PEER_GROUPS_MAXIMUM)) { buffer, count in
      count = Int(peer_groups_copy(&listed, buffer.baseAddress))
    }
  }

  private static func text(_ label: peer_label) -> String {
    let bytes = withUnsafeBytes(of: label.text) { Array($0.prefix { $0 != 0 }) }
    return String(decoding: bytes, as: UTF8.self).trimmed
  }
}

extension String {
  /// Without the line end that some kernels write.
  fileprivate var trimmed: String { hasSuffix("\n") ? String(dropLast()) : self }
}

private final class ValueBox<Value> {
  var value: Value?
}

/// The systemd unit of a process, read from its control group.
package enum ProcessUnit {
  /// `contoso-kiosk.service` for a process in `/system.slice/contoso-kiosk.service`; nil outside units.
  package static func unit(of pid: Int32) -> String? {
    guard pid > 0, let text = SmallFile.text(at: "/proc/\(pid)/cgroup", maximum: 16_384) else { return nil }
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3, fields[1].isEmpty || fields[1] == "name=systemd" else { continue }
      if let unit = unit(inPath: fields[2]) { return unit }
    }
    return nil
  }

  /// The innermost service or scope of a control group path.
  package static func unit(inPath path: Substring) -> String? {
    path.split(separator: "/").last { $0.hasSuffix(".service") || $0.hasSuffix(".scope") }.map(String.init)
  }
}

/// A security module's label of the process at the other end.
package enum ProcessLabel {
  /// The name that a `label` of the policy compares; nil where nothing holds the process to it.
  ///
  ///     ProcessLabel.name(of: "webkit (enforce)")     // "webkit"
  ///     ProcessLabel.name(of: "webkit (complain)")    // nil: the profile forbids nothing
  ///     ProcessLabel.name(of: "unconfined")           // nil
  ///     ProcessLabel.name(of: "system_u:system_r:kiosk_t:s0")    // itself: SELinux writes no mode
  ///
  /// Source: apparmor(7), the mode behind the name of a profile. A mode that is not known here counts as none that holds.
  package static func name(of label: String) -> String? {
    guard label.hasSuffix(")"), let parenthesis = label.lastIndex(of: "(") else {
      return label.isEmpty || label == "unconfined" ? nil : label
    }
    let mode = label[parenthesis...].dropFirst().dropLast()
    guard mode == "enforce" || mode == "kill" else { return nil }
    let name = label[..<parenthesis]
    guard name.hasSuffix(" "), name.utf8.count > 1 else { return nil }
    return String(name.dropLast())
  }
}
