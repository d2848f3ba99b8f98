package import GuardModel
package import JSONText
package import PolicyFiles
internal import URLRules
internal import URLStandard

/// The neighbours of URLs that rules decide, in words.
package struct BoundaryReport {
  /// One rule; `boundaries` is nil when no URL is known that it decides.
  struct Entry {
    let rule: Rule
    let tests: RuleSetTests
    let boundaries: RuleBoundaries?
  }

  let entries: [Entry]

  /// The rules with these ids, or all of them. An id that no rule set has is a failure.
  package init(_ sets: [RuleSetTests], rules ids: [String]) throws(CommandFailure) {
    let known = Set(sets.flatMap(\.ruleSet.rules).map(\.id))
    for id in ids where !known.contains(id) { throw CommandFailure("there is no rule \(id.quoted)") }
    entries = sets.flatMap { tests in
      tests.ruleSet.numbered.filter { ids.isEmpty || ids.contains($0.rule.id) }.map { number, rule in
        Entry(rule: rule, tests: tests, boundaries: RuleBoundaries(of: number, in: tests))
      }
    }
  }

  package func printText(to output: Output) throws(CommandFailure) {
    for (index, entry) in entries.enumerated() {
      if index > 0 { try output.line("") }
      let name = output.style.heading(entry.rule.id.quoted)
      guard let boundaries = entry.boundaries else {
        try output.line("\(entry.rule.location.escapedForDisplay): \(name): no URL was found that it decides")
        continue
      }
      try output.line("\(entry.rule.location.escapedForDisplay): \(name): \(boundaries.counts)")
      for line in TextTable(["", "CHANGE", "VERDICT", "RULE", "URL"], boundaries.rows).lines {
        try output.line(line.escapedForDisplay)
      }
    }
  }

  /// Tests to stand below `tests:`, which all pass.
  package func printYAML(to output: Output) throws(CommandFailure) {
    var file: String?
    for entry in entries {
      if file != entry.tests.file {
        file = entry.tests.file
        try output.line("# \(entry.tests.file)".escapedForDisplay)
      }
      try output.line("  # boundaries of \(entry.rule.id.quoted)".escapedForDisplay)
      guard let boundaries = entry.boundaries else {
        try output.line("  # no URL was found that it decides")
        continue
      }
      try output.line("  - \(boundaries.witness.yaml)")
      for neighbour in boundaries.neighbours {
        try output.line("  - \(neighbour.step.yaml) # \(neighbour.change)\(neighbour.differs ? ", differs" : "")")
      }
    }
  }

  package var json: JSONTree { .array(entries.map(\.json)) }
}

extension RuleBoundaries {
  fileprivate var counts: String {
    let differing = neighbours.lazy.filter(\.differs).count
    return "\(differing) of \(neighbours.count) neighbours differ from \(witness.question.url.quoted)"
      + (isMadeUp ? ", which no test has" : "")
  }

  fileprivate var rows: [[String]] {
    [["", "witness"] + witness.cells] + neighbours.map { [$0.differs ? "*" : "", $0.change] + $0.step.cells }
  }
}

extension RuleTestStep {
  fileprivate var cells: [String] { [expect.rawValue, rule ?? "", question.url] }
}

extension BoundaryReport.Entry {
  fileprivate var json: JSONTree {
    let neighbours = boundaries?.neighbours.map { neighbour -> JSONTree in
      [
        "change": .string(neighbour.change), "differs": .bool(neighbour.differs), "test": neighbour.step.json,
      ]
    }
    return [
      "rule": .string(rule.id), "ruleSet": .string(tests.ruleSet.name), "location": .string(rule.location),
      "witness": boundaries?.witness.json ?? .null, "isMadeUp": .bool(boundaries?.isMadeUp ?? false),
      "neighbours": .array(neighbours ?? []),
    ]
  }
}

/// The answers for the neighbours of a URL that a rule decides.
///
///     rule `ours`: internal: { domain: contoso.com, scheme: https }
///     witness https://mail.contoso.com/   ->   internal
///     upper case in the host              ->   internal, by the same rule
///     other scheme `http`                 ->   external, by default: differs
///
/// Everything in it was asked. A neighbour that differs is no mistake, and one that does not is no proof: the rule's
/// author knows which is meant.
package struct RuleBoundaries: Sendable {
  package struct Neighbour: Sendable {
    /// The change, in words: `sub-domain`.
    package let change: String
    /// A test that states the answer.
    package let step: RuleTestStep
    /// The verdict is another one than that of the witness.
    package let differs: Bool
  }

  package let rule: RuleNumber
  /// A step of a test that the rule decides, or one that was made up.
  package let witness: RuleTestStep
  /// No test had one to offer.
  package let isMadeUp: Bool
  package let neighbours: [Neighbour]

  /// Nil when no URL is known that the rule decides.
  package init?(of rule: RuleNumber, in tests: RuleSetTests) {
    let suggestions = TestSuggestions(tests)
    let tested = Self.tested(rule, in: tests)
    guard let witness = tested.map({ suggestions.step($0.question) }) ?? suggestions.step(decidedBy: rule) else {
      return nil
    }
    self.rule = rule
    self.witness = witness
    isMadeUp = tested == nil
    neighbours = QuestionNeighbours(of: witness.question).all.map { neighbour in
      let step = suggestions.step(neighbour.question)
      return Neighbour(change: neighbour.change, step: step, differs: step.isInternal != witness.isInternal)
    }
  }

  /// The first step that the rule decides, without regard to its time, and whose URL has neighbours.
  private static func tested(_ rule: RuleNumber, in tests: RuleSetTests) -> RuleTestStep? {
    tests.tests.lazy.flatMap(\.steps).first { step in
      step.question.ask(tests.ruleSet).verdict?.rule == rule && QuestionNeighbours.hasParts(step.question)
    }
  }
}

