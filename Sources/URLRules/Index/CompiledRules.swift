internal import GuardModel
internal import URLStandard

/// The immutable part of a rule set, shared by all copies of it and by all threads.
final class CompiledRules: Sendable {
  /// The members of a rule that are asked before its condition.
  private struct Head: Sendable {
    /// Until this second nothing but the rest of the head is asked; `Int64.max`: for ever. A rule that is monitored at
    /// some time begins with `Int64.min`.
    var plainUntil: Int64
    var verdict: Verdict
    var then: RuleAction
    var purposes: Purposes
    var takesCredentials: Bool
    /// On the web the condition is true when one of its keys holds, so it need not be asked.
    var isItsKeys: Bool
    /// It compares with the viewer's document.
    var asksDocument: Bool

    var isInternal: Bool { if case .internal = verdict { true } else { false } }
  }

  let name: String
  let rules: [Rule]
  let `default`: Verdict
  let defaultLocation: String
  let lists: HostLists
  let index: RuleIndex
  /// The times at which a rule expires, or is not monitored any more, ascending, each once.
  let expiries: [Int64]
  /// Until when the last rule is monitored; `Int64.min` when none is.
  let lastMonitored: Int64
  let namesPlaces: Bool
  private let heads: [Head]
  private let gates: RuleGates
  /// Some condition asks for a list: of the URL's host, or inside `from` of the other's.
  private let asksLists: (url: Bool, from: Bool)

  init(name: String, default: Verdict, rules: [Rule], defaultLocation: String, lists: HostLists) {
    self.name = name
    self.rules = rules
    self.default = `default`
    self.defaultLocation = defaultLocation
    self.lists = lists
    var builder = RuleIndexBuilder(lists: lists)
    for (number, rule) in rules.enumerated() {
      builder.add(RuleNumber(number), rule.condition.keys, or: rule.condition.textKeys)
    }
    index = builder.finish()
    expiries = Set(rules.compactMap(\.expires) + rules.compactMap(\.monitoredUntil)).sorted()
    lastMonitored = rules.lazy.compactMap(\.monitoredUntil).max() ?? .min
    heads = rules.map {
      Head(
        plainUntil: $0.monitoredUntil == nil ? $0.expires ?? .max : .min, verdict: $0.verdict, then: $0.then,
        purposes: $0.purposes,
        takesCredentials: $0.takesCredentials, isItsKeys: $0.condition.isItsKeys,
        asksDocument: $0.condition.asksDocument)
    }
    namesPlaces = rules.contains { $0.place != nil }
    gates = RuleGates(rules.lazy.map(\.condition))
    asksLists = (
      rules.contains { $0.condition.asksLists(inFrom: false) }, rules.contains { $0.condition.asksLists(inFrom: true) }
    )
  }

  /// Begins to fetch the memory that a verdict on the URL in a text will probably look at.
  func prepare(for text: Span<UInt8>) {
    guard let host = GuessedHost.range(in: text.bytes) else { return }
    if asksLists.url { lists.prefetch(host, in: text.bytes) }
    index.hosts.prefetch(host, in: text.bytes)
  }

  /// Searches all rules that are in force for the one that answers.
  func verdict(
    on input: borrowing MatchInput, _ force: RulesInForce, _ runner: RegexRunner, _ work: inout SearchWork
  ) -> RuleVerdict {
    var search = RuleSearch()
    let sets = ListSetsFound(
      url: asksLists.url ? lists.set(of: input.url.judged, &work) : 0,
      from: asksLists.from && input.from.kind == .url ? lists.set(of: input.from.judged, &work) : 0)
    let keysSuffice = input.url.judged.isWeb
    work.probes += index.forEachList(of: input.url.judged, sets: sets.url) { list in
      look(at: list, keysSuffice, input, sets, force, runner, &search)
    }
    if index.texts.firstRule < search.certain {
      index.texts.forEachList(in: input.url.judged.bytes.span, runner) { list in
        look(at: list, false, input, sets, force, runner, &search)
      }
    }
    look(at: index.residual, false, input, sets, force, runner, &search)
    work.candidates += search.asked
    return search.strictest(atLeast: certainVerdict(search.certain, input))
  }

  /// Asks the rules of a list, as far as they come before the first one that certainly answers.
  @inline(__always)
  private func look(
    at list: PostingList, _ keysSuffice: Bool, _ input: borrowing MatchInput, _ sets: ListSetsFound,
    _ force: RulesInForce,
    _ runner: RegexRunner, _ search: inout RuleSearch
  ) {
    for place in list.start..<list.end {
      let number = index.postings[place]
      if number >= search.certain { return }
      guard search.isNew(number) else { continue }
      switch answers(number, keysSuffice, input, sets, force, runner) {
      case .yes: search.answers(number)
      case .unknown: search.mayAnswer(number, heads[Int(number)].then)
      case .no: break
      }
    }
  }

