import GuardModel
import GuardService
import Testing

/// The documents of static rules that the daemon keeps for apps, and apps that want too many of them.
struct ExportedDocumentsTests {
  private static func key(_ app: String, _ number: Int) -> ExportKey {
    ExportKey(app: app, viewerClass: "c\(number)", format: .webkitContentBlocker)
  }

  private static func rules(_ count: Int) -> ExportedRules {
    ExportedRules(bytes: Array(repeating: 0x61, count: count), gaps: 0)
  }

  /// Asks for a document, and has all that wait made, each with so many bytes.
  private static func make(_ key: ExportKey, _ count: Int, _ documents: inout ExportedDocuments) {
    _ = documents.document(key)
    while let next = documents.beginNext() { documents.finish(next, rules(count), of: documents.generation) }
  }

  private static func isMade(_ key: ExportKey, _ documents: inout ExportedDocuments) -> Bool {
    if case .made = documents.document(key) { true } else { false }
  }

  /// The app whose documents fill the bound was the only one that ever got any.
  @Test func anAppOfManyClassesTakesNobodysPlace() {
    var documents = ExportedDocuments(maximumBytes: 100)
    for number in 0..<6 { Self.make(Self.key("many", number), 30, &documents) }
    #expect(Self.isMade(Self.key("many", 5), &documents))
    #expect(!Self.isMade(Self.key("many", 0), &documents))
    Self.make(Self.key("one", 0), 40, &documents)
    #expect(Self.isMade(Self.key("one", 0), &documents))
    for number in 0..<20 {
      Self.make(Self.key("many", number), 30, &documents)
      #expect(Self.isMade(Self.key("many", number), &documents))
      #expect(Self.isMade(Self.key("one", 0), &documents), "after \(number)")
    }
  }

  @Test func whatNobodyReadsGoesFirst() {
    var documents = ExportedDocuments(maximumBytes: 100)
    for number in 0..<3 { Self.make(Self.key("app", number), 30, &documents) }
    #expect(Self.isMade(Self.key("app", 0), &documents))
    Self.make(Self.key("app", 3), 30, &documents)
    #expect(Self.isMade(Self.key("app", 0), &documents) && Self.isMade(Self.key("app", 2), &documents))
    #expect(!Self.isMade(Self.key("app", 1), &documents))
  }

  @Test func oneThatIsTooLargeAloneIsRefusedAndTakesNoPlace() {
    var documents = ExportedDocuments(maximumBytes: 100)
    Self.make(Self.key("app", 0), 100, &documents)
    Self.make(Self.key("app", 1), 101, &documents)
    guard case .tooLarge = documents.document(Self.key("app", 1)) else {
      Issue.record("it is kept")
      return
    }
    #expect(Self.isMade(Self.key("app", 0), &documents))
  }

  /// However many an app asks for, the first document of another one is among the next.
  @Test func anAppOfManyClassesTakesNobodysTurn() {
    var documents = ExportedDocuments()
    for number in 0..<1_000 { _ = documents.document(Self.key("many", number)) }
    _ = documents.document(Self.key("one", 0))
    var turns = 0
    while let next = documents.beginNext(), next.app == "many" {
      documents.finish(next, Self.rules(1), of: 0)
      for number in 0..<1_000 { _ = documents.document(Self.key("many", number)) }
      turns += 1
    }
    #expect(turns <= 8)
  }

  /// The attack: two apps whose documents have no room beside each other ask in turns, and the daemon exports without end.
  @Test func documentsThatGiveWayToEachOtherAreNotMadeWithoutEnd() {
    var documents = ExportedDocuments(maximumBytes: 100)
    var made = 0
    for turn in 0..<1_000 {
      _ = documents.document(Self.key(turn.isMultiple(of: 2) ? "one" : "two", 0))
      while let next = documents.beginNext() {
        documents.finish(next, Self.rules(60), of: 0)
        made += 1
      }
    }
    #expect(made > 2 && made <= 8)
    documents.adopt(1)
    Self.make(Self.key("one", 0), 60, &documents)
    #expect(Self.isMade(Self.key("one", 0), &documents), "another policy, another try")
  }

  @Test func aFailureIsNoAnswer() {
    var documents = ExportedDocuments()
    _ = documents.document(Self.key("app", 0))
    #expect(documents.beginNext() != nil && documents.beginNext() == nil)
    documents.fail(Self.key("app", 0), of: 0)
    guard case .wanted = documents.document(Self.key("app", 0)) else {
      Issue.record("it is answered")
      return
    }
    #expect(documents.beginNext() != nil)
    documents.finish(Self.key("app", 0), nil, of: 0)
    guard case .none = documents.document(Self.key("app", 0)) else {
      Issue.record("it has rules")
      return
    }
  }

  @Test func whatWasMadeOfAnotherPolicyDoesNotCount() {
    var documents = ExportedDocuments()
    _ = documents.document(Self.key("app", 0))
    let making = documents.beginNext()
    documents.adopt(7)
    _ = documents.document(Self.key("app", 0))
    #expect(making != nil && documents.beginNext() == nil, "one at a time")
    documents.finish(Self.key("app", 0), Self.rules(9), of: 0)
    guard case .wanted = documents.document(Self.key("app", 0)) else {
      Issue.record("an old one counts")
      return
    }
    #expect(documents.beginNext() != nil)
    documents.fail(Self.key("app", 0), of: 0)
    guard case .wanted = documents.document(Self.key("app", 0)) else {
      Issue.record("an old failure counts")
      return
    }
  }
}
