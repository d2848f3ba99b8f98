/// The value of `list`: the file, and the format of its lines.
///
///     list: { file: lists/file-sharing.txt, format: domains }
package struct ListReference: Sendable, Hashable {
  /// The name of the file below `rules`; it has been checked to be one.
  package let file: Located<String>
  package let format: Located<ListFormat>

  package init(file: Located<String>, format: Located<ListFormat>) {
    self.file = file
    self.format = format
  }

  /// Reads it, or reports the problem.
  package static var decoder: YAMLDecoder<ListReference> {
    YAMLDecoder(expectation) { node, diagnostics in
      guard let mapping = node.mapping else {
        diagnostics.wrongType(node, expected: expectation, hint: node.scalar.flatMap { hint($0.text) })
        return nil
      }
      let hasFormat = mapping["format"] != nil || !mapping.isComplete
      if !hasFormat {
        diagnostics.error(
          .missingKey, at: node.location, "missing key `format`",
          hint: "say which format: `domains`, `hosts` or `urlFilters`")
      }
      return node.decode(.mapping(read), into: &diagnostics)
    }
  }

  private static let expectation = "a mapping with `file` and `format`"

  private static func hint(_ text: String) -> String? {
    guard !text.isEmpty else { return nil }
    return "write \("{ file: \(text), format: domains }".quoted), with `domains`, `hosts` or `urlFilters`"
  }

  private static func read(_ reader: inout MappingReader) -> ListReference? {
    let file = reader.required("file", .located(name))
    let format = reader.optional("format", .located(.choice(of: ListFormat.self)))
    guard let file, let format else { return nil }
    return ListReference(file: file, format: format)
  }

  private static var name: YAMLDecoder<String> {
    YAMLDecoder("the name of a file below `rules`") { node, diagnostics in
      guard let text = node.decode(.nonEmptyString, into: &diagnostics) else { return nil }
      guard let problem = ListName.problem(text) else { return text }
      diagnostics.error(.invalidListName, at: node.location, problem.message, hint: problem.hint)
      return nil
    }
  }
}
