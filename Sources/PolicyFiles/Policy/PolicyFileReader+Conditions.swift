internal import GuardModel
internal import PolicyEngine

/// The conditions of a protection (ledger CD-01 to CD-03).
///
///     conditionalLaunch:
///       - { check: diskEncrypted, operator: equals, value: true, action: warn }
///       - { check: osVersion, operator: atLeast, value: "12.4", action: block, grace: 14d }
///     notCheckedAfter: 24h
extension PolicyFileReader {
  func readConditions(into protection: inout Protection, _ reader: inout MappingReader) {
    let condition = YAMLDecoder<LaunchCondition>.mapping { reader in self.condition(&reader) }
    reader.read("conditionalLaunch", .goodItems(of: condition), into: &protection.conditions)
    if let time = reader.optional("notCheckedAfter", .duration(in: .zero ... .seconds(90 * 86_400))) {
      protection.notCheckedAfter = time.inMilliseconds
    }
    if reader.has("notCheckedAfter"), protection.conditions.isEmpty {
      reader.diagnostics.warning(
        .settingWithoutEffect, at: reader.location(of: "notCheckedAfter"),
        "`notCheckedAfter` changes nothing without `conditionalLaunch`", hint: "remove it, or state conditions")
    }
  }

  /// Whether a person has to unlock, and the absence after which to unlock again (ledger CD-04, CD-05).
  func readUnlock(into protection: inout Protection, _ reader: inout MappingReader) {
    reader.read("unlock", .setting(Unlock.allCases, \.rawValue), into: &protection.unlock)
    let span = Duration.seconds(1) ... .seconds(7 * 86_400)
    guard let time = reader.optional("recheckAfter", .duration(in: span)) else { return }
    protection.recheckAfter = time.inMilliseconds
    guard protection.unlock != .polkit else { return }
    reader.diagnostics.warning(
      .settingWithoutEffect, at: reader.location(of: "recheckAfter"),
      "`recheckAfter` changes nothing without `unlock: polkit`", hint: "remove it, or write `unlock: polkit`")
  }

  private func condition(_ reader: inout MappingReader) -> LaunchCondition? {
    let check = reader.required("check", Self.factName)
    let comparison = reader.required("operator", .choice(of: LaunchCondition.Comparison.self))
    let value = reader.required("value", .located(Self.factValue))
    let action = reader.value(
      "action", .word(LaunchCondition.Action.allCases.map { ($0.name, $0) }), default: .block)
    let grace = reader.optional("grace", .duration(in: .zero ... .seconds(365 * 86_400)))
    let message = reader.optional(
      "message",
      Self.text { $0.isKnown(for: .accountNotCompliant) ? nil : "nothing is known of it where a condition fails" })
    guard let check, let comparison, let value, let typed = typed(value, of: check, &reader) else { return nil }
    var condition = LaunchCondition(check, comparison, typed)
    condition.action = action
    condition.grace = grace?.inMilliseconds ?? 0
    condition.message = message
    condition.location = reader.location.description
    guard checkOrder(condition, &reader), checkProgram(condition, &reader) else { return nil }
    checkEffect(of: condition, &reader)
    return condition
  }

  private func checkOrder(_ condition: LaunchCondition, _ reader: inout MappingReader) -> Bool {
    guard condition.comparison.isOrder, !condition.value.hasOrder else { return true }
    reader.error(
      .contradictorySettings, at: "operator",
      "\(condition.comparison.rawValue.quoted) compares numbers and versions, and the value is \(condition.value.text.quoted)",
      hint: "write `equals` or `notEquals`")
    return false
  }

  /// A program says its version itself: any process of the user can say another one.
  private func checkProgram(_ condition: LaunchCondition, _ reader: inout MappingReader) -> Bool {
    guard condition.isOfProgram, condition.action == .wipe else { return true }
    reader.error(
      .contradictorySettings, at: "action",
      "\(condition.check.quoted) is the word of the program itself, and nothing is destroyed by such a word",
      hint: "write `action: block`")
    return false
  }

