import PolicyFiles
import Testing

struct DiagnosticsTests {
  private func place(_ line: Int, _ column: Int = 1, file: String = "f") -> SourceLocation {
    SourceLocation(file: file, line: line, column: column)
  }

  @Test func isEmptyAtFirst() {
    let diagnostics = Diagnostics()
    #expect(diagnostics.isEmpty)
    #expect(!diagnostics.hasErrors)
    #expect(diagnostics.description == "")
  }

  @Test func sortsAndKeepsTheSameOneOnce() {
    var diagnostics = Diagnostics()
    diagnostics.error("b", at: place(10), "second")
    diagnostics.error("a", at: place(2, 7), "first")
    diagnostics.error("b", at: place(10), "second")
    diagnostics.warning("a", at: place(10), "warnings follow errors")
    diagnostics.error("z", at: place(99, file: "e"), "other file")
    #expect(
      diagnostics.description == """
        e:99:1: error: other file [z]
        f:2:7: error: first [a]
        f:10:1: error: second [b]
        f:10:1: warning: warnings follow errors [a]
        """)
  }

  @Test func warningsAreNoErrors() {
    var diagnostics = Diagnostics()
    diagnostics.warning("a", at: place(1), "careful")
    #expect(!diagnostics.hasErrors)
    #expect(!diagnostics.isEmpty)
    diagnostics.error("a", at: place(1), "wrong")
    #expect(diagnostics.hasErrors)
  }

  @Test func theOrderOfTwoAtOnePlaceDoesNotDependOnWhoCameFirst() {
    var one = Diagnostics()
    var other = Diagnostics()
    let all = ["b", "a", "c"].map { Diagnostic(.error, "x", at: place(1), $0) }
    for diagnostic in all { one.add(diagnostic) }
    for diagnostic in all.reversed() { other.add(diagnostic) }
    #expect(one.sorted == other.sorted)
    #expect(one.sorted.map(\.message) == ["a", "b", "c"])
  }

  @Test func whatIsOverTheLimitIsCountedAndStillAnError() {
    var diagnostics = Diagnostics()
    for line in 1...Diagnostics.maximumPerFile { diagnostics.warning("w", at: place(line), "careful") }
    #expect(!diagnostics.hasErrors)
    diagnostics.error("e", at: place(1_000), "wrong")
    diagnostics.warning("w", at: place(900), "careful")
    diagnostics.error("e", at: place(1, file: "g"), "another file has its own limit")
    #expect(diagnostics.hasErrors)
    let sorted = diagnostics.sorted
    #expect(sorted.count == Diagnostics.maximumPerFile + 2)
    let overflow = sorted.dropLast().last?.description
    #expect(
      overflow == """
        f:1000:1: error: 2 more problems are not shown [too-many-problems]
          hint: repair the others first
        """)
  }

  @Test func mergingKeepsErrorsCountsAndLimits() {
    var one = Diagnostics()
    var other = Diagnostics()
    one.warning("w", at: place(1), "careful")
    for line in 1...Diagnostics.maximumPerFile { other.warning("w", at: place(line), "careful") }
    other.error("e", at: place(500), "not shown, but an error")
    one.merge(other)
    #expect(one.hasErrors)
    #expect(one.sorted.count == Diagnostics.maximumPerFile + 1)
    #expect(one.sorted.last?.message == "1 more problem is not shown")
  }

  @Test func messagesAreNotMadeForWhatIsNotShown() {
    var diagnostics = Diagnostics()
    var made = 0
    func message(_ line: Int) -> String {
      made += 1
      return "problem \(line)"
    }
    for line in 1...1_000 { diagnostics.error("e", at: place(line), message(line)) }
    #expect(made == Diagnostics.maximumPerFile)
  }
}
