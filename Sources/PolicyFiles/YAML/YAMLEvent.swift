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
