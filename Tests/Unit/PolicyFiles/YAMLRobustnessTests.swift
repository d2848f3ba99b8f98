import PolicyFiles
import TestSupport
import Testing

/// Whatever the bytes are, reading ends, and what is not used is reported.
struct YAMLRobustnessTests {
  private static let good = Array(
    """
    # comment äöü
    ruleSet: contoso-documents
    default: external
    rules:
      - id: tenant
        internal: { domain: contoso.com, scheme: [https, "wss"] }
      - id: 'legacy'
        internal:
          regex: '^https://[a-z]+[.]cdn[.]contoso[.]net/v[0-9]+/'
        message: >-
          {host} is a
          personal site 日本
      - external: { list: { file: lists/a.txt, format: domains } }
        text: |
          two
          lines
    limits: [1, -2, 3.5, ~, true, "\\u00e4\\n", []]
    """.utf8)

  /// Reads the bytes, asks every decoder about every node, and checks what always holds.
  private func check(_ bytes: [UInt8], _ note: @autoclosure () -> String) {
    var diagnostics = Diagnostics()
    let root = YAMLReader.read(bytes.span, file: "f", into: &diagnostics)
    if root == nil { #expect(diagnostics.hasErrors, "\(note())") }
    if let root {
      let lines = bytes.count { $0 == 0x0A || $0 == 0x0D } + 1
      visit(root, depth: 1, lines: lines, note())
      decodeAll(root, into: &diagnostics)
    }
    let sorted = diagnostics.sorted
    #expect(sorted.allSatisfy { $0.location.line >= 1 && $0.location.column >= 1 }, "\(note())")
    #expect(!diagnostics.description.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, "\(note())")
  }

  private func visit(_ node: YAMLNode, depth: Int, lines: Int, _ note: String) {
    #expect(depth <= YAMLReader.maximumDepth + 1 && node.location.line <= lines, "\(note)")
    for item in node.sequence ?? [] { visit(item, depth: depth + 1, lines: lines, note) }
    let entries = node.mapping?.entries ?? []
    #expect(Set(entries.map(\.key)).count == entries.count, "\(note)")
    for entry in entries { visit(entry.value, depth: depth + 1, lines: lines, note) }
  }

  private func decodeAll(_ node: YAMLNode, into diagnostics: inout Diagnostics) {
    _ = node.decode(.string, into: &diagnostics)
    _ = node.decode(.bool, into: &diagnostics)
    _ = node.decode(.int(in: -5...5), into: &diagnostics)
    _ = node.decode(.duration, into: &diagnostics)
    _ = node.decode(.mapping { $0.required("ruleSet", .string) }, into: &diagnostics)
    for item in node.sequence ?? [] { decodeAll(item, into: &diagnostics) }
    for entry in node.mapping?.entries ?? [] { decodeAll(entry.value, into: &diagnostics) }
  }

  @Test func theGoodFileIsGood() {
    #expect(problems(reading: Self.good) == "")
  }

  @Test func truncationAtEveryByte() {
    for length in 0...Self.good.count {
      check(Array(Self.good.prefix(length)), "first \(length) bytes")
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func randomBytes(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<1_000 {
      let length = Int.random(in: 0...120, using: &generator)
      check((0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }, "seed \(seed) round \(round)")
    }
  }

  @Test(arguments: [4, 5, 6] as [UInt64])
  func randomYAMLCharacters(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let alphabet = Array("ab1~ \n\n\t-:?,[]{}#&*!|>'\"%@`\\<.=ä\r".utf8)
    for round in 0..<1_000 {
      let length = Int.random(in: 0...80, using: &generator)
      let bytes = (0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
      check(bytes, "seed \(seed) round \(round)")
    }
  }

  @Test(arguments: [7, 8, 9] as [UInt64])
  func mutatedFiles(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<700 {
      var bytes = Self.good
      for _ in 0..<Int.random(in: 1...6, using: &generator) { mutate(&bytes, using: &generator) }
      check(bytes, "seed \(seed) round \(round)")
    }
  }

  private func mutate(_ bytes: inout [UInt8], using generator: inout SeededGenerator) {
    guard !bytes.isEmpty else { return }
    let at = Int.random(in: 0..<bytes.count, using: &generator)
    let other = Int.random(in: 0..<bytes.count, using: &generator)
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: bytes[at] = UInt8.random(in: .min ... .max, using: &generator)
    case 1: bytes.remove(at: at)
    case 2: bytes.insert(bytes[other], at: at)
    case 3: bytes.swapAt(at, other)
    case 4: bytes.removeSubrange(min(at, other)..<min(max(at, other), min(at, other) + 20))
    default: bytes.insert(contentsOf: bytes[min(at, other)...min(max(at, other), min(at, other) + 30)], at: at)
    }
  }
}
