internal import Glibc
internal import Platform

/// The block devices that the root directory lies on, as directories of sysfs. The service sees no `/dev`, so that names of
/// devices are looked up there, too.
struct RootDevices: Sendable {
  /// The directory of the system's files; another one in tests.
  let root: String

  /// Several where a file system spans several; empty where they are not known.
  var blocks: [String] {
    guard let mount = rootMount else { return [] }
    // The number of btrfs and overlayfs is no device's.
    if !mount.device.hasPrefix("0:") {
      let block = root + "/sys/dev/block/" + mount.device
      return FileStatus(block) == nil ? [] : [block]
    }
    guard mount.fileSystem == "btrfs", let name = name(ofDevice: mount.source) else { return [] }
    return members(ofFileSystemOn: name).map { root + "/sys/class/block/" + $0 }
  }

  private struct Mount {
    var device: String
    var fileSystem: String
    var source: String
  }

  /// The last line of mountinfo(5) whose fifth field is `/`: third is the device; after the `-` come type and source.
  private var rootMount: Mount? {
    let text = SmallFile.text(at: root + "/proc/self/mountinfo", maximum: 1_048_576) ?? ""
    for line in text.split(whereSeparator: \.isNewline).reversed() {
      let fields = line.split(separator: " ").map(String.init)
      guard fields.count > 6, fields[4] == "/", let dash = fields.dropFirst(6).firstIndex(of: "-"),
        fields.count > dash + 2
      else { continue }
      return Mount(device: fields[2], fileSystem: fields[dash + 1], source: fields[dash + 2])
    }
    return nil
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
