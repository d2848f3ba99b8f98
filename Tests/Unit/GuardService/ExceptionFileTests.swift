import Foundation
import GuardService
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// Timed exceptions in the state file: they outlive the boot, and a file that is not believed has none.
@Suite struct ExceptionFileTests {
  private static let id = "k7m2q9xw"

  /// Writes one exception and closes the file.
  private func fill(_ folder: StateFolder) throws -> KeptException {
    var random = SeededGenerator()
    let kept = try KeptException.random(&random, id: Self.id)
    var records = StateRecords()
    records.exceptions[Self.id] = .some(kept)
    let writer = try #require(try folder.open().writer)
    writer.submit(records, through: 1)
    #expect(writer.stop().failure == nil)
    return kept
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    var random = SeededGenerator()
    for _ in 0..<200 {
      let folder = try StateFolder()
      let kept = try KeptException.random(&random, id: Self.id)
      var records = StateRecords()
      records.exceptions = [Self.id: kept, "00000000": nil]
      let writer = try #require(try folder.open().writer)
      writer.submit(records, through: 1)
      #expect(writer.stop().failure == nil)
      let again = try folder.open()
      #expect(again.loss == nil, "\(random.note)")
      #expect(again.records.exceptions == [Self.id: kept], "\(random.note)")
    }
  }

  @Test func oneThatIsForgottenIsGone() throws {
    let folder = try StateFolder()
    _ = try fill(folder)
    var records = StateRecords()
    records.exceptions[Self.id] = .some(nil)
    let writer = try #require(try folder.open().writer)
    writer.submit(records, through: 1)
    #expect(writer.stop().failure == nil)
    #expect(try folder.open().records.exceptions.isEmpty)
  }

  @Test func theyOutliveTheBoot() throws {
    let folder = try StateFolder()
    let kept = try fill(folder)
    let again = try folder.open(boot: "another")
    #expect(again.records.exceptions == [Self.id: kept])
    #expect(again.writer?.stop().failure == nil)
    #expect(try folder.open(boot: "a third").records.exceptions == [Self.id: kept])
  }

  /// One that was taken back could still stand there.
  @Test func aFileThatIsNotBelievedHasNone() throws {
    let folder = try StateFolder()
    _ = try fill(folder)
    folder.doubt.set()
    let opened = try folder.open()
    #expect(opened.records.exceptions.isEmpty)
    #expect(opened.writer?.stop().failure == nil)
    #expect(try folder.open(boot: "another").records.exceptions.isEmpty)
  }

  @Test func aFileOfTheFirstVersionIsTakenOver() throws {
    let folder = try StateFolder()
    try folder.fill()
    try folder.age(to: 1)
    let opened = try folder.open()
    #expect(opened.loss == nil)
    #expect(opened.records.latest == 1_700_000_000_000 && opened.records.instances.count == 1)
    #expect(opened.writer?.stop().failure == nil)
    let kept = try fill(folder)
    #expect(try folder.open().records.exceptions == [Self.id: kept])
  }

  /// Nobody's daemon would have granted these, so that nothing in the file is believed.
  @Test(arguments: [
    "host = 'Files.Example'", "host = ''", "host = '127.0.0.1', below = 1", "id = 'k7m2q9xi'", "subjects = 0",
    "subjects = \(1 << Purposes.names.count)", "subjects = 257", "until = since", "until = since + 40 * 86400000",
    "until = until + 1", "cause = ''", "uid = -1",
    "since = -1", "ended = NULL, remover = 7", "below = 2",
  ]) func aRowThatMakesNoSenseMakesTheFileWorthless(_ change: String) throws {
    let folder = try StateFolder()
    _ = try fill(folder)
    try folder.run("UPDATE exception SET \(change);")
    let opened = try folder.open()
    #expect(opened.loss?.contains("makes no sense") == true, "\(change)")
    #expect(opened.records.exceptions.isEmpty)
    #expect(opened.writer?.stop().failure == nil)
  }
}
