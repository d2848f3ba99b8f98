import DecisionLog
import EmbeddedGuard
import Foundation
import GuardService
import JSONText
import PolicyFiles
import TestSupport
import Testing

/// The log that a daemon finds at its start: whatever a crash left, it goes on, and a verifier finds it whole.
@Suite struct LogTakeUpTests {
  private static let page: JSONTree = ["viewer": "E", "url": "https://a.contoso.com/", "frame": "main"]

  /// A log that a daemon wrote, as files by name: orderly ended, or not.
  private static func written(isStopped: Bool, days: Int = 0) throws -> [String: [UInt8]] {
    let guardian = try TestGuard()
    let app = try guardian.app()
    for day in 0...days {
      for _ in 0..<3 { _ = try app.decide("Navigate", page) }
      guard day < days else { continue }
      guardian.core.advance(seconds: 86_400)
      guardian.pass(seconds: 1)
      guardian.core.settle()
    }
    if isStopped { _ = guardian.core.stop() }
    var files: [String: [UInt8]] = [:]
    for name in try guardian.logFiles() {
      files[name] = Array(try Data(contentsOf: URL(fileURLWithPath: guardian.logDirectory + "/" + name)))
    }
    return files
  }

  /// A daemon that starts on these files.
  private static func start(on files: [String: [UInt8]]) throws -> TestGuard {
    try TestGuard { directory in
      for (name, bytes) in files { try Data(bytes).write(to: URL(fileURLWithPath: directory + "/" + name)) }
    }
  }

  private static func verify(_ guardian: TestGuard) throws -> LogVerification {
    var verifier = LogVerifier()
    for name in try guardian.logFiles() {
      verifier.beginFile()
      verifier.read(Array(try Data(contentsOf: URL(fileURLWithPath: guardian.logDirectory + "/" + name))).span)
    }
    return verifier.finish()
  }

  /// Starts on these files, asks once, and checks the whole.
  private static func goOn(_ files: [String: [UInt8]]) throws -> (guardian: TestGuard, verified: LogVerification) {
    let guardian = try start(on: files)
    let app = try guardian.app()
    #expect(try app.answer("Navigate", page) == "allow internal")
    _ = guardian.core.stop()
    return (guardian, try verify(guardian))
  }

  private static let active = LogNames.active

  @Test(arguments: [true, false]) func aLogGoesOnWhereItEnded(_ isStopped: Bool) throws {
    let files = try Self.written(isStopped: isStopped)
    let (guardian, verified) = try Self.goOn(files)
    #expect(verified.isSound && verified.sealed == 0, "\(verified.text)")
    let text = try String(contentsOfFile: guardian.logDirectory + "/" + Self.active, encoding: .utf8)
    #expect(text.utf8.starts(with: files[Self.active] ?? []), "nothing that was written is touched")
    #expect(try guardian.records("start").count == 2)
    #expect(try guardian.records("stop").count == (isStopped ? 2 : 1))
  }

  /// A power cut leaves any part of the last record; it is sealed, and the chain goes on.
  @Test func anyPartOfTheLastRecordIsSealed() throws {
    let files = try Self.written(isStopped: false)
    let bytes = try #require(files[Self.active])
    let body = bytes.dropLast()
    let last = body.distance(from: body.startIndex, to: (body.lastIndex(of: 0x0A) ?? -1) + 1)
    var random = SeededGenerator()
    let cuts =
      [last + 1, last + 2, bytes.count - 2]
      + (0..<Effort.scaled(60)).map { _ in last + 1 + random.below(bytes.count - last - 2) }
    for cut in cuts {
      var cutFiles = files
      cutFiles[Self.active] = Array(bytes.prefix(cut))
      let (guardian, verified) = try Self.goOn(cutFiles)
      #expect(verified.isSound && verified.sealed == 1, "cut at \(cut) of \(bytes.count): \(verified.text)")
      #expect(try guardian.sealedBytes() == [Int64(cut - last)])
    }
  }

