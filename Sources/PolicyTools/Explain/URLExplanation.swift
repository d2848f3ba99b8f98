internal import GuardModel
internal import JSONText
internal import PolicyFiles
internal import URLRules
internal import URLStandard

/// A text's reading as a URL, and its judged part, in words.
///
///     view-source:https://user@mail.contoso.com./x#top
///       judged: https://mail.contoso.com/x
///       notes:  `view-source:` was unwrapped; the user name `user` is no part of the host; …
package struct URLExplanation: Sendable, Hashable {
  /// The URL as rules saw it; nil when the text is no URL, or one that no rule is asked about.
  package private(set) var judged: String?
  /// Notes on a reading that is not plain.
  package private(set) var notes: [String] = []

  /// Schemes whose URL gives way to the one inside.
  static let wrappers = ["view-source", "blob", "filesystem"]

  init(_ text: String, _ input: MatchInput) {
    let subject = input.url
    let written = WrittenURL(text)
    if subject.kind == .invalid {
      notes.append("no browser would open this: \(URLProblem.words(for: text))")
      return
    }
    if written.wasCleaned { notes.append("spaces at its ends, tabs and line breaks were dropped") }
    switch subject.kind {
    case .script: notes.append("`javascript:` moves no document; no rule is asked")
    case .madeByPage: notes.append("it counts as the page that made it, which nobody told; no rule is asked")
    case .url where subject.isOfMaker: noteMaker(subject)
    default: noteReading(written, subject)
    }
    if subject.kind == .url {
      judged = subject.judged.href
      noteUnicode(subject.judged)
    }
  }

  /// Reads `text`, by itself or as made by the page `from`.
  package init(reading text: String, from: String? = nil) {
    self.init(text, RuleQuestion(url: text, from: from).input)
  }

  /// The user name of the URL that a subject was read from, behind its wrappers.
  static func userName(in subject: borrowing URLSubject) -> String {
    guard subject.hadCredentials else { return "" }
    return String(innermost(WrittenURL(subject.asRead.href)).written.credentials?.prefix { $0 != ":" } ?? "")
  }

  private mutating func noteMaker(_ subject: borrowing URLSubject) {
    notes.append("it counts as the page that made it, which is `from`")
    if subject.hadCredentials { notes.append("that page's URL held a user name or a password") }
  }

  private mutating func noteReading(_ outer: WrittenURL, _ subject: borrowing URLSubject) {
    let (written, unwrapped) = Self.innermost(outer)
    for scheme in unwrapped { notes.append("`\(scheme):` was unwrapped") }
    noteCredentials(written, subject)
    noteHost(written, subject.judged)
    let judged = subject.judged
    if let scheme = written.scheme, scheme != judged.schemeName {
      notes.append("`\(scheme):` is judged as `\(judged.schemeName):`")
    }
    if let port = written.port, !port.isEmpty, judged.portNumber == nil {
      notes.append("port \(port) is the scheme's own")
    }
    notePath(written, judged)
    if let mark = written.rest.firstIndex(of: "#") {
      notes.append("the fragment \(String(written.rest[mark...]).shown) is not judged")
    }
  }

  static func innermost(_ outer: WrittenURL) -> (written: WrittenURL, unwrapped: [String]) {
    var written = outer
    var unwrapped: [String] = []
    while let scheme = written.scheme, wrappers.contains(scheme), unwrapped.count <= URLSubject.maximumNesting {
      unwrapped.append(scheme)
      written = WrittenURL(String(written.behindScheme))
    }
    return (written, unwrapped)
  }

  /// A password is never repeated.
  private mutating func noteCredentials(_ written: WrittenURL, _ subject: borrowing URLSubject) {
    guard let credentials = written.credentials, subject.hadCredentials else { return }
    let name = credentials.prefix { $0 != ":" }
    if !name.isEmpty { notes.append("the user name \(String(name).shown) is no part of the host") }
    if name.count + 1 < credentials.count { notes.append("a password stands before the `@`") }
  }

  private mutating func noteHost(_ written: WrittenURL, _ judged: borrowing URLRecord) {
    let given = written.host.lowercased()
    let host = judged.hostname
    guard given != host, !written.host.isEmpty else { return }
    if given == host + "." {
      notes.append("the dot behind the host was dropped")
    } else if judged.hostKind == .ipv4 || judged.hostKind == .ipv6 {
      notes.append("the host \(String(written.host).shown) is the address \(host.shown)")
    } else {
      notes.append("the host \(String(written.host).shown) is read as \(host.shown)")
    }
  }

  private mutating func notePath(_ written: WrittenURL, _ judged: borrowing URLRecord) {
    let path = String(written.rest.prefix { $0 != "?" && $0 != "#" })
    if written.isOfNetwork, path.contains("\\") { notes.append("`\\` counts as `/`") }
    guard written.hasAuthority, path != judged.pathname, !path.isEmpty else { return }
    notes.append("the path \(path.shown) is read as \(judged.pathname.shown)")
  }

  private mutating func noteUnicode(_ judged: borrowing URLRecord) {
    guard judged.hostname.contains("xn--") else { return }
    if let text = domainToUnicode(judged.hostname) {
      if text != judged.hostname { notes.append("people see the host as \(text.shown)") }
    } else {
      notes.append("the host's punycode stands for no valid name")
    }
  }
}

