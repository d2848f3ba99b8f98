import Foundation
import GuardService
import PolicyEngine
import Testing

/// The facts that the daemon reads itself, from trees like those of real machines. Ledger CD-01.
@Suite struct OwnFactsTests {
  private let machine = Machine()

  private func fact(_ name: OwnFact) -> FactValue? { OwnFacts(root: machine.root).read()[name.rawValue]?.value }

  @Test func anEmptyMachineIsUnknown() {
    #expect(OwnFacts(root: machine.root).read().isEmpty)
  }

  /// The real one has a kernel, and no program states facts of its own here.
  @Test func thisMachineHasAKernel() {
    let facts = OwnFacts().read()
    guard case .text(let release)? = facts["kernelVersion"]?.value else { return #expect(Bool(false), "no kernel") }
    #expect(FactValue(version: release) != nil && !release.contains("\n"))
    #expect(facts["appVersion"] == nil && facts["policyAge"] == nil)
  }

  @Test(
    arguments: [
      ("ID=debian\nVERSION_ID=\"12\"\n", .text("debian"), .text("12")),
      ("ID=ubuntu\r\nVERSION_ID='24.04'\r\n", .text("ubuntu"), .text("24.04")),
      ("# ID=fedora\nID=\"arch\"\n", .text("arch"), nil), ("ID=\nVERSION_ID=\"\"\n", nil, nil),
      ("ID\n=x\nNAME=y", nil, nil),
      ("ID=a\nID=b\nVERSION_ID=1=2", .text("b"), .text("1=2")),
    ] as [(String, FactValue?, FactValue?)])
  func theSystemSaysItsName(_ text: String, _ name: FactValue?, _ version: FactValue?) throws {
    try machine.write("usr/lib/os-release", text)
    #expect(fact(.osName) == name && fact(.osVersion) == version)
    try machine.write("etc/os-release", "ID=other\n")
    #expect(fact(.osName) == .text("other"), "the one in /etc goes before it")
  }

  @Test func theKernelSaysItsVersion() throws {
    try machine.write("proc/sys/kernel/osrelease", "6.1.0-13-amd64\n")
    #expect(fact(.kernelVersion) == .text("6.1.0-13-amd64"))
  }

  @Test(
    arguments: [
      ([6, 0, 0, 0, 1], .truth(true)), ([6, 0, 0, 0, 0], .truth(false)), ([6, 0, 0, 0], nil),
      ([6, 0, 0, 0, 1, 0], nil), ([], nil),
    ] as [([UInt8], FactValue?)])
  func theFirmwareSaysSecureBoot(_ bytes: [UInt8], _ value: FactValue?) throws {
    try machine.write("sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", bytes)
    #expect(fact(.secureBoot) == value)
  }

  // MARK: Disks

  @Test func aPartitionIsNotEncrypted() throws {
    try machine.mount("8:2", "ext4", "/dev/sda2")
    #expect(fact(.diskEncrypted) == nil, "no such device is known")
    try machine.block("8:2")
    #expect(fact(.diskEncrypted) == .truth(false))
  }

  /// A table of mounts that says nothing of the root directory.
  @Test(arguments: [
    "", "\n\n", "29 1 8:2 / / rw", "29 1 8:2 / / rw shared:1 -\n", "29 1 8:2 / / rw shared:1 - ext4\n",
    "29 1 8:2 / /home rw shared:1 - ext4 /dev/sda2 rw\n", "29 1 8:2 /sub /mnt/ rw - ext4 /dev/sda2 rw\n",
    "29 1 8:2 / // rw - ext4 /dev/sda2 rw\n", "29 1 0:30 / / rw - overlay overlay rw\n",
    "29 1 0:30 / / rw - btrfs /dev/mapper/absent rw\n", "29 1 0:30 / / rw - btrfs /dev/mapper/../sda2 rw\n",
    "29 1 0:30 / / rw - btrfs sda2 rw\n",
  ])
  func aRootOnNoKnownDeviceIsUnknown(_ mounts: String) throws {
    try machine.block("8:2", id: "CRYPT-LUKS2-0123-luks")
    try machine.named("sda2", nil, id: "CRYPT-LUKS2-0123-luks")
    try machine.write("proc/self/mountinfo", mounts)
    #expect(fact(.diskEncrypted) == nil)
  }

  /// What is mounted over the root directory later hides what lay there.
  @Test(arguments: [(["8:2", "253:0"], true), (["253:0", "8:2"], false), (["8:2", "8:2", "253:0"], true)])
  func theLastRootCounts(_ devices: [String], _ isEncrypted: Bool) throws {
    try machine.block("8:2")
    try machine.block("253:0", id: "CRYPT-LUKS2-0123-luks")
    let lines = devices.enumerated().map { "\(29 + $0) 1 \($1) / / rw shared:1 - ext4 /dev/any rw\n" }
    try machine.write("proc/self/mountinfo", lines.joined())
    #expect(fact(.diskEncrypted) == .truth(isEncrypted))
  }

  @Test(arguments: [
    ("CRYPT-LUKS2-0123-luks\n", true), ("CRYPT-PLAIN-swap", true), ("CRYPT-LUKS1-a", true), ("LVM-abc", false),
    ("", false),
    // They only check what they read.
    ("CRYPT-VERITY-0123-root", false), ("CRYPT-INTEGRITY-data", false), ("CRYPT-SUBDEV-0123-data_dif", false),
    ("mpath-CRYPT-1", false),
  ])
  func dmCryptIsToldByItsName(_ id: String, _ isEncrypted: Bool) throws {
    try machine.mount("253:0", "ext4", "/dev/mapper/root")
    try machine.block("253:0", id: id)
    #expect(fact(.diskEncrypted) == .truth(isEncrypted))
  }

  /// A volume of LVM on LUKS; verity above LUKS; LVM over two disks of which one is not encrypted.
  @Test func whatLiesBelowCounts() throws {
    try machine.mount("253:1", "ext4", "/dev/mapper/vg-root")
    try machine.block("253:1", id: "LVM-x", below: [("dm-0", "CRYPT-LUKS2-a")])
    #expect(fact(.diskEncrypted) == .truth(true))
    try machine.block("253:1", id: "CRYPT-VERITY-x", below: [("dm-0", "CRYPT-LUKS2-a")])
    #expect(fact(.diskEncrypted) == .truth(true))
    try machine.block("253:1", id: "LVM-x", below: [("dm-0", "CRYPT-LUKS2-a"), ("sdb1", nil)])
    #expect(fact(.diskEncrypted) == .truth(false))
  }

  /// A device that is below itself ends the search.
  @Test func aCircleEnds() throws {
    try machine.mount("253:1", "ext4", "/dev/mapper/vg-root")
    try machine.block("253:1", id: "LVM-x")
    let slaves = machine.root + "/sys/dev/block/253:1/slaves"
    try FileManager.default.createDirectory(atPath: slaves, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: slaves + "/loop", withDestinationPath: "../../253:1")
    #expect(fact(.diskEncrypted) == .truth(false))
  }

  /// The number of btrfs is no device's, as Fedora installs it: its source is looked up by name, and all its members count.
  @Test func btrfsIsFoundByItsSource() throws {
    try machine.mount("0:33", "btrfs", "/dev/mapper/luks-1")
    #expect(fact(.diskEncrypted) == nil)
    try machine.named("dm-0", "luks-1", id: "CRYPT-LUKS2-a")
    #expect(fact(.diskEncrypted) == .truth(true))
    try machine.member("dm-0")
    #expect(fact(.diskEncrypted) == .truth(true))
    try machine.named("sdb1", nil, id: nil)
    try machine.member("sdb1")
    #expect(fact(.diskEncrypted) == .truth(false), "it spans a disk that is not encrypted")
    try machine.mount("0:33", "btrfs", "/dev/sdb1")
    #expect(fact(.diskEncrypted) == .truth(false))
  }

  /// A container's root, one on a network, and a table that says nothing.
  @Test(arguments: [("0:50", "overlay", "overlay"), ("0:51", "nfs4", "server:/root"), ("0:52", "btrfs", "none")])
  func whatHasNoDeviceIsUnknown(_ device: String, _ type: String, _ source: String) throws {
    try machine.mount(device, type, source)
    try machine.block(device, id: "CRYPT-LUKS2-a")
    #expect(fact(.diskEncrypted) == nil)
    try machine.write("proc/self/mountinfo", "22 1 0:5 / /proc rw - proc proc rw\n22 1 8:1 / /\n")
    #expect(fact(.diskEncrypted) == nil)
  }

  /// What is mounted over it later counts.
  @Test func theLastMountCounts() throws {
    try machine.block("8:2")
    try machine.block("253:0", id: "CRYPT-LUKS2-a")
    let lines = [("8:2", "/dev/sda2"), ("253:0", "/dev/mapper/root")].map {
      "1 0 \($0) / / rw shared:1 - ext4 \($1) rw\n"
    }
    try machine.write("proc/self/mountinfo", lines.joined())
    #expect(fact(.diskEncrypted) == .truth(true))
    try machine.write("proc/self/mountinfo", lines.reversed().joined())
    #expect(fact(.diskEncrypted) == .truth(false))
  }
}

/// The files of a machine, below a directory of their own.
private final class Machine {
  let root = "/tmp/wvg-machine-\(UInt32.random(in: 0 ... .max))"

