import AccountKeys
import GuardService
import TestSupport
import Testing

/// Whose keys there are, who uses them, and which have to go: in memory, and through the marks that the next daemon reads
/// (ledger SD; design, accounts, section 8).
@Suite struct KeyBookTests {
  private static let now: UInt64 = 1_795_000_000_000
  private static let day: UInt64 = 86_400_000

  private static func owner(_ uid: UInt32, _ name: String) -> KeyOwner {
    KeyOwner(uid: uid, account: AccountTag(foldedName: name))
  }

  private let anna = KeyBookTests.owner(1000, "anna@contoso.com")
  private let bob = KeyBookTests.owner(1001, "anna@contoso.com")

  /// The marks as the state file has them, with the changes of a book put in.
  private func keep(_ book: inout KeyBook, _ marks: inout [String: String]) {
    for (name, text) in book.takeChanges() { marks[name] = text.isEmpty ? nil : text }
  }

  private func again(_ book: inout KeyBook, at time: UInt64 = KeyBookTests.now) -> KeyBook {
    var marks: [String: String] = [:]
    keep(&book, &marks)
    return KeyBook(marks: marks, at: time)
  }

  @Test func theNextDaemonKnowsEveryHolder() {
    var book = KeyBook()
    // A name can have whatever a UPN can, and more.
    let names = ["anna@contoso.com", "6d5c", "ünï.cødé@contoso.com", "a.b.c", " "]
    book.note(names, of: anna, by: "com.contoso.portal")
    book.note(names, of: anna, by: "com.contoso.notes")
    book.note(["anna@contoso.com"], of: bob, by: "com.contoso.portal")
    let read = again(&book)
    #expect(read.holders == book.holders && read.holders.count == 2 && read.owed.isEmpty)
    #expect(read.holders[anna]?.apps == ["com.contoso.portal", "com.contoso.notes"])
    #expect(read.holders[anna]?.names == names)
  }

  /// A hundred thousand issues write one mark.
  @Test func whatIsKnownIsNotWrittenAgain() {
    var book = KeyBook()
    book.note(["a"], of: anna, by: "x")
    #expect(book.takeChanges().count == 1)
    for _ in 0..<1000 { book.note(["a"], of: anna, by: "x") }
    #expect(book.takeChanges().isEmpty)
    book.note(["a", "b"], of: anna, by: "x")
    #expect(book.takeChanges().count == 1, "another name")
  }

  /// An account is found by its names of now, and by those it had when a key was given; of one person alone.
  @Test func anAccountIsFoundByAllItsNames() {
    var book = KeyBook()
    let old = Self.owner(1000, "maiden@contoso.com")
    book.note(["maiden@contoso.com", "6d5c"], of: old, by: "x")
    let present = Self.owner(1000, "anna@contoso.com")
    let id = Self.owner(1000, "6d5c")
    #expect(book.owners(of: 1000, named: ["anna@contoso.com", "6d5c"]) == [old, present, id])
    #expect(book.owners(of: 1000, named: ["anna@contoso.com"]) == [present])
    #expect(!book.owners(of: 1001, named: ["6d5c"]).contains(old), "another person's")
    #expect(book.owners(of: 1000, named: []).isEmpty)
  }

  // MARK: Destruction

  /// Keys go with the last app that has data under them, and no earlier.
  @Test func theLastAppTakesTheKeysAlong() {
    var book = KeyBook()
    for app in ["portal", "notes"] { book.note(["a"], of: anna, by: app) }
    book.endUse(of: [anna], by: "portal")
    #expect(!book.owe([anna], at: Self.now) && book.owed.isEmpty, "notes has data")
    book.endUse(of: [anna, bob], by: "notes")
    #expect(book.owe([anna, bob], at: Self.now) == true)
    #expect(Set(book.owed.keys) == [anna, bob], "also accounts of which nothing is known: they may have a key")
    #expect(book.owed.values.allSatisfy { $0.set == nil }, "nothing is destroyed before the state file has it")
    book.keep(in: 7)
    #expect(book.owed.values.allSatisfy { $0.set == 7 })
    book.keep(in: 9)
    #expect(book.owed[anna]?.set == 7, "the first set that has it counts")
  }

  @Test func oneAccountOfSeveralThatIsUsedKeepsAll() {
    var book = KeyBook()
    let old = Self.owner(1000, "maiden@contoso.com")
    book.note(["maiden@contoso.com"], of: old, by: "notes")
    #expect(book.owe([anna, old], at: Self.now) == false)
    #expect(book.owed.isEmpty)
    book.endUse(of: [old], by: nil)
    #expect(book.owe([anna, old], at: Self.now) == true)
  }

