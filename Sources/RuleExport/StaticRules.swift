package import GuardModel
package import URLRules

/// The explicit rules of a rule set as a list that an engine without any context can follow: the first item that takes a
/// URL says whether it is blocked.
///
///     external  host a.example              ->   block  a.example
///     internal  domain contoso.com              pass   contoso.com and below
///     external  not: { scheme: https }          pass   https://; block everything
///
/// External rules whose matchers cannot be said are left out (`unsaid`), and so are internal ones (`open`): a later
/// external rule may then block URLs that these call internal. The default is part of it as a rule behind all others,
/// for callers that ask for it, and lets pass every URL that an internal rule may take.
package struct StaticRules: Sendable {
  package struct Item: Sendable, Hashable {
    /// The number of its rule.
    package var rule: RuleNumber
    package var isBlocked: Bool
    package var purposes: Purposes
    package var term: StaticTerm
    /// It takes URLs with a user name as well; those are internal by few rules.
    package var takesCredentials = true
    /// An exception of an external rule from itself.
    package var isException = false
  }

  /// An internal rule, or a part of one, that cannot be said.
  package struct Open: Sendable, Hashable {
    package var rule: RuleNumber
    package var purposes: Purposes
    /// Takes at least the URLs of the rule.
    package var term: StaticTerm
    package var gap: StaticGap
  }

  /// The part of a rule in the export.
  package enum Part: Sendable, Hashable {
    case blocked
    /// Nothing is blocked that the rule takes: it is internal, or its external URLs load all the same.
    case passed
    /// It is as if it were not there.
    case absent
  }

  package private(set) var items: [Item] = []
  package private(set) var open: [Open] = []
  /// The number of the rule behind all others that was given; nil for none.
  package private(set) var closing: RuleNumber?
  private var comparisons = 0
  /// Why external rules, or parts of them, are left out.
  package private(set) var unsaid: [RuleNumber: Set<StaticGap>] = [:]

  /// One entry in a row of alternatives; alternatives of one rule without exceptions come first.
  fileprivate struct Step {
    var rule: RuleNumber
    var isBlocked: Bool
    var purposes: Purposes
    var takesCredentials: Bool
    var alternative: StaticAlternative
  }

  /// Maximum items from exceptions that lead on to later rules.
  private static let maximumItems = 200_000
  /// Maximum comparisons of exceptions with later rules and theirs; exceptions behind them are not followed.
  private static let maximumComparisons = 8_000_000
  /// Exceptions within exceptions that are followed.
  private static let maximumDepth = 4

  /// - Parameters:
  ///   - closing: a rule behind all others, such as an external default; its number is how many those are.
  ///   - part: the part of a rule.
  package init(_ ruleSet: RuleSet, closing: Rule? = nil, part: (Rule) -> Part) {
    let reading = StaticReading(ruleSet.lists)
    var steps: [Step] = []
    let end = RuleNumber(ruleSet.rules.count)
    for (number, rule) in ruleSet.numbered + (closing.map { [(end, $0)] } ?? []) {
      let part = part(rule)
      guard part != .absent else { continue }
      if part == .blocked, !Purposes.navigated.isSuperset(of: rule.purposes) { unsaid[number] = [.transfer] }
      guard !rule.purposes.isDisjoint(with: .navigated) else { continue }
      let alternatives = reading.alternatives(of: rule.condition)
      if alternatives.isEmpty, part == .blocked { unsaid[number, default: []].insert(.notWeb) }
      let all = alternatives.map { alternative in
        Step(
          rule: number, isBlocked: part == .blocked, purposes: rule.purposes.intersection(.navigated),
          takesCredentials: rule.verdict == .external || rule.takesCredentials, alternative: alternative)
      }
      steps += all.filter(\.alternative.exceptions.isEmpty) + all.filter { !$0.alternative.exceptions.isEmpty }
    }
    self.closing = closing == nil ? nil : end
    let kept = steps.indices.filter { !leaveOut(steps[$0]) }
    let finder = StepFinder(of: steps.map(\.alternative))
    for index in kept { add(steps, index, finder, depth: 0) }
  }

  /// Internal rules that cannot be said and may take any URL, by their numbers.
  package func openToAll(_ purposes: Purposes) -> [RuleNumber] {
    open.filter { $0.term == StaticTerm() && !$0.purposes.isDisjoint(with: purposes) }.map(\.rule)
  }

  /// The same rules, without what cannot be said of those that let pass.
  var withoutOpen: StaticRules {
    var copy = self
    copy.open = []
    return copy
  }

  /// Lets pass all that internal rules may take which cannot be said: a rule that stands for a default names nothing, so it
  /// must stop nothing that another rule names.
  private mutating func passOpen(_ step: Step) {
    for part in open where !part.purposes.isDisjoint(with: step.purposes) {
      guard let region = step.alternative.term.intersection(part.term) else { continue }
      items.append(Item(rule: part.rule, isBlocked: false, purposes: part.purposes, term: region, isException: true))
    }
  }

  private mutating func leaveOut(_ step: Step) -> Bool {
    guard let gap = step.alternative.gaps.min() else { return false }
    if step.isBlocked {
      unsaid[step.rule, default: []].formUnion(step.alternative.gaps)
    } else {
      open.append(Open(rule: step.rule, purposes: step.purposes, term: step.alternative.term, gap: gap))
    }
    return true
  }

  /// Adds the items of a step, and before them the answers of later rules for its exceptions.
  ///
  /// - Parameter finder: of these steps; nil when all are to be looked at.
  private mutating func add(_ steps: [Step], _ index: Int, _ finder: StepFinder?, depth: Int) {
    let step = steps[index]
    if step.rule == closing { passOpen(step) }
    for exception in step.alternative.exceptions {
      guard let region = step.alternative.term.intersection(exception) else { continue }
      let rest = steps[(index + 1)...]
      let near = mayCompare ? finder?.places(meeting: region.hosts, behind: index)?.map { steps[$0] } : []
      guard follow(near.map { $0[...] } ?? rest, of: rest, within: region, of: step, depth) else { return }
      guard step.isBlocked else { continue }
      var item = step.item
      (item.isBlocked, item.isException, item.term) = (false, true, region)
      items.append(item)
    }
    items.append(step.item)
  }

  /// Adds the answers of later rules for an exception of a step; false where a step that blocks is left out, since these
  /// are too many. Where a step lets pass, later rules that block there are then said in part only.
  ///
  /// - Parameter near: those of the rest that may have hosts of the exception.
  private mutating func follow(
    _ near: ArraySlice<Step>, of rest: ArraySlice<Step>, within region: StaticTerm, of step: Step, _ depth: Int
  ) -> Bool {
    var later: [Step] = []
    if mayCompare(near, of: rest) {
      later = near.compactMap { $0.within(region, step) }
      if later.isEmpty || depth < Self.maximumDepth && items.count + later.count < Self.maximumItems {
        for place in later.indices { add(later, place, nil, depth: depth + 1) }
        return true
      }
    }
    for cut in step.isBlocked ? [step] : later where cut.isBlocked { unsaid[cut.rule, default: []].insert(.tooMany) }
    return !step.isBlocked
  }

  private var mayCompare: Bool { comparisons <= Self.maximumComparisons }

  /// Whether an exception may still be compared with the rest of the steps. When it may not, no later one is either, and
  /// all that block are said in part only.
  private mutating func mayCompare(_ near: ArraySlice<Step>, of rest: ArraySlice<Step>) -> Bool {
    guard mayCompare else { return false }
    comparisons += near.reduce(0) { $0 + 1 + $1.alternative.exceptions.count }
    guard !mayCompare else { return true }
    for other in rest where other.isBlocked { unsaid[other.rule, default: []].insert(.tooMany) }
    return false
  }
}

extension StaticRules.Step {
  fileprivate var item: StaticRules.Item {
    StaticRules.Item(
      rule: rule, isBlocked: isBlocked, purposes: purposes, term: alternative.term, takesCredentials: takesCredentials)
  }

  /// The part of it that is within a term; nil when there is none, or when it cannot be said.
  fileprivate func within(_ region: StaticTerm, _ other: Self) -> Self? {
    guard alternative.gaps.isEmpty, !purposes.isDisjoint(with: other.purposes) else { return nil }
    var part = self
    guard let both = alternative.intersection(region) else { return nil }
    part.alternative = both
    part.purposes.formIntersection(other.purposes)
    return part
  }
}

extension Purposes {
  /// Purposes for which engines ask static rules.
  package static let navigated: Purposes = [.page, .frame, .resource]
}
