import GuardModel
internal import PolicyTools
internal import RuleExport
import TestSupport
import Testing
import URLRules
import URLStandard
import webviewguard

/// What an engine stops by an export is what the rule set calls external by a rule, except where the report says so.
struct ExportAgreementTests {
  @Test func webKitStopsWhatTheRulesName() throws { try hold(ContentBlockerModel.self, .webkitContentBlocker) }

  @Test func netRequestStopsWhatTheRulesName() throws { try hold(NetRequestModel.self, .declarativeNetRequest) }

  @Test func chromiumsPolicyStopsWhatTheRulesName() throws { try hold(BlocklistModel.self, .chromiumPolicy) }

  @Test func firefoxsPolicyStopsWhatTheRulesName() throws { try hold(WebsiteFilterModel.self, .firefoxPolicy) }

  private func hold<Model: EngineModel>(_ model: Model.Type, _ format: ExportFormat) throws {
    var random = SeededGenerator()
    print("exports as \(format.rawValue): \(random.note)")
    let names = (0..<4).map { _ in (0..<random.below(9)).map { _ in RandomLists.name(&random) } }
    let rules = try RandomRules(lists: HostLists.of(names))
    var counts = Counts()
    for _ in 0..<Effort.scaled(6_000) {
      let ruleSet = rules.ruleSet(maximum: 6, &random).at(0)
      let loadsInPlace = random.oneIn(4)
      let source = ExportSource(ruleSet: ruleSet, loadsInPlace: loadsInPlace, judgesFrames: random.oneIn(2))
      let export = Export(source, as: format)
      let judge = ExportJudge(source, export.notes, format)
      let engine = try Model(export.document)
      for _ in 0..<40 {
        guard let question = ExportQuestion(format, &random) else { continue }
        let problem = judge.problem(question, isBlocked: engine.blocks(question.request), &counts)
        guard let problem else { continue }
        let text = String(decoding: export.document, as: UTF8.self)
        let words = ruleSet.rules.map { "\($0.id) \($0.verdict) \($0.purposes.rawValue): \($0.condition.sentence)" }
        Issue.record(
          """
          \(problem): \(question.request.kind) \(question.request.url.href), \(random.note)
          \(words.joined(separator: "\n")), lists \(names)
          \(text)
          \(export.notes.map { "\($0.subject) \($0.code)" })
          """)
        return
      }
    }
    print("  \(counts)")
    #expect(counts.blocked > Effort.scaled(4_000))
    #expect(counts.external > Effort.scaled(4_000))
    #expect(counts.closed > Effort.scaled(4_000))
    #expect(counts.excused < counts.asked / 3)
  }
}

struct Counts {
  var asked = 0
  var blocked = 0
  /// External by a rule that is exported whole.
  var external = 0
  /// External by the default, and blocked.
  var closed = 0
  /// Where the report says that it is otherwise.
  var excused = 0
}

/// A request, with what the daemon would know of it besides.
struct ExportQuestion {
  let request: EngineRequest
  var input = MatchInput()

  /// Nil for what no engine loads over the network.
  init?(_ format: ExportFormat, _ random: inout SeededGenerator) {
    let isPolicy = format == .chromiumPolicy || format == .firefoxPolicy
    let kind = isPolicy ? .page : random.one(of: EngineRequest.Kind.allCases)
    var text = RandomURLs().web(&random)
    if kind == .socket { text = "ws" + text.dropFirst(4) }
    guard let record = URLRecord(text), record.hasCredentials == false || !isPolicy else { return nil }
    request = EngineRequest(kind, record)
    input.url.read(text)
    if random.oneIn(2) { input.from.read(RandomURLs().web(&random)) }
    if random.oneIn(2) { input.document = URLRecord(RandomURLs().web(&random)) }
    input.hop = Ternary(random.one(of: [true, false], orNilOneIn: 3))
    switch kind {
    case .page: input.purposes = .page
    case .frame: input.purposes = .frame
    case .image, .socket: input.purposes = .resource
    }
  }
}

/// Holds what an engine does against what the rule set says.
struct ExportJudge {
  private let ruleSet: RuleSet
  private let notes: [String: Set<ExportNote.Code>]
  private let format: ExportFormat
  private let loadsInPlace: Bool
  private let runner = RegexRunner()

