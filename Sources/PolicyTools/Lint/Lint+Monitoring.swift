internal import GuardModel
internal import PolicyFiles
internal import URLRules

extension Lint {
  /// Rules whose monitoring is over: they are enforced, and say otherwise.
  static let monitoring = Lint(.monitoringOver) { rules in
    rules.ruleSet.monitoredParts.compactMap { $0.finding(at: rules.time, in: rules.wholeFile) }
  }
}

extension MonitoredPart {
  /// That its monitoring is over; nil while it is not: `check` lists it then, and that is no mistake.
  func finding(at time: Int64, in file: SourceLocation) -> Diagnostic? {
    guard until <= time else { return nil }
    return Diagnostic(
      .warning, .monitoringOver, at: SourceLocation(printed: location) ?? file,
      "\(words) is enforced since \(Self.day(until)), when `monitorOnly` ended",
      hint: "remove `monitorOnly`, or give it a later time")
  }
}
