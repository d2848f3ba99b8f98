import AccountDirectories
import AccountKeys
import Foundation
import Platform
import Secrets
import Testing

/// Directories that really encrypt: an ext4 image with the feature `encrypt`, and gocryptfs. They need root and the programs.
@Suite(.serialized, .enabled(if: Machine.isAble, "skipped: needs root, gocryptfs, mkfs.ext4 and loop devices"))
final class DirectoryStoreTests {
  private let machine: Machine
  private let store: DirectoryStore
  private let place: DirectoryPlace
  private let key = SecretBytes.random(32)
  private static let user: UInt32 = 65_534
  private static let secret = "the contract with Fabrikam ends on Friday"

  init() throws {
    machine = try Machine()
    store = DirectoryStore(root: machine.mounted + "/accounts")
    place = store.place(of: KeyOwner(uid: Self.user, account: AccountTag(foldedName: "work@contoso.com")))
  }

  private func mark(_ way: DirectoryWay) throws -> DirectoryMark {
    try DirectoryMark(
      way: way, key: #require(KeyID(hex: String(repeating: "5f", count: 16))),
      object: #require(SealedObjectID(hex: String(repeating: "9b", count: 32))))
  }

  private func write(_ name: String = "plan.txt", as uid: UInt32 = user) -> Bool {
    machine.shell("printf %s '\(Self.secret)' > '\(place.files)/\(name)'", as: uid).status == 0
  }

  private func read(_ name: String = "plan.txt", as uid: UInt32 = user) -> String? {
    let done = machine.shell("cat '\(place.files)/\(name)'", as: uid)
    return done.status == 0 ? done.output : nil
  }

  @Test(arguments: DirectoryWay.allCases)
  func filesCanBeReadWhileItIsOpen(_ way: DirectoryWay) throws {
    #expect(try store.state(of: place) == .absent)
    try store.open(place, by: mark(way), key: key)
    #expect(try store.state(of: place) == .open)
    #expect(write())
    #expect(read() == Self.secret)
    #expect(read(as: 0) == Self.secret)
    // Other users may not enter.
    #expect(read(as: 4711) == nil && !write("other", as: 4711))
    #expect(try store.close(place) == .closed)
    #expect(try store.state(of: place) == .closed)
    for uid in [Self.user, 4711] { #expect(read(as: uid) == nil && !write("new", as: uid), "\(uid)") }
    #expect(read(as: 0) == nil)
    try store.open(place, by: mark(way), key: key)
    #expect(read() == Self.secret)
    #expect(machine.shell("ls '\(place.files)'", as: Self.user).output == "plan.txt\n")
  }

  /// Neither content nor names lie on the disk in the clear.
  @Test(arguments: DirectoryWay.allCases)
  func nothingIsInTheClear(_ way: DirectoryWay) throws {
    try store.open(place, by: mark(way), key: key)
    #expect(write("a name that nobody else has"))
    try store.close(place)
    #expect(
      machine.shell("sync; grep -c -a -e 'contract with Fabrikam' -e 'nobody else has' '\(machine.image)'").output
        == "0\n")
    #expect(machine.shell("grep -c -a '\(key.hex)' '\(machine.image)'").output == "0\n")
  }

  @Test(arguments: DirectoryWay.allCases)
  func openingAndClosingTwiceChangesNothing(_ way: DirectoryWay) throws {
    try store.close(place)
    for _ in 0..<3 {
      for _ in 0..<2 { try store.open(place, by: mark(way), key: key) }
      #expect(write())
      for _ in 0..<2 { #expect(try store.close(place) == .closed) }
      #expect(read() == nil)
    }
  }

  @Test(arguments: DirectoryWay.allCases)
  func anotherKeyOpensNothing(_ way: DirectoryWay) throws {
    try store.open(place, by: mark(way), key: key)
    #expect(write())
    try store.close(place)
    #expect(throws: DirectoryFault.self) {
      try self.store.open(self.place, by: self.mark(way), key: SecretBytes.random(32))
    }
    #expect(try store.state(of: place) == .closed)
    #expect(read() == nil)
    var other = try mark(way)
    other.key = try #require(KeyID(hex: String(repeating: "00", count: 16)))
    #expect(throws: DirectoryFault.wrongKey(path: place.files)) {
      try self.store.open(self.place, by: other, key: self.key)
    }
    try store.open(place, by: mark(way), key: key)
    #expect(read() == Self.secret)
  }

  /// A program that has a file open when the account is locked.
  @Test func gocryptfsEndsFilesThatAreOpen() throws {
    try store.open(place, by: mark(.gocryptfs), key: key)
    #expect(write())
    let held = try #require(FileHandle(forReadingAtPath: place.files + "/plan.txt"))
    #expect(try store.close(place) == .closed)
    #expect(throws: (any Error).self) { try held.readToEnd() }
    #expect(read() == nil)
    #expect(machine.shell("pgrep -f '[g]ocryptfs.*\(place.files)'").status != 0, "its program is gone")
  }

