internal import CFiles
internal import Glibc

/// The file system that an open file lies in, as mountinfo(5) has it, and the block devices below that.
///
///     MountedVolume(of: descriptor)?.devices.map(\.path)    // ["/sys/dev/block/253:0"]
///
/// A service may see no `/dev`, so that names of devices are looked up in sysfs.
package struct MountedVolume: Sendable {
  /// The type: `ext4`, `btrfs`, `fuse.gocryptfs` …
  package let kind: String
  private let device: String
  private let source: String
  private let root: String

  /// The mount that an open file or directory lies in, by the number that the kernel gave it: no path is compared, so that
  /// neither links, nor mounts in one place, nor a mount above a place that is open already lead astray. Nil where the kernel
  /// does not say, or the mount is gone.
  ///
  /// - Parameters:
  ///   - entry: an open file or directory, for its name only if need be (O_PATH).
  ///   - root: the directory of the system's files; another one in tests.
  package init?(of entry: Int32, root: String = "") {
    guard let number = Self.number(of: entry) else { return nil }
    self.init(root) { $0[0] == String(number) }
  }

  /// The one that lies at `/`; of several the last, which lies above the others.
  package init?(ofRootIn root: String) {
    self.init(root) { $0[4] == "/" }
  }

  /// The last one whose line, in fields, is it.
  private init?(_ root: String, where isIt: ([Substring]) -> Bool) {
    let text = SmallFile.text(at: root + "/proc/self/mountinfo", maximum: 16 << 20) ?? ""
    var found: (fields: [Substring], dash: Int)?
    for line in text.split(whereSeparator: \.isNewline) {
      let fields = line.split(separator: " ")
      guard fields.count > 6, let dash = fields.dropFirst(6).firstIndex(of: "-"), fields.count > dash + 2 else {
        continue
      }
      if isIt(fields) { found = (fields, dash) }
    }
    guard let found else { return nil }
    (kind, source) = (String(found.fields[found.dash + 1]), String(found.fields[found.dash + 2]))
    (device, self.root) = (String(found.fields[2]), root)
  }

  /// The number of the mount that an open entry lies in, as statx(2) has it; kernels before 5.8 say it in /proc only.
  package static func number(of entry: Int32) -> UInt64? {
    var facts = entry_facts()
    if look_at_entry(entry, "", &facts) == 0, facts.mount != 0 { return facts.mount }
    let text = SmallFile.text(at: "/proc/self/fdinfo/\(entry)", maximum: 4096) ?? ""
    let line = text.split(whereSeparator: \.isNewline).first { $0.hasPrefix("mnt_id:") }
    return line.flatMap { $0.split(whereSeparator: \.isWhitespace).last }.flatMap { UInt64($0) }
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
