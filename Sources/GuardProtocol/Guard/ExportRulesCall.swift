package import GuardModel
package import JSONText

/// `ExportRules`: a part of the static rules of a viewer class, as `webviewguard export` makes them (issue "a kit for
/// embedders": rules where there is no file).
package struct ExportRulesCall: Call, Hashable {
  /// A word of `ExportFormat`; the shell refuses any other.
  package var format = ""
  /// Nil for an app whose classes all have one rule set.
  package var viewerClass: String?
  /// Where the part begins.
  package var offset = 0

  package init() {}

  package static let parameters = ParameterTable<ExportRulesCall>([
    .name("format", \.format), .optionalText("class", \.viewerClass),
    Parameter("offset", .int) { value, call in
      guard let number = value.int, let offset = Int(exactly: number), offset >= 0 else { return false }
      call.offset = offset
      return true
    },
  ])
}

/// The reply to `ExportRules`.
package struct ExportRulesReply: Reply, Sendable, Hashable {
  package var generation: Generation
  /// Nil while the document is being made.
  package var part: Part?

  /// A part of a document.
  package struct Part: Sendable, Hashable {
    package var text: String
    /// Bytes of the whole document.
    package var bytes: Int
    /// Rules that it does not state exactly.
    package var gaps: Int

    package init(text: String, bytes: Int, gaps: Int) { (self.text, self.bytes, self.gaps) = (text, bytes, gaps) }
  }

  package init(generation: Generation, part: Part?) { (self.generation, self.part) = (generation, part) }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.member("generation", generation.number)
    writer.member("digest", generation.digest)
    writer.member("ready", part != nil)
    guard let part else { return }
    writer.member("part", part.text)
    writer.member("bytes", part.bytes)
    writer.member("gaps", part.gaps)
  }
}