extension RuleTestStep {
  /// A text that is no URL is blocked, as an external URL may be.
  fileprivate var isInternal: Bool { expect == .internal }
}

/// Questions that differ from one in a single thing that people overlook, or that attackers try.
///
///     https://mail.contoso.com/a   ->   https://contoso.com/a, https://mail.contoso.com@evil.example/a, …
struct QuestionNeighbours {
  struct Neighbour: Hashable {
    var change: String
    var question: RuleQuestion
  }

  private(set) var all: [Neighbour] = []
  private let question: RuleQuestion
  private let url: NeighbourURL
  private var seen: Set<RuleQuestion>

  /// The URL has a host, and is not judged as something else than it is written.
  static func hasParts(_ question: RuleQuestion) -> Bool { NeighbourURL(question.url) != nil }

  init(of question: RuleQuestion) {
    self.question = question
    seen = [question]
    guard let url = NeighbourURL(question.url) else {
      self.url = NeighbourURL()
      addContext()
      return
    }
    self.url = url
    addHosts()
    addTricks()
    addOrigins()
    addPaths()
    addContext()
  }

  /// Each text once, and never that of the question itself.
  private mutating func add(_ change: String, _ edit: (inout RuleQuestion) -> Void) {
    var changed = question
    edit(&changed)
    if seen.insert(changed).inserted { all.append(Neighbour(change: change, question: changed)) }
  }

  private mutating func add(_ change: String, _ text: String?) {
    if let text { add(change) { $0.url = text } }
  }

  private mutating func addHosts() {
    add("upper case in the host", url.with(host: url.host.uppercased()))
    add("a dot behind the host", url.with(host: url.host + "."))
    if url.isName {
      add("sub-domain", url.with(host: "www." + url.host))
      add("parent domain", url.parent.map(url.with(host:)))
      add("longer name", url.with(host: "evil" + url.host))
      add("longer domain", url.with(host: "evil" + url.lastLabels))
      add("two dots behind the host", url.with(host: url.host + ".."))
      add("look-alike letter", url.lookAlike.map(url.with(host:)))
      add("look-alike digit", url.digitTwin.map(url.with(host:)))
    }
    add("as the beginning of another name", url.with(host: url.host + ".evil.example"))
    add("address as one number", url.number.map(url.with(host:)))
    add("address mapped to IPv6", url.mapped.map(url.with(host:)))
  }

  private mutating func addTricks() {
    add("user name", url.with(host: "user@" + url.host))
    add("as a user name", url.with(host: url.host + "@evil.example"))
    add("`\\` and `@` behind the host", url.with(host: url.host + "\\@evil.example"))
    add("`\\` before the host", url.with(host: "evil.example\\." + url.host))
    add("as the path of another host", url.with(host: "evil.example/" + url.host))
  }

  private mutating func addOrigins() {
    for scheme in ["https", "http", "ftp"] { add("scheme `\(scheme)`", url.with(scheme: scheme)) }
    add(url.port.isEmpty ? "port 8443" : "without the port", url.with(port: url.port.isEmpty ? ":8443" : ""))
  }

  private mutating func addPaths() {
    let path = url.path
    add("upper case in the path", url.with(path: path.uppercased()))
    add("slash at the end", url.with(path: path.hasSuffix("/") ? String(path.dropLast()) : path + "/"))
    add("doubled slash", url.with(path: "/" + path))
    add("encoded slash", url.with(path: url.encodedSlash))
    add("encoded letter", url.encodedLetter.map(url.with(path:)))
    add("`\\` for `/`", url.with(path: String(path.map { $0 == "/" ? "\\" : $0 })))
    add("a step up again", url.with(path: "/x/.." + path))
    add("an encoded step up again", url.with(path: "/x/%2e%2e" + path))
    add("only the host", url.only(path: "/"))
    add("another path", url.only(path: "/x"))
    add("query", url.with(query: url.query.isEmpty ? "?x=1" : url.query + "&x=1"))
    if !url.query.isEmpty { add("without the query", url.with(query: "")) }
    add("fragment", url.with(query: url.query + "#x"))
  }

  private mutating func addContext() {
    if question.from != nil {
      add("from a page that is not known") { $0.from = nil }
      add("from another page") { $0.from = "https://evil.example/" }
    }
    if question.document != nil { add("without a document") { $0.document = nil } }
    let isHop = question.hop == true
    add(isHop ? "without a redirect" : "as a redirect") { $0.hop = !isHop }
  }
}
