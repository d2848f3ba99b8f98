internal import Glibc

/// The file system that a path lies in, as mountinfo(5) has it, and the block devices below that.
///
///     MountedVolume(holding: "/var/lib")?.devices.map(\.path)    // ["/sys/dev/block/253:0"]
///
/// A service may see no `/dev`, so that names of devices are looked up in sysfs.
package struct MountedVolume: Sendable {
  /// The type: `ext4`, `btrfs`, `fuse.gocryptfs` …
  package let kind: String
  private let device: String
  private let source: String
  private let root: String

  /// Of several mounts the nearest above the path, and of those in one place the last. Nil where no mount holds it.
  ///
  /// - Parameters:
  ///   - path: an absolute path without links.
  ///   - root: the directory of the system's files; another one in tests.
  package init?(holding path: String, root: String = "") {
    let text = SmallFile.text(at: root + "/proc/self/mountinfo", maximum: 16 << 20) ?? ""
    let path = Self.escaped(path)
    var nearest: (point: Substring, fields: [Substring], dash: Int)?
    for line in text.split(whereSeparator: \.isNewline) {
      let fields = line.split(separator: " ")
      guard fields.count > 6, let dash = fields.dropFirst(6).firstIndex(of: "-"), fields.count > dash + 2 else {
        continue
      }
      let point = fields[4]
      guard point == path || path.hasPrefix(point == "/" ? "/" : point + "/") else { continue }
      if point.utf8.count >= nearest?.point.utf8.count ?? 0 { nearest = (point, fields, dash) }
    }
    guard let nearest else { return nil }
    (kind, source) = (String(nearest.fields[nearest.dash + 1]), String(nearest.fields[nearest.dash + 2]))
    (device, self.root) = (String(nearest.fields[2]), root)
  }

  /// Several where a file system spans several; empty where they are not known, as in a container or on a network.
  package var devices: [BlockDevice] {
    // The number of btrfs and overlayfs is no device's.
    if !device.hasPrefix("0:") {
      let block = root + "/sys/dev/block/" + device
      return FileStatus(block) == nil ? [] : [BlockDevice(path: block)]
    }
    guard kind == "btrfs", let name = name(ofDevice: source) else { return [] }
    return members(ofFileSystemOn: name).map { BlockDevice(path: root + "/sys/class/block/" + $0) }
  }

  /// As the kernel writes paths.
  private static func escaped(_ path: String) -> String {
    let escapes: [Character: String] = [" ": "\\040", "\t": "\\011", "\n": "\\012", "\\": "\\134"]
    return path.map { escapes[$0] ?? String($0) }.joined()
  }

  /// `/dev/mapper/luks-1` is `dm-0`; nil where no device has that name.
  private func name(ofDevice path: String) -> String? {
    guard path.hasPrefix("/dev/"), !path.contains("/../") else { return nil }
    let name = String(path.dropFirst("/dev/".utf8.count))
    let blocks = root + "/sys/class/block/"
    guard name.hasPrefix("mapper/") else { return FileStatus(blocks + name) == nil ? nil : name }
    let mapped = name.dropFirst("mapper/".utf8.count)
    let names = ((try? Directory.names(in: blocks)) ?? []).filter { $0.hasPrefix("dm-") }
    return names.first { number in
      SmallFile.text(at: blocks + number + "/dm/name", maximum: 256)?.split(whereSeparator: \.isNewline).first == mapped
    }
  }

  /// All devices of the btrfs file system of which one is known.
  private func members(ofFileSystemOn name: String) -> [String] {
    let place = root + "/sys/fs/btrfs/"
    for id in (try? Directory.names(in: place)) ?? [] {
      let members = (try? Directory.names(in: place + id + "/devices")) ?? []
      if members.contains(name) { return members }
    }
    return [name]
  }
}

/// A block device, as a directory of sysfs.
package struct BlockDevice: Sendable, Hashable {
  package let path: String

  package enum Encryption: Sendable, Hashable {
    /// By a layer of the device mapper: `CRYPT-LUKS2`.
    case encrypted(by: String)
    /// Neither this device is encrypted nor all that it lies on: the first that is not.
    case plain(device: String)
  }

  /// A device is encrypted when the device mapper encrypts it, or everything that it lies on.
  package var encryption: Encryption { encryption(depth: 0) }

  /// What all of the devices are; nil for none.
  package static func encryption(of devices: [BlockDevice]) -> Encryption? { encryption(of: devices, depth: 0) }

  private static func encryption(of devices: [BlockDevice], depth: Int) -> Encryption? {
    var found: Encryption?
    for device in devices {
      found = device.encryption(depth: depth)
      if case .plain = found { return found }
    }
    return found
  }

  private func encryption(depth: Int) -> Encryption {
    if let cipher { return .encrypted(by: cipher) }
    // A partition has its slaves at its disk, and neither is encrypted.
    let below = depth < 8 ? (try? Directory.names(in: path + "/slaves")) ?? [] : []
    let devices = below.map { BlockDevice(path: "\(path)/slaves/\($0)") }
    return Self.encryption(of: devices, depth: depth + 1) ?? .plain(device: name)
  }

  /// The kinds of cryptsetup that encrypt. Others only check what is read: `CRYPT-VERITY`, `CRYPT-INTEGRITY`.
  private static let ciphers: Set<Substring> = ["LUKS1", "LUKS2", "PLAIN", "BITLK", "FVAULT2", "TCRYPT", "LOOPAES"]

  /// cryptsetup names its devices `CRYPT-KIND-…`.
  private var cipher: String? {
    let words = (SmallFile.text(at: path + "/dm/uuid", maximum: 256) ?? "").split { $0 == "-" || $0.isNewline }
    return words.count > 1 && words[0] == "CRYPT" && Self.ciphers.contains(words[1]) ? "CRYPT-\(words[1])" : nil
  }

  private var name: String {
    let lines = (SmallFile.text(at: path + "/uevent", maximum: 4096) ?? "").split(whereSeparator: \.isNewline)
    return lines.first { $0.hasPrefix("DEVNAME=") }.map { "/dev/\($0.dropFirst(8))" } ?? path
  }
}
