internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles

extension ExpectedConfig {
  /// Each expectation that the values do not meet: ``expected `max` 5, got 3``
  ///
  /// - Parameter isShown: false for a scrubbed key, whose values no report shows, nor those that the test expects.
  func differences(from values: AppConfigValues, isShown: Bool) -> [String] {
    func words(_ value: AppConfigValue?) -> String {
      guard let value else { return "no value" }
      guard isShown else { return AppConfigDirectory.scrubbed }
      return value.string.map(\.quoted) ?? value.written
    }
    func difference(_ name: String, _ wanted: AppConfigValue?, _ got: AppConfigValue?) -> String? {
      guard let wanted, wanted != got else { return nil }
      return "expected \(name.quoted) \(words(wanted)), got \(words(got))"
    }
    var found = [
      difference("any", any, values.any(like: any)),
      difference("or", or.map { .bool($0) }, values.bool(.or).map { .bool($0) }),
      difference("and", and.map { .bool($0) }, values.bool(.and).map { .bool($0) }),
      difference("min", min, values.ordered(.min, like: min)), difference("max", max, values.ordered(.max, like: max)),
    ].compactMap(\.self)
    let got = values.layers.map(\.value)
    if let all, all != got {
      found.append(
        "expected `all` [\(all.map(words).joined(separator: ", "))], got [\(got.map(words).joined(separator: ", "))]")
    }
    if let conflict, conflict != values.hasConflict {
      found.append("expected \(conflict ? "a" : "no") conflict, got \(conflict ? "none" : "one")")
    }
    return found
  }
}

extension AppConfigValues {
  /// The first value of the type of another one.
  fileprivate func any(like wanted: AppConfigValue?) -> AppConfigValue? {
    switch wanted {
    case .bool: bool(.any).map { .bool($0) }
    case .number, .string, nil: ordered(.any, like: wanted)
    }
  }

  /// The number or string, by the type of another value; booleans have no order.
  fileprivate func ordered(_ choice: OrderedChoice, like wanted: AppConfigValue?) -> AppConfigValue? {
    switch wanted {
    case .number: number(choice).map { .number($0) }
    case .string: string(choice).map { .string($0) }
    case .bool, nil: nil
    }
  }
}
