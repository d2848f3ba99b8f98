import PolicyFiles
import TestSupport

/// A value of a YAML file that a test changes and writes in many ways.
indirect enum TextTree: Hashable, Sendable {
  case map([Entry])
  case list([TextTree])
  /// Not quoted: a number, a Boolean, null, or a word.
  case plain(String)
  case text(String)

  struct Entry: Hashable, Sendable {
    var key: String
    var value: TextTree
  }

  init(_ node: YAMLNode) {
    switch node.content {
    case .mapping(let mapping): self = .map(mapping.entries.map { Entry(key: $0.key, value: TextTree($0.value)) })
    case .sequence(let items): self = .list(items.map(TextTree.init))
    case .scalar(let scalar): self = scalar.isText ? .text(scalar.text) : .plain(scalar.text)
    case .refused: self = .plain("null")
    }
  }

  /// Reads YAML that is right.
  static func read(_ yaml: String) -> TextTree {
    var diagnostics = Diagnostics()
    let bytes = Array(yaml.utf8)
    let root = YAMLReader.read(bytes.span, file: "t", into: &diagnostics)
    precondition(diagnostics.description.isEmpty, diagnostics.description)
    return root.map(TextTree.init) ?? .map([])
  }

  /// The value at a path of keys and numbers.
  subscript(path: ArraySlice<String>) -> TextTree? {
    get {
      guard let step = path.first else { return self }
      switch self {
      case .map(let entries): return entries.first { $0.key == step }?.value[path.dropFirst()]
      case .list(let items): return Int(step).flatMap { items.indices.contains($0) ? items[$0][path.dropFirst()] : nil }
      case .plain, .text: return nil
      }
    }
    set {
      guard let step = path.first else {
        if let newValue { self = newValue }
        return
      }
      let isLast = path.count == 1
      switch self {
      case .map(var entries):
        guard let index = entries.firstIndex(where: { $0.key == step }) else { return }
        if isLast, newValue == nil {
          entries.remove(at: index)
        } else {
          entries[index].value[path.dropFirst()] = newValue
        }
        self = .map(entries)
      case .list(var items):
        guard let index = Int(step), items.indices.contains(index) else { return }
        if isLast, newValue == nil { items.remove(at: index) } else { items[index][path.dropFirst()] = newValue }
        self = .list(items)
      case .plain, .text: return
      }
    }
  }

  /// The paths of everything in it, the whole first.
  var paths: [[String]] {
    switch self {
    case .map(let entries): [[]] + entries.flatMap { entry in entry.value.paths.map { [entry.key] + $0 } }
    case .list(let items):
      [[]] + items.enumerated().flatMap { number, item in item.paths.map { [String(number)] + $0 } }
    case .plain, .text: [[]]
    }
  }
}

extension YAMLScalar {
  /// What no file may leave without quotes.
  fileprivate var isText: Bool {
    if case .string = resolved { true } else { false }
  }
}

extension TextTree {
  /// The tree as a file, in one of many ways: `{ a: 1 }` or over lines, keys in another order, other quotes, comments.
  func written(_ generator: inout SeededGenerator) -> String {
    "# \(generator.next())\n" + block(&generator, indent: 0) + "\n"
  }

  private func block(_ generator: inout SeededGenerator, indent: Int) -> String {
    let margin = String(repeating: " ", count: indent)
    switch self {
    case .map(let entries) where !entries.isEmpty && !generator.oneIn(4):
      return entries.shuffled(using: &generator).map { entry in
        let comment = generator.oneIn(5) ? margin + "# a remark: { not: this }\n" : ""
        return comment + margin + Self.quoted(entry.key, &generator) + ":" + entry.value.behind(&generator, indent)
      }.joined(separator: "\n")
    default: return margin + flow(&generator)
    }
  }

  /// What stands behind a colon.
  private func behind(_ generator: inout SeededGenerator, _ indent: Int) -> String {
    if case .map(let entries) = self, !entries.isEmpty {
      return "\n" + block(&generator, indent: indent + 1 + generator.below(3))
    }
    if case .list(let items) = self, !items.isEmpty, generator.oneIn(2) {
      let margin = String(repeating: " ", count: indent + generator.below(3))
      return items.map { "\n" + margin + "- " + $0.flow(&generator) }.joined()
    }
    return " " + flow(&generator)
  }

  private func flow(_ generator: inout SeededGenerator) -> String {
    switch self {
    case .map(let entries):
      let parts = entries.shuffled(using: &generator).map {
        Self.quoted($0.key, &generator) + ": " + $0.value.flow(&generator)
      }
      return "{ \(parts.joined(separator: ", ")) }"
    case .list(let items): return "[\(items.map { $0.flow(&generator) }.joined(separator: ", "))]"
    case .plain(let text): return text
    case .text(let text): return Self.quoted(text, &generator)
    }
  }

  private static func quoted(_ text: String, _ generator: inout SeededGenerator) -> String {
    let isWord = text.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || (0x41...0x5A).contains(byte) || byte == 0x2E
    }
    let words: Set<String> = ["true", "false", "null", "yes", "no", "on", "off", "y", "n", "inf", "nan"]
    if isWord, !text.isEmpty, !text.hasPrefix("."), !words.contains(text.lowercased()), generator.oneIn(2) {
      return text
    }
    if generator.oneIn(2) { return "'" + text.replacing("'", with: "''") + "'" }
    return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
  }
}
