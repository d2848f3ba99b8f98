/// Something that says of a URL which rule is the first to match.
protocol Judge: ~Copyable {
  /// The number of the rule; ``Verdicts/none`` or ``Verdicts/invalid`` without one.
  mutating func judge(_ url: Span<UInt8>) -> Int32
}

/// What a judge answers where no rule does.
enum Verdicts {
  static let none: Int32 = -1
  static let invalid: Int32 = -2
}
