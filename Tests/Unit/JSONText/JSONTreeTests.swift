import JSONText
import TestSupport
import Testing

@Suite("JSON tree")
struct JSONTreeTests {
  @Test("what is written reads back as the same, seeded", arguments: [11, 12, 13, 14] as [UInt64])
  func whatIsWrittenReadsBack(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<400 {
      let tree = JSONTree.random(using: &generator)
      for layout in [JSONWriter.Layout.compact, .indented] {
        let text = tree.text(layout: layout)
        let read = try JSONTree(parsing: text)
        #expect(read == tree, "seed \(seed), round \(round)")
        #expect(read.text(layout: layout) == text, "seed \(seed), round \(round)")
      }
    }
  }

  @Test("compact text is one line")
  func compactTextIsOneLine() {
    var generator = SeededGenerator(seed: 21)
    for _ in 0..<200 {
      let text = JSONTree.random(using: &generator).text()
      #expect(!text.unicodeScalars.contains { $0.properties.generalCategory == .control || $0.value == 0x2028 })
    }
  }

  @Test("subscripts give nil for what is not there")
  func subscriptsGiveNil() throws {
    let tree = try JSONTree(parsing: #"{"a":[1,2.5,true,"s",18446744073709551615]}"#)
    #expect(tree["a"]?[1] == .double(2.5) && tree["a"]?[4] == .uint(.max))
    #expect(tree["a"]?[0]?.int == 1 && tree["a"]?[2]?.bool == true && tree["a"]?[3]?.string == "s")
    #expect(tree["b"] == nil && tree["a"]?[5] == nil && tree["a"]?[-1] == nil && tree[0] == nil)
    #expect(tree["a"]?["a"] == nil && tree.int == nil && tree.bool == nil && tree.string == nil)
  }

  @Test("equality looks at the order of members")
  func equalityLooksAtTheOrder() {
    #expect(["a": 1, "b": 2] as JSONTree != ["b": 2, "a": 1])
    #expect(JSONTree.double(1) != .int(1))
    #expect(JSONTree.double(.nan).text() == "null")
  }
}
