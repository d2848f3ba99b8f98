import PolicyFiles
import TestSupport
import Testing

@Suite struct ListCatalogTests {
  private func reference(_ file: String, _ format: ListFormat, line: Int = 1) -> ListReference {
    ListReference(
      file: Located(file, at: SourceLocation(file: "r.yaml", line: line, column: 9)),
      format: Located(format, at: SourceLocation(file: "r.yaml", line: line, column: 30)))
  }

  private let files = MemoryFiles([
    "c/rules/lists/a.txt": "a.example\n", "c/rules/lists/b": "0.0.0.0 b.example\n",
    "c/rules/lists/f.txt": "! filters\n  .example/x # y \nbad\n" + String(repeating: "ok\n", count: 98),
  ])

  private func read(_ catalog: ListCatalog, _ diagnostics: inout Diagnostics) -> (files: [ListFile], hosts: [[String]])
  {
    var hosts = CollectedHosts()
    let lists = catalog.read(
      .below("c/rules/"), ListReader(files: files), into: &hosts, filter: { _, _, _ in nil }, &diagnostics)
    return (lists, hosts.lists)
  }

  @Test func fileIsReadOnceAndNumberedByFormat() {
    var catalog = ListCatalog()
    var diagnostics = Diagnostics()
    #expect(catalog.isEmpty)
    #expect(catalog.number(of: reference("lists/b", .hosts), into: &diagnostics) == .hosts(0))
    let filters = catalog.number(of: reference("lists/f.txt", .urlFilters), into: &diagnostics)
    #expect(filters == .filters(FilterListNumber(0)))
    #expect(catalog.number(of: reference("lists/a.txt", .domains), into: &diagnostics) == .hosts(1))
    #expect(catalog.number(of: reference("lists/b", .hosts, line: 9), into: &diagnostics) == .hosts(0))
    let (lists, hosts) = read(catalog, &diagnostics)
    #expect(lists.map(\.name) == ["lists/a.txt", "lists/b", "lists/f.txt"])
    #expect(lists.map(\.path) == ["c/rules/lists/a.txt", "c/rules/lists/b", "c/rules/lists/f.txt"])
    #expect(lists.map(\.format) == [.domains, .hosts, .urlFilters])
    #expect(hosts == [["b.example"], ["a.example"]])
    #expect(diagnostics.isEmpty)
  }

  @Test func oneFileHasOneFormat() {
    var catalog = ListCatalog()
    var diagnostics = Diagnostics()
    _ = catalog.number(of: reference("lists/b", .hosts), into: &diagnostics)
    #expect(catalog.number(of: reference("lists/b", .domains, line: 4), into: &diagnostics) == nil)
    #expect(
      diagnostics.description == """
        r.yaml:4:30: error: `lists/b` is a list of `hosts` already at r.yaml:1:30 [list-format-conflict]
          hint: one file has one format; state the same in both places
        """)
  }

  @Test func missingFileKeepsTheNumbersOfOthers() {
    var catalog = ListCatalog()
    var diagnostics = Diagnostics()
    _ = catalog.number(of: reference("lists/a.text", .domains), into: &diagnostics)
    _ = catalog.number(of: reference("lists/none", .urlFilters, line: 2), into: &diagnostics)
    #expect(catalog.number(of: reference("lists/b", .hosts), into: &diagnostics) == .hosts(1))
    let (lists, hosts) = read(catalog, &diagnostics)
    #expect(lists.map(\.name) == ["lists/b"])
    #expect(hosts == [[], ["b.example"]])
    #expect(
      diagnostics.description == """
        r.yaml:1:9: error: there is no list file `lists/a.text` [list-not-found]
          hint: did you mean `lists/a.txt`?
        r.yaml:2:9: error: there is no list file `lists/none` [list-not-found]
          hint: names begin below the directory `rules`
        """)
  }

  @Test func filtersAreHandedOverWithTheirLines() {
    var catalog = ListCatalog()
    var diagnostics = Diagnostics()
    _ = catalog.number(of: reference("lists/f.txt", .urlFilters), into: &diagnostics)
    var hosts = CollectedHosts()
    var seen: [String] = []
    let lists = catalog.read(
      .below("c/rules/"), ListReader(files: files), into: &hosts,
      filter: { list, text, line in
        seen.append("\(list.place) \(line) \(text)")
        return text == "bad" ? ListLineProblem("it is bad", hint: "mend it", at: 1) : nil
      }, &diagnostics)
    #expect(seen.prefix(3) == ["0 2 .example/x # y", "0 3 bad", "0 4 ok"])
    #expect(lists.first?.entries == 99)
    #expect(lists.first?.badLines == 1)
    #expect(
      diagnostics.description == """
        c/rules/lists/f.txt:3:2: warning: it is bad [bad-list-line]
          hint: mend it
        """)
  }
}
