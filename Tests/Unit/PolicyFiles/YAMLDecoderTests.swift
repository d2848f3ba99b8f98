import PolicyFiles
import Testing

/// Scalars: what is taken, and what is said of the rest. Every value stands at line 1, column 4, behind `v: `.
struct YAMLDecoderTests {
  enum Mode: String, CaseIterable {
    case block
    case redirect
    case handOff
  }

  private func value<Value>(_ text: String, _ decoder: YAMLDecoder<Value>) -> (value: Value?, problems: String) {
    decode("v: \(text)\n", .mapping { $0.required("v", decoder) })
  }

  private func wrongType(_ message: String, hint: String? = nil) -> String {
    "f:1:4: error: \(message) [wrong-type]" + (hint.map { "\n  hint: \($0)" } ?? "")
  }

  @Test(arguments: [
    ("mail", "mail"), ("yes", "yes"), ("1.2.3", "1.2.3"), ("'8080'", "8080"), ("\"true\"", "true"), ("''", ""),
    ("60s", "60s"), ("http://a/", "http://a/"), ("|\n  text", "text\n"),
  ])
  func stringsAreRead(text: String, expected: String) {
    let (read, printed) = value(text, .string)
    #expect(read == expected)
    #expect(printed == "")
  }

  @Test(arguments: [
    ("8080", "expected a string, found the number `8080`", "put it in quotes: `\"8080\"`"),
    ("1.10", "expected a string, found the number `1.10`", "put it in quotes: `\"1.10\"`"),
    ("true", "expected a string, found the boolean `true`", "put it in quotes: `\"true\"`"),
    ("FALSE", "expected a string, found the boolean `FALSE`", "put it in quotes: `\"FALSE\"`"),
    ("null", "expected a string, found null (`null`)", "put it in quotes: `\"null\"`"),
    ("", "expected a string, found nothing", "give it a value, or write `\"\"` for an empty string"),
    ("[a]", "expected a string, found a list", nil),
    ("{a: b}", "expected a string, found a mapping", nil),
  ])
  func whatIsNoStringIsToldHowToBecomeOne(text: String, message: String, hint: String?) {
    let (read, printed) = value(text, .string)
    #expect(read == nil)
    let place = text.isEmpty ? "f:1:3" : "f:1:4"
    #expect(printed == wrongType(message, hint: hint).replacing("f:1:4", with: place))
  }

  @Test func verbatimStringsMayLookLikeNumbers() {
    for text in ["8080", "1.10", "true", "0x1F", "mail"] {
      #expect(value(text, .verbatimString).value == text)
    }
    #expect(value("~", .verbatimString).problems.contains("expected a string or a number, found null (`~`)"))
  }

  @Test func nonEmptyStringsAreNotEmpty() {
    #expect(value("a", .nonEmptyString).value == "a")
    #expect(value("''", .nonEmptyString).problems == "f:1:4: error: the string may not be empty [out-of-range]")
  }

