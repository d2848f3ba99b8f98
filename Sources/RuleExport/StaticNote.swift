package import GuardModel
internal import URLRules

/// Something that an export does not say as the rule set does.
package struct StaticNote: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    /// The external rule is not exported.
    case unsaid([StaticGap])
    /// A part of the external rule is not exported.
    case partly([StaticGap])
    /// The rule also speaks of something that the engine does not ask its rules about.
    case uses([StaticGap])
    /// The rule excepts something that the engine cannot except: these rules may block it.
    case open(StaticGap, by: [RuleNumber])
    /// WebSockets pass the rule by.
    case sockets
  }

  /// The rule, by its number.
  package var rule: RuleNumber
  package var kind: Kind
}

/// Gathers the gaps that the items of an export leave.
struct StaticNoteBook {
  private struct Exception: Hashable {
    var rule: RuleNumber
    var gap: StaticGap
  }

  private var unsaid: [RuleNumber: Set<StaticGap>]
  private var said: Set<RuleNumber> = []
  private var open: [Exception: Set<RuleNumber>] = [:]
  private var sockets: Set<RuleNumber> = []
  private var blocked: [StaticRules.Item] = []
  private let given: [StaticRules.Open]
  /// The number of the closing rule, which lets the given open parts pass.
  private let closing: RuleNumber?
  private var own: [StaticRules.Open] = []

  /// More pairs of rules are not compared; then the rules count as overlapping.
  private static let maximumPairs = 4_000_000

  init(_ rules: StaticRules) {
    unsaid = rules.unsaid
    given = rules.open
    closing = rules.closing
  }

  /// Notes that an item blocks, or one of its hosts.
  mutating func say(_ item: StaticRules.Item) {
    said.insert(item.rule)
    if blocked.last != item { blocked.append(item) }
  }

  mutating func omit(_ item: StaticRules.Item, _ gap: StaticGap) { unsaid[item.rule, default: []].insert(gap) }

  /// A part of an item that lets pass, and cannot be said.
  mutating func leaveOpen(_ item: StaticRules.Item, _ term: StaticTerm, _ gap: StaticGap) {
    own.append(StaticRules.Open(rule: item.rule, purposes: item.purposes, term: term, gap: gap))
  }

  mutating func leaveOpen(_ rule: RuleNumber, _ gap: StaticGap, to other: RuleNumber) {
    open[Exception(rule: rule, gap: gap), default: []].insert(other)
  }

  mutating func missSockets(_ item: StaticRules.Item) { sockets.insert(item.rule) }

  /// All notes, in the order of the rules.
  mutating func finish() -> [StaticNote] {
    let openings = given + own
    let isCounted = openings.count * blocked.count <= Self.maximumPairs
    for (number, opening) in openings.enumerated() {
      for item in blocked where item.rule >= opening.rule && !item.purposes.isDisjoint(with: opening.purposes) {
        if number < given.count, item.rule == closing { continue }
        guard !isCounted || opening.term.intersects(item.term) else { continue }
        leaveOpen(opening.rule, opening.gap, to: item.rule)
      }
    }
    var notes = unsaid.flatMap { rule, gaps in
      let sorted = gaps.sorted()
      guard said.contains(rule) else { return [StaticNote(rule: rule, kind: .unsaid(sorted))] }
      let (parts, uses) = (sorted.filter { !$0.isUse }, sorted.filter(\.isUse))
      return (parts.isEmpty ? [] : [StaticNote(rule: rule, kind: .partly(parts))])
        + (uses.isEmpty ? [] : [StaticNote(rule: rule, kind: .uses(uses))])
    }
    notes += open.map { StaticNote(rule: $0.rule, kind: .open($0.gap, by: $1.sorted())) }
    notes += sockets.intersection(said).map { StaticNote(rule: $0, kind: .sockets) }
    return notes.sorted { ($0.rule, $0.kind.order) < ($1.rule, $1.kind.order) }
  }
}

extension StaticNote.Kind {
  /// At one rule: parts not exported, parts that may be stopped, parts that pass.
  fileprivate var order: String {
    switch self {
    case .unsaid: "0"
    case .partly: "1"
    case .uses: "1u"
    case .open(let gap, _): "2\(gap)"
    case .sockets: "3"
    }
  }
}

/// Why something cannot be said by static rules at all, or not by those of one engine.
package enum StaticGap: Error, Sendable, Hashable, Comparable {
  case from
  case hop
  case document
  case expression
  case look
  case alternatives
  case repetitions
  case anchor
  case expressionSize
  case combination
  case userName
  case query
  case queryEvery
  case queryLength
  case exactURL
  case port
  case network
  case star
  case letterCase
  case texts
  case notWeb
  case spelling
  case tooMany
  case transfer
  case frameOnly
  case resourceOnly
  case precedence
  case wholeHosts
  case openHost
  case everyUse
  case limit

  /// It is about a rule's purposes (`for`), and not about its matchers.
  var isUse: Bool { self == .frameOnly || self == .resourceOnly || self == .transfer }

  /// To stand behind a colon.
  package var words: String {
    switch self {
    case .from: "static rules do not know what led to a page (`from`)"
    case .hop: "static rules do not know whether a redirect led to a page (`hop`)"
    case .document: "static rules do not know the document of the viewer (`same`)"
    case .expression: "the regular expression holds what has no counterpart, or gives back nothing of what it took"
    case .look: "the engine's regular expressions have no look-arounds, and no `\\b`"
    case .alternatives:
      "the engine's regular expressions have no `|`, and this one would have to be written out too often"
    case .repetitions: "the regular expression repeats too much to be written out"
    case .anchor: "`^` or `$` stands in the middle of the regular expression"
    case .expressionSize: "the regular expression takes more memory than the engine allows"
    case .combination:
      "a regular expression or pattern beside other matchers is more than one of the engine's rules can say"
    case .userName: "a user name in front of any host could fulfil the regular expression; begin it with `^https://`"
    case .query: "the engine cannot ask for this in a query"
    case .queryEvery: "the engine cannot demand something of every value of a query key"
    case .queryLength: "static rules do not know how long a query is (`queryOver`)"
    case .exactURL: "the engine takes what begins with a path, and no single URL"
    case .port: "the engine cannot tell ports apart"
    case .network: "the engine has no blocks of addresses"
    case .star: "a `*` in a path cannot stand for itself"
    case .letterCase: "the engine does not tell upper and lower case apart in a path"
    case .texts: "the engine has no regular expressions"
    case .notWeb: "it takes nothing that a page loads over http or https"
    case .spelling: "the engine would read the filter in another way"
    case .frameOnly: "the engine cannot tell frames from pages"
    case .resourceOnly: "the engine does not ask about what pages load by themselves"
    case .precedence: "the engine prefers the other rule there, whatever their order"
    case .wholeHosts: "the engine closes whole hosts only, with all their schemes, ports and paths"
    case .openHost: "an earlier rule lets something of the host pass, and the engine closes whole hosts only"
    case .everyUse: "a host is closed for pages and resources at once, and only one of these is blocked"
    case .limit: "the engine takes no more rules"
    case .transfer: "static rules know no downloads and uploads"
    case .tooMany: "its matchers have too many combinations"
    }
  }
}
