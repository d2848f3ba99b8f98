import CYAML

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