  /// Whether a rule answers for the input. An internal rule answers only when it certainly matches; an external one
  /// that may match may answer.
  private func answers(
    _ number: Int32, _ keysSuffice: Bool, _ input: borrowing MatchInput, _ sets: ListSetsFound, _ force: RulesInForce,
    _ runner: RegexRunner
  ) -> Ternary {
    let head = heads[Int(number)]
    if head.plainUntil <= force.time, head.plainUntil < .max, !force.holds(rules[Int(number)]) { return .no }
    if head.isInternal, input.url.hadCredentials, !head.takesCredentials { return .no }
    if force.withoutSame, head.asksDocument { return .no }
    let spoken = head.purposes.speak(of: input.purposes)
    if spoken.isNo { return .no }
    let isTrue = keysSuffice && head.isItsKeys
    if !isTrue, gates.shut(number, to: input.url.judged.bytes.span, runner) { return .no }
    let truth = isTrue ? spoken : .and(spoken, input.truth(of: rules[Int(number)].condition, sets, lists, runner))
    return head.isInternal && !truth.isYes ? .no : truth
  }

  private func certainVerdict(_ number: Int32, _ input: borrowing MatchInput) -> RuleVerdict {
    guard number < Int32.max else {
      return RuleVerdict(verdict: input.url.hadCredentials ? .external : self.default, rule: nil, then: .none)
    }
    let head = heads[Int(number)]
    return RuleVerdict(verdict: head.verdict, rule: RuleNumber(place: number), then: head.then)
  }
}

/// The probable place of a URL's host in its text, for uses where a wrong guess only costs time. It is told before the
/// URL is read.
///
///     GuessedHost(of: "https://mail.contoso.com/x")     // 8..<24
///     GuessedHost(of: "https://a@b.example/")           // 8..<19, which is no host
///     GuessedHost(of: "mailto:a@contoso.com")           // nil
///
/// Trap: nothing may be concluded from it. Only the parser tells a URL's host.
enum GuessedHost {
  /// Longer than any real host.
  private static let longest = 256

  @inline(__always)
  static func range(in text: RawSpan) -> Range<Int>? {
    guard text.byteCount > 8 else { return nil }
    // "http", in the order of the bytes.
    guard text.unsafeLoadUnaligned(fromUncheckedByteOffset: 0, as: UInt32.self) == 0x7074_7468 else { return nil }
    let isSecure = text.unsafeLoad(fromUncheckedByteOffset: 4, as: UInt8.self) == UInt8(ascii: "s")
    let start = isSecure ? 8 : 7
    var end = start
    while end < min(text.byteCount, longest) {
      let slashes = zeroBytes(text.word(at: end) ^ 0x2F2F_2F2F_2F2F_2F2F)
      if slashes != 0 { return start..<min(end &+ slashes.trailingZeroBitCount &>> 3, text.byteCount) }
      end &+= 8
    }
    return start..<min(end, text.byteCount)
  }

  /// The highest bit of each byte that is zero, and no other.
  @inline(__always)
  private static func zeroBytes(_ word: UInt64) -> UInt64 {
    let low: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    return ~((word & low) &+ low | word | low)
  }
}

/// For each rule the texts that a URL must hold for it to match, all in flat memory: most rules that are found under a
/// host end here, without a look at their conditions.
struct RuleGates: Sendable {
  private var texts = RequiredTexts()
  /// Start of each rule's texts, with one entry more for the end.
  private var starts: [Int32] = [0]

  init(_ conditions: some Sequence<Condition>) {
    for condition in conditions {
      if let required = condition.requiredTexts { texts.append(required) }
      starts.append(Int32(texts.count))
    }
  }

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

/// State of a search for the rule that answers; the rules may come in any order.
struct RuleSearch {
  /// The first rule that certainly answers; `Int32.max` while there is none.
  private(set) var certain = Int32.max
  /// The first external rule that may answer, for each action.
  private var possible = [.max, .max, .max] as InlineArray<3, Int32>
  /// Rules that were asked lately, by the last bits of their numbers: one under several keys is not asked again.
  private var lately = InlineArray<8, Int32>(repeating: -1)
  /// Number of rules that were asked.
  private(set) var asked = 0

  /// Whether a rule was not asked lately; notes that it is asked now.
  @inline(__always)
  mutating func isNew(_ number: Int32) -> Bool {
    let slot = Int(number & 7)
    if lately[slot] == number { return false }
    lately[slot] = number
    asked &+= 1
    return true
  }

  mutating func answers(_ number: Int32) { certain = min(certain, number) }

  mutating func mayAnswer(_ number: Int32, _ action: RuleAction) {
    let slot = action.strictness
    possible[slot] = min(possible[slot], number)
  }

  /// The strictest answer that the unknown leaves open; of equally strict ones the earlier rule's.
  func strictest(atLeast verdict: RuleVerdict) -> RuleVerdict {
    let actions = [.block, .redirect, .none] as InlineArray<3, RuleAction>
    for index in actions.indices {
      let action = actions[index]
      let number = possible[action.strictness]
      guard number < certain else { continue }
      let answer = RuleVerdict(verdict: .external, rule: RuleNumber(place: number), then: action)
      if answer.strictness >= verdict.strictness { return answer }
    }
    return verdict
  }
}

/// The work for a verdict, which must not grow with the number of rules and names.
package struct SearchWork: Sendable, Hashable {
  /// Buckets of tables that were looked at.
  package var probes = 0
  /// Rules whose conditions were asked.
  package var candidates = 0

  package init() {}
}
