import Foundation
import Platform
import Testing

/// Disks that the kernel describes in files; here they are the test's.
@Suite final class VolumeEncryptionTests {
  private let root = FileManager.default.temporaryDirectory.path + "/wvg-disks-\(UInt64.random(in: 0 ... .max))"
  /// The device that the test's own files lie on, by the test's word.
  private let own = "259:7"

  init() throws { try mount("ext4") }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  private func mount(_ kind: String, from source: String = "/dev/any") throws {
    try file("proc/self/mountinfo", "\(try number(of: root)) 35 \(own) / / rw shared:1 - \(kind) \(source) rw")
  }

  /// The kernel's own number of the mount that a path lies in.
  private func number(of path: String) throws -> UInt64 {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let entry = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(entry) }
    return try #require(MountedVolume.number(of: entry))
  }

  private func file(_ name: String, _ text: String) throws {
    let place = URL(fileURLWithPath: root + "/" + name)
    try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data((text + "\n").utf8).write(to: place)
  }

  /// A device, those that it lies on, and the device mapper's word for it.
  private func disk(_ number: String, _ name: String, on below: [String] = [], mapped: String? = nil) throws {
    let place = "sys/dev/block/\(number)"
    try file("\(place)/uevent", "MAJOR=1\nDEVNAME=\(name)")
    if let mapped { try file("\(place)/dm/uuid", mapped) }
    for other in below {
      try FileManager.default.createDirectory(atPath: "\(root)/\(place)/slaves", withIntermediateDirectories: true)
      try #require(symlink("../../\(other)", "\(root)/\(place)/slaves/d\(other)") == 0)
    }
  }

  private var found: VolumeEncryption { VolumeEncryption.of(root, root: root) }

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
    try mount(kind, from: "server:/x")
    #expect(found == .unknown(reason: "`\(kind)` does not say on which device its files lie"))
  }

  @Test func aDirectoryThatGocryptfsKeeps() throws {
    try mount("fuse.gocryptfs", from: "/srv/x")
    #expect(found == .encrypted(by: "gocryptfs"))
  }

  /// The kernel's number of the mount counts, whatever lies at the same place or nearer by its name: mounts above each
  /// other, a bind mount of a plain disk into an encrypted one, and lines in any order.
  @Test func theMountOfTheOpenDirectoryCounts() throws {
    try disk("8:1", "sda1")
    try disk("253:0", "dm-0", mapped: "CRYPT-LUKS2-x")
    let number = try number(of: root)
    let (plain, encrypted) = ("8:1 / POINT rw - ext4 /dev/sda1 rw", "253:0 / POINT rw - ext4 /dev/dm-0 rw")
    for point in ["/", root, root.replacing("/", with: "/ ").replacing(" ", with: "\\040"), "/elsewhere"] {
      for (mine, other, expected) in [
        (plain, encrypted, VolumeEncryption.plain(device: "/dev/sda1")),
        (encrypted, plain, .encrypted(by: "CRYPT-LUKS2")),
      ] {
        let lines = [
          "\(number) 1 \(mine.replacing("POINT", with: point))",
          "\(number + 1) 1 \(other.replacing("POINT", with: root))",
          "1\(number) 1 \(other.replacing("POINT", with: root))", "x 1 \(other.replacing("POINT", with: "/"))",
        ]
        for order in [lines, lines.reversed()] {
          try file("proc/self/mountinfo", order.joined(separator: "\n"))
          #expect(found == expected)
        }
      }
    }
    try file("proc/self/mountinfo", "\(number + 1) 1 \(encrypted.replacing("POINT", with: root))")
    #expect(found == .unknown(reason: "no mount holds it"))
  }

  @Test func nothingIsThere() {
    guard case .unknown = VolumeEncryption.of(root + "/missing") else {
      Issue.record("a missing path has a disk")
      return
    }
  }
}