  /// Between two records a cut leaves nothing to seal; without its line end a record is whole.
  @Test func aWholeRecordIsNotSealed() throws {
    let files = try Self.written(isStopped: false)
    let bytes = try #require(files[Self.active])
    var ends = bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 + 1 }
    ends += ends.map { $0 - 1 }
    for end in ends {
      let (_, verified) = try Self.goOn([Self.active: Array(bytes.prefix(end))])
      #expect(verified.isSound && verified.sealed == 0, "\(end): \(verified.text)")
    }
  }

  /// What a broken disk or another program left behind the last record.
  @Test(
    arguments: [
      "garbage", "{}", "{\"v\":1}", "\u{0}\u{0}\u{0}\u{0}", "a\nb\nc", "{\"v\":1,\"seq\":99,\"type\":\"decision\"}\n",
      "ä\u{202E}",
    ])
  func whatStandsBehindTheLastRecordIsSealed(_ rubbish: String) throws {
    var files = try Self.written(isStopped: false)
    files[Self.active]? += Array(rubbish.utf8)
    let (guardian, verified) = try Self.goOn(files)
    #expect(verified.isSound && verified.sealed == 1, "\(verified.text)")
    #expect(guardian.journal.lines(with: "was cut short and is sealed").count == 1)
  }

  /// Each step of a change of files may be the last before a crash.
  @Test(arguments: ["no active file", "an empty one", "not renamed", "not renamed and no line end", "no closed record"])
  func aRotationMayEndAnywhere(_ step: String) throws {
    var files = try Self.written(isStopped: false, days: 2)
    let closed = files.keys.filter { $0 != Self.active }.sorted()
    #expect(closed.count == 2)
    let last = try #require(closed.last)
    switch step {
    case "no active file": files[Self.active] = nil
    case "an empty one": files[Self.active] = []
    case "not renamed": (files[Self.active], files[last]) = (files[last], nil)
    case "not renamed and no line end": (files[Self.active], files[last]) = (files[last]?.dropLast(), nil)
    default:
      // A daemon before the record of closing was invented.
      files[Self.active] = nil
      let bytes = try #require(files[last]).dropLast()
      files[last] = Array(bytes.prefix(through: bytes.lastIndex(of: 0x0A) ?? 0))
    }
    let (guardian, verified) = try Self.goOn(files)
    #expect(verified.isSound && verified.sealed == 0, "\(verified.text)")
    #expect(try guardian.logFiles().count >= 3)
    let sequence = try guardian.sequence()
    #expect(sequence == Array(1...Int64(sequence.count)))
  }

  /// Random cuts of the newest file, again and again: each start goes on, and the verifier finds every one sealed.
  @Test func crashAfterCrashIsSealed() throws {
    var random = SeededGenerator()
    var files = try Self.written(isStopped: false)
    var sealed = 0
    for _ in 0..<Effort.scaled(80) {
      let guardian = try Self.start(on: files)
      let app = try guardian.app()
      for _ in 0..<(1 + random.below(3)) { _ = try app.decide("Navigate", Self.page) }
      guardian.core.settle()
      let verified = try Self.verify(guardian)
      #expect(verified.isSound && verified.sealed == sealed, "\(random.note): \(verified.text)")
      var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: guardian.logDirectory + "/" + Self.active)))
      let cut = 2 + random.below(200)
      bytes.removeLast(cut)
      if bytes.last != 0x0A { sealed += 1 }
      files[Self.active] = bytes
    }
  }

  /// Two daemons do not write one log.
  @Test func aLogHasOneWriter() throws {
    let guardian = try TestGuard()
    _ = try guardian.app()
    #expect(throws: StartError.self) {
      _ = try EmbeddedGuard(.init(), logger: guardian.journal.logger, logDirectory: guardian.logDirectory)
    }
  }
}

extension TestGuard {
  /// How many bytes each `sealed` record closes.
  fileprivate func sealedBytes() throws -> [Int64] {
    try lines().filter { $0["type"] == "sealed" }.compactMap { $0["bytes"]?.int }
  }

  /// The numbers of all records.
  fileprivate func sequence() throws -> [Int64] { try lines().compactMap { $0["seq"]?.int } }

  /// The lines that are records, also where others are not.
  private func lines() throws -> [JSONTree] {
    try logFiles().flatMap { name in
      let bytes = try Data(contentsOf: URL(fileURLWithPath: logDirectory + "/" + name))
      return bytes.split(separator: 0x0A).compactMap { try? JSONTree(parsing: String(decoding: $0, as: UTF8.self)) }
    }
  }
}
