internal import GuardModel

/// For each rule the texts that a URL must hold for it to match, all in flat memory: most rules that are found under a host
/// end here, without a look at their conditions.
struct RuleGates: Sendable {
  private var texts = RequiredTexts()
  /// Where the texts of each rule begin, with one place more at the end.
  private var starts: [Int32] = [0]

  init(_ conditions: some Sequence<Condition>) {
    for condition in conditions {
      if let required = condition.requiredTexts { texts.append(required) }
      starts.append(Int32(texts.count))
    }
  }

  var residentBytes: Int { texts.size + 4 * starts.count }

  /// Whether a rule certainly does not match a URL. Takes work from the budget; without any left nothing is certain.
  @inline(__always)
  func shut(_ rule: Int32, to url: Span<UInt8>, _ runner: RegexRunner) -> Bool {
    let range = Int(starts[Int(rule)])..<Int(starts[Int(rule) + 1])
    guard !range.isEmpty else { return false }
    return runner.spend(range.count * url.count, subjectBytes: url.count) && texts.areMissing(range, in: url)
  }
}

extension Condition {
  /// Texts that the judged URL holds whenever the condition is not certainly false; nil when none are certain.
  fileprivate var requiredTexts: RequiredTexts? {
    switch self {
    case .regex(let regex): regex.required
    case .all(let parts): parts.lazy.compactMap(\.requiredTexts).first
    default: nil
    }
  }
}
