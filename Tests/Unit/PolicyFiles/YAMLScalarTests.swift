import PolicyFiles
import Testing

struct YAMLScalarTests {
  /// The core schema, YAML 1.2.2, section 10.3.2, and the traps of YAML 1.1 that it closed.
  @Test(arguments: [
    (YAMLScalar.Resolved.null, ["", "~", "null", "Null", "NULL"]),
    (.bool, ["true", "True", "TRUE", "false", "False", "FALSE"]),
    (.int, ["0", "7", "-19", "+12", "010", "0o7", "0x3A", "0xff", "99999999999999999999999999"]),
    (.float, ["0.", "-0.0", ".5", "+12e03", "-2E+05", "1e-3", ".inf", "-.Inf", "+.INF", ".nan", ".NaN", "1.5e3"]),
    (
      .string,
      [
        "yes", "no", "on", "off", "y", "n", "tRUE", "nuLL", "a", "-", "+", ".", "..", "e5", ".e5", "1e", "1e+",
        "1.2.3", "12:30", "1_000", "0x", "0xg", "0o8", "0o", "-0x1", "-.nan", "+.nan", "inf", "nan", "1 2", "--1",
        "2027-01-31", "60s", "½", "٣", "~~", "<<", "é",
      ]
    ),
  ])
  func plainTextHasTheTypeOfTheCoreSchema(expected: YAMLScalar.Resolved, texts: [String]) {
    for text in texts {
      #expect(YAMLScalar(text, isPlain: true).resolved == expected, "\(text)")
      #expect(YAMLScalar(text, isPlain: false).resolved == .string, "\(text)")
    }
  }
}
