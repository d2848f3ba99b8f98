import GuardModel
import TestSupport
import URLRules
import URLStandard

extension MatchInput {
  /// An input of texts; what is nil is not known.
  init(_ url: String, from: String? = nil, document: String? = nil, hop: Bool? = nil, purposes: Purposes = .page) {
    self.init()
    self.url.read(url)
    if let from { self.from.read(from) }
    if let document {
      var subject = URLSubject()
      subject.read(document)
      if subject.kind == .url { self.document = subject.judged }
    }
    self.hop = Ternary(hop)
    self.purposes = purposes
  }

  /// Whether `condition` holds, with a budget of its own.
  func truth(of condition: Condition) -> Ternary {
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: url.judged.bytes.count)
    return truth(of: condition, runner)
  }
}

extension RuleSet {
  func verdict(on input: MatchInput) -> RuleVerdict {
    let runner = RegexRunner()
    runner.beginDecision(subjectBytes: input.url.judged.bytes.count)
    return verdict(on: input, runner)
  }
}

extension Condition {
  static func domain(_ name: String) -> Condition { .domain(Array(name.utf8)) }
  static func host(_ name: String) -> Condition { .host(Array(name.utf8)) }
  static func url(_ href: String) -> Condition { .url(Array(href.utf8)) }
  static func scheme(_ name: String) -> Condition { .scheme(Array(name.utf8)) }
}
