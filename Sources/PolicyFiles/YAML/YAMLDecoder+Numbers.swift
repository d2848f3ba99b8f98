internal import Bytes

extension YAMLDecoder where Value: FixedWidthInteger {
  /// A whole number in decimal digits, with `-` in front when it is negative.
  ///
  ///     port: 8080      # 8080
  ///     port: "8080"    # error; hint: remove the quotes
  ///     port: 010       # error: it is 8 to YAML 1.1, and 10 to YAML 1.2
  ///     port: 70000     # error [out-of-range]
  ///
  /// - Parameter hint: what to write, for mistakes that do not tell it themselves.
  package static func int(in range: ClosedRange<Value>, hint: String? = nil) -> Self {
    let expectation = range.expectation
    return Self(expectation) { node, diagnostics in
      guard let scalar = node.scalar, scalar.isPlain, scalar.text.isDecimalNumber else {
        diagnostics.wrongType(node, expected: expectation, hint: node.scalar?.numberHint ?? hint)
        return nil
      }
      guard let value = Value(scalar.text), range.contains(value) else {
        diagnostics.error(
          .outOfRange, at: node.location, "expected \(expectation), found \(scalar.text.quoted)", hint: hint)
        return nil
      }
      return value
    }
  }

  /// A whole number that the type can hold; else like `int(in:)`.
  package static var int: Self { int(in: .min ... .max) }
}

extension YAMLDecoder where Value == Duration {
  /// A span of time: a whole number and one unit, `ms`, `s`, `m`, `h` or `d` (a day is 24 hours).
  ///
  ///     timeout: 250ms      # .milliseconds(250)
  ///     grace: 7d           # .seconds(604_800)
  ///     grace: 60           # error; hint: add a unit
  package static func duration(in range: ClosedRange<Duration>) -> Self {
    duration(range, "a duration from \(range.lowerBound.shortForm) to \(range.upperBound.shortForm)")
  }

  /// A span of time of any length, also none.
  package static var duration: Self {
    duration(.zero ... .seconds(Int64.max), "a duration such as `60s`")
  }

  private static func duration(_ range: ClosedRange<Duration>, _ expectation: String) -> Self {
    Self(expectation) { node, diagnostics in
      guard let text = node.scalar?.text, let parts = DurationParts(text) else {
        diagnostics.wrongType(node, expected: expectation, hint: node.scalar?.durationHint)
        return nil
      }
      guard let value = parts.duration, range.contains(value) else {
        diagnostics.error(.outOfRange, at: node.location, "expected \(expectation), found \(text.quoted)")
        return nil
      }
      return value
    }
  }
}

/// The digits and the unit of a duration, before it is known whether the number is one we can hold.
private struct DurationParts {
  private let digits: Substring
  private let milliseconds: Int64

  init?(_ text: String) {
    digits = text.prefix { $0.isASCII && $0.isWholeNumber }
    guard !digits.isEmpty else { return nil }
    switch text[digits.endIndex...] {
    case "ms": milliseconds = 1
    case "s": milliseconds = 1_000
    case "m": milliseconds = 60_000
    case "h": milliseconds = 3_600_000
    case "d": milliseconds = 86_400_000
    default: return nil
    }
  }

  /// Nil for more than 292 million years.
  var duration: Duration? {
    guard let count = Int64(digits) else { return nil }
    let (total, overflow) = count.multipliedReportingOverflow(by: milliseconds)
    return overflow ? nil : .milliseconds(total)
  }
}

extension Duration {
  /// The shortest way to write it in a file; parts of a millisecond are left out.
  fileprivate var shortForm: String {
    let (seconds, attoseconds) = components
    let milliseconds = attoseconds / 1_000_000_000_000_000
    if milliseconds != 0 {
      let (total, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
      return overflow ? "`\(seconds)s`" : "`\(total + milliseconds)ms`"
    }
    for (length, unit): (Int64, String) in [(86_400, "d"), (3_600, "h"), (60, "m")]
    where seconds != 0 && seconds.isMultiple(of: length) {
      return "`\(seconds / length)\(unit)`"
    }
    return "`\(seconds)s`"
  }
}

extension ClosedRange where Bound: FixedWidthInteger {
  fileprivate var expectation: String {
    switch (lowerBound, upperBound) {
    case (.min, .max): "a whole number"
    case (_, .max): "a whole number of at least \(lowerBound)"
    case (.min, _): "a whole number of at most \(upperBound)"
    default: "a whole number from \(lowerBound) to \(upperBound)"
    }
  }
}

extension String {
  /// Whether it is digits without a needless zero in front, with or without `-`.
  fileprivate var isDecimalNumber: Bool {
    let digits = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst() : utf8[...]
    guard let first = digits.first, digits.allSatisfy(\.isASCIIDigit) else { return false }
    return first != UInt8(ascii: "0") || digits.count == 1
  }
}

extension YAMLScalar {
  fileprivate var numberHint: String? {
    if !isPlain { return text.isDecimalNumber ? "remove the quotes" : nil }
    if resolved == .int || resolved == .float || text.utf8.first?.isASCIIDigit == true {
      return "write decimal digits only: no sign `+`, no leading zero, no separator, no fraction"
    }
    return nil
  }

  fileprivate var durationHint: String? {
    if isPlain, resolved == .int { return "add a unit: `ms`, `s`, `m`, `h` or `d`" }
    return resolved == .null ? nil : "write a whole number and one unit, such as `250ms`, `60s`, `5m`, `2h` or `7d`"
  }
}
