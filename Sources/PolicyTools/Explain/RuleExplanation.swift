package import GuardModel
package import URLRules
internal import URLStandard

/// The reasons for a rule set's answer on one URL.
///
///     RuleExplainer(ruleSet).explain(RuleQuestion(url: "http://mail.contoso.com/")).missed[0].words
///     // needs scheme `https`, this is `http`
package struct RuleExplanation: Sendable, Hashable {
  package let question: RuleQuestion
  /// The reading of the text.
  package let reading: URLExplanation
  /// The rule set's answer; nil when the text is no URL.
  package let verdict: RuleVerdict?
  /// The match of the rule that answers, or the reason for the default.
  package internal(set) var deciding: String?
  /// The rules before it that came near, each with the first thing that kept it from matching; in the order of the
  /// file.
  package internal(set) var missed: [RuleFinding] = []
  /// Rules that came near and are not among `missed`, since there are too many.
  package internal(set) var missedMore = 0
  /// The other rules that were before it, and did not come near.
  package internal(set) var otherCount = 0
  /// Rules that match, or may match, and do not answer, in the order of the file.
  package internal(set) var hidden: [RuleFinding] = []
  package internal(set) var hiddenMore = 0
  /// Rules that match, or may match, and are passed over since they only monitor.
  package internal(set) var monitored: [RuleFinding] = []
  /// The nearest changes of URL and context that flip the verdict, the nearest first. Each was asked.
  package internal(set) var changes: [QuestionChange] = []
  /// The nearest change of the rules that flips it. It was asked, too.
  package internal(set) var ruleChange: RuleChange?
  /// Another page's address that the URL carries; nil when none was found.
  package internal(set) var wrapped: String?

  init(_ question: RuleQuestion, _ reading: URLExplanation, _ verdict: RuleVerdict?) {
    self.question = question
    self.reading = reading
    self.verdict = verdict
  }
}

/// One rule, and the finding about it.
package struct RuleFinding: Sendable, Hashable {
  /// Its number in the rule set.
  package let rule: RuleNumber
  package let words: String
}

/// A change of the URL or its context, with the rule set's new answer.
package struct QuestionChange: Sendable, Hashable {
  /// To stand before "it would be …": ``with `https:` ``
  package let words: String
  package let question: RuleQuestion
  package let verdict: RuleVerdict
}

/// A change of the rules, with their new answer.
package struct RuleChange: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case removed(RuleNumber)
    case moved(RuleNumber, before: RuleNumber)
  }

  package let kind: Kind
  /// The numbers in it are those of the unchanged rule set.
  package let verdict: RuleVerdict
}

/// One small change of a question: of its URL, or of how it was reached.
enum QuestionEdit: Hashable {
  case dropCredentials
  case scheme(String)
  case port(UInt16?)
  /// A `/` at the end of the path is added, or taken away.
  case slash(Bool)
  case lowerPath
  case dropQuery
  case path(String)
  case host(String)
  case hop(Bool)
  case from(String)
  case purpose(String, Purposes)
  /// The viewer shows this very URL.
  case document
  case url(String)
  /// A scheme stands before the whole text.
  case prefix(String)

  /// To stand before "it would be …".
  var words: String {
    switch self {
    case .dropCredentials: "without what stands before the `@`"
    case .scheme(let name): "with \((name + ":").shown)"
    case .port(nil): "without the port"
    case .port(let port?): "with port \(port)"
    case .slash(let isAdded): "\(isAdded ? "with" : "without") `/` at the end of the path"
    case .lowerPath: "with the path in lower case"
    case .dropQuery: "without the query"
    case .path(let path): "with the path \(path.shown)"
    case .host(let host): "with the host \(host.shown)"
    case .hop(let isHop): isHop ? "as a redirect of a server" : "without being a redirect"
    case .from(let page): "coming from \(page.shown)"
    case .purpose(let name, _): "for `\(name)`"
    case .document: "as the document that the viewer shows"
    case .url(let href): "with \(href.shown) in its place"
    case .prefix(let text): "with \(text.shown) in front"
    }
  }
}

/// A question in parts, to change some of them.
struct QuestionDraft: Hashable {
  private var original: RuleQuestion
  /// Nil for a text that is no URL of the web, or was made by a page: then only the whole of it can be changed.
  private var parts: WebParts?

  init(_ question: RuleQuestion, _ input: MatchInput) {
    original = question
    parts = WebParts(input.url)
  }

  /// The question that the draft comes to.
  var question: RuleQuestion {
    var question = original
    if let parts { question.url = parts.href }
    return question
  }

  /// The draft with a change made; nil when the change changes nothing, or cannot be made.
  func with(_ edit: QuestionEdit) -> QuestionDraft? {
    var draft = self
    switch edit {
    case .hop(let isHop): draft.original.hop = isHop
    case .from(let page): draft.original.from = page
    case .purpose(_, let purpose): draft.original.purpose = purpose
    case .document: draft.original.document = question.url
    case .url(let href):
      draft.original.url = href
      draft.parts = nil
    case .prefix(let text): draft.original.url = text + WrittenURL(original.url).cleaned
    default: draft.parts?.make(edit)
    }
    return draft == self ? nil : draft
  }
}

/// A judged URL of the web in parts.
struct WebParts: Hashable {
  private(set) var scheme: String
  private(set) var host: String
  private(set) var port: UInt16?
  private(set) var path: String
  private(set) var query: String
  private(set) var hasCredentials: Bool

  /// Nil for a URL that is not of the web, or that is judged only as the page that made it.
  init?(_ subject: borrowing URLSubject) {
    let judged = subject.judged
    guard subject.kind == .url, judged.isWeb, !subject.isOfMaker else { return nil }
    scheme = judged.schemeName
    host = judged.hostname
    port = judged.portNumber
    path = judged.pathname
    query = judged.search
    hasCredentials = subject.hadCredentials
  }

  /// Rules see of credentials only that there were some.
  var href: String {
    "\(scheme)://\(hasCredentials ? "user@" : "")\(host)\(port.map { ":\($0)" } ?? "")\(path)\(query)"
  }

  mutating func make(_ edit: QuestionEdit) {
    switch edit {
    case .dropCredentials: hasCredentials = false
    case .scheme(let name): scheme = name
    case .port(let number): port = number
    case .slash(true): if !path.hasSuffix("/") { path += "/" }
    case .slash(false): if path.count > 1, path.hasSuffix("/") { path.removeLast() }
    case .lowerPath: path = path.lowercased()
    case .dropQuery: query = ""
    case .path(let other): path = other
    case .host(let other): host = other
    case .hop, .from, .purpose, .document, .url, .prefix: break
    }
  }
}

extension URLSubject {
  /// The URL is judged as the page that made it: the written text holds nothing of the judged URL.
  var isOfMaker: Bool {
    guard asRead.scheme == .other else { return false }
    guard kind == .url, let scheme = URLExplanation.innermost(WrittenURL(asRead.href)).written.scheme else {
      return kind == .url
    }
    let judgedScheme = ["ws": "http", "wss": "https"][scheme] ?? scheme
    return judgedScheme != judged.schemeName
  }
}
