internal import CEncryption
internal import Glibc
internal import Platform

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

  /// - Parameters:
  ///   - path: an entry that exists; a link is not followed.
  ///   - devices: where the kernel lists block devices; tests have their own.
  ///   - mounts: the kernel's list of mounts.
  ///   - filesystems: where the kernel lists the devices of each btrfs.
  package static func of(
    _ path: String, devices: String = "/sys/dev/block", mounts: String = "/proc/self/mountinfo",
    filesystems: String = "/sys/fs/btrfs"
  ) -> VolumeEncryption {
    var place = file_place()
    guard look_at_place(path, false, &place) == 0 else {
      return .unknown(reason: SystemError("look at", path).description)
    }
    if place.is_encrypted { return .encrypted(by: "fscrypt") }
    let number = "\(place.major):\(place.minor)"
    if FileStatus("\(devices)/\(number)") != nil { return device(number, devices) }
    guard let mount = Mount.listed(number, in: mounts) else { return .unknown(reason: "no mount has device \(number)") }
    if mount.kind == "fuse.gocryptfs" { return .encrypted(by: "gocryptfs") }
    // Files of btrfs have a device number that no device has.
    guard mount.kind == "btrfs", let source = Mount.deviceNumber(mount.source) else {
      return .unknown(reason: "`\(mount.kind)` does not say on which device its files lie")
    }
    return all(btrfs(source, filesystems), devices)
      ?? .unknown(reason: "the kernel does not list the devices of `\(mount.source)`")
  }

  /// The numbers of all devices of the file system that has this one.
  private static func btrfs(_ number: String, _ filesystems: String) -> [String] {
    for name in (try? Directory.names(in: filesystems)) ?? [] {
      let path = "\(filesystems)/\(name)/devices"
      let numbers = ((try? Directory.names(in: path)) ?? []).compactMap { text("\(path)/\($0)/dev") }
      if numbers.contains(number) { return numbers }
    }
    return []
  }

  /// A device is encrypted when the device mapper encrypts it, or everything that it lies on.
  private static func device(_ number: String, _ devices: String, depth: Int = 0) -> VolumeEncryption {
    let path = "\(devices)/\(number)"
    if let kind = cipher(text("\(path)/dm/uuid") ?? "") { return .encrypted(by: kind) }
    let below = ((try? Directory.names(in: "\(path)/slaves")) ?? []).compactMap { text("\(path)/slaves/\($0)/dev") }
    let plain = VolumeEncryption.plain(device: name(path) ?? number)
    return depth < 16 ? all(below, devices, depth: depth + 1) ?? plain : plain
  }

  /// What all devices are; the first that is not encrypted counts. Nil when there is none.
  private static func all(_ numbers: [String], _ devices: String, depth: Int = 0) -> VolumeEncryption? {
    var found: VolumeEncryption?
    for number in numbers {
      let answer = device(number, devices, depth: depth)
      guard case .encrypted = answer else { return answer }
      found = answer
    }
    return found
  }

  /// The kinds of cryptsetup that encrypt. Others only check what is read: `CRYPT-VERITY`, `CRYPT-INTEGRITY`.
  private static let ciphers: Set<Substring> = ["LUKS1", "LUKS2", "PLAIN", "BITLK", "FVAULT2", "TCRYPT", "LOOPAES"]

  private static func cipher(_ uuid: String) -> String? {
    let words = uuid.split(separator: "-")
    return words.count > 1 && words[0] == "CRYPT" && ciphers.contains(words[1]) ? "CRYPT-\(words[1])" : nil
  }

  private static func name(_ path: String) -> String? {
    text("\(path)/uevent")?.split(separator: "\n").first { $0.hasPrefix("DEVNAME=") }.map { "/dev/\($0.dropFirst(8))" }
  }

  private static func text(_ path: String) -> String? {
    guard let text = SmallFile.text(at: path, maximum: 4096) else { return nil }
    return text.last == "\n" ? String(text.dropLast()) : text
  }
}

/// A line of `/proc/self/mountinfo` (proc(5)).
struct Mount {
  var kind: String
  /// The device, or a word of the file system's own.
  var source: String

  /// The mount of a device number; the last one where there are several.
  static func listed(_ number: String, in path: String) -> Mount? {
    guard let text = SmallFile.text(at: path, maximum: 16 << 20) else { return nil }
    for line in text.split(separator: "\n").reversed() {
      let fields = line.split(separator: " ")
      guard fields.count > 6, fields[2] == number, let dash = fields[6...].firstIndex(of: "-"), fields.count > dash + 2
      else { continue }
      return Mount(kind: String(fields[dash + 1]), source: String(fields[dash + 2]))
    }
    return nil
  }

  static func deviceNumber(_ path: String) -> String? {
    var place = file_place()
    guard look_at_place(path, true, &place) == 0, place.device_major != 0 else { return nil }
    return "\(place.device_major):\(place.device_minor)"
  }
}
