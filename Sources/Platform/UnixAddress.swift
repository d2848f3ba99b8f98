internal import Glibc

/// The address of a Unix socket: a path, or an abstract name.
package struct UnixAddress: Sendable, Hashable {
  /// The kernel's form: a path with a NUL behind it, or a NUL with an abstract name behind it.
  private let bytes: [UInt8]

  /// Maximum bytes of a path, or of an abstract name.
  package static let maximumBytes = MemoryLayout<sockaddr_un>.size - start - 1

  private static let start = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? MemoryLayout<sa_family_t>.size

  private init(bytes: [UInt8]) { self.bytes = bytes }

  /// Nil for a path that is empty, or that has more than `maximumBytes` or a NUL in it: the kernel would take its
  /// beginning for the whole path.
  package init?(path: String) {
    guard (1...Self.maximumBytes).contains(path.utf8.count), !path.utf8.contains(0) else { return nil }
    self.init(bytes: Array(path.utf8) + [0])
  }

  /// `/run/systemd/notify` is a path, `@notify` an abstract name. Nil for anything else, and for too long names.
  package init?(_ text: String) {
    switch text.utf8.first {
    case UInt8(ascii: "/"): self.init(path: text)
    case UInt8(ascii: "@"):
      guard text.utf8.count <= Self.maximumBytes else { return nil }
      self.init(bytes: [0] + text.utf8.dropFirst())
    default: return nil
    }
  }

  /// The address of a socket, as text; `@` stands for the NUL of an abstract name. Nil when the kernel tells none.
  package static func text(ofSocket descriptor: Int32) -> String? {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let failure = withUnsafeMutableBytes(of: &address) { bytes in
      getsockname(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
    }
    guard failure == 0, Int(length) > start else { return nil }
    let name = withUnsafeBytes(of: address) { Array($0[start..<min(Int(length), $0.count)]) }
    guard name.first == 0 else { return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self) }
    return "@" + String(decoding: name.dropFirst(), as: UTF8.self)
  }

  /// False with an `errno`.
  package func connect(_ descriptor: Int32) -> Bool { withAddress { Glibc.connect(descriptor, $0, $1) } == 0 }

  /// False with an `errno`.
  package func bind(_ descriptor: Int32) -> Bool { withAddress { Glibc.bind(descriptor, $0, $1) } == 0 }

  /// Sends one datagram; false when not all of it was taken.
  package func send(_ message: [UInt8], from descriptor: Int32) -> Bool {
    withAddress { sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), $0, $1) } == message.count
  }

  private func withAddress<Result>(_ body: (UnsafePointer<sockaddr>?, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    return withUnsafeMutableBytes(of: &address) { raw in
      for (index, byte) in bytes.enumerated() { raw[Self.start + index] = byte }
      return body(
        UnsafePointer(raw.assumingMemoryBound(to: sockaddr.self).baseAddress), socklen_t(Self.start + bytes.count))
    }
  }

  /// The user at the other end of a connected socket; the connecting side gets the listener's. Nil with an `errno`.
  package static func peerUser(of descriptor: Int32) -> UInt32? {
    // `struct ucred`, which Glibc's module does not show: process, user and group.
    var credentials: (pid: pid_t, uid: uid_t, gid: gid_t) = (0, .max, .max)
    var length = socklen_t(MemoryLayout.size(ofValue: credentials))
    guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
    return credentials.uid
  }
}
