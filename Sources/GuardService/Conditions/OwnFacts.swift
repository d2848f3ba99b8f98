internal import Glibc
internal import Platform
internal import PolicyEngine

/// The facts about the machine that the daemon reads itself. Root can change each of them, so they are an inventory and no
/// proof. A fact that cannot be read is unknown.
struct OwnFacts: Sendable {
  /// Where the system's files lie; another place in tests.
  var root = ""

  /// Reads them. It blocks: not for the event loop.
  func read() -> [String: Fact] {
    var facts: [OwnFact: FactValue] = [:]
    let release = osRelease
    facts[.osName] = release["ID"].map(FactValue.text)
    facts[.osVersion] = release["VERSION_ID"].flatMap { FactValue(version: $0) }
    facts[.kernelVersion] = kernelRelease.flatMap { FactValue(version: $0) }
    facts[.secureBoot] = secureBoot.map(FactValue.truth)
    facts[.diskEncrypted] = diskEncrypted.map(FactValue.truth)
    return Dictionary(uniqueKeysWithValues: facts.map { ($0.key.rawValue, Fact($0.value)) })
  }

  /// os-release(5): `KEY=value` lines, some in quotes.
  private var osRelease: [Substring: String] {
    let text =
      SmallFile.text(at: root + "/etc/os-release", maximum: 65_536)
      ?? SmallFile.text(at: root + "/usr/lib/os-release", maximum: 65_536) ?? ""
    var found: [Substring: String] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !line.hasPrefix("#") else { continue }
      found[parts[0]] = String(parts[1].filter { $0 != "\"" && $0 != "'" })
    }
    return found
  }

  private var kernelRelease: String? {
    SmallFile.text(at: root + "/proc/sys/kernel/osrelease", maximum: 256)
  }

  /// The fifth byte of the firmware's variable; nil on machines without such firmware.
  private var secureBoot: Bool? {
    let path = root + "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
    guard let bytes = SmallFile.bytes(at: path, maximum: 16), bytes.count == 5 else { return nil }
    return bytes[4] == 1
  }

  /// dm-crypt lies below the root directory; nil when its device is not known, as in a container or on a network.
  private var diskEncrypted: Bool? {
    var status = stat()
    guard stat(root + "/", &status) == 0 else { return nil }
    // btrfs and overlayfs have device numbers of their own: the mount table knows the disk.
    let device = mountedDevice ?? Self.number(of: status.st_dev)
    let block = root + "/sys/dev/block/" + device
    guard FileStatus(block) != nil else { return nil }
    return isEncrypted(block, depth: 0)
  }

  /// `8:1`, as the kernel numbers devices: 12 bits of the major number at 8, the rest at 32; 8 bits of the minor at 0.
  private static func number(of device: dev_t) -> String {
    let number = UInt64(device)
    let major = (number >> 8 & 0xFFF) | (number >> 32 & 0xFFFF_F000)
    let minor = (number & 0xFF) | (number >> 12 & 0xFFFF_FF00)
    return "\(major):\(minor)"
  }

  /// The device of `/` by mountinfo(5): the third field of the line whose fifth is `/`.
  private var mountedDevice: String? {
    let text = SmallFile.text(at: root + "/proc/self/mountinfo", maximum: 1_048_576) ?? ""
    for line in text.split(separator: "\n").reversed() {
      let fields = line.split(separator: " ")
      guard fields.count > 6, fields[4] == "/" else { continue }
      guard !fields[2].hasPrefix("0:") else { return nil }
      return String(fields[2])
    }
    return nil
  }

  /// Itself or all devices below it are dm-crypt's.
  private func isEncrypted(_ block: String, depth: Int) -> Bool {
    if SmallFile.text(at: block + "/dm/uuid", maximum: 256)?.hasPrefix("CRYPT-") ?? false { return true }
    // A partition has its slaves at its disk, and neither is encrypted.
    guard depth < 8, let below = try? Directory.names(in: block + "/slaves"), !below.isEmpty else { return false }
    return below.allSatisfy { isEncrypted(block + "/slaves/" + $0, depth: depth + 1) }
  }
}
