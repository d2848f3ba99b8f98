internal import CFiles
internal import Glibc

/// Whether the disk below a path is encrypted: looked at, not believed (design, accounts, section 8).
///
///     VolumeEncryption.of("/home/ada")    // .encrypted(by: "CRYPT-LUKS2")
///
/// Trap: it says that the files lie encrypted on the disk, not that they are unreadable: the disk is open while the machine
/// runs.
package enum VolumeEncryption: Sendable, Hashable {
  /// By a file system (`fscrypt`), a mounted program (`gocryptfs`), or a layer of the device mapper (`CRYPT-LUKS2`).
  case encrypted(by: String)
  /// A device below the path is not encrypted.
  case plain(device: String)
  /// Nobody can say: a network, an overlay, a file system that spreads over devices in its own way.
  case unknown(reason: String)

  /// The same for a path with links, and for one of which only the beginning exists: where it would be made.
  ///
  ///     VolumeEncryption.ofPlace("/home/ada/new/file")    // that of /home/ada
  package static func ofPlace(_ path: String) -> VolumeEncryption {
    var place = path
    while true {
      if let real = realpath(place, nil) {
        defer { free(real) }
        return of(String(cString: real))
      }
      guard errno == ENOENT, let slash = place.lastIndex(of: "/"), place.count > 1 else {
        return .unknown(reason: SystemError("look at", path).description)
      }
      place = slash == place.startIndex ? "/" : String(place[..<slash])
    }
  }

  /// - Parameters:
  ///   - path: an entry that exists, by an absolute path without links.
  ///   - root: the directory of the system's files; another one in tests.
  package static func of(_ path: String, root: String = "") -> VolumeEncryption {
    let entry = open(path, nameOnly | O_NOFOLLOW | O_CLOEXEC)
    guard entry >= 0 else { return .unknown(reason: SystemError("look at", path).description) }
    defer { close(entry) }
    if is_encrypted_by_file_system(entry) { return .encrypted(by: "fscrypt") }
    guard let volume = MountedVolume(of: entry, root: root) else { return .unknown(reason: "no mount holds it") }
    if volume.kind == "fuse.gocryptfs" { return .encrypted(by: "gocryptfs") }
    switch BlockDevice.encryption(of: volume.devices) {
    case .encrypted(let kind): return .encrypted(by: kind)
    case .plain(let device): return .plain(device: device)
    case nil: return .unknown(reason: "`\(volume.kind)` does not say on which device its files lie")
    }
  }

  /// O_PATH, which Swift does not see: nobody needs the right to read.
  private static let nameOnly: Int32 = 0o10_000_000

  /// Encrypted, and not only perhaps.
  package var isCertain: Bool {
    if case .encrypted = self { true } else { false }
  }
}
