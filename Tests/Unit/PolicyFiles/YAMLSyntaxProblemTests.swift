import PolicyFiles
import Testing

/// What libyaml cannot read, in words that a person can act on.
struct YAMLSyntaxProblemTests {
  private static let tab = "  hint: indent with spaces"
  private static let quote = "  hint: add the closing quote"
  private static let keys = "  hint: line it up with the keys above"
  private static let items = "  hint: line it up with the items above"
  private static let quoteIt = "  hint: put the value in quotes"
  private static let keyValue = keys + "; the line above must be `key: value`, or end in `:`"
  private static let wholeQuote =
    #"  hint: quote the whole value; inside single quotes write `'` twice, inside double quotes write `\"`"#

  @Test(arguments: [
    YAMLCase("a:\n\tb: c\n", "f:2:1: error: tab used for indentation [tab-indentation]", tab),
    YAMLCase("a: 1\n\tb: c\n", "f:2:1: error: tab used for indentation [tab-indentation]", tab),
    YAMLCase("\ta: b\n", "f:1:1: error: tab used for indentation [tab-indentation]", tab),
    YAMLCase("a:\n  - b\n\t- c\n", "f:3:1: error: tab used for indentation [tab-indentation]", tab),
    YAMLCase("a: |\n\tb\n", "f:2:1: error: tab used for indentation [tab-indentation]", tab),
    YAMLCase("ä: \"x\nb: c\n", "f:1:4: error: quote is never closed [unclosed-quote]", quote),
    YAMLCase("a: 'x\nb: c\n\t", "f:1:4: error: quote is never closed [unclosed-quote]", quote),
    YAMLCase("a: \"x\n---\ny\"\n", "f:1:4: error: quote is never closed [unclosed-quote]", quote),
    YAMLCase("a: 'don't'\n", "f:1:9: error: text after the closing quote [syntax]", wholeQuote),
    YAMLCase("- \"x\" y\n", "f:1:7: error: text after the closing quote [syntax]", wholeQuote),
    YAMLCase("a: b: c\n", "f:1:5: error: `: ` inside a plain value [syntax]", quoteIt),
    YAMLCase(
      "a:\n    b: 1\n  c: 2\n",
      "f:3:3: error: a key of the mapping that began at 1:1 is expected here [bad-indentation]", keys),
    YAMLCase(
      "a:\n - b\n- c\n",
      "f:3:1: error: a key of the mapping that began at 1:1 is expected here [bad-indentation]", keys),
    YAMLCase("a: 1\n  b: 2\n", "f:2:3: error: a key is not expected here [bad-indentation]", keyValue),
    YAMLCase("a:b\nc: d\n", "f:2:1: error: a key is not expected here [bad-indentation]", keyValue),
    YAMLCase(
      "- a: 1\n b: 2\n",
      "f:2:2: error: `- ` of the list that began at 1:1 is expected here [bad-indentation]", items),
    YAMLCase(
      "- a\nb: c\n",
      "f:2:1: error: `- ` of the list that began at 1:1 is expected here [bad-indentation]", items),
    YAMLCase("host: *.example.com\n", "f:1:7: error: a plain value may not begin with `*` [syntax]", quoteIt),
    YAMLCase("a: &.x\n", "f:1:4: error: a plain value may not begin with `&` [syntax]", quoteIt),
    YAMLCase("a: !e!x y\n", "f:1:4: error: a plain value may not begin with `!` [tag]", quoteIt),
    YAMLCase("a: !<x y\n", "f:1:4: error: a plain value may not begin with `!` [tag]", quoteIt),
    YAMLCase("a: @x\n", "f:1:4: error: a plain value may not begin with `@` [syntax]", quoteIt),
    YAMLCase("a: %x\n", "f:1:4: error: a plain value may not begin with `%` [syntax]", quoteIt),
    YAMLCase("a: ? b\n", "f:1:4: error: a plain value may not begin with `? ` [syntax]", quoteIt),
    YAMLCase("%FOO\n---\na: b\n", "f:1:1: error: a line may not begin with `%` [syntax]", quoteIt),
    YAMLCase(
      "a: [b]c\n", "f:1:7: error: text after the end of a value [syntax]",
      "  hint: put the whole value in quotes"),
    YAMLCase(
      "a: - b\n", "f:1:4: error: a list may not begin behind a key [syntax]",
      "  hint: begin it on the next line, or use `[...]`"),
    YAMLCase(
      "a: 1\nb c\nd: e\n", "f:2:1: error: a key without `:` [syntax]",
      "  hint: write `key: value`, or indent the line more to continue the value above"),
    YAMLCase(
      "a: [b, c\nd: e\n", "f:2:2: error: list `[` is not closed here [syntax]",
      "  hint: add `,` or `]`; it began at 1:4"),
    YAMLCase(
      "a: {b: c\nd: e\n", "f:2:2: error: mapping `{` is not closed here [syntax]",
      "  hint: add `,` or `}`; it began at 1:4"),
    YAMLCase(
      "a: [b", "f:1:6: error: list `[` is not closed here [syntax]",
      "  hint: add `,` or `]`; it began at 1:4"),
    YAMLCase(
      "a: ]\n", "f:1:4: error: a value is expected here [syntax]",
      "  hint: put it in quotes if it begins with a bracket or comma"),
    YAMLCase(
      "a: b\n...\nc\n", "f:3:1: error: text after the end of the document [syntax]",
      "  hint: remove it, or indent it as part of a value"),
    YAMLCase(
      "a: |x\n  b\n", "f:1:5: error: text behind `|` or `>` [syntax]",
      "  hint: begin the text on the next line, or put the value in quotes"),
    YAMLCase(
      #"a: "\q""#, "f:1:5: error: unknown escape after a backslash [syntax]",
      #"  hint: write `\\` for a backslash, or use single quotes, in which a backslash is an ordinary character"#),
    YAMLCase(
      #"a: "\uD800""#, "f:1:7: error: escape is not a character [syntax]",
      #"  hint: `\x` takes 2, `\u` 4 and `\U` 8 hexadecimal digits of a Unicode character"#),
  ])
  func syntaxErrorsAreToldInPlainEnglish(_ test: YAMLCase) {
    #expect(problems(reading: test.yaml) == test.printed)
  }

  @Test func badBytesAndASyntaxErrorBehindThemComeTogether() {
    let bytes = Array("a: \0\nb: ".utf8) + [0xFF] + Array("\nc: &x 1\nc: 2\nd: [\n".utf8)
    let lines = problems(reading: bytes).split(separator: "\n").filter { $0.hasPrefix("f:") }
    #expect(
      lines == [
        "f:1:4: error: NUL character [nul]",
        "f:2:4: error: invalid UTF-8: 0xFF [invalid-utf-8]",
        "f:3:4: error: anchor `&x` is not allowed [anchor]",
        "f:4:1: error: duplicate key `c`, first at f:3:1 [duplicate-key]",
        "f:6:1: error: a value is expected here [syntax]",
      ])
  }
}
