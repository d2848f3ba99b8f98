internal import GuardModel
internal import URLRules
internal import URLStandard

/// Looks for the nearest changes of a question that flip its verdict.
///
/// Nearest means: one change before two; and single changes start with the parts outside the page (credentials), then
/// scheme, port, path, query and host, then the way it was reached. Every returned change was asked, and holds its
/// answer.
struct ChangeSearch {
  private let ruleSet: RuleSet
  private let draft: QuestionDraft
  private let edits: [QuestionEdit]

  /// Maximum changes that are told.
  private static let maximumTold = 2
  /// Longest URL for which two changes at once are tried; no person types longer ones.
  private static let longestInPairs = 4096

  /// - Parameter near: the rules that came near; their values are tried.
  init(_ ruleSet: RuleSet, _ question: RuleQuestion, _ input: MatchInput, _ near: [RuleNumber]) {
    self.ruleSet = ruleSet
    draft = QuestionDraft(question, input)
    var seen: Set<QuestionEdit> = []
    let candidates = EditCandidates(question, input, near.map { ruleSet[$0] }).all
    edits = candidates.filter { seen.insert($0).inserted }
  }

  func nearest(to verdict: RuleVerdict?) -> [QuestionChange] {
    var changes: [QuestionChange] = []
    for edit in edits where changes.count < Self.maximumTold {
      if let change = attempt([edit], flipping: verdict) { changes.append(change) }
    }
    return changes.isEmpty ? [nearestPair(to: verdict)].compactMap(\.self) : changes
  }

  private func nearestPair(to verdict: RuleVerdict?) -> QuestionChange? {
    guard draft.question.url.utf8.count <= Self.longestInPairs else { return nil }
    for second in edits.indices {
      for first in edits[..<second] {
        if let change = attempt([first, edits[second]], flipping: verdict) { return change }
      }
    }
    return nil
  }

  private func attempt(_ edits: [QuestionEdit], flipping verdict: RuleVerdict?) -> QuestionChange? {
    var changed = draft
    for edit in edits {
      guard let next = changed.with(edit) else { return nil }
      changed = next
    }
    let question = changed.question
    let old = verdict?.verdict ?? .external
    guard let answer = question.ask(ruleSet).verdict, answer.verdict != old else { return nil }
    let words = edits.map(\.words).joined(separator: " and ")
    return QuestionChange(words: words, question: question, verdict: answer)
  }
}

/// The changes worth trying for one question, the nearest first.
private struct EditCandidates {
  private let question: RuleQuestion
  private let input: MatchInput
  private let rules: [Rule]

  /// Maximum values of one kind that are tried.
  private static let maximumOfKind = 8

  init(_ question: RuleQuestion, _ input: MatchInput, _ rules: [Rule]) {
    self.question = question
    self.input = input
    self.rules = rules
  }

  var all: [QuestionEdit] {
    if input.url.kind == .invalid { return missingScheme }
    if input.url.kind == .script { return [] }
    if input.url.kind == .madeByPage || input.url.isOfMaker {
      return first(rules.flatMap { $0.condition.examplePages }.map { .from($0) })
    }
    return (WebParts(input.url).map(ofParts) ?? []) + ofContext + urls
  }

  /// A text without a scheme, as people write addresses.
  private var missingScheme: [QuestionEdit] {
    let written = WrittenURL(question.url)
    return written.scheme == nil && !written.cleaned.isEmpty ? [.prefix("https://")] : []
  }

  private func ofParts(_ parts: WebParts) -> [QuestionEdit] {
    var edits: [QuestionEdit] = parts.hasCredentials ? [.dropCredentials] : []
    edits.append(.scheme(parts.scheme == "https" ? "http" : "https"))
    if parts.port != nil { edits.append(.port(nil)) }
    edits += first(named(.port).compactMap { UInt16($0.text) }.map { .port($0) })
    edits += [.slash(true), .slash(false), .lowerPath]
    if !parts.query.isEmpty { edits.append(.dropQuery) }
    edits += first(paths(parts) + [.path("/")])
    return edits + hosts(parts)
  }

  /// Paths of the URLs that rules name at this host.
  private func paths(_ parts: WebParts) -> [QuestionEdit] {
    named(.url).filter { $0.key == "url" && $0.host.elementsEqual(parts.host.utf8) }
      .compactMap { URLRecord($0.text)?.pathname }.map { .path($0) }
  }

  /// Hosts that rules name, then the host above this one, then one below it.
  private func hosts(_ parts: WebParts) -> [QuestionEdit] {
    let named = first(named(.host).filter { $0.isName }.map { QuestionEdit.host($0.text) })
    guard input.url.judged.hostKind == .domain else { return named }
    let labels = parts.host.split(separator: ".", omittingEmptySubsequences: false)
    let parent = labels.count > 2 ? [QuestionEdit.host(labels.dropFirst().joined(separator: "."))] : []
    return named + parent + [.host("www." + parts.host)]
  }

  private var ofContext: [QuestionEdit] {
    var edits: [QuestionEdit] = []
    if !named(.hop).isEmpty || question.hop == true { edits += [.hop(true), .hop(false)] }
    edits += first(rules.flatMap { $0.condition.pages }.map { .from($0) })
    if input.purposes.rawValue.nonzeroBitCount == 1 {
      let others = rules.map(\.purposes).reduce(into: Purposes()) { $0.formUnion($1) }.subtracting(input.purposes)
      edits += Purposes.names.filter { others.contains($0.purpose) }.map { .purpose($0.name, $0.purpose) }
    }
    if !named(.document).isEmpty, input.url.kind == .url { edits.append(.document) }
    return edits
  }

  private var urls: [QuestionEdit] {
    first(named(.url).filter { $0.key == "url" }.map { .url($0.text) })
  }

  /// The rules' values of one kind, outside of `from`.
  private func named(_ aspect: MatcherWords.Aspect) -> [MatcherWords] {
    rules.flatMap { $0.condition.matchers }.filter { $0.aspect == aspect }
  }

  /// The first few, each once.
  private func first(_ edits: [QuestionEdit]) -> [QuestionEdit] {
    var seen: Set<QuestionEdit> = []
    return Array(edits.filter { seen.insert($0).inserted }.prefix(Self.maximumOfKind))
  }
}

extension MatcherWords {
  /// The value is one host, and not the name of a list or a network.
  fileprivate var isName: Bool { key == "host" || key == "domain" }
}

extension Condition {
  /// Every matcher in it, but those of `from`.
  fileprivate var matchers: [MatcherWords] {
    switch self {
    case .all(let parts), .any(let parts): parts.flatMap(\.matchers)
    case .not(let part): part.matchers
    case .from: []
    default: [words].compactMap(\.self)
    }
  }

  /// A page for each `from` in it that may be one it takes.
  fileprivate var pages: [String] {
    switch self {
    case .all(let parts), .any(let parts): parts.flatMap(\.pages)
    case .not(let part): part.pages
    case .from(let part): part.examplePages
    default: []
    }
  }

  /// A page for each host and URL in it that may be one it takes.
  fileprivate var examplePages: [String] {
    let matchers = matchers
    let scheme = matchers.first { $0.aspect == .scheme }?.text ?? "https"
    let port = matchers.first { $0.aspect == .port }.map { ":" + $0.text } ?? ""
    return matchers.compactMap { words in
      if words.key == "url" { return words.text }
      return words.isName ? "\(scheme)://\(words.text)\(port)/" : nil
    }
  }
}
