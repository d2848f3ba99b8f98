internal import CFiles
internal import Glibc

/// An extended attribute of an open file.
///
///     try FileAttribute.value("user.webviewguard.owner", of: descriptor)    // nil where the file has none
package enum FileAttribute {
  /// The kernel takes no longer value.
  private static let most = 65_536

  /// Nil when the file has none of that name.
  ///
  /// - Throws: `EOPNOTSUPP` on a file system that keeps no attributes.
  package static func value(_ name: String, of descriptor: Int32) throws(SystemError) -> [UInt8]? {
    var failure: Int32 = 0
    let value = [UInt8](unsafeUninitializedCapacity: most) { room, count in
      let length = read_attribute(descriptor, name, room.baseAddress, room.count)
      if length < 0 { failure = errno }
      count = max(0, length)
    }
    guard failure != 0 else { return value }
    guard failure == ENODATA else { throw SystemError("read the attribute", name, failure) }
    return nil
  }

  package static func set(_ name: String, of descriptor: Int32, to value: [UInt8]) throws(SystemError) {
    guard set_attribute(descriptor, name, value, value.count) == 0 else { throw SystemError("set the attribute", name) }
  }

  /// Harmless where there is none.
  package static func remove(_ name: String, of descriptor: Int32) { _ = remove_attribute(descriptor, name) }

  /// Whether an error says that the file system keeps no attributes at all.
  package static func isUnsupported(_ error: SystemError) -> Bool {
    [ENOTSUP, EOPNOTSUPP, ENOSYS].contains(error.number)
  }
}

/// Facts by which an open file is known again after other programs used it, on a file system without attributes.
package enum LastingFacts {
  /// `UUID:TYPE:HANDLE:SECONDS.NANOSECONDS`; nil where the file system lacks one of them or makes handles anew.
  ///
  /// - Parameter maximum: a longer text is nil as well.
  package static func text(of descriptor: Int32, maximum: Int) -> String? {
    var facts = lasting_facts()
    guard look_at_lasting_facts(descriptor, &facts) == 0, facts.has_birth, !forgetful.contains(facts.kind),
      let volume = volume(facts, descriptor)
    else { return nil }
    let handle = withUnsafeBytes(of: facts.handle) { hex($0[..<Int(facts.handle_length)]) }
    let digits = String(facts.birth_nanoseconds)
    let nanoseconds = String(repeating: "0", count: 9 - digits.utf8.count) + digits
    let text = "\(volume):\(facts.handle_kind):\(handle):\(facts.birth_seconds).\(nanoseconds)"
    return text.utf8.count <= maximum ? text : nil
  }

  /// FAT and exFAT make handles and inodes anew whenever a file is read into memory again, and programs behind FUSE may.
  private static let forgetful: Set<UInt32> = [0x4D44, 0x2011_BAB0, 0x6573_5546]

  private static func volume(_ facts: lasting_facts, _ descriptor: Int32) -> String? {
    if facts.uuid_length > 0 { return withUnsafeBytes(of: facts.uuid) { hex($0[..<Int(facts.uuid_length)]) } }
    let folder = "/dev/disk/by-uuid"
    guard let device = FileStatus(descriptor: descriptor)?.identity.device else { return nil }
    let names = (try? Directory.names(in: folder)) ?? []
    return names.map { ($0, $0.lowercased()) }.sorted { $0.1 < $1.1 }
      .first { BlockDevice.number(of: folder + "/" + $0.0) == device }?.1
  }

  private static func hex(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

extension BlockDevice {
  /// The number of the device that a path leads to; nil for anything else.
  fileprivate static func number(of path: String) -> UInt64? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFBLK else { return nil }
    return UInt64(status.st_rdev)
  }
}

/// What other programs do with an open file.
package enum FileUse {
  /// Whether a program of any user has the file open for writing; false where nobody can say. The file is the own user's.
  ///
  /// Trap: a program that opens it for writing in just that moment makes the kernel send SIGIO, which ends a process that
  /// does not ignore it.
  package static func isBeingWritten(_ descriptor: Int32) -> Bool { is_being_written(descriptor) }
}