  init() { try? FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func write(_ path: String, _ text: String) throws { try write(path, Array(text.utf8)) }

  func write(_ path: String, _ bytes: [UInt8]) throws {
    let place = URL(fileURLWithPath: root + "/" + path)
    try FileManager.default.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: place)
  }

  func mount(_ device: String, _ type: String, _ source: String) throws {
    try write(
      "proc/self/mountinfo",
      "22 1 0:5 / /proc rw - proc proc rw\n29 1 \(device) / / rw,relatime shared:1 - \(type) \(source) rw\n")
  }

  func block(_ device: String, id: String? = nil, below: [(name: String, id: String?)] = []) throws {
    let place = "sys/dev/block/" + device
    try? FileManager.default.removeItem(atPath: root + "/" + place)
    try write(place + "/dev", device)
    if let id { try write(place + "/dm/uuid", id) }
    for (name, id) in below {
      try write(place + "/slaves/\(name)/dev", "8:1")
      if let id { try write(place + "/slaves/\(name)/dm/uuid", id) }
    }
  }

  func named(_ name: String, _ mapped: String?, id: String?) throws {
    try write("sys/class/block/\(name)/dev", "8:1")
    if let mapped { try write("sys/class/block/\(name)/dm/name", mapped + "\n") }
    if let id { try write("sys/class/block/\(name)/dm/uuid", id) }
  }

  func member(_ name: String) throws { try write("sys/fs/btrfs/1234/devices/\(name)/dev", "8:1") }
}
