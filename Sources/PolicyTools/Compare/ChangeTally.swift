internal import GuardModel
internal import GuardProtocol
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules
internal import URLStandard

/// Counts changes by kind and by site, within bounds: however long the input, memory stays below them.
///
///     var tally = ChangeTally<String>()
///     tally.note("internal -> external", isChange: true, site: "a.example", example: .init("https://a.example/"))
///     tally.kinds[0].count    // 1
///
/// Changes beyond a bound are counted as "further" and never lost. The first kinds, sites and examples are kept, so the
/// same input has the same result.
///
/// The attack: a file of a million URLs on a million hosts, each of 64 KiB, must not fill the memory.
package struct ChangeTally<Change: Hashable> {
  /// Totals of one kind of change.
  package struct Kind {
    package let change: Change
    /// False for a difference that is told but not counted: another rule with the same answer.
    package let isChange: Bool
    package fileprivate(set) var count = 0
    /// Number of sites with this change; a lower bound when `sitesAreExact` is false.
    package fileprivate(set) var sites = 0
    package fileprivate(set) var sitesAreExact = true
    package fileprivate(set) var examples: [ChangeExample] = []
  }

  /// Totals of one site.
  package struct Site {
    package let name: String
    package fileprivate(set) var count = 0
    /// Count of each kind there, by its index in `kinds`; less than `count` in all when bounds were reached.
    package fileprivate(set) var kinds: [(kind: Int, count: Int)] = []
  }

  private let limits: ChangeLimits
  /// In the order they were first seen.
  package private(set) var kinds: [Kind] = []
  private var kindIndices: [Change: Int] = [:]
  /// Number of `kinds` that are changes.
  private var changeKinds = 0
  private var sites: [Site] = []
  private var siteIndices: [String: Int] = [:]
  /// Count of each kind on each site.
  private var pairs: [Pair: Int] = [:]
  /// Changes of kinds that are not kept apart, and differences that are no changes.
  package private(set) var furtherChanges = 0
  package private(set) var furtherOthers = 0
  /// Changes on sites that are not kept apart.
  package private(set) var onFurtherSites = 0

  private struct Pair: Hashable {
    let kind: Int32
    let site: Int32
  }

  package init(_ limits: ChangeLimits = ChangeLimits()) { self.limits = limits }

  /// Number of sites kept apart.
  package var siteCount: Int { sites.count }

  /// Counts one change; the example is made only when it is kept. Sites are kept for changes alone.
  package mutating func note(
    _ change: Change, isChange: Bool, site: String, example: @autoclosure () -> ChangeExample
  ) {
    let kind = index(of: change, isChange: isChange)
    if let kind {
      kinds[kind].count += 1
      if kinds[kind].examples.count < limits.examples {
        kinds[kind].examples.append(example().cut(to: limits.exampleBytes))
      }
    } else if isChange {
      furtherChanges += 1
    } else {
      furtherOthers += 1
    }
    if isChange { note(site, kind: kind) }
  }

  /// The sites with most changes, and these changes; ties go by name.
  package func topSites(_ number: Int) -> [Site] {
    let order = sites.indices.sorted {
      (-sites[$0].count, sites[$0].name) < (-sites[$1].count, sites[$1].name)
    }
    var chosen: [Int32: Int] = [:]
    for (place, index) in order.prefix(number).enumerated() { chosen[Int32(index)] = place }
    var result = order.prefix(number).map { sites[$0] }
    for (pair, count) in pairs {
      guard let place = chosen[pair.site] else { continue }
      result[place].kinds.append((Int(pair.kind), count))
    }
    for place in result.indices { result[place].kinds.sort { (-$0.count, $0.kind) < (-$1.count, $1.kind) } }
    return result
  }

  private mutating func index(of change: Change, isChange: Bool) -> Int? {
    if let index = kindIndices[change] { return index }
    // Each has its own share, so that many rules with new names do not push a change out of the report.
    guard (isChange ? changeKinds : kinds.count - changeKinds) < limits.kinds else { return nil }
    if isChange { changeKinds += 1 }
    kindIndices[change] = kinds.count
    kinds.append(Kind(change: change, isChange: isChange))
    return kinds.count - 1
  }

  private mutating func note(_ name: String, kind: Int?) {
    guard let site = index(ofSite: name) else {
      onFurtherSites += 1
      if let kind { kinds[kind].sitesAreExact = false }
      return
    }
    sites[site].count += 1
    guard let kind else { return }
    let pair = Pair(kind: Int32(kind), site: Int32(site))
    if let count = pairs[pair] {
      pairs[pair] = count + 1
    } else if pairs.count < limits.pairs {
      pairs[pair] = 1
      kinds[kind].sites += 1
    } else {
      kinds[kind].sitesAreExact = false
    }
  }

  private mutating func index(ofSite name: String) -> Int? {
    if let index = siteIndices[name] { return index }
    guard sites.count < limits.sites else { return nil }
    siteIndices[name] = sites.count
    sites.append(Site(name: name))
    return sites.count - 1
  }
}

