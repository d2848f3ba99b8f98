/// Reads the bytes of a YAML file into a tree of nodes.
///
/// It reads YAML 1.2 less what makes configuration hard to trust: anchors, aliases, tags, merge keys, duplicate keys,
/// keys that are no scalars and further documents are errors. So what stands in a file is what it says, and there is no
/// way to let a small file grow ("billion laughs").
package enum YAMLReader {
  /// Largest file that is read, in bytes: a thousand times what a person writes, and read in well under a second.
  package static let maximumFileSize = 4 << 20
  /// Deepest nesting of lists and mappings. The rule language needs 8; and it bounds every recursion over the tree.
  package static let maximumDepth = 32

  /// Nesting at which reading breaks off: libyaml's work grows with the square of the depth of `[[[[`.
  static let maximumSkippedDepth = 256

  /// The root value of the file, or nil when nothing could be read. Every problem goes to `diagnostics`.
  ///
  ///     let root = YAMLReader.read(bytes.span, file: "policy.d/apps.yaml", into: &diagnostics)
  ///
  /// - Parameter file: The name of the file as the user knows it.
  /// - Parameter limit: Most bytes that are read.
  ///
  /// Trap: a root comes back also when there were errors, so that its sound parts can be checked too. Whether it may be
  /// used is for `diagnostics.hasErrors` to say.
  package static func read(
    _ bytes: Span<UInt8>, file: String, limit: Int = maximumFileSize, into diagnostics: inout Diagnostics
  ) -> YAMLNode? {
    guard let text = YAMLText.read(bytes, file: file, limit: limit, into: &diagnostics) else { return nil }
    guard var parser = YAMLEventParser(text.bytes) else {
      diagnostics.error(.syntax, at: SourceLocation(file: file), "not enough memory to read the file")
      return nil
    }
    var builder = YAMLNodeBuilder(file: file)
    loop: while true {
      var event = parser.next()
      // libyaml starts a line of its own at the end of a file that does not end in one.
      event.mark = min(event.mark, text.end)
      if case .failure(let problem) = event.kind {
        diagnostics.add(problem.diagnostic(in: text))
        builder.breakOff()
        break loop
      }
      switch builder.handle(event, into: &diagnostics) {
      case .continue: continue
      case .stop: break loop
      }
    }
    return builder.finish(into: &diagnostics)
  }
}
