import PolicyFiles
import Testing

struct YAMLMappingReaderTests {
  enum Kind: String, CaseIterable {
    case page
    case frame
  }

  struct Socket: Equatable {
    var path: String
    var mode: Int
    var kinds: [Kind]
    var idle: Duration?

    init?(_ reader: inout MappingReader) {
      let path = reader.required("path", .nonEmptyString)
      let mode = reader.value("mode", .int(in: 0...511), default: 384)
      let kinds = reader.value("kinds", .oneOrMany(of: .choice(of: Kind.self)), default: [.page])
      let idle = reader.optional("idleTimeout", .duration(in: .seconds(1) ... .seconds(3_600)))
      guard let path else { return nil }
      (self.path, self.mode, self.kinds, self.idle) = (path, mode, kinds, idle)
    }
  }

  private static let known = "  hint: known keys: `path`, `mode`, `kinds`, `idleTimeout`"

  @Test func readsWhatIsThereAndFillsInTheRest() {
    let (socket, printed) = decode("path: /run/x\nidleTimeout: 60s\nkinds: frame\n", .mapping(Socket.init))
    #expect(printed == "")
    #expect(socket?.path == "/run/x")
    #expect(socket?.mode == 384)
    #expect(socket?.kinds == [.frame])
    #expect(socket?.idle == .seconds(60))
  }

  @Test(arguments: [
    YAMLCase("mode: 1\n", "f:1:1: error: missing key `path` [missing-key]", "  hint: it takes a string"),
    YAMLCase("path: /x\nmodes: 1\n", "f:2:1: error: unknown key `modes` [unknown-key]", "  hint: did you mean `mode`?"),
    YAMLCase("path: /x\nMODE: 1\n", "f:2:1: error: unknown key `MODE` [unknown-key]", "  hint: did you mean `mode`?"),
    YAMLCase(
      "path: /x\nidle_timeout: 1s\n", "f:2:1: error: unknown key `idle_timeout` [unknown-key]",
      "  hint: did you mean `idleTimeout`?"),
    YAMLCase(
      "path: /x\nidelTimeout: 1s\n", "f:2:1: error: unknown key `idelTimeout` [unknown-key]",
      "  hint: did you mean `idleTimeout`?"),
    YAMLCase("path: /x\ncolour: 1\n", "f:2:1: error: unknown key `colour` [unknown-key]", known),
    YAMLCase("path: /x\nx: 1\n", "f:2:1: error: unknown key `x` [unknown-key]", known),
    YAMLCase("path: /x\n'': 1\n", "f:2:1: error: unknown key `` [unknown-key]", known),
    YAMLCase(
      "path: /x\nidleTimeout:\n", "f:2:13: error: expected a duration from `1s` to `1h`, found nothing [wrong-type]",
      "  hint: give it a value, or remove the key"),
    YAMLCase("[]", "f:1:1: error: expected a mapping, found a list [wrong-type]"),
  ])
  func whatIsWrongWithKeysIsTold(_ test: YAMLCase) {
    #expect(decode(test.yaml, .mapping(Socket.init)).problems == test.printed)
  }

  @Test func aVeryLongKeyIsCutAndNotCompared() {
    let key = String(repeating: "k", count: 900)
    let (_, printed) = decode("path: /x\n\(key): 1\n", .mapping(Socket.init))
    #expect(printed.hasPrefix("f:2:1: error: unknown key `\(String(repeating: "k", count: 60))...` [unknown-key]"))
  }