  /// The kernel lets a program go on with files that it has open; it is told, and the next try closes them.
  @Test func fscryptTellsOfFilesThatAreOpen() throws {
    try store.open(place, by: mark(.fscrypt), key: key)
    #expect(write() && write("other"))
    let held = try #require(FileHandle(forReadingAtPath: place.files + "/plan.txt"))
    #expect(try store.close(place) == .filesStillOpen)
    #expect(read("other") == nil && !write("third"))
    #expect(try store.close(place) == .filesStillOpen)
    try held.close()
    #expect(try store.close(place) == .closed)
    #expect(read() == nil)
  }

  /// The program of a mount was killed, or ran out of memory.
  @Test func aMountWhoseProgramEndedIsMadeAgain() throws {
    try store.open(place, by: mark(.gocryptfs), key: key)
    #expect(write())
    #expect(machine.shell("pkill -KILL -f '[g]ocryptfs.*\(place.files)'").status == 0)
    while read() != nil { usleep(10_000) }
    #expect(try store.state(of: place) == .closed)
    try store.open(place, by: mark(.gocryptfs), key: key)
    #expect(read() == Self.secret)
  }

  /// A crash at each step of making a directory leaves one that the next opening makes whole.
  @Test(arguments: DirectoryWay.allCases, ["made", "new", "filled"])
  func aHalfMadeDirectoryIsMadeWhole(_ way: DirectoryWay, _ step: String) throws {
    try store.open(place, by: mark(way), key: key)
    try store.close(place)
    let made = way == .fscrypt ? place.files : place.area + "/sealed/cipher"
    #expect(machine.shell(step == "made" ? "rm -rf '\(made)'" : "mv '\(made)' '\(made).new'").status == 0)
    if step == "filled" { #expect(machine.shell(way == .fscrypt ? "true" : "touch '\(made).new/rest'").status == 0) }
    try store.open(place, by: mark(way), key: key)
    #expect(write() && read() == Self.secret)
  }

  @Test(arguments: DirectoryWay.allCases)
  func aRemovedDirectoryIsMadeAnewUnderAnotherKey(_ way: DirectoryWay) throws {
    try store.remove(place)
    try store.open(place, by: mark(way), key: key)
    #expect(write())
    // A link to a file of another user's, which has to stay.
    #expect(
      machine.shell("touch '\(machine.mounted)/kept'; ln -s '\(machine.mounted)/kept' '\(place.files)/link'").status
        == 0)
    let removal = try #require(try store.remove(place))
    #expect(try store.state(of: place) == .absent)
    #expect(store.places().places == [])
    var status: Int32 = 0
    #expect(waitpid(removal, &status, 0) == removal && status == 0)
    #expect(machine.shell("cat '\(machine.mounted)/kept'").status == 0)
    #expect(machine.shell("find '\(store.root)' -mindepth 2").output == "")
    let next = SecretBytes.random(32)
    try store.open(place, by: mark(way), key: next)
    #expect(read() == nil && write())
  }

  /// Two accounts of one person, and one account of two persons, have nothing in common.
  @Test(arguments: DirectoryWay.allCases)
  func directoriesAreApart(_ way: DirectoryWay) throws {
    let names = [(Self.user, "work@contoso.com"), (Self.user, "work@fabrikam.com"), (4711, "work@contoso.com")]
    let places = names.map { store.place(of: KeyOwner(uid: $0.0, account: AccountTag(foldedName: $0.1))) }
    for place in places { try store.open(place, by: mark(way), key: SecretBytes.random(32)) }
    #expect(Set(store.places().places) == Set(places))
    for (index, place) in places.enumerated() {
      #expect(machine.shell("echo \(index) > '\(place.files)/x'", as: place.owner.uid).status == 0)
    }
    try store.close(places[0])
    #expect(machine.shell("cat '\(places[1].files)/x'", as: Self.user).output == "1\n")
    #expect(machine.shell("cat '\(places[2].files)/x'", as: 4711).output == "2\n")
    #expect(machine.shell("cat '\(places[2].files)/x'", as: Self.user).status != 0)
    for place in places { try store.close(place) }
  }

