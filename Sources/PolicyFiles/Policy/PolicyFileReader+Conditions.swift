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

  private func condition(_ reader: inout MappingReader) -> LaunchCondition? {
    let check = reader.required("check", Self.factName)
    let comparison = reader.required("operator", .choice(of: LaunchCondition.Comparison.self))
    let value = reader.required("value", .located(Self.factValue))
    let action = reader.value(
      "action", .word(LaunchCondition.Action.allCases.map { ($0.name, $0) }), default: .block)
    let grace = reader.optional("grace", .duration(in: .zero ... .seconds(365 * 86_400)))
    let message = reader.optional("message", .nonEmptyString)
    guard let check, let comparison, let value, let typed = typed(value, of: check, &reader) else { return nil }
    var condition = LaunchCondition(check, comparison, typed)
    condition.action = action
    condition.grace = grace?.inMilliseconds ?? 0
    condition.message = message
    condition.location = reader.location.description
    if comparison.isOrder, !typed.hasOrder {
      reader.error(
        .contradictorySettings, at: "operator",
        "\(comparison.rawValue.quoted) compares numbers and versions, and the value is \(typed.text.quoted)",
        hint: "write `equals` or `notEquals`")
      return nil
    }
    return condition
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
    case (.version, .text), (.version, .number): if text.isVersion { return FactValue(version: text) } else { fallthrough }
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
      let isGood = name.utf8.count <= 64 && name.unicodeScalars.allSatisfy {
        $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || ["_", ".", "-"].contains($0))
      }
      return isGood ? nil : "\(name.quoted) is not the name of a fact"
    }
  }

  /// A value, and the text that stands in the file.
  private struct WrittenValue {
    var value: FactValue
    var text: String
  }

  private static var factValue: YAMLDecoder<WrittenValue> {
    YAMLDecoder("true, false, a number or a text") { node, diagnostics in
      guard let scalar = node.scalar else {
        diagnostics.wrongType(node, expected: "true, false, a number or a text", hint: nil)
        return nil
      }
      return WrittenValue(value: scalar.isPlain ? plain(scalar.text) : .text(scalar.text), text: scalar.text)
    }
  }

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
    !isEmpty && split(separator: ".", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty && part.utf8.count <= 18 && part.utf8.allSatisfy { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    }
  }
}
