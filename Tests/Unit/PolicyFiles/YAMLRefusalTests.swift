import PolicyFiles
import Testing

/// What YAML allows and we do not, and bytes that are no YAML.
struct YAMLRefusalTests {
  @Test(arguments: [
    YAMLCase(
      "a: &x 1\n", "f:1:4: error: anchor `&x` is not allowed [anchor]",
      "  hint: remove it, or put the value in quotes if the `&` belongs to it"),
    YAMLCase(
      "a: *x\n", "f:1:4: error: alias `*x` is not allowed [alias]",
      "  hint: write the value out, or put it in quotes if the `*` belongs to it"),
    YAMLCase(
      "*x : 1\n", "f:1:1: error: alias `*x` is not allowed [alias]",
      "  hint: write the value out, or put it in quotes if the `*` belongs to it"),
    YAMLCase(
      "- !!str 1\n- !x {}\n- ! y\n",
      "f:1:3: error: tag `!!str` is not allowed [tag]",
      "  hint: remove it, or put the value in quotes if the `!` belongs to it",
      "f:2:3: error: tag `!x` is not allowed [tag]",
      "  hint: remove it, or put the value in quotes if the `!` belongs to it",
      "f:3:3: error: tag `!` is not allowed [tag]",
      "  hint: remove it, or put the value in quotes if the `!` belongs to it"),
    YAMLCase(
      "%TAG !e! tag:x,2026:\n---\na: b\n", "f:1:1: error: tag directives are not allowed [tag]",
      "  hint: remove the `%TAG` lines"),
    YAMLCase(
      "%YAML 1.1\n---\na: b\n", "f:1:1: error: file asks for YAML 1.1, not 1.2 [yaml-version]",
      "  hint: remove the line"),
    YAMLCase(
      "%YAML 2.0\n---\na: b\n", "f:1:1: error: file asks for a YAML version that is not 1.2 [yaml-version]",
      "  hint: remove the line"),
    YAMLCase(
      "b: 1\n<<: {a: 1}\n", "f:2:1: error: merge key `<<` is not allowed [merge-key]", "  hint: write the keys out"),
    YAMLCase("'<<': 1\n"),
    YAMLCase(
      "a: 1\nb: 2\n\"a\": 3\n", "f:3:1: error: duplicate key `a`, first at f:1:1 [duplicate-key]",
      "  hint: keep one of the two"),
    YAMLCase(
      "{a: 1, a: 2, a: 3}\n", "f:1:8: error: duplicate key `a`, first at f:1:2 [duplicate-key]",
      "  hint: keep one of the two", "f:1:14: error: duplicate key `a`, first at f:1:2 [duplicate-key]",
      "  hint: keep one of the two"),
    YAMLCase("a: {a: 1}\nb: {a: 1}\n"),
    YAMLCase(
      "\u{E9}: 1\ne\u{301}: 2\n", "f:2:1: error: duplicate key `e\u{301}`, first at f:1:1 [duplicate-key]",
      "  hint: keep one of the two"),
    YAMLCase(
      "a: 1\n---\nb: @\n", "f:2:1: error: a second document begins here [multiple-documents]",
      "  hint: make it a file of its own"),
    YAMLCase(
      "[a]: b\n", "f:1:1: error: a list may not be a key [non-scalar-key]",
      "  hint: put the key in quotes if the bracket belongs to it"),
    YAMLCase(
      "a: {{ name }}\n", "f:1:5: error: a mapping may not be a key [non-scalar-key]",
      "  hint: put the key in quotes if the bracket belongs to it"),
    YAMLCase(
      "{~: 1, ? : 2}\n", "f:1:2: error: a key may not be null (`~`) [empty-key]",
      "  hint: put it in quotes if it is a name", "f:1:10: error: a key may not be nothing [empty-key]",
      "  hint: write `key: value`"),
    YAMLCase("", "f:1:1: error: file has no content [empty-file]"),
    YAMLCase("\u{FEFF}", "f:1:1: error: file has no content [empty-file]"),
    YAMLCase("# only a comment\n\n", "f:1:1: error: file has no content [empty-file]"),
    YAMLCase("---\n...\n", "f:1:1: error: file has no content [empty-file]"),
    YAMLCase("a: b\0c\n", "f:1:5: error: NUL character [nul]", "  hint: remove it"),
    YAMLCase(#"a: "b\0c""#, "f:1:4: error: NUL character in a value [nul]", #"  hint: remove the `\0`"#),
    YAMLCase(#""b\x00": c"#, "f:1:1: error: NUL character in a value [nul]", #"  hint: remove the `\0`"#),
    YAMLCase(
      "ä: \u{1B}\n", "f:1:4: error: character U+001B is not allowed [control-character]",
      #"  hint: remove it, or write it in double quotes as `\u001B`"#),
    YAMLCase(
      "a: 1\n\u{FEFF}b: 2\n", "f:2:1: error: character U+FEFF is not allowed [control-character]",
      #"  hint: remove it, or write it in double quotes as `\uFEFF`"#),
    YAMLCase(
      "a: 1 # hidden\u{2028}b: 2\u{85}c: 3\n",
      "f:1:14: error: line separator U+2028 is not allowed [line-separator]",
      #"  hint: remove it, or write it in double quotes as `\u2028`"#,
      "f:1:19: error: line separator U+0085 is not allowed [line-separator]",
      #"  hint: remove it, or write it in double quotes as `\u0085`"#),
  ])
  func refusedWithCodePlaceAndHint(_ test: YAMLCase) {
    #expect(problems(reading: test.yaml) == test.printed)
  }

  @Test func aSettingDoesNotHideBehindALineSeparatorInAComment() {
    let (value, printed) = decode("a: 1 # x\u{2029}b: 2\n", .mapping { $0.has("b") })
    #expect(value == false)
    #expect(printed.contains("[line-separator]"))
  }

  @Test(arguments: [
    ([0x61, 0x3A, 0x20, 0xFF], "f:1:4: error: invalid UTF-8: 0xFF [invalid-utf-8]"),
    ([0x61, 0x3A, 0x20, 0xC3], "f:1:4: error: invalid UTF-8: 0xC3 [invalid-utf-8]"),
    ([0x61, 0x3A, 0x20, 0xE2, 0x82, 0x0A], "f:1:4: error: invalid UTF-8: 0xE2 0x82 [invalid-utf-8]"),
    ([0x0A, 0x61, 0x3A, 0x20, 0xC0, 0xC3, 0xA4], "f:2:4: error: invalid UTF-8: 0xC0 [invalid-utf-8]"),
    ([0x61, 0x3A, 0x20, 0xC3, 0xA4, 0x80], "f:1:5: error: invalid UTF-8: 0x80 [invalid-utf-8]"),
  ])
  func invalidUTF8IsToldWithItsPlace(bytes: [UInt8], expected: String) {
    #expect(problems(reading: bytes) == expected + "\n  hint: save the file as UTF-8")
  }

  @Test func encodedSurrogatesAndOverlongFormsAreInvalid() {
    for bytes: [UInt8] in [[0xED, 0xA0, 0x80], [0xC0, 0x80], [0xE0, 0x80, 0xAF], [0xF4, 0x90, 0x80, 0x80]] {
      #expect(problems(reading: Array("a: ".utf8) + bytes).contains("f:1:4: error: invalid UTF-8"))
    }
  }

  @Test(
    arguments: [
      [0xFF, 0xFE, 0x61, 0x00], [0xFE, 0xFF, 0x00, 0x61], [0x61, 0x00, 0x3A, 0x00], [0x00, 0x61, 0x00, 0x3A],
      [0xFF, 0xFE, 0x00, 0x00], [0x00, 0x00, 0xFE, 0xFF], [0x61, 0x00, 0x00, 0x00], [0x00, 0x00, 0x00, 0x61],
    ] as [[UInt8]])
  func utf16AndUTF32AreNamed(bytes: [UInt8]) {
    #expect(
      problems(reading: bytes)
        == "f:1:1: error: file is encoded in UTF-16 or UTF-32 [utf-16]\n  hint: save the file as UTF-8")
  }

  @Test func aBinaryFileIsGivenUpAfterSomeBadCharacters() {
    var diagnostics = Diagnostics()
    let root = YAMLReader.read([UInt8](repeating: 0x01, count: 1_000).span, file: "f", into: &diagnostics)
    #expect(root == nil)
    #expect(diagnostics.sorted.count == 21)
    #expect(diagnostics.sorted.last?.message == "more bad characters follow, the file was not read")
  }

  @Test func tagDirectivesAreNotReadByTheThousand() {
    let yaml = (0..<1_000).map { "%TAG !a\($0)! x\n" }.joined() + "---\na: b\n"
    #expect(
      problems(reading: yaml) == """
        f:17:1: error: too many tag directives, the file was not read [tag]
          hint: remove these lines
        """)
  }

  @Test func sizeIsLimited() {
    let bytes = Array("a: b".utf8)
    #expect(problems(reading: bytes, limit: 4) == "")
    #expect(
      problems(reading: bytes, limit: 3) == """
        f:1:1: error: file has 4 bytes, more than the 3 allowed [file-too-large]
          hint: move long lists to a file of their own, one entry a line
        """)
    #expect(YAMLReader.maximumFileSize == 4_194_304)
  }

  @Test(arguments: ["[", "- ", "{a: ", "{? "])
  func depthIsLimited(opening: String) {
    let deepest = String(repeating: opening, count: YAMLReader.maximumDepth)
    #expect(!problems(reading: deepest + "x").contains("[too-deep]"))
    let column = deepest.count + 1
    let printed = problems(reading: deepest + opening + "x")
    #expect(printed.contains("f:1:\(column): error: nested more than 32 levels deep [too-deep]"))
  }

  @Test func depthOfMillionsIsGivenUpAtOnce() {
    let printed = problems(reading: [UInt8](repeating: UInt8(ascii: "["), count: 1 << 20))
    #expect(printed == "f:1:33: error: nested more than 32 levels deep [too-deep]\n  hint: is a bracket never closed?")
  }

  @Test func readsOnBehindWhatIsTooDeep() {
    let deep = String(repeating: "[", count: 40) + "&x 1, *x" + String(repeating: "]", count: 40)
    #expect(
      problems(reading: "a: \(deep)\nb: *y\n").split(separator: "\n").filter { $0.hasPrefix("f:") } == [
        "f:1:35: error: nested more than 32 levels deep [too-deep]",
        "f:1:44: error: anchor `&x` is not allowed [anchor]",
        "f:1:50: error: alias `*x` is not allowed [alias]",
        "f:2:4: error: alias `*y` is not allowed [alias]",
      ])
  }
}
