import GuardService
import PolicyEngine
import Testing

/// Marks, which one daemon leaves for the next, and the repair of the clock, which is one.
@Suite struct StateMarkTests {
  private func write(_ marks: [String: String], _ folder: StateFolder, boot: String = "boot") throws {
    let writer = try #require(try folder.open(boot: boot).writer)
    var records = StateRecords()
    records.marks = marks
    writer.submit(records, through: 1)
    #expect(writer.stop().failure == nil)
  }

  private func marks(_ folder: StateFolder, boot: String = "boot") throws -> [String: String] {
    let opened = try folder.open(boot: boot)
    #expect(opened.loss == nil)
    _ = opened.writer?.stop()
    return opened.records.marks
  }

  @Test func marksAreReadAgain() throws {
    let folder = try StateFolder()
    try write(["head": "7:ab", "clock": "12", "ä": "ü\n\u{0}\""], folder)
    #expect(try marks(folder) == ["head": "7:ab", "clock": "12", "ä": "ü\n\u{0}\""])
    try write(["head": "8:cd", "clock": ""], folder)
    #expect(try marks(folder) == ["head": "8:cd", "ä": "ü\n\u{0}\""], "the newer wins, and an empty one is none")
  }

  /// What a mark says outlives a boot: a log that is cut while the machine is off is still cut.
  @Test func marksOutliveTheBoot() throws {
    let folder = try StateFolder()
    try folder.fill()
    try write(["head": "7:ab"], folder)
    #expect(try marks(folder, boot: "another") == ["head": "7:ab"])
    #expect(try marks(folder, boot: "a third") == ["head": "7:ab"])
  }

  /// A file of a daemon that knew no marks gets their table.
  @Test func aFileWithoutTheirTableGetsIt() throws {
    let folder = try StateFolder()
    try folder.fill()
    try folder.run("DROP TABLE mark;")
    #expect(try marks(folder) == [:])
    try write(["head": "7:ab"], folder)
    #expect(try marks(folder) == ["head": "7:ab"])
  }

  /// A repair forgets each time, and with it whose clips are whose; it says so to the next daemon.
  @Test func aRepairForgetsEveryTime() throws {
    let folder = try StateFolder()
    try folder.fill()
    try write(["clock": "1", "head": "7:ab"], folder)
    #expect(try ClockRepair.repair(folder.place) == 1_700_000_000_000)
    let opened = try folder.open()
    #expect(opened.loss == nil && opened.records.latest == nil)
    #expect(opened.records.clips.isEmpty && opened.records.instances.isEmpty)
    #expect(opened.records.marks["clock"] == nil && opened.records.marks["head"] == "7:ab")
    #expect(opened.records.marks["clockRepaired"].flatMap(UInt64.init).map { $0 > 1_700_000_000_000 } == true)
    _ = opened.writer?.stop()
    // Where nothing is on record there is nothing to forget.
    #expect(try ClockRepair.repair(folder.place) == nil)
  }

  @Test func aRepairOfNothingIsNone() throws {
    let folder = try StateFolder()
    #expect(try ClockRepair.repair(folder.place) == nil)
    #expect(try marks(folder)["clockRepaired"] != nil)
  }

  @Test func aDamagedFileIsNotRepaired() throws {
    let folder = try StateFolder()
    try folder.fill()
    try folder.overwrite(at: 0, [UInt8](repeating: 0x41, count: 4096))
    #expect(throws: StartError.self) { try ClockRepair.repair(folder.place) }
  }
}