  /// Somebody put another directory, or a mark of their own, in the place.
  @Test func othersDirectoriesAreRefused() throws {
    #expect(
      machine.shell("mkdir -p '\(store.root)/\(Self.user)'; chown \(Self.user) '\(store.root)/\(Self.user)'").status
        == 0)
    #expect(throws: DirectoryFault.self) { try self.store.open(self.place, by: self.mark(.fscrypt), key: self.key) }
    #expect(machine.shell("chown 0 '\(store.root)/\(Self.user)'").status == 0)
    try store.open(place, by: mark(.fscrypt), key: key)
    #expect(machine.shell("chown \(Self.user) '\(place.area)/made'").status == 0)
    #expect(throws: DirectoryFault.self) { try self.store.state(of: self.place) }
    #expect(machine.shell("chown 0 '\(place.area)/made'; echo 'way none' > '\(place.area)/made'").status == 0)
    #expect(throws: DirectoryFault.self) { try self.store.state(of: self.place) }
  }

  /// Nobody else than root could; the files would lie hidden below the mount.
  @Test func filesInTheClearAreNotCovered() throws {
    try store.open(place, by: mark(.gocryptfs), key: key)
    try store.close(place)
    #expect(write(as: 0))
    guard
      case .damaged = #expect(
        throws: DirectoryFault.self,
        performing: { try self.store.open(self.place, by: self.mark(.gocryptfs), key: self.key) })
    else {
      Issue.record("it was opened")
      return
    }
    #expect(machine.shell("rm '\(place.files)/plan.txt'").status == 0)
    try store.open(place, by: mark(.gocryptfs), key: key)
    #expect(write())
  }

  /// Whatever became of its mark, a directory that is open is closed.
  @Test(arguments: DirectoryWay.allCases, ["rm", "echo none >", "chown 4711"])
  func aDirectoryWithoutItsMarkIsClosed(_ way: DirectoryWay, _ damage: String) throws {
    try store.open(place, by: mark(way), key: key)
    #expect(write())
    #expect(machine.shell("\(damage) '\(place.area)/made'").status == 0)
    #expect(try store.close(place) == .closed)
    #expect(read() == nil)
  }

  /// Other entries hide no directory.
  @Test func entriesThatAreNoDirectoriesHideNone() throws {
    try store.open(place, by: mark(.fscrypt), key: key)
    #expect(machine.shell("touch '\(store.root)/123' '\(store.root)/notes'").status == 0)
    let found = store.places()
    #expect(found.places == [place] && found.faults.count == 1)
  }

  @Test func aProgramThatIsMissingIsNamed() throws {
    var store = store
    store.programs.gocryptfs = "gocryptfs-that-is-missing"
    #expect(throws: DirectoryFault.unable(.gocryptfs, hint: "install the package `gocryptfs`")) {
      try store.open(self.place, by: self.mark(.gocryptfs), key: self.key)
    }
    store.programs.gocryptfs = "false"
    #expect(throws: DirectoryFault.program("false", status: 1)) {
      try store.open(self.place, by: self.mark(.gocryptfs), key: self.key)
    }
    try self.store.open(place, by: mark(.gocryptfs), key: key)
    #expect(write())
  }

  @Test func whatTheMachineCanIsSaid() throws {
    #expect(DirectoryWays.answer(.fscrypt, below: store.root + "/not/there") == .able)
    #expect(DirectoryWays.answer(.gocryptfs, below: "/") == .able)
    guard case .unable(let hint) = DirectoryWays.answer(.fscrypt, below: "/dev/shm") else {
      Issue.record("a file system in memory has the feature")
      return
    }
    #expect(hint.contains("/dev/shm"))
    #expect(VolumeEncryption.of(machine.mounted) != .encrypted(by: "fscrypt"))
    try store.open(place, by: mark(.fscrypt), key: key)
    #expect(VolumeEncryption.of(place.files) == .encrypted(by: "fscrypt"))
    try store.remove(place)
    try store.open(place, by: mark(.gocryptfs), key: key)
    #expect(VolumeEncryption.of(place.files) == .encrypted(by: "gocryptfs"))
  }
}

/// A file system of the test's own that can encrypt.
private final class Machine {
  let image: String
  let mounted: String

  static var isAble: Bool {
    geteuid() == 0 && ["gocryptfs", "mkfs.ext4", "setpriv"].allSatisfy { run("command -v \($0)").status == 0 }
      && run("losetup -f").status == 0
      && FileManager.default.fileExists(atPath: "/dev/fuse")
  }

  init() throws {
    let path = "/tmp/wvg-vaults-\(UInt64.random(in: 0 ... .max))"
    (image, mounted) = (path + ".image", path)
    let made = Self.run(
      "truncate -s 64M '\(image)' && mkfs.ext4 -q -O encrypt '\(image)' && mkdir '\(mounted)' && mount -o loop '\(image)' '\(mounted)'"
    )
    try #require(made.status == 0, "\(made.output)")
  }

  deinit {
    _ = Self.run(
      "grep -o ' \(mounted)[^ ]*' /proc/mounts | sort -r | xargs -r -n1 umount -l; rm -rf '\(mounted)' '\(image)'")
  }

  func shell(_ text: String, as uid: UInt32 = 0) -> (status: Int32, output: String) { Self.run(text, as: uid) }

  private static func run(_ text: String, as uid: UInt32 = 0) -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
    process.arguments = ["--reuid=\(uid)", "--regid=\(uid)", "--clear-groups", "sh", "-c", text]
    let pipe = Pipe()
    (process.standardOutput, process.standardError) = (pipe, FileHandle.nullDevice)
    guard (try? process.run()) != nil else { return (-1, "") }
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
