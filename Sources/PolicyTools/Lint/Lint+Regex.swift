internal import PolicyFiles
internal import URLRules

extension Lint {
  /// A regex of an internal rule that is found in URLs of others.
  ///
  /// Each weakness is tried: a URL that matches is changed as an attacker would change it, and the rule set is asked.
  static let looseRegex = Lint(
    .regexDot, .regexAnchor, .regexHost, .regexScheme,
    eachRule: { linted, rules in
      guard linted.isInternal else { return [] }
      return linted.rule.condition.positiveMatchers.compactMap { matcher in
        guard case .regex(let regex) = matcher else { return nil }
        return regex.samples.lazy.compactMap { LooseRegex(regex, $0, linted, rules).finding }.first
      }
    })
}

/// One pattern with a text that it matches, and how it can be deceived.
private struct LooseRegex {
  private let regex: Regex
  private let sample: RegexSample
  private let linted: LintedRule
  private let rules: LintedRules

  init(_ regex: Regex, _ sample: RegexSample, _ linted: LintedRule, _ rules: LintedRules) {
    self.regex = regex
    self.sample = sample
    self.linted = linted
    self.rules = rules
  }

  private var text: String { sample.text }

  /// The gravest weakness; the others show when it is gone.
  var finding: Diagnostic? { anchor ?? host ?? dot ?? scheme }

  /// The question of the rule's own sample with another URL, when the rule itself then answers `internal`.
  private func witness(_ url: String) -> Witness? {
    var question = linted.questions.first ?? RuleQuestion(url: url)
    question.url = url
    guard rules.decides(linted, question) else { return nil }
    return rules.internalWitness(question)
  }

  private func finding(_ code: Diagnostic.Code, _ message: String, hint: String, _ witness: Witness) -> Diagnostic {
    rules.finding(code, linted, "has the regex \(regex.pattern.quoted) \(message)", hint: hint, witness)
  }

  private var anchor: Diagnostic? {
    let urls = ["https://evil.example/?\(text)", "https://evil.example/\(text)", "https://\(text).evil.example/"]
    guard let witness = urls.lazy.compactMap(witness).first else { return nil }
    return finding(
      .regexAnchor, "that is found behind any host", hint: "begin it with `^https://` and the host, up to its `/`",
      witness)
  }

  private var host: Diagnostic? {
    guard let base = RuleQuestion(url: text).webParts else { return nil }
    let hosts = ["\(base.host).evil.example", "evil\(base.host)"]
    let urls = hosts.filter { !isOwn($0, as: base.host) }.map { "\(base.scheme)://\($0)\(base.path)\(base.query)" }
    guard let witness = urls.lazy.compactMap(witness).first else { return nil }
    return finding(
      .regexHost, "that does not end or begin with the host",
      hint: "begin the host behind `://` or `[.]` and end it with `/`; or name it with `host` beside the regex", witness
    )
  }

  private var dot: Diagnostic? {
    guard let base = RuleQuestion(url: text).webParts else { return nil }
    for place in sample.dots {
      var changed = Array(text.utf8)
      changed[place] = UInt8(ascii: "x")
      let url = String(decoding: changed, as: UTF8.self)
      guard let parts = RuleQuestion(url: url).webParts, parts.host != base.host, !isOwn(parts.host, as: base.host),
        let witness = witness(url)
      else { continue }
      return finding(.regexDot, "with a `.` that takes any letter", hint: "write `[.]`", witness)
    }
    return nil
  }

  private var scheme: Diagnostic? {
    guard let colon = text.firstIndex(of: ":"), text.utf8.starts(with: "http".utf8) else { return nil }
    guard let witness = witness("httpx\(text[colon...])") else { return nil }
    return finding(.regexScheme, "that takes schemes which only begin with `http`", hint: "write `^https://`", witness)
  }

  /// Whether both hosts are of one registrable domain: one owner has both.
  private func isOwn(_ host: String, as other: String) -> Bool { rules.areOneSite(host, other) }
}