  /// Each daemon that is killed before the keys are gone owes them to the next.
  @Test func whatIsOwedOutlivesTheDaemonUntilItIsDone() {
    var (book, marks) = (KeyBook(), [String: String]())
    book.note(["a"], of: anna, by: "x")
    book.endUse(of: [anna], by: nil)
    #expect(book.owe([anna], at: Self.now) == true)
    keep(&book, &marks)
    for number in 0..<5 {
      book = KeyBook(marks: marks, at: Self.now + UInt64(number) * Self.day)
      #expect(book.owed[anna]?.set == 0, "the state file has it already")
      #expect(book.holders[anna]?.apps == [])
      book.noteAttempt([anna, bob], at: Self.now + UInt64(number) * Self.day)
      #expect(book.owed[bob] == nil, "an attempt orders nothing")
      keep(&book, &marks)
    }
    book.noteDestroyed([anna])
    keep(&book, &marks)
    #expect(marks.isEmpty && book.owed.isEmpty && book.holders.isEmpty)
  }

  /// An order that is older than any wipe, or of a time to come, is out of a backup: it was carried out, and what came since
  /// stays.
  @Test(arguments: [
    (Int64(0), true), (7 * Int64(day), true), (7 * Int64(day) + 1, false), (400 * Int64(day), false), (-60_000, true),
    (-60_001, false),
  ])
  func anOrderOutOfABackupIsDropped(_ passed: Int64, _ isOwed: Bool) {
    var (book, marks) = (KeyBook(), [String: String]())
    #expect(book.owe([anna], at: Self.now) == true)
    keep(&book, &marks)
    var read = KeyBook(marks: marks, at: UInt64(Int64(Self.now) + passed))
    #expect((read.owed[anna] != nil) == isOwed)
    keep(&read, &marks)
    #expect(marks.isEmpty != isOwed, "the file forgets it as well")
  }

  // MARK: Damage

  @Test(arguments: [
    "key", "key.", "key.1000", "key.1000.", "key.1000.2bb5", "key.-1.2bb54003f51bb9c73f499e5146dc639c",
    "key.4294967296.2bb54003f51bb9c73f499e5146dc639c", "key.1000.2BB54003F51BB9C73F499E5146DC639C",
    "key.1000.2bb54003f51bb9c73f499e5146dc639c.more", "keys.1000.2bb54003f51bb9c73f499e5146dc639c",
    "keyDestruction.1000", "keyDestruction.x.2bb54003f51bb9c73f499e5146dc639c", "head", "", "...",
  ])
  func aMarkOfAnotherNameIsNone(_ name: String) {
    for text in ["", "1795000000000", "61 78", "zz"] {
      var book = KeyBook(marks: [name: text], at: Self.now)
      #expect(book.holders.isEmpty && book.owed.isEmpty)
      #expect(book.takeChanges().isEmpty, "it is somebody else's")
    }
  }

  @Test(arguments: ["", " ", "61", "6 61", "61 6", "61 zz", "ff 61", "61 61 61", "é 61", " 61", "61  61"])
  func aHolderThatIsNoneIsForgotten(_ text: String) {
    let name = "key.1000.2bb54003f51bb9c73f499e5146dc639c"
    #expect(KeyBook(marks: [name: text], at: Self.now).holders.isEmpty, "`\(text)`")
  }

  @Test(arguments: ["", "soon", "-1", "18446744073709551616", "1.5", "0x10"])
  func anOrderWithoutATimeIsDropped(_ text: String) {
    let name = "keyDestruction.1000.2bb54003f51bb9c73f499e5146dc639c"
    var book = KeyBook(marks: [name: text], at: Self.now)
    #expect(book.owed.isEmpty)
    #expect(book.takeChanges() == [name: ""])
  }

  /// Random histories: what a book knows is what the next one reads.
  @Test func randomHistoriesAreReadAsTheyWere() {
    var random = SeededGenerator()
    let owners = [anna, bob, Self.owner(1000, "b"), Self.owner(0, "c"), Self.owner(.max, "anna@contoso.com")]
    var (book, marks, kept) = (KeyBook(), [String: String](), UInt64(0))
    for step in 0..<2000 {
      let owner = random.one(of: owners)
      switch random.below(7) {
      case 0, 1: book.note([random.one(of: ["a", "b"]), "c"], of: owner, by: random.one(of: ["x", "y"]))
      case 2: book.endUse(of: [owner], by: random.one(of: ["x", "y"], orNilOneIn: 3))
      case 3: _ = book.owe([owner, random.one(of: owners)], at: Self.now)
      case 4: book.noteAttempt([owner], at: Self.now)
      case 5: book.noteDestroyed([owner])
      default: kept += 1
      }
      keep(&book, &marks)
      let read = KeyBook(marks: marks, at: Self.now)
      #expect(read.holders == book.holders, "step \(step)")
      #expect(Set(read.owed.keys) == Set(book.owed.keys), "step \(step)")
      if random.below(20) == 0 { book = read }
    }
  }
}