/// The explanation of one URL as `classify --explain` prints it.
package struct ExplainedURL {
  private let explanation: RuleExplanation
  private let ruleSet: RuleSet

  init(_ explanation: RuleExplanation, of ruleSet: RuleSet) {
    self.explanation = explanation
    self.ruleSet = ruleSet
  }

  /// The lines below the one with the verdict, without their indent.
  package var lines: [String] {
    [reading] + explanation.reading.notes + explanation.missed.map { "\(name($0.rule)): \($0.words)" } + others
      + [answer].compactMap(\.self) + consequences
      + explanation.hidden.map { "\(name($0.rule)): \($0.words)" } + more(explanation.hiddenMore, "match, too")
      + explanation.monitored.map { "\(name($0.rule)): \($0.words)" } + changes + [carried].compactMap(\.self)
  }

  private var carried: String? {
    explanation.wrapped.map { "it carries the address \($0.quoted), which is judged by itself when that loads" }
  }

  private var reading: String {
    guard let judged = explanation.reading.judged else { return "no URL is judged" }
    return judged == explanation.question.url ? "judged as it is given" : "judged: \(Self.whole(judged))"
  }

  private var others: [String] {
    let count = explanation.otherCount
    let word = explanation.missed.isEmpty ? "rule" : "other rule"
    let others = count == 0 ? [] : ["\(Self.count(count, word)) did not come near"]
    return more(explanation.missedMore, "came near, too") + others
  }

  private func more(_ count: Int, _ what: String) -> [String] {
    count == 0 ? [] : ["\(Self.count(count, "more rule")) \(what)"]
  }

  private static func count(_ number: Int, _ word: String) -> String { "\(number) \(word)\(number == 1 ? "" : "s")" }

  private var answer: String? {
    guard let verdict = explanation.verdict, let deciding = explanation.deciding else { return nil }
    guard explanation.reading.judged != nil else { return deciding }
    return "\(verdict.verdict.name) by \(answerer(verdict)): \(deciding)"
  }

  private var consequences: [String] {
    guard let rule = explanation.verdict?.rule.map({ ruleSet[$0] }) else { return [] }
    let then = rule.then == .none ? nil : "then: \(rule.then.rawValue)"
    return [then, rule.message.map { "message: \(Self.whole($0))" }].compactMap(\.self)
  }

  private var changes: [String] {
    let changes = explanation.changes.map { "\($0.words) it would be \(outcome($0.verdict))" }
    let rules = explanation.ruleChange.map { ["\(words($0.kind)) it would be \(outcome($0.verdict))"] } ?? []
    let all = changes + rules
    return all.isEmpty ? ["no small change was found that flips the answer"] : all.map { "nearest change: " + $0 }
  }

  private func words(_ kind: RuleChange.Kind) -> String {
    switch kind {
    case .removed(let rule): "without \(name(rule))"
    case .moved(let rule, let next): "with \(name(rule)) above \(name(next))"
    }
  }

  private func outcome(_ verdict: RuleVerdict) -> String { "\(verdict.verdict.name) by \(answerer(verdict))" }

  /// The rule or the default behind a verdict, with its place.
  private func answerer(_ verdict: RuleVerdict) -> String {
    verdict.rule.map(name) ?? "default" + (ruleSet.defaultLocation.isEmpty ? "" : " (\(ruleSet.defaultLocation))")
  }

  private func name(_ number: RuleNumber) -> String {
    let rule = ruleSet[number]
    return "rule \(rule.id.quoted)" + (rule.location.isEmpty ? "" : " (\(rule.location))")
  }

  private static func whole(_ text: String) -> String { "`\(text)`" }
}

// MARK: JSON

extension ExplainedURL {
  /// The members beside those that `classify` writes without being asked to explain.
  var json: JSONTree {
    var members: [JSONTree.Member] = [
      .init("reading", .array(explanation.reading.notes.map(JSONTree.string))),
      .init("missed", .array(explanation.missed.map(json))),
      .init("missedMore", .int(Int64(explanation.missedMore))),
      .init("others", .int(Int64(explanation.otherCount))),
    ]
    if let deciding = explanation.deciding { members.append(.init("why", .string(deciding))) }
    if let rule = explanation.verdict?.rule.map({ ruleSet[$0] }) {
      if rule.then != .none { members.append(.init("then", .string(rule.then.rawValue))) }
      if let message = rule.message { members.append(.init("message", .string(message))) }
    }
    members += [
      .init("hidden", .array(explanation.hidden.map(json))), .init("hiddenMore", .int(Int64(explanation.hiddenMore))),
      .init("monitored", .array(explanation.monitored.map(json))),
      .init("changes", .array(explanation.changes.map(json))),
    ]
    if let change = explanation.ruleChange { members.append(.init("ruleChange", json(change))) }
    if let wrapped = explanation.wrapped { members.append(.init("carries", .string(wrapped))) }
    return .object(members)
  }

  private func json(_ finding: RuleFinding) -> JSONTree {
    let rule = ruleSet[finding.rule]
    return ["rule": .string(rule.id), "ruleLocation": .string(rule.location), "why": .string(finding.words)]
  }

  private func json(_ change: QuestionChange) -> JSONTree {
    let question = change.question
    var members: [JSONTree.Member] = [.init("change", .string(change.words)), .init("url", .string(question.url))]
    if let from = question.from { members.append(.init("from", .string(from))) }
    if let document = question.document { members.append(.init("document", .string(document))) }
    if let hop = question.hop { members.append(.init("hop", .bool(hop))) }
    return .object(members + json(change.verdict))
  }

  private func json(_ change: RuleChange) -> JSONTree {
    .object([.init("change", .string(words(change.kind)))] + json(change.verdict))
  }

  private func json(_ verdict: RuleVerdict) -> [JSONTree.Member] {
    let rule = verdict.rule.map { ruleSet[$0] }
    return [
      .init("verdict", .string(verdict.verdict.name)), .init("rule", .string(rule?.id ?? "default")),
      .init("ruleLocation", .string(rule?.location ?? ruleSet.defaultLocation)),
    ]
  }
}
