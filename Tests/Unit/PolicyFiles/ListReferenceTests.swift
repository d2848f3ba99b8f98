import PolicyFiles
import Testing

@Suite struct ListReferenceTests {
  @Test func readsFileAndFormat() {
    let (value, problems) = decode("{ file: lists/ut1/ads.gz, format: urlFilters }", ListReference.decoder)
    #expect(value?.file == Located("lists/ut1/ads.gz", at: SourceLocation(file: "f", line: 1, column: 9)))
    #expect(value?.format == Located(.urlFilters, at: SourceLocation(file: "f", line: 1, column: 35)))
    #expect(problems.isEmpty)
  }

  private static let missingFormat = "  hint: say which format: `domains`, `hosts` or `urlFilters`"
  private static let outside =
    "  hint: write it as in `lists/file-sharing.txt`, without `..`, hidden names and `/` in front"

  @Test(arguments: [
    YAMLCase(
      "{ file: lists/a.txt }", "f:1:1: error: missing key `format` [missing-key]", missingFormat),
    YAMLCase(
      "{ format: domains }", "f:1:1: error: missing key `file` [missing-key]",
      "  hint: it takes the name of a file below `rules`"),
    YAMLCase(
      "{ file: lists/a.txt, format: domain }",
      "f:1:30: error: `domain` is not one of `domains`, `hosts`, `urlFilters` [unknown-value]",
      "  hint: did you mean `domains`?"),
    YAMLCase(
      "lists/a.txt", "f:1:1: error: expected a mapping with `file` and `format`, found `lists/a.txt` [wrong-type]",
      "  hint: write `{ file: lists/a.txt, format: domains }`, with `domains`, `hosts` or `urlFilters`"),
    YAMLCase("[]", "f:1:1: error: expected a mapping with `file` and `format`, found a list [wrong-type]"),
    YAMLCase(
      "{ file: /etc/hosts, format: hosts }",
      "f:1:9: error: `/etc/hosts` is not a name below the directory `rules/lists` [invalid-list-name]", outside),
    YAMLCase(
      "{ file: lists/../../x, format: hosts }",
      "f:1:9: error: `lists/../../x` is not a name below the directory `rules/lists` [invalid-list-name]", outside),
    YAMLCase(
      "{ file: lists/.x, format: hosts }",
      "f:1:9: error: `lists/.x` is not a name below the directory `rules/lists` [invalid-list-name]", outside),
    YAMLCase(
      "{ file: rules/lists/x, format: hosts }",
      "f:1:9: error: `rules/lists/x` is not a name below the directory `rules` [invalid-list-name]",
      "  hint: write `lists/x`"),
    YAMLCase(
      "{ file: common/x.txt, format: hosts }",
      "f:1:9: error: `common/x.txt` is not below the directory `rules/lists` [invalid-list-name]",
      "  hint: put it there and write `lists/x.txt`"),
    YAMLCase(
      "{ file: lists/x.yaml, format: hosts }",
      "f:1:9: error: `lists/x.yaml` is the name of a rule file [invalid-list-name]",
      "  hint: list files may have any other name"),
    YAMLCase(
      "{ file: lists/x, format: hosts, gzip: true }", "f:1:33: error: unknown key `gzip` [unknown-key]",
      "  hint: known keys: `file`, `format`"),
  ])
  func mistakeIsTold(_ mistake: YAMLCase) {
    #expect(decode(mistake.yaml, ListReference.decoder).problems == mistake.printed)
  }
}
