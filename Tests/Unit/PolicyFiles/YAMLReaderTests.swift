import PolicyFiles
import Testing

struct YAMLReaderTests {
  private func read(_ yaml: String) throws -> YAMLNode {
    var diagnostics = Diagnostics()
    let root = YAMLReader.read(Array(yaml.utf8).span, file: "f", into: &diagnostics)
    #expect(diagnostics.description == "")
    return try #require(root)
  }

  /// The tree in one line: every node with its place, keys with theirs.
  private func outline(_ node: YAMLNode) -> String {
    let place = "@\(node.location.line):\(node.location.column)"
    switch node.content {
    case .scalar(let scalar): return (scalar.isPlain ? scalar.text : scalar.text.debugDescription) + place
    case .sequence(let items): return "[" + items.map(outline).joined(separator: ", ") + "]" + place
    case .mapping(let mapping):
      let entries = mapping.entries.map {
        "\($0.key)@\($0.keyLocation.line):\($0.keyLocation.column): \(outline($0.value))"
      }
      return "{" + entries.joined(separator: ", ") + (mapping.isComplete ? "}" : ", ...}") + place
    case .refused: return "refused" + place
    }
  }

  @Test(arguments: [
    ("a: 1\nb:\n  - x\n  - 'y'\n", "{a@1:1: 1@1:4, b@2:1: [x@3:5, \"y\"@4:5]@3:3}@1:1"),
    ("{a: [1, {b: c}], d: }", "{a@1:2: [1@1:6, {b@1:10: c@1:13}@1:9]@1:5, d@1:18: @1:21}@1:1"),
    ("text", "text@1:1"),
    ("a: |\n  two\n  lines\nb: >-\n  x\n  y\n", "{a@1:1: \"two\\nlines\\n\"@1:4, b@4:1: \"x y\"@4:4}@1:1"),
    ("---\na: b\n...\n", "{a@2:1: b@2:4}@2:1"),
    ("%YAML 1.2\n---\na: b\n", "{a@3:1: b@3:4}@3:1"),
    ("? a\n: b\n", "{a@1:3: b@2:3}@1:1"),
    ("a:", "{a@1:1: @1:3}@1:1"),
    ("a: b # comment\n# c: d\n", "{a@1:1: b@1:4}@1:1"),
  ])
  func everyNodeHasItsPlace(yaml: String, expected: String) throws {
    #expect(outline(try read(yaml)) == expected)
  }

  /// Columns count Unicode scalars: not bytes, not letters as they are drawn, and a tab is one.
  @Test(arguments: [
    ("äöü: x", "{äöü@1:1: x@1:6}@1:1"),
    ("a:\tx", "{a@1:1: x@1:4}@1:1"),
    ("{a:\t\tx,\tb: y}", "{a@1:2: x@1:6, b@1:9: y@1:12}@1:1"),
    ("\"👩‍🚀\": x", "{👩‍🚀@1:1: x@1:8}@1:1"),
    ("e\u{301}: x", "{e\u{301}@1:1: x@1:5}@1:1"),
    ("[日本, 語]", "[日本@1:2, 語@1:6]@1:1"),
    ("\u{FEFF}a: b", "{a@1:1: b@1:4}@1:1"),
    ("a: b\r\nc: d\re: f\n", "{a@1:1: b@1:4, c@2:1: d@2:4, e@3:1: f@3:4}@1:1"),
  ])
  func columnsCountUnicodeScalars(yaml: String, expected: String) throws {
    #expect(outline(try read(yaml)) == expected)
  }

  @Test func readsOnAfterARefusedValue() {
    var diagnostics = Diagnostics()
    let yaml = "a: *x\nb: !t 1\nc: &k {d: 1}\n<<: {e: 1}\n[f]: 1\nb: 2\ng: 3\n"
    let root = YAMLReader.read(Array(yaml.utf8).span, file: "f", into: &diagnostics)
    #expect(diagnostics.sorted.count == 6)
    #expect(
      root.map(outline) == "{a@1:1: refused@1:4, b@2:1: refused@2:4, c@3:1: {d@3:8: 1@3:11}@3:4, g@7:1: 3@7:4, ...}@1:1"
    )
  }

  @Test func whatCameBeforeASyntaxErrorIsKeptAndMarkedIncomplete() {
    var diagnostics = Diagnostics()
    let yaml = "a: 1\nb:\n  c: [x, {d: e}]\n  f: @\n"
    let root = YAMLReader.read(Array(yaml.utf8).span, file: "f", into: &diagnostics)
    #expect(diagnostics.sorted.map(\.code) == [.syntax])
    #expect(
      root.map(outline) == "{a@1:1: 1@1:4, b@2:1: {c@3:3: [x@3:7, {d@3:11: e@3:14}@3:10]@3:6, ...}@3:3, ...}@1:1")
  }

  @Test func aMappingOfManyKeysFindsItsDuplicates() {
    let keys = (0..<5_000).map { "k\($0): \($0)\n" }.joined()
    #expect(problems(reading: keys) == "")
    for key in [0, 15, 16, 17, 4_998, 4_999] {
      let printed = problems(reading: keys + "k\(key): again\n")
      #expect(printed.hasPrefix("f:5001:1: error: duplicate key `k\(key)`, first at f:\(key + 1):1 [duplicate-key]"))
    }
  }

  @Test func accessorsAnswerOnlyForTheirShape() throws {
    let root = try read("a: [x]\nb: ~\n")
    let list = try #require(root.mapping?["a"])
    #expect(list.sequence?.first?.scalar?.text == "x")
    #expect(list.scalar == nil && list.mapping == nil && !list.isNull && !list.isRefused)
    #expect(root.mapping?["b"]?.isNull == true)
    #expect(root.mapping?["c"] == nil)
  }
}