  @Test func everythingComesTogetherAndSorted() {
    let yaml = """
      first:
        pth: /run/x
        mode: 0x1FF
        kinds: [page, farme]
      second: &a
        path: 8080
        mode: 512
        mode: 1
        kinds: yes
        idleTimeout: 2h
      third: *a
      """
    let (_, printed) = decode(
      yaml,
      .mapping { reader -> Bool? in
        // Asked for in another order than the file has, to see the sorting.
        _ = reader.required("third", .mapping(Socket.init))
        _ = reader.required("second", .mapping(Socket.init))
        _ = reader.required("first", .mapping(Socket.init))
        return true
      })
    #expect(
      printed == """
        f:2:3: error: missing key `path` [missing-key]
          hint: it takes a string
        f:2:3: error: unknown key `pth` [unknown-key]
          hint: did you mean `path`?
        f:3:9: error: expected a whole number from 0 to 511, found the number `0x1FF` [wrong-type]
          hint: write decimal digits only: no sign `+`, no leading zero, no separator, no fraction
        f:4:17: error: `farme` is not one of `page`, `frame` [unknown-value]
          hint: did you mean `frame`?
        f:5:9: error: anchor `&a` is not allowed [anchor]
          hint: remove it, or put the value in quotes if the `&` belongs to it
        f:6:9: error: expected a string, found the number `8080` [wrong-type]
          hint: put it in quotes: `"8080"`
        f:7:9: error: expected a whole number from 0 to 511, found `512` [out-of-range]
        f:8:3: error: duplicate key `mode`, first at f:7:3 [duplicate-key]
          hint: keep one of the two
        f:9:10: error: `yes` is not one of `page`, `frame` [unknown-value]
        f:10:16: error: expected a duration from `1s` to `1h`, found `2h` [out-of-range]
        f:11:8: error: alias `*a` is not allowed [alias]
          hint: write the value out, or put it in quotes if the `*` belongs to it
        """)
  }

  @Test func aKeyIsNotMissingWhereReadingBrokeOff() {
    for yaml in ["mode: 1\nkinds: @\n", "mode: 1\n<<: {path: /x}\n", "mode: 1\n*p : /x\n"] {
      let (_, printed) = decode(yaml, .mapping(Socket.init))
      #expect(!printed.contains("[missing-key]"))
      #expect(printed != "")
    }
  }

  @Test func exactlyOneOfSeveralKeys() {
    func read(_ yaml: String) -> (value: String??, problems: String) {
      decode(yaml, .mapping { reader -> String?? in .some(reader.exactlyOne(of: ["internal", "external"])) })
    }
    #expect(read("external: 1\n").value == "external")
    #expect(read("external: 1\n").problems == "")
    #expect(read("{}").problems == "f:1:1: error: one of the keys `internal`, `external` is missing [missing-key]")
    #expect(
      read("external: 1\ninternal: 2\n").problems == """
        f:2:1: error: `internal` may not stand beside `external` [conflicting-keys]
          hint: keep one of the two
        """)
  }

  @Test func atMostOneOfSeveralKeys() {
    func read(_ yaml: String) -> String {
      decode(yaml, .mapping { reader -> String? in reader.atMostOne(of: ["a", "b", "c"]) ?? "none" }).problems
    }
    #expect(read("{}") == "")
    #expect(read("b: 1\n") == "")
    #expect(read("c: 1\na: 1\nb: 1\n").split(separator: "\n").filter { $0.contains("[conflicting-keys]") }.count == 2)
  }

  @Test func askingWhetherAKeyIsThereMakesItKnown() {
    let (value, printed) = decode("a: 1\n", .mapping { reader -> Bool? in reader.has("a") && !reader.has("b") })
    #expect(value == true)
    #expect(printed == "")
  }

  @Test func errorsOfTheCallerStandAtTheKey() {
    let (_, printed) = decode(
      "a: 1\nb: 2\n",
      .mapping { reader -> Bool? in
        _ = reader.optional("a", .node)
        _ = reader.optional("b", .node)
        reader.error("too-small", at: "b", "`b` is smaller than `a`", hint: "make it larger")
        reader.error("too-small", at: "c", "`c` is not there")
        return nil
      })
    #expect(
      printed == """
        f:1:1: error: `c` is not there [too-small]
        f:2:1: error: `b` is smaller than `a` [too-small]
          hint: make it larger
        """)
  }

  @Test func earlierDiagnosticsSurviveNestedReaders() {
    var diagnostics = Diagnostics()
    diagnostics.warning("early", at: SourceLocation(file: "e"), "was here before")
    let root = YAMLReader.read(Array("a: {b: {c: 1}}".utf8).span, file: "f", into: &diagnostics)
    let inner = YAMLDecoder<Bool>.mapping { $0.has("b") }
    _ = root?.decode(.mapping { $0.required("a", inner) }, into: &diagnostics)
    _ = root?.decode(.mapping { $0.has("z") }, into: &diagnostics)
    #expect(diagnostics.sorted.map(\.code) == ["early", .unknownKey])
  }
}
