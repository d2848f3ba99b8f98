internal import PolicyEngine

/// Facts in a policy test:
///
///     - { posture: { diskEncrypted: false, AntivirusActive: true }, validFor: 24h }
///     - { event: print, expect: block, reason: accountNotCompliant }
extension PolicyTestAction {
  /// Nil when they are wrong, which has been reported.
  init?(postureIn reader: inout MappingReader) {
    let facts = reader.required("posture", Self.facts)
    let time = reader.optional("validFor", .duration(in: .zero ... .milliseconds(Int64(Fact.longestWord))))
    guard let facts else { return nil }
    self = .posture(facts, validFor: time?.inMilliseconds)
  }

  private static var facts: YAMLDecoder<[String: FactValue]> {
    let entries = YAMLDecoder.entries { name in
      YAMLDecoder<(String, FactValue)>("a fact") { node, diagnostics in
        guard LaunchCondition.isFactName(name.value) else {
          diagnostics.error(
            .invalidName, at: name.location, "\(name.value.quoted) is not the name of a fact",
            hint: "a fact's name has up to 64 letters, digits, `_`, `.` and `-`")
          return nil
        }
        return node.decode(PolicyFileReader.plainFact, into: &diagnostics).map { (name.value, $0) }
      }
    }
    return .converting(entries) { Dictionary($0) { first, _ in first } }
  }
}
