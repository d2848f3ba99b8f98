import PolicyFiles
import Testing

struct YAMLDecoderCollectionTests {
  @Test func listsReadEveryItem() {
    #expect(decode("[a, b]", .list(of: .string)).value == ["a", "b"])
    #expect(decode("[]", .list(of: .string)).value == [])
    let (value, printed) = decode("- 1\n- a\n- true\n", .list(of: .string))
    #expect(value == nil)
    #expect(
      printed == """
        f:1:3: error: expected a string, found the number `1` [wrong-type]
          hint: put it in quotes: `"1"`
        f:3:3: error: expected a string, found the boolean `true` [wrong-type]
          hint: put it in quotes: `"true"`
        """)
  }

  @Test(arguments: [
    YAMLCase(
      "a", "f:1:1: error: expected a list, found `a` [wrong-type]",
      "  hint: write `- ` in front of each item, or put them in `[...]`"),
    YAMLCase(
      "~", "f:1:1: error: expected a list, found null (`~`) [wrong-type]", "  hint: write `[]` for an empty list"),
    YAMLCase("{}", "f:1:1: error: expected a list, found a mapping [wrong-type]"),
    YAMLCase("[a]", "f:1:1: error: expected at least 2 items, found 1 [out-of-range]"),
    YAMLCase("[]", "f:1:1: error: expected at least 2 items, found none [out-of-range]"),
  ])
  func whatIsNoListOfThatLengthIsTold(_ test: YAMLCase) {
    #expect(decode(test.yaml, .list(of: .string, atLeast: 2)).problems == test.printed)
  }

  @Test func oneValueStandsForAListOfOne() {
    #expect(decode("a", .oneOrMany(of: .string)).value == ["a"])
    #expect(decode("[a, b]", .oneOrMany(of: .string)).value == ["a", "b"])
    #expect(
      decode("[]", .oneOrMany(of: .string)).problems
        == "f:1:1: error: expected at least 1 item, found none [out-of-range]")
    #expect(decode("[]", .oneOrMany(of: .string, atLeast: 0)).value == [])
    #expect(decode("[[a]]", .oneOrMany(of: .string)).problems.contains("f:1:2: error: expected a string, found a list"))
  }

  @Test func entriesKeepNamesPlacesAndOrder() {
    let decoder = YAMLDecoder<[String]>.entries { name in
      .converting(.int(in: 1...9)) { "\(name.location) \(name.value) \($0)" }
    }
    #expect(decode("b: 1\na: 2\n", decoder).value == ["f:1:1 b 1", "f:2:1 a 2"])
    let (value, printed) = decode("b: x\na: 10\n", decoder)
    #expect(value == nil)
    #expect(printed.split(separator: "\n").count == 2)
    #expect(
      decode("~", decoder).problems == """
        f:1:1: error: expected a mapping, found null (`~`) [wrong-type]
          hint: write `{}` for an empty mapping
        """)
  }

  @Test func combinedDecoders() {
    #expect(decode("\n a", .located(.string)).value == Located("a", at: SourceLocation(file: "f", line: 2, column: 2)))
    #expect(decode("[b, a, b]", .converting(.list(of: .string), Set.init)).value == ["a", "b"])

    let even = YAMLDecoder<Int>.checked(.int, "odd-number", hint: "add 1") {
      $0.isMultiple(of: 2) ? nil : "\($0) is odd"
    }
    #expect(decode("4", even).value == 4)
    #expect(decode("5", even).problems == "f:1:1: error: 5 is odd [odd-number]\n  hint: add 1")

    let letter = YAMLDecoder<Character>.parsed(as: "one letter", "invalid-letter") { $0.count == 1 ? $0.first : nil }
    #expect(decode("x", letter).value == "x")
    #expect(decode("xy", letter).problems == "f:1:1: error: `xy` is not one letter [invalid-letter]")
    #expect(decode("7", letter).problems.contains("expected a string, found the number `7` [wrong-type]"))
  }

  @Test func aValueMayHaveSeveralShapes() {
    let decoder = YAMLDecoder<String>.byShape(
      scalar: .string, mapping: .mapping { $0.required("name", .string) })
    #expect(decode("a", decoder).value == "a")
    #expect(decode("{name: b}", decoder).value == "b")
    #expect(
      decode("[a]", decoder).problems == "f:1:1: error: expected a string or a mapping, found a list [wrong-type]")
    #expect(decode("~", decoder).problems.contains("expected a string or a mapping, found null (`~`) [wrong-type]"))
  }

  @Test func aRefusedValueIsToldOnce() {
    let (value, printed) = decode(
      "a: *x\nb: [!t 1, 2]\n",
      .mapping { reader -> Int? in
        let a = reader.required("a", .int(in: 0...9))
        let b = reader.required("b", .list(of: .int(in: 0...9)))
        return a.flatMap { a in b.map { a + $0.count } }
      })
    #expect(value == nil)
    #expect(printed.split(separator: "\n").filter { $0.hasPrefix("f:") }.count == 2)
    #expect(decode("*x", .node).value == nil)
    #expect(decode("[x]", .node).value?.sequence?.count == 1)
  }
}
