import DecisionLog
import Foundation
import GuardModel
import GuardProtocol
import GuardService
import JSONText
import PolicyFiles
import Testing

/// The owner of log and state file, asked alone: it answers alike with a log, without one, and while one fails.
@Suite struct JournalTests {
  private static let page: UInt32 = 4242
  private static let key = [UInt8](repeating: 7, count: 32)
  private let folder = TestFolder()
  private let journal = TestJournal()
  private var directory: String { folder.path + "/log" }

  private func made(
    _ settings: DaemonSettings.Log = .init(), start: UInt64 = 0, withLog: Bool = true
  ) throws -> Journal {
    var made = Journal(settings, logger: journal.logger, version: "0", start: start)
    if withLog { try made.begin(driven: directory, key: Self.key) }
    return made
  }

  private static func note(_ encoder: inout LogEncoder, _ time: UInt64, _ batch: inout [UInt8]) {
    encoder.encode(LogFailure(cause: String(repeating: "x", count: 1000), since: 0, lost: 0), at: time, into: &batch)
  }

  private func records(_ type: String) throws -> [JSONTree] {
    try LogNames.inOrder(try FileManager.default.contentsOfDirectory(atPath: directory)).flatMap { name in
      try String(contentsOfFile: directory + "/" + name, encoding: .utf8).split(separator: "\n")
        .map { try JSONTree(parsing: String($0)) }
    }.filter { $0["type"]?.string == type }
  }

  @Test func aJournalWithoutALogSaysSo() throws {
    var off = try made(start: 7, withLog: false)
    for _ in 0..<3 {
      off.record(Self.note)
      off.record(by: Self.page, Self.note)
      off.count(CountKey("app", DecisionReport()))
      off.recordCounts()
      off.keep(at: off.now(), second: 60)
      off.write()
    }
    #expect(off.newest == 0 && off.next == 0 && off.settled == .max, "no answer waits")
    let (hasRoom, mayDecide) = (off.takeRoom(), off.mayDecide(at: 0))
    #expect(!hasRoom && mayDecide, "nothing is recorded, and everything is decided")
    #expect(!off.isFailing && !off.refusesToAllow && !off.isSaturated && off.logStatus == nil)
    #expect(off.problems.map(\.code) == [.logOff])
    let (name, none, number) = (off.loggedName(of: "a@contoso.com"), off.loggedName(of: ""), off.nextDecision().number)
    #expect(name == "(account)" && none.isEmpty && number == 7 << 12 + 1)
  }

  @Test func aRecordIsSettledOnceItIsWritten() throws {
    var log = try made()
    let first = log.newest
    log.record(Self.note)
    #expect(log.newest == first + 1 && log.next == first + 2 && log.settled < first)
    log.write()
    #expect(log.settled == log.newest)
    #expect(try records("failure").count == 1)
  }

  /// No two daemons give one number, even when the clock of the second is behind.
  @Test func numbersGoOnBehindTheTimesOnRecord() throws {
    var earlier = try made()
    var given: [UInt64] = []
    for _ in 0..<5000 { given.append(earlier.nextDecision().number) }
    #expect(Set(given).count == 5000 && given == given.sorted())
    let time = earlier.now()
    #expect(given[0] > time >> 1, "the log's first record renumbered them")
    earlier.record(Self.note)
    earlier.write()
    _ = consume earlier
    try FileManager.default.copyItem(atPath: directory, toPath: folder.path + "/copy")
    var later = Journal(.init(), logger: journal.logger, version: "0", start: 0)
    try later.begin(driven: folder.path + "/copy", key: Self.key)
    let number = later.nextDecision().number
    #expect(number > time << 12)
  }

  @Test func decisionsOfOneKeyAreOneRecord() throws {
    var log = try made()
    var blocked = DecisionReport()
    blocked.outcome = .block
    for _ in 0..<300 { log.count(CountKey("a", DecisionReport())) }
    var allowed = DecisionReport()
    allowed.outcome = .allow
    for _ in 0..<20 { log.count(CountKey("a", allowed)) }
    for _ in 0..<2 { log.recordCounts() }
    log.count(CountKey("b", allowed))
    log.recordCounts()
    log.write()
    let counts = try records("counts").map { "\($0["app"]?.string ?? "") \($0["count"]?.int ?? 0)" }
    #expect(counts.sorted() == ["a 20", "a 300", "b 1"])
  }

  /// The attack: one user fills the log. Its own changes are only counted then; those of others have room.
  @Test func aFullShareIsCountedAndOthersHaveRoom() throws {
    var settings = DaemonSettings.Log()
    (settings.maximumMegabytes, settings.userPercent) = (1, 1)
    var log = try made(settings)
    let place = log.place(of: Self.page)
    var written = 0
    while log.mayDecide(at: place), written < 100 {
      log.record(by: Self.page, Self.note)
      written += 1
    }
    #expect((5..<20).contains(written), "a hundredth of a mebibyte")
    let full = log.newest
    for _ in 0..<7 { log.record(by: Self.page, Self.note) }
    #expect(log.newest == full)
    log.record(by: Self.page + 1, Self.note)
    let mayOther = log.mayDecide(at: log.place(of: Self.page + 1))
    #expect(log.newest == full + 1 && mayOther)
    #expect(log.problems.map(\.code).contains(.logShareFull))
    log.recordLimited()
    log.recordLimited()
    log.write()
    #expect(try records("limited").compactMap { $0["changes"]?.int } == [7])
  }

  /// The journal has the failure and its end once each, however often it is tried.
  @Test(arguments: DaemonSettings.LogFailureAnswer.allCases)
  func aLogThatFailsRefusesAsItIsTold(_ answer: DaemonSettings.LogFailureAnswer) throws {
    var settings = DaemonSettings.Log()
    settings.onLogFailure = answer
    var log = try made(settings)
    log.write()
    try FileManager.default.removeItem(atPath: directory)
    try folder.write("in the way", to: "log")
    for _ in 0..<3 {
      log.record(Self.note)
      log.keep(at: log.now(), second: 1)
      log.write()
    }
    #expect(log.isFailing && log.refusesToAllow == (answer == .block))
    let hasRoom = log.takeRoom()
    #expect(hasRoom, "the queue is not full")
    #expect(log.problems.map(\.code).contains(.logFailing))
    try FileManager.default.removeItem(atPath: directory)
    log.keep(at: log.now(), second: 2)
    log.write()
    #expect(!log.isFailing && !log.refusesToAllow)
    log.write()
    #expect(log.settled == log.newest)
    #expect(journal.lines(with: "the decision log cannot be written").count == 1)
    #expect(journal.lines(with: "the decision log can be written again").count == 1)
  }

  /// Each record that the full queue of a failing log refuses counts once; to ask whether one could be written counts nothing.
  @Test func aLostRecordCountsOnce() throws {
    var log = try made()
    log.write()
    try FileManager.default.removeItem(atPath: directory)
    try folder.write("in the way", to: "log")
    log.count(CountKey("app", DecisionReport()))
    let place = log.place(of: Self.page)
    while log.mayDecide(at: place) {
      log.record(Self.note)
      log.write()
    }
    for _ in 0..<5 {
      let (mayDecide, hasRoom) = (log.mayDecide(at: place), log.takeRoom())
      #expect(!mayDecide && !hasRoom)
      log.record(Self.note)
      log.recordCounts()
      log.recordLimited()
    }
    try FileManager.default.removeItem(atPath: directory)
    log.keep(at: log.now(), second: 2)
    log.write()
    log.write()
    #expect(try records("failure").compactMap { $0["lost"]?.int }.max() == 10)
  }
}
