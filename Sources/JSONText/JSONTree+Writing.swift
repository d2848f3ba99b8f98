extension JSONTree {
  /// The tree as JSON text.
  ///
  ///     JSONTree.array([1, 2]).text()                    // [1,2]
  ///     JSONTree.array([1, 2]).text(layout: .indented)   // the same on four lines, without a line break at the end
  package func text(layout: JSONWriter.Layout = .compact, escaping: JSONEscaping = .readable) -> String {
    var writer = JSONWriter(escaping: escaping, layout: layout)
    writer.value(self)
    return String(decoding: writer.take(), as: UTF8.self)
  }
}

extension JSONWriter {
  /// A tree, with all that is in it. A double that is infinite or not a number becomes `null`.
  package mutating func value(_ tree: JSONTree) {
    switch tree {
    case .null: null()
    case .bool(let truth): value(truth)
    case .int(let number): value(number)
    case .uint(let number): value(number)
    case .double(let number): value(number)
    case .string(let text): value(text)
    case .array(let elements):
      beginArray()
      for element in elements { value(element) }
      endArray()
    case .object(let members):
      beginObject()
      for member in members {
        key(escaping: member.key.utf8.span)
        value(member.value)
      }
      endObject()
    }
  }
}
