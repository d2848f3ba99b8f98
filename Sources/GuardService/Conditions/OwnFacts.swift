internal import Glibc
internal import Platform
package import PolicyEngine

/// The facts about the machine that the daemon reads itself. Root can change each of them, so they are an inventory and no
/// proof. A fact that cannot be read is unknown.
package struct OwnFacts: Sendable {
  private let root: String

  /// - Parameter root: the directory of the system's files; another one in tests.
  package init(root: String = "") { self.root = root }

  /// Reads them. It blocks: not for the event loop.
  package func read() -> [String: Fact] {
    var facts: [OwnFact: FactValue] = [:]
    let release = osRelease
    facts[.osName] = release["ID"].map(FactValue.text)
    // As they are written, so that people see `24.04`.
    facts[.osVersion] = release["VERSION_ID"].map(FactValue.text)
    facts[.kernelVersion] = kernelRelease.map(FactValue.text)
    facts[.secureBoot] = secureBoot.map(FactValue.truth)
    facts[.diskEncrypted] = diskEncrypted.map(FactValue.truth)
    return Dictionary(uniqueKeysWithValues: facts.map { ($0.key.rawValue, Fact($0.value)) })
  }

  /// os-release(5): `KEY=value` lines, some in quotes. A value that is empty is none.
  private var osRelease: [Substring: String] {
    let text =
      SmallFile.text(at: root + "/etc/os-release", maximum: 65_536)
      ?? SmallFile.text(at: root + "/usr/lib/os-release", maximum: 65_536) ?? ""
    var found: [Substring: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !line.hasPrefix("#") else { continue }
      let value = String(parts[1].filter { $0 != "\"" && $0 != "'" && $0 != " " })
      if !value.isEmpty, value.utf8.count <= 256 { found[parts[0]] = value }
    }
    return found
  }

  /// As `uname -r` has it. The service has no `/proc/sys`.
  private var kernelRelease: String? {
    guard root.isEmpty else {
      let text = SmallFile.text(at: root + "/proc/sys/kernel/osrelease", maximum: 256) ?? ""
      return text.split(whereSeparator: \.isNewline).first.map(String.init)
    }
    var name = utsname()
    guard uname(&name) == 0 else { return nil }
    return withUnsafeBytes(of: name.release) { bytes in
      let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      return text.isEmpty ? nil : text
    }
  }

  /// The fifth byte of the firmware's variable; nil on machines without such firmware.
  private var secureBoot: Bool? {
    let path = root + "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c"
    guard let bytes = SmallFile.bytes(at: path, maximum: 16), bytes.count == 5 else { return nil }
    return bytes[4] == 1
  }

  /// dm-crypt lies below the root directory; nil when its devices are not known, as in a container or on a network.
  private var diskEncrypted: Bool? {
    let devices = MountedVolume(ofRootIn: root)?.devices ?? []
    return BlockDevice.encryption(of: devices).map { if case .encrypted = $0 { true } else { false } }
  }
}
