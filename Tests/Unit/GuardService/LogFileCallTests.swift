import DecisionLog
import EmbeddedGuard
import Foundation
import GuardService
import JSONText
import TestSupport
import Testing

/// The files of the decision log: when one ends, when one goes, and what the next daemon makes of them.
@Suite struct LogFileCallTests {
  /// The smallest log: four files of a megabyte.
  private static let small =
    "log: { rotateMegabytes: 1, maximumMegabytes: 4, userPercent: 100, keepDays: 2 }\n"

  /// Some records of about two and a half kilobytes each.
  private func write(_ kilobytes: Int, _ app: TestProgram) throws {
    let path = String(repeating: "p", count: 1900)
    for number in 0..<(kilobytes * 2 / 5) {
      let url = JSONTree.string("https://a.contoso.com/\(number)/\(path)")
      _ = try app.decide("Navigate", ["viewer": "E", "url": url, "frame": "main"])
    }
  }

  private func status(_ guardian: TestGuard) throws -> JSONTree {
    try #require(try guardian.administrator().ask("org.webviewguard.Admin.Status")["log"])
  }

  @Test func aFullFileIsFollowedByAnother() throws {
    let guardian = try TestGuard(TestPolicy.files(settings: Self.small))
    let app = try guardian.app()
    try write(2500, app)
    #expect(try guardian.logFiles().count == 3)
    let records = try guardian.records()
    #expect(
      records.compactMap { $0["seq"]?.int } == Array(1...Int64(records.count)), "without a gap")
    for (record, next) in zip(records, records.dropFirst()) where record["type"] == "closed" {
      #expect(next["prev"] != nil, "the chain goes on in the next file")
    }
    #expect(records.filter { $0["type"] == "closed" }.count == 2)
    let status = try status(guardian)
    #expect(status["files"]?.int == 3)
    let bytes = try guardian.logFiles().reduce(0) { sum, name in
      let attributes = try FileManager.default.attributesOfItem(
        atPath: guardian.logDirectory + "/" + name)
      return sum + (attributes[.size] as? Int ?? 0)
    }
    #expect(status["bytes"]?.int == Int64(bytes), "the daemon's account is what the disk has")
  }

  /// Beyond its size the log loses the oldest files, aloud: it says so itself, and so do journal, status and health.
  @Test func beyondItsSizeTheOldestFilesGo() throws {
    let guardian = try TestGuard(TestPolicy.files(settings: Self.small))
    let app = try guardian.app()
    try write(6000, app)
    guardian.pass(seconds: 2)
    guardian.core.settle()
    let records = try guardian.records()
    let pruned = records.filter { $0["type"] == "pruned" }
    #expect(pruned.count == 1 && pruned[0]["cause"]?.string == "size")
    #expect(
      records.first?["seq"]?.int == (pruned[0]["lastSeq"]?.int ?? 0) + 1, "what went was the oldest"
    )
    #expect(try status(guardian)["bytes"]?.int ?? 0 <= 4 << 20)
    #expect(try status(guardian)["prunedEarly"] != nil)
    let health = try guardian.administrator().ask("org.webviewguard.Admin.Health")
    #expect(health["problems"]?.text().contains("logTooSmall") == true)
    #expect(guardian.journal.lines(with: "files were removed before their time").count == 1)
  }

  /// A new day has a new file, and files past their age go without a fuss.
  @Test func daysHaveFilesAndFilesAnAge() throws {
    let guardian = try TestGuard(TestPolicy.files(settings: Self.small))
    let app = try guardian.app()
    for day in 0..<5 {
      _ = try app.decide("Print", ["viewer": "E"])
      guardian.core.settle()
      #expect(try guardian.logFiles().count == min(day, 2) + 1, "day \(day)")
      guardian.core.advance(seconds: 86_400)
      guardian.pass(seconds: 1)
      guardian.core.settle()
    }
    let pruned = try guardian.records().filter { $0["type"] == "pruned" }
    #expect(!pruned.isEmpty && pruned.allSatisfy { $0["cause"]?.string == "age" })
    #expect(guardian.journal.lines(with: "before their time").isEmpty)
    #expect(try status(guardian)["prunedEarly"] == nil)
  }

  /// An empty day begins no file.
  @Test func aDayWithoutARecordBeginsNone() throws {
    let guardian = try TestGuard(TestPolicy.files(settings: "log: { keepDays: 3650 }\n"))
    for _ in 0..<5 {
      guardian.core.advance(seconds: 86_400)
      guardian.pass(seconds: 1)
      guardian.core.settle()
    }
    #expect(try guardian.logFiles().count <= 3)
  }

  /// Files that somebody removed are no reason to stop; a name that is taken is no reason to overwrite.
  @Test(arguments: ["removed", "taken"]) func othersTouchTheFiles(_ fault: String) throws {
    let guardian = try TestGuard(TestPolicy.files(settings: Self.small))
    let app = try guardian.app()
    try write(1300, app)
    let closed = try #require(try guardian.logFiles().first { $0 != "decisions.jsonl" })
    if fault == "removed" {
      try FileManager.default.removeItem(atPath: guardian.logDirectory + "/" + closed)
      try write(5000, app)
    } else {
      // The next closed name, as an attacker would guess it: by the number of its first record.
      let last = try #require(try guardian.records("closed").first?["seq"]?.int)
      let name = LogNames.closed(firstSeq: UInt64(last + 1))
      try "mine".write(
        toFile: guardian.logDirectory + "/" + name, atomically: true, encoding: .utf8)
      for _ in 0..<1000 where guardian.journal.lines(with: "cannot be written").isEmpty {
        let url = JSONTree.string("https://a.contoso.com/" + String(repeating: "q", count: 1900))
        _ = try app.outcome("Navigate", ["event": ["viewer": "E", "url": url, "frame": "main"]])
      }
      #expect(guardian.journal.lines(with: "cannot be written").count == 1)
      #expect(
        try String(contentsOfFile: guardian.logDirectory + "/" + name, encoding: .utf8) == "mine")
      try FileManager.default.removeItem(atPath: guardian.logDirectory + "/" + name)
      guardian.pass(seconds: 1)
    }
    #expect(try app.answer("Print", ["viewer": "E"]) == "block printBlocked")
    let records = try guardian.records()
    #expect(records.last?["type"]?.string == "decision")
  }

  /// The end says how the log ends: with a stop, and nothing unwritten.
  @Test func theEndIsARecord() throws {
    let guardian = try TestGuard()
    _ = try guardian.app()
    #expect(guardian.core.stop() == 0)
    #expect(try guardian.records().last?["type"]?.string == "stop")
    #expect(guardian.core.stop() == 0, "and once more")
  }

  /// Each second the head that moved is told to the journal at most every ten.
  @Test func headsAreToldToTheJournal() throws {
    let guardian = try TestGuard()
    let app = try guardian.app()
    func heads() -> Int { guardian.journal.lines(with: "log head").count }
    guardian.pass(seconds: 10)
    let first = heads()
    guardian.pass(seconds: 30)
    #expect(heads() == first, "a head that did not move is told once")
    for _ in 0..<20 {
      _ = try app.decide("Print", ["viewer": "E"])
      guardian.pass(seconds: 1)
    }
    #expect(heads() == first + 2)
    let told = try #require(
      guardian.journal.lines(with: "log head").last?.split(separator: "=").last)
    #expect(LogHead(String(told)) != nil)
  }
}
