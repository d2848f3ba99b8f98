import AccountDirectories
import Foundation
import Testing

/// Disks that the kernel describes in files; here they are the test's.
@Suite final class VolumeEncryptionTests {
  private let root = FileManager.default.temporaryDirectory.path + "/wvg-disks-\(UInt64.random(in: 0 ... .max))"
  /// The device that the test's own files lie on.
  private let own: String

  init() throws {
    try FileManager.default.createDirectory(atPath: root + "/dev", withIntermediateDirectories: true)
    var status = stat()
    try #require(stat(root, &status) == 0)
    // As the kernel prints small numbers (makedev(3)).
    own = "\(status.st_dev >> 8 & 0xfff):\(status.st_dev & 0xff)"
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  private func file(_ name: String, _ text: String) throws {
    let place = URL(fileURLWithPath: root + "/dev/" + name)
    try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data((text + "\n").utf8).write(to: place)
  }

  /// A device, those that it lies on, and the device mapper's word for it.
  private func disk(_ number: String, _ name: String, on below: [String] = [], mapped: String? = nil) throws {
    try file("\(number)/uevent", "MAJOR=1\nDEVNAME=\(name)")
    if let mapped { try file("\(number)/dm/uuid", mapped) }
    for other in below { try file("\(number)/slaves/d\(other)/dev", other) }
  }

  private var found: VolumeEncryption { VolumeEncryption.of(root, devices: root + "/dev") }

  @Test func aPlainDisk() throws {
    try disk(own, "sda1")
    #expect(found == .plain(device: "/dev/sda1"))
  }

  @Test(arguments: [
    ("CRYPT-LUKS2-7f0e-luks-root", "CRYPT-LUKS2"), ("CRYPT-PLAIN-swap", "CRYPT-PLAIN"),
    ("CRYPT-BITLK-1-x", "CRYPT-BITLK"),
  ])
  func aDiskThatTheMapperEncrypts(_ mapped: String, _ kind: String) throws {
    try disk(own, "dm-0", on: ["8:1"], mapped: mapped)
    #expect(found == .encrypted(by: kind))
  }

  /// A logical volume upon LUKS, which is how Debian installs it.
  @Test func aVolumeUponAnEncryptedDisk() throws {
    try disk(own, "dm-1", on: ["253:0"], mapped: "LVM-abc")
    try disk("253:0", "dm-0", on: ["8:2"], mapped: "CRYPT-LUKS2-x")
    try disk("8:2", "sda2")
    #expect(found == .encrypted(by: "CRYPT-LUKS2"))
  }

  /// A volume group that was made larger by a disk that nobody encrypted.
  @Test(arguments: [["253:0", "8:3"], ["8:3", "253:0"]])
  func oneOfTwoDisksIsPlain(_ below: [String]) throws {
    try disk(own, "dm-1", on: below, mapped: "LVM-abc")
    try disk("253:0", "dm-0", on: ["8:2"], mapped: "CRYPT-LUKS2-x")
    try disk("8:2", "sda2")
    try disk("8:3", "sdb")
    #expect(found == .plain(device: "/dev/sdb"))
  }

  @Test(arguments: ["crypt-luks2", "LVM-CRYPT-x", "", "CRYPT", "CRYPT-VERITY-ab-root", "CRYPT-INTEGRITY-root"])
  func wordsThatOnlyLookLikeIt(_ mapped: String) throws {
    try disk(own, "dm-0", mapped: mapped)
    #expect(found == .plain(device: "/dev/dm-0"))
  }

  /// Devices that lie on each other, which no kernel makes.
  @Test func aCircle() throws {
    try disk(own, "dm-0", on: [own])
    #expect(found == .plain(device: "/dev/dm-0"))
  }

  @Test(arguments: ["overlay", "nfs4", "tmpfs", "zfs", "fuse.sshfs"])
  func fileSystemsThatDoNotSay(_ kind: String) throws {
    let mounts = root + "/mounts"
    try Data("36 35 \(own) / / rw shared:1 - \(kind) server:/x rw\n".utf8).write(to: URL(fileURLWithPath: mounts))
    #expect(
      VolumeEncryption.of(root, devices: root + "/dev", mounts: mounts)
        == .unknown(reason: "`\(kind)` does not say on which device its files lie"))
  }

  @Test func aDirectoryThatGocryptfsKeeps() throws {
    let mounts = root + "/mounts"
    try Data("36 35 \(own) / / rw - fuse.gocryptfs /srv/x rw\n".utf8).write(to: URL(fileURLWithPath: mounts))
    #expect(VolumeEncryption.of(root, devices: root + "/dev", mounts: mounts) == .encrypted(by: "gocryptfs"))
  }

  @Test func nothingIsThere() {
    guard case .unknown = VolumeEncryption.of(root + "/missing") else {
      Issue.record("a missing path has a disk")
      return
    }
  }
}
