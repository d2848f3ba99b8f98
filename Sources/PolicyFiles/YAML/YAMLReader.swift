internal import CYAML
internal import CZlib

/// Reads the bytes of a YAML file into a tree of nodes.
///
/// It reads YAML 1.2 without the features that make configuration hard to trust: anchors, aliases, tags, merge keys,
/// duplicate keys, keys that are no scalars and further documents are errors. A file thus means the text it shows, and
/// a small file cannot grow ("billion laughs").
package enum YAMLReader {
  /// Largest file that is read, in bytes: a thousand times as many as a person writes, and read in well under a second.
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
  /// Trap: a root comes back even after errors, so that its sound parts can be checked too. It may be used only when
  /// `diagnostics.hasErrors` is false.
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
      // libyaml adds a line at the end of a file whose last line has no line end.
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

/// libyaml's event parser, owned: the only place of this module with unsafe pointers.
///
/// INVARIANT: `parser` is initialised from `init` to `deinit`, and reads from `input`, which lives as long.
/// After `streamEnd` or a `failure` no further event may be asked for; `next` then repeats the end.
struct YAMLEventParser: ~Copyable {
  private let parser: UnsafeMutablePointer<yaml_parser_t>
  private let input: UnsafeMutableBufferPointer<UInt8>
  private var hasEnded = false

  /// A parser at the start of `bytes`, which must be UTF-8; nil when there is no memory for it.
  init?(_ bytes: [UInt8]) {
    parser = .allocate(capacity: 1)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      return nil
    }
    // One byte more than needed: an empty buffer may have no address, which libyaml does not accept.
    input = .allocate(capacity: bytes.count + 1)
    input.initialize(repeating: 0)
    _ = input.update(fromContentsOf: bytes)
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, input.baseAddress, bytes.count)
  }

  deinit {
    yaml_parser_delete(parser)
    parser.deallocate()
    input.deallocate()
  }

  /// The next event.
  mutating func next() -> YAMLEvent {
    guard !hasEnded else { return YAMLEvent(kind: .streamEnd, mark: Self.mark(parser.pointee.mark)) }
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else {
      hasEnded = true
      return YAMLEvent(kind: .failure(problem), mark: Self.mark(parser.pointee.problem_mark))
    }
    defer { yaml_event_delete(&event) }
    hasEnded = event.type == YAML_STREAM_END_EVENT
    return YAMLEvent(
      kind: Self.kind(of: event), mark: Self.mark(event.start_mark),
      anchor: cyaml_event_anchor(&event).map { String(cString: $0) },
      tag: cyaml_event_tag(&event).map { String(cString: $0) })
  }

  private var problem: YAMLSyntaxProblem {
    YAMLSyntaxProblem(
      problem: parser.pointee.problem.map { String(cString: $0) } ?? "",
      mark: Self.mark(parser.pointee.problem_mark),
      context: parser.pointee.context.map { String(cString: $0) } ?? "",
      contextMark: Self.mark(parser.pointee.context_mark))
  }

  private static func kind(of event: yaml_event_t) -> YAMLEvent.Kind {
    switch event.type {
    case YAML_STREAM_START_EVENT: return .streamStart
    case YAML_DOCUMENT_START_EVENT:
      let document = event.data.document_start
      let version = document.version_directive.map { "\($0.pointee.major).\($0.pointee.minor)" }
      let hasTags = document.tag_directives.start != document.tag_directives.end
      return .documentStart(version: version, hasTagDirectives: hasTags)
    case YAML_DOCUMENT_END_EVENT: return .documentEnd
    case YAML_ALIAS_EVENT: return .alias
    case YAML_SCALAR_EVENT: return .scalar(scalar(of: event))
    case YAML_SEQUENCE_START_EVENT: return .sequenceStart
    case YAML_MAPPING_START_EVENT: return .mappingStart
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: return .collectionEnd
    default: return .streamEnd
    }
  }

  private static func scalar(of event: yaml_event_t) -> YAMLScalar {
    let scalar = event.data.scalar
    let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
    return YAMLScalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
  }

  private static func mark(_ mark: yaml_mark_t) -> YAMLEvent.Mark {
    YAMLEvent.Mark(line: mark.line + 1, column: mark.column + 1)
  }
}

/// One step of reading YAML, as libyaml tells it, in Swift types.
struct YAMLEvent {
  /// A place in the text, both counted from 1.
  struct Mark: Equatable, Comparable {
    var line: Int
    var column: Int

    static func < (one: Mark, other: Mark) -> Bool {
      (one.line, one.column) < (other.line, other.column)
    }
  }

  enum Kind {
    case streamStart
    case streamEnd
    /// `version` is that of a `%YAML` directive.
    case documentStart(version: String?, hasTagDirectives: Bool)
    case documentEnd
    case alias
    case scalar(YAMLScalar)
    case sequenceStart
    case mappingStart
    case collectionEnd
    /// Reading cannot go on.
    case failure(YAMLSyntaxProblem)
  }

  var kind: Kind
  /// Its start: the anchor or tag, when there is one.
  var mark: Mark
  /// The name after `&` or, for an alias, after `*`.
  var anchor: String?
  var tag: String?
}

/// The libraries that read files here.
package enum FileLibraries {
  /// libyaml's version, such as `0.2.5`.
  package static var yamlVersion: String { yaml_get_version_string().map { String(cString: $0) } ?? "unknown" }
  /// zlib's version, such as `1.2.13`.
  package static var zlibVersion: String { CZlib.zlibVersion().map { String(cString: $0) } ?? "unknown" }
}
