import Foundation
import Glibc
import GuardProtocol
import GuardService
import Platform
import Testing

/// Orders on disk. Orders that somebody else could have written are tried in `Tests/System/attacks/test_wipe_files.py`.
@Suite struct WipeOrderFileTests {
  private let folder = FileManager.default.temporaryDirectory.path + "/wvg-orders-\(UInt64.random(in: 0 ... .max))"

  private func order(_ request: String, directory: String = "/srv/contoso/a") throws -> WipeOrder {
    try WipeOrder(request: request, uid: 61_201, app: "a", account: "b", directories: [directory])
  }

  private var orders: WipeOrders { WipeOrders(directory: folder, daemon: geteuid()) }

  @Test func whatIsWrittenIsRead() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for request in ["w-2", "w-1"] { try order(request).write(in: folder) }
    #expect(orders.read(for: 61_201) == WipeOrders.Reading(orders: [try order("w-1"), try order("w-2")]))
    #expect(orders.read(for: 61_202) == WipeOrders.Reading())
    try order("w-1", directory: "/srv/contoso/other").write(in: folder)
    #expect(orders.read(for: 61_201).orders.first?.directories == ["/srv/contoso/other"])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder + "/61201").sorted() == ["w-1.json", "w-2.json"])
  }

  @Test func whatIsRemovedIsGone() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try order("w-1").write(in: folder)
    try WipeOrder.remove("w-1", of: 61_201, in: folder)
    try WipeOrder.remove("w-1", of: 61_201, in: folder)
    #expect(orders.read(for: 61_201) == WipeOrders.Reading())
    #expect(throws: SystemError.self) { try WipeOrder.remove("../x", of: 61_201, in: folder) }
  }

  /// Orders that no wipe knows go; those of wipes under way, and what is no order, stay.
  @Test func ordersThatNobodyKnowsAreSwept() throws {
    for name in ["w-1", "w-2"] { try order(name).write(in: folder) }
    try "x".write(toFile: folder + "/61201/readme.txt", atomically: false, encoding: .utf8)
    #expect(WipeOrder.sweep(folder, keeping: [61_201: ["w-2"], 61_202: ["w-1"]]) == ["61201/w-1"])
    #expect(orders.read(for: 61_201).orders == [try order("w-2")])
    #expect(WipeOrder.sweep(folder, keeping: [:]) == ["61201/w-2"])
    #expect(FileManager.default.fileExists(atPath: folder + "/61201/readme.txt"))
    #expect(WipeOrder.sweep(folder + "/absent", keeping: [:]) == [])
  }

  /// The daemon writes these again.
  @Test func ordersThatAreGoneAreMissing() throws {
    let open: [UInt32: Set<String>] = [61_201: ["w-1", "w-2"], 61_202: ["w-1"]]
    #expect(WipeOrder.missing(open, in: folder + "/absent") == open)
    for name in ["w-1", "w-2"] { try order(name).write(in: folder) }
    #expect(WipeOrder.missing(open, in: folder) == [61_202: ["w-1"]])
    try WipeOrder.remove("w-2", of: 61_201, in: folder)
    #expect(WipeOrder.missing(open, in: folder) == [61_201: ["w-2"], 61_202: ["w-1"]])
    #expect(WipeOrder.missing([:], in: folder) == [:])
  }

  @Test func noDirectoryIsNoOrder() { #expect(orders.read(for: 61_201) == WipeOrders.Reading()) }

  /// It says whose account of which organisation goes.
  @Test func onlyItsPersonMayReadIt() throws {
    guard geteuid() == 0 else { return }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try order("w-1").write(in: folder)
    #expect(FileStatus(folder)?.mode == 0o755)
    #expect(FileStatus(folder + "/61201")?.mode == 0o750)
    for (uid, isRead) in [("61201", true), ("61202", false)] {
      let command = ["setpriv", "--reuid", uid, "--regid", uid, "--clear-groups", "cat", folder + "/61201/w-1.json"]
      let started = try #require(ChildProgram.startReading(command, hidesErrors: true))
      let text = ChildProgram.readAll(started.output, most: 1 << 16)
      var status: Int32 = 0
      waitpid(started.process, &status, 0)
      #expect((text?.isEmpty == false) == isRead, "uid \(uid)")
    }
  }

  /// Nobody writes there but the daemon: also its person does not.
  @Test func aDirectoryOfSomebodyElseIsNotWrittenInto() throws {
    guard geteuid() == 0 else { return }
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder + "/61201", withIntermediateDirectories: true)
    try #require(chown(folder + "/61201", 61_201, 61_201) == 0)
    #expect(throws: SystemError.self) { try order("w-1").write(in: folder) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/61201") == [])
  }

  @Test func aLinkInPlaceOfTheDirectoryIsNotFollowed() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder + "/elsewhere", withIntermediateDirectories: true)
    try #require(symlink("elsewhere", folder + "/61201") == 0)
    #expect(throws: SystemError.self) { try order("w-1").write(in: folder) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/elsewhere") == [])
  }
}
