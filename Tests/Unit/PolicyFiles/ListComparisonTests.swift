import PolicyFiles
internal import PolicyTools
import Testing

/// What differs between lists that rules name.
@Suite struct ListComparisonTests {
  private static func text(_ format: String, _ verdict: String) -> String {
    """
    { ruleSet: s, default: internal, rules: [
      { id: r, \(verdict): { list: { file: lists/a.txt, format: \(format) } } } ] }
    """
  }

  private static func differences(
    _ old: String, _ new: String, format: String = "domains", newFormat: String? = nil, verdict: String = "external"
  ) throws -> [ConfigurationDifference] {
    let names = ComparedNames(FixedNames())
    let files = MemoryFiles([
      "old/rules/s.yaml": text(format, verdict), "old/rules/lists/a.txt": old,
      "new/rules/s.yaml": text(newFormat ?? format, verdict), "new/rules/lists/a.txt": new,
    ])
    let sides = ["old", "new"].map { root in
      ComparedConfiguration(
        ConfigurationLoader(roots: [root], files: files, resolver: names).load(), names, root: root)
    }
    return ConfigurationComparison.differences(
      try #require(sides[0]), try #require(sides[1]), files: files)
  }

  private static func lines(
    _ old: String, _ new: String, format: String = "domains", newFormat: String? = nil, verdict: String = "external"
  ) throws -> [String] {
    try differences(old, new, format: format, newFormat: newFormat, verdict: verdict).map {
      "\($0.direction.rawValue) \($0.subject): \($0.key) \($0.change)"
    }
  }

  @Test func tellsHowManyCameAndWent() throws {
    let old = "a.example\nb.example\nc.example\n"
    let new = "c.example\nd.example\nb.example\ne.example\n"
    #expect(
      try Self.lines(old, new) == ["sideways list `lists/a.txt`: entries +2 (d.example, e.example), -1 (a.example)"])
    #expect(try Self.lines(old, "a.example\nb.example\n") == ["looser list `lists/a.txt`: entries -1 (c.example)"])
    #expect(
      try Self.lines(old, old + "d.example\n", verdict: "internal")
        == ["looser list `lists/a.txt`: entries +1 (d.example)"])
    #expect(try Self.lines(old, old + "d.example\n") == ["tighter list `lists/a.txt`: entries +1 (d.example)"])
  }

  @Test func tellsThreeOfMany() throws {
    let many = (0..<2_000).map { "h\($0 + 1_000).example" }.joined(separator: "\n")
    #expect(
      try Self.lines("a.example\n", "a.example\n" + many)
        == ["tighter list `lists/a.txt`: entries +2000 (h1000.example, h1001.example, h1002.example, ...)"])
  }

  @Test func whatIsWrittenOtherwiseIsNoDifference() throws {
    let old = "a.example\nb.example\n"
    #expect(try Self.lines(old, "# a list\nB.example\n\na.example\na.example\nx.a.example\n*.b.example\n") == [])
    #expect(try Self.lines(old, "0.0.0.0 a.example b.example\n", newFormat: "hosts") == [])
  }

  /// A name below another one goes with it; a name above others is one more, and these are none less.
  @Test func aNameAboveOthersCountsOnce() throws {
    #expect(
      try Self.lines("x.a.example\ny.a.example\n", "a.example\n")
        == ["tighter list `lists/a.txt`: entries +1 (a.example)"])
    #expect(
      try Self.lines("a.example\nx.a.example\n", "x.a.example\n") == [
        "looser list `lists/a.txt`: entries -1 (a.example)"
      ])
    #expect(
      try Self.lines("10.0.0.1\n", "10.0.0.1\n10.0.0.2\n") == ["tighter list `lists/a.txt`: entries +1 (10.0.0.2)"])
  }

  @Test func listsOfFiltersAreComparedByTheirTexts() throws {
    #expect(
      try Self.lines("a.example/x\nb.example\n", "b.example\n# c\na.example/y\nb.example\n", format: "urlFilters")
        == ["sideways list `lists/a.txt`: entries +1 (a.example/y), -1 (a.example/x)"])
    #expect(try Self.lines("a.example\nb.example\n", "b.example\na.example\n", format: "urlFilters") == [])
    #expect(
      try Self.lines("a.example\n", "a.example\n", newFormat: "urlFilters")
        == ["sideways list `lists/a.txt`: format 1 domains -> 1 urlFilters"])
  }

  @Test func tellsTheLineOfTheFirst() throws {
    let differences = try Self.differences("a.example\nb.example\n", "a.example\n# d\nd.example\n")
    #expect(differences.map(\.before.place) == ["old/rules/lists/a.txt:2"])
    #expect(differences.map(\.after.place) == ["new/rules/lists/a.txt:3"])
  }
}
