import PolicyFiles
import Testing

struct DiagnosticTests {
  private let place = SourceLocation(file: "policy.d/apps.yaml", line: 4, column: 3)

  @Test func printsOneLineWithoutHint() {
    let diagnostic = Diagnostic(.error, .missingKey, at: place, "missing key `path`")
    #expect(diagnostic.description == "policy.d/apps.yaml:4:3: error: missing key `path` [missing-key]")
  }

  @Test func printsTheHintOnASecondLine() {
    let diagnostic = Diagnostic(.warning, "old-key", at: place, "key `a` is old", hint: "write `b`")
    #expect(
      diagnostic.description == """
        policy.d/apps.yaml:4:3: warning: key `a` is old [old-key]
          hint: write `b`
        """)
  }

  @Test func neverPrintsControlOrBidirectionalCharacters() {
    let evil = "\u{1B}[2J\u{202E}x\r\n\u{2028}\u{9B}"
    let place = SourceLocation(file: "a\u{7}.yaml")
    let diagnostic = Diagnostic(.error, .syntax, at: place, evil, hint: evil)
    let escaped = #"\u{1B}[2J\u{202E}x\u{D}\u{A}\u{2028}\u{9B}"#
    #expect(diagnostic.description == #"a\u{7}.yaml:1:1: error: \#(escaped) [syntax]"# + "\n  hint: \(escaped)")
  }

  /// What nobody sees is told, whatever it is called: a soft hyphen and a tag make two names look like one.
  @Test(arguments: [
    ("a\u{AD}b", #"a\u{AD}b"#, #"a\u00ADb"#), ("a\u{E0041}b", #"a\u{E0041}b"#, #"a\uDB40\uDC41b"#),
    ("\u{61C}\u{2063}\u{FEFF}", #"\u{61C}\u{2063}\u{FEFF}"#, #"\u061C\u2063\uFEFF"#),
    ("\u{E000}\u{FFFFF}", #"\u{E000}\u{FFFFF}"#, #"\uE000\uDBBF\uDFFF"#),
    ("\u{7F}\u{9B}\u{2029}", #"\u{7F}\u{9B}\u{2029}"#, #"\u007F\u009B\u2029"#),
    ("josé 東京 😀 \\", "josé 東京 😀 \\", "josé 東京 😀 \\"),
  ])
  func whatNobodySeesIsEscaped(_ text: String, _ shown: String, _ json: String) {
    #expect(text.escapedForDisplay == shown)
    #expect(text.escapedAsJSON == json)
  }

  @Test func quotesCutLongText() {
    #expect("block".quoted == "`block`")
    #expect("two\nlines".quoted == #"`two\u{A}lines`"#)
    #expect(String(repeating: "ä", count: 60).quoted == "`" + String(repeating: "ä", count: 60) + "`")
    #expect(String(repeating: "ä", count: 61).quoted == "`" + String(repeating: "ä", count: 60) + "...`")
    #expect(["a", "b"].quotedList == "`a`, `b`")
  }

  @Test func locationsSortByFileThenLineThenColumn() {
    let sorted = [
      SourceLocation(file: "a", line: 9, column: 9), SourceLocation(file: "b", line: 2, column: 10),
      SourceLocation(file: "b", line: 10, column: 1), SourceLocation(file: "b", line: 10, column: 2),
    ]
    #expect(sorted.reversed().sorted() == sorted)
  }
}