  /// What the default stops; empty where it is not exported.
  private let closed: Purposes

  init(_ source: ExportSource, _ notes: [ExportNote], _ format: ExportFormat) {
    ruleSet = source.ruleSet
    self.notes = Dictionary(grouping: notes, by: \.subject).mapValues { Set($0.map(\.code)) }
    self.format = format
    loadsInPlace = source.loadsInPlace
    let isOpen = self.notes["the default"]?.contains(.defaultOpen) ?? false
    closed = isOpen ? [] : source.closingRule?.purposes ?? []
  }

  private func codes(_ rule: Rule) -> Set<ExportNote.Code> { notes["rule `\(rule.id)`"] ?? [] }

  /// What is wrong; nil when all is as it must be.
  func problem(_ question: ExportQuestion, isBlocked: Bool, _ counts: inout Counts) -> String? {
    counts.asked += 1
    runner.beginDecision(subjectBytes: question.input.subjectBytes)
    let verdict = ruleSet.verdict(on: question.input, runner)
    let rule = verdict.rule.map { ruleSet[$0] }
    let isByDefault = verdict.verdict == .external && rule == nil && !closed.isDisjoint(with: question.input.purposes)
    if isByDefault {
      // All of it that the engine is asked about, but for what its report takes away and what another rule may take.
      let isCut = !(notes["the default"] ?? []).isDisjoint(with: [.notExpressible, .partlyExpressed])
      let mayBeTaken = ruleSet.rules.contains { $0.condition.comparesText || $0.condition.asksContext }
      counts.closed += isBlocked ? 1 : 0
      counts.excused += isBlocked ? 0 : 1
      return isBlocked || isCut || mayBeTaken || comparesDots(question) ? nil : "not blocked by the default"
    }
    let isMeant = verdict.verdict == .external && rule != nil && !(loadsInPlace && verdict.then == .none)
    if isBlocked { counts.blocked += 1 }
    if isBlocked, !isMeant {
      counts.excused += 1
      return mayStop(rule, question) ? nil : "blocked, though \(verdict)"
    }
    guard isMeant, let rule else { return nil }
    if isSaid(rule, question) { counts.external += 1 } else { counts.excused += isBlocked ? 0 : 1 }
    return isBlocked || !isSaid(rule, question) ? nil : "not blocked, though \(verdict)"
  }

  private func mayStop(_ rule: Rule?, _ question: ExportQuestion) -> Bool {
    if comparesDots(question) { return true }
    if let rule, codes(rule).contains(.mayStop) { return true }
    // What an external rule excepts from itself, whatever rule then answers.
    if ruleSet.rules.contains(where: { $0.verdict == .external && codes($0).contains(.mayStop) }) { return true }
    // What is not internal since a user name stands in it; and what stands in the name is text as well.
    return question.request.url.hasCredentials && (rule == nil || ruleSet.rules.contains { $0.condition.comparesText })
  }

  /// Regular expressions and URL patterns take a dot behind the host for a part of it.
  private func comparesDots(_ question: ExportQuestion) -> Bool {
    question.request.url.hostname.hasSuffix(".")
      && ruleSet.rules.contains { $0.condition.comparesText }
  }

  private func isSaid(_ rule: Rule, _ question: ExportQuestion) -> Bool {
    let codes = codes(rule)
    if codes.contains(.notExpressible) || codes.contains(.partlyExpressed) { return false }
    if question.request.kind == .socket, codes.contains(.noWebSockets) { return false }
    return !comparesDots(question)
  }
}

extension Condition {
  /// There is a regular expression or a URL pattern in it.
  fileprivate var comparesText: Bool {
    switch self {
    case .regex, .pattern: true
    case .all(let parts), .any(let parts): parts.contains(where: \.comparesText)
    case .not(let part): part.comparesText
    default: false
    }
  }
}

extension Condition {
  /// How the page was reached counts, or how long its query is, which no engine knows.
  fileprivate var asksContext: Bool {
    switch self {
    case .from, .hop, .same, .sameSite, .queryOver: true
    case .all(let parts), .any(let parts): parts.contains(where: \.asksContext)
    case .not(let part): part.asksContext
    default: false
    }
  }
}