/// Bounds of a tally: about a hundred megabytes at most with these.
package struct ChangeLimits: Sendable, Hashable {
  /// Kinds of changes: rule before, rule after, answer before and after. No reader needs more.
  package var kinds = 1_024
  package var sites = 262_144
  /// Kinds of changes times the sites where they were seen.
  package var pairs = 1_048_576
  /// Examples of each kind.
  package var examples = 3
  /// The longest example, in bytes of UTF-8: a URL may have 64 KiB.
  package var exampleBytes = 1_024

  package init() {}
}

/// One URL or event of a kind of change.
package struct ChangeExample: Sendable, Hashable {
  package var text: String
  /// `file:line`
  package var place: String

  package init(_ text: String, at place: String = "") {
    self.text = text
    self.place = place
  }

  fileprivate func cut(to bytes: Int) -> ChangeExample {
    guard text.utf8.count > bytes else { return self }
    return ChangeExample(String(decoding: text.utf8.prefix(bytes), as: UTF8.self) + "...", at: place)
  }
}

/// The answer of one of the two configurations, in words.
package struct ChangeSide: Hashable {
  /// The compared text: `internal`, `external, then block`, `redirect to managedBrowser (external)`.
  var answer: String
  var ruleSet: String?
  /// The rule's id, or `default`; nil when no rule set was asked.
  var rule: String?
  /// `file:line:column` of the rule.
  var location: String?

  /// Whether the same rule of the same rule set decided, wherever it stands in its file.
  func hasRule(of other: ChangeSide) -> Bool { ruleSet == other.ruleSet && rule == other.rule }
}

/// Two answers to the same question.
package struct AnswerChange: Hashable {
  package let before: ChangeSide
  package let after: ChangeSide
}

extension ChangeSide {
  /// The result of a step of a policy's test.
  init(_ answer: PolicyTestAnswer) {
    switch answer {
    case .done: self.init(answer: "done")
    case .refused(let error): self.init(answer: "refused: \(error.code.rawValue)")
    case .decision(let report): self.init(report)
    case .account, .wipe, .orderRefused: self.init(answer: answer.words)
    case .config(let values, let isShown):
      let words = values.layers.map { isShown ? $0.value.written : AppConfigDirectory.scrubbed }
      self.init(answer: "values: " + (words.isEmpty ? "none" : words.joined(separator: ", ")))
    }
  }

  /// A rule set's answer for a URL.
  init(_ verdict: RuleVerdict, of ruleSet: RuleSet) {
    let rule = verdict.rule.map { ruleSet[$0] }
    answer = verdict.words
    self.ruleSet = ruleSet.name
    self.rule = rule?.id ?? "default"
    location = rule?.location ?? ruleSet.defaultLocation
  }

  /// The result of a line of a log.
  init(_ answer: ReplayAnswer) {
    switch answer {
    case .answer(.decision(let reply, _)): self.init(reply.report)
    case .answer(.reply), .done: self.init(answer: "accepted")
    case .error(let error): self.init(answer: "refused: \(error.name)")
    case .skipped(let reason): self.init(answer: "not judged: \(reason)")
    case .invalid(let problem): self.init(answer: "invalid: \(problem)")
    }
  }

  private init(_ report: DecisionReport) {
    let target = report.open.map { " to \($0.target)" } ?? ""
    let outcome = report.outcome.name + (report.outcome == .redirect || report.outcome == .handOff ? target : "")
    let advised = report.advice.map { ", advised \($0.outcome.name) (\($0.reason.rawValue))" } ?? ""
    let duties = DecisionField.allCases.compactMap { field in
      if case .compared(let word) = field.duty, field.value(in: report).isStated { ", " + word } else { nil }
    }
    answer = "\(outcome) (\(report.reason.rawValue))\(advised)\(duties.joined())"
    (ruleSet, rule, location) = (report.ruleSet, report.rule, report.ruleLocation)
  }
}

extension RuleVerdict {
  /// The verdict, with the rule's `then`.
  fileprivate var words: String { then == .none ? verdict.name : "\(verdict.name), then \(then.rawValue)" }
}

extension CallError {
  /// The error's name without its interface.
  fileprivate var name: String {
    qualifiedName.split(separator: ".").last.map(String.init) ?? qualifiedName
  }
}

/// The site under which a URL is counted.
enum DiffSite {
  /// Stands for events without a URL.
  static let none = "(no URL)"
  /// Stands for a text that is no URL.
  static let invalid = "(invalid URL)"

  /// The longest name of a host (RFC 1035, section 2.3.4); hosts of other schemes may be longer and are cut.
  private static let maximumLength = 253

  /// The host as rules see it; `data:` and the like when there is none.
  static func name(of url: borrowing URLSubject) -> String {
    guard url.kind != .invalid else { return invalid }
    if url.kind == .url {
      let host = url.judged.hostBytes
      if !host.isEmpty {
        return host.withUnsafeBufferPointer { String(decoding: $0.prefix(maximumLength), as: UTF8.self) }
      }
    }
    let scheme = url.kind == .url ? url.judged.schemeBytes : url.asRead.schemeBytes
    return scheme.withUnsafeBufferPointer { String(decoding: $0.prefix(maximumLength), as: UTF8.self) } + ":"
  }
}
