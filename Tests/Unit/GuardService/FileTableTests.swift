import AccountKeys
import GuardService
import TestSupport
import Testing

/// The owners of files on file systems that keep no label.
@Suite struct FileTableTests {
  private let work = AccountTag(foldedName: "work@contoso.com")
  private let second = AccountTag(foldedName: "second@contoso.com")

  private func file(_ number: UInt64) -> SixteenBytes { SixteenBytes(high: number, low: ~number) }

  @Test func aFileIsItsPersons() {
    var table = FileTable()
    let facts = FileTable.key(of: "ab12:1:00ff:1700000000.5")
    var isNew = table.note(work, of: facts, 1000)
    #expect(isNew)
    #expect(table.owner(of: facts, 1000) == work && table.owner(of: facts, 1001) == nil)
    isNew = table.note(work, of: facts, 1000)
    #expect(!isNew)
    // The account has another id by now; the daemon keeps the entries of other accounts.
    isNew = table.note(second, of: facts, 1000)
    #expect(isNew)
    #expect(table.owner(of: facts, 1000) == second && table.count(of: 1000) == 1)
    for other in ["", "ab12:1:00ff:1700000000.6", "ab12:2:00ff:1700000000.5", "AB12:1:00ff:1700000000.5"] {
      #expect(table.owner(of: FileTable.key(of: other), 1000) == nil)
    }
  }

  /// An entry that had to make room would be nobody's file.
  @Test func aFullTableRefusesAndForgetsNothing() {
    var table = FileTable()
    for number in 0..<100 { table.note(work, of: file(UInt64(number)), 1000) }
    #expect(!table.hasRoom(for: file(100), of: 1000, most: 100))
    #expect(table.hasRoom(for: file(99), of: 1000, most: 100), "it has its entry")
    #expect(table.hasRoom(for: file(100), of: 1001, most: 100), "another person")
    #expect((0..<100).allSatisfy { table.owner(of: file(UInt64($0)), 1000) == work })
  }

  @Test func aMillionFilesAreFoundAgain() {
    let kept = Dictionary(
      uniqueKeysWithValues: (0..<UInt64(FileTable.mostFiles)).map { number in
        (FilePlace(person: 1000, file: file(number)), number.isMultiple(of: 3) ? work : second)
      })
    let table = FileTable(kept)
    #expect(table.count(of: 1000) == FileTable.mostFiles)
    #expect(!table.hasRoom(for: file(UInt64(FileTable.mostFiles)), of: 1000))
    for number in stride(from: 0, to: UInt64(FileTable.mostFiles), by: 997) {
      #expect(table.owner(of: file(number), 1000) == (number.isMultiple(of: 3) ? work : second))
    }
  }
}