  private func checkEffect(of condition: LaunchCondition, _ reader: inout MappingReader) {
    if reader.has("grace"), condition.isOfProgram {
      reader.diagnostics.warning(
        .settingWithoutEffect, at: reader.location(of: "grace"),
        "`grace` changes nothing for \(condition.check.quoted), which does not change while the program runs",
        hint: "remove it, or write `action: warn` at first")
    } else if reader.has("grace"), condition.action == .warn {
      reader.diagnostics.warning(
        .settingWithoutEffect, at: reader.location(of: "grace"), "`grace` changes nothing for `action: warn`",
        hint: "remove it, or write `action: block`")
    }
  }

  /// The value in the type of the daemon's own fact; for other facts as it is written, where an order asks for a version.
  private func typed(_ written: Located<WrittenValue>, of check: String, _ reader: inout MappingReader) -> FactValue? {
    let (value, text) = (written.value.value, written.value.text)
    guard let own = OwnFact(rawValue: check) else {
      if case .text = value, text.isVersion { return FactValue(version: text) }
      return value
    }
    switch (own.sample, value) {
    case (.truth, .truth), (.number, .number), (.text, .text): return value
    case (.text, .number): return .text(text)
    // `12.10` is no number here.
    case (.version, .text), (.version, .number):
      if text.isVersion { return FactValue(version: text) } else { fallthrough }
    default:
      reader.error(
        .wrongType, at: "value", "\(check.quoted) is \(own.sample.typeWords), and \(text.quoted) is not",
        hint: "write \(own.sample.typeHint)")
      return nil
    }
  }

  private static var factName: YAMLDecoder<String> {
    .checked(
      .nonEmptyString, .invalidName, hint: "a fact's name has up to 64 letters, digits, `_`, `.` and `-`"
    ) { name in
      guard LaunchCondition.isFactName(name) else { return "\(name.quoted) is not the name of a fact" }
      // Otherwise it would wait for a posture file that states it.
      let meant = OwnFact.allCases.first { $0.rawValue.lowercased() == name.lowercased() && $0.rawValue != name }
      return meant.map { "\(name.quoted) is written \($0.rawValue.quoted)" }
    }
  }

  /// A value, and the text that stands in the file.
  private struct WrittenValue {
    var value: FactValue
    var text: String
  }

  private static var factValue: YAMLDecoder<WrittenValue> {
    YAMLDecoder("true, false, a number or a text") { node, diagnostics in
      guard let scalar = node.scalar, !node.isNull else {
        diagnostics.wrongType(node, expected: "true, false, a number or a text")
        return nil
      }
      return WrittenValue(value: scalar.isPlain ? plain(scalar.text) : .text(scalar.text), text: scalar.text)
    }
  }

  /// A fact as it stands in a file.
  static var plainFact: YAMLDecoder<FactValue> { .converting(factValue) { $0.value } }

  private static func plain(_ text: String) -> FactValue {
    switch text {
    case "true": return .truth(true)
    case "false": return .truth(false)
    default:
      guard let number = Double(text), number.isFinite else { return .text(text) }
      return .number(number)
    }
  }
}

extension FactValue {
  fileprivate var hasOrder: Bool {
    switch self {
    case .number, .version: true
    case .truth, .text: false
    }
  }

  fileprivate var typeWords: String {
    switch self {
    case .truth: "true or false"
    case .number: "a number"
    case .version: "a version"
    case .text: "a text"
    }
  }

  fileprivate var typeHint: String {
    switch self {
    case .truth: "`true` or `false`"
    case .number: "a number such as `72`"
    case .version: "a version such as `\"12.4\"`"
    case .text: "a text such as `debian`"
    }
  }
}

extension String {
  /// Numbers with dots between them.
  fileprivate var isVersion: Bool {
    !isEmpty
      && split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
        !part.isEmpty && part.utf8.count <= 18
          && part.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
      }
  }
}