  @Test func onlyTrueAndFalseAreBooleans() {
    #expect(value("true", .bool).value == true)
    #expect(value("false", .bool).value == false)
    for text in ["yes", "no", "on", "off", "Yes", "OFF", "y", "n"] {
      let (read, printed) = value(text, .bool)
      #expect(read == nil)
      #expect(printed == wrongType("expected true or false, found `\(text)`", hint: "write true or false"))
    }
    for text in ["True", "TRUE", "False", "FALSE"] {
      let message = "expected true or false, found the boolean `\(text)`"
      #expect(value(text, .bool).problems == wrongType(message, hint: "write true or false"))
    }
    #expect(
      value("'true'", .bool).problems
        == wrongType("expected true or false, found `true`", hint: "write true or false"))
    #expect(value("1", .bool).problems == wrongType("expected true or false, found the number `1`"))
    #expect(value("{}", .bool).problems == wrongType("expected true or false, found a mapping"))
  }

  @Test func wholeNumbersAreDecimal() {
    #expect(value("0", .int(in: 0...9)).value == 0)
    #expect(value("-12", .int(in: -12 ... -1)).value == -12)
    #expect(value("65535", .int(in: 1...UInt16.max)).value == UInt16.max)
    #expect(value("9223372036854775807", YAMLDecoder<Int>.int).value == .max)
    for text in ["010", "+1", "0x1F", "0o7", "1e3", "1.0", "1_000", "00", "-01"] {
      let (read, printed) = value(text, .int(in: 0...100_000))
      #expect(read == nil)
      #expect(printed.hasPrefix("f:1:4: error: expected a whole number from 0 to 100000, found "), "\(text)")
      #expect(printed.contains("[wrong-type]"), "\(text)")
    }
    #expect(
      value("'80'", .int(in: 1...99)).problems
        == wrongType("expected a whole number from 1 to 99, found `80`", hint: "remove the quotes"))
    #expect(value("x", YAMLDecoder<Int>.int).problems == wrongType("expected a whole number, found `x`"))
    #expect(
      value("010", .int(in: 1...Int.max)).problems
        == wrongType(
          "expected a whole number of at least 1, found the number `010`",
          hint: "write decimal digits only: no sign `+`, no leading zero, no separator, no fraction"))
  }

  @Test(arguments: ["0", "70000", "-1", "99999999999999999999999999999999"])
  func numbersOutOfRangeAreTold(text: String) {
    let (read, printed) = value(text, .int(in: 1...65_535))
    #expect(read == nil)
    #expect(printed == "f:1:4: error: expected a whole number from 1 to 65535, found `\(text)` [out-of-range]")
  }

  @Test(arguments: [
    ("250ms", Duration.milliseconds(250)), ("60s", .seconds(60)), ("5m", .seconds(300)), ("2h", .seconds(7_200)),
    ("7d", .seconds(604_800)), ("0s", .zero), ("'60s'", .seconds(60)),
  ])
  func durationsAreRead(text: String, expected: Duration) {
    let (read, printed) = value(text, .duration)
    #expect(read == expected)
    #expect(printed == "")
  }

  @Test(arguments: ["1.5h", "1h30m", "5 m", "m", "-5s", "5S", "soon", "٥s", "5µs", "5s "])
  func durationsOfAnotherFormAreTold(text: String) {
    let (read, printed) = value("'\(text)'", .duration)
    #expect(read == nil)
    #expect(
      printed
        == wrongType(
          "expected a duration such as `60s`, found `\(text)`",
          hint: "write a whole number and one unit, such as `250ms`, `60s`, `5m`, `2h` or `7d`"))
  }

  @Test func durationsNeedAUnitAndKeepTheirRange() {
    #expect(
      value("60", .duration).problems
        == wrongType(
          "expected a duration such as `60s`, found the number `60`",
          hint: "add a unit: `ms`, `s`, `m`, `h` or `d`"))
    let range = Duration.milliseconds(1_500)...Duration.seconds(7_200)
    #expect(value("2h", .duration(in: range)).value == .seconds(7_200))
    for text in ["1s", "3h", "9223372036854775807d", "99999999999999999999999s"] {
      #expect(
        value(text, .duration(in: range)).problems
          == "f:1:4: error: expected a duration from `1500ms` to `2h`, found `\(text)` [out-of-range]")
    }
    #expect(value("9223372036854775807d", .duration).problems.contains("[out-of-range]"))
  }

  @Test func choicesListTheWordsAndTheNearest() {
    #expect(value("handOff", .choice(of: Mode.self)).value == .handOff)
    #expect(value("'block'", .choice(of: Mode.self)).value == .block)
    let list = "one of `block`, `redirect`, `handOff`"
    let unknown: [(String, String?)] = [
      ("blok", "block"), ("BLOCK", "block"), ("hand-off", "handOff"), ("handoff", "handOff"), ("redirects", "redirect"),
      ("allow", nil), ("b", nil),
    ]
    for (text, nearest) in unknown {
      let hint = nearest.map { "\n  hint: did you mean `\($0)`?" } ?? ""
      #expect(
        value(text, .choice(of: Mode.self)).problems
          == "f:1:4: error: `\(text)` is not \(list) [unknown-value]\(hint)")
    }
    #expect(value("[block]", .choice(of: Mode.self)).problems == wrongType("expected \(list), found a list"))
    #expect(value("~", .choice(of: Mode.self)).problems.contains("found null (`~`) [wrong-type]"))
  }
}
