internal import PolicyFiles
internal import URLRules
internal import URLStandard

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

extension Lint {
  /// An external rule for a path, below a host that is internal otherwise, which another spelling of the path passes by.
  ///
  /// Each spelling is one that many servers take for the same page.
  static let evadedPath = Lint(
    .evadedPath,
    eachRule: { linted, rules in
      guard !linted.isInternal, linted.rule.condition.namesPath else { return [] }
      for question in linted.questions where rules.decides(linted, question) {
        guard let parts = question.webParts else { continue }
        let ways = PathSpelling.allCases.compactMap { spelling -> (PathSpelling, Witness)? in
          guard let path = spelling.path(parts.path, query: parts.query), let other = question.with(path: path) else {
            return nil
          }
          return rules.internalWitness(other).map { (spelling, $0) }
        }
        guard let first = ways.first else { continue }
        let words = ways.map { $0.0.rawValue }.joined(separator: ", ")
        return [
          rules.finding(
            .evadedPath, linted, "is passed by with \(words)",
            hint: "make an exception of a host, which has one spelling only; or call internal what is known to be",
            first.1)
        ]
      }
      return []
    })
}

/// Another way to write a path.
private enum PathSpelling: String, CaseIterable {
  case encoded = "an encoded letter"
  case doubledSlash = "a doubled slash"
  case encodedStep = "`/x/..%2F`"
  case upperCase = "another case"
  case slash = "a slash at the end"
  case parameter = "`;x`"
  case query = "a query"

  /// The path in this spelling, to stand before the query; nil when it has none.
  func path(_ path: String, query: String) -> String? {
    switch self {
    case .encoded:
      guard let place = path.utf8.lastIndex(where: Self.isLetter) else { return nil }
      let byte = String(path.utf8[place], radix: 16, uppercase: true)
      return path[..<place] + "%\(byte)" + path[path.utf8.index(after: place)...]
    case .doubledSlash:
      guard path.utf8.count > 1, let place = path.dropLast().lastIndex(of: "/") else { return nil }
      return path[..<place] + "/" + path[place...]
    case .encodedStep: return path.utf8.count > 1 ? "/x/..%2F" + path.dropFirst() : nil
    case .upperCase:
      guard let place = path.utf8.lastIndex(where: Self.isLetter) else { return nil }
      let letter = String(decoding: [path.utf8[place] ^ 0x20], as: UTF8.self)
      return path[..<place] + letter + path[path.utf8.index(after: place)...]
    case .slash: return path.hasSuffix("/") ? nil : path + "/"
    case .parameter: return path + ";x"
    case .query: return query.isEmpty ? path + "?x" : nil
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
}

extension Condition {
  /// Some matcher in it looks at more than the host.
  fileprivate var namesPath: Bool {
    positiveMatchers.contains { matcher in
      switch matcher {
      case .url, .regex, .pattern, .filter: true
      default: false
      }
    }
  }
}

extension Lint {
  /// An internal rule that takes `http:` beside `https:`, and does not say so.
  ///
  /// `scheme: [http, https]` says so, and so do `^https?://` and `http{s}?://`: an author who wrote the letter out
  /// meant it. Traffic to an address of this machine meets no attacker on the way.
  static let plainHTTP = Lint(
    .plainHTTP,
    eachRule: { linted, rules in
      guard linted.isInternal else { return [] }
      let meant = linted.rule.condition.positiveMatchers.filter(\.namesHTTP)
      var found: RuleQuestion?
      let questions = linted.questions.filter(\.isSecure) + linted.questions.filter { !$0.isSecure }
      for question in questions where rules.decides(linted, question) {
        guard let parts = question.webParts, !isThisMachine(parts.host) else { continue }
        let plain = question.isSecure ? question.with(scheme: "http") : question
        let other = question.isSecure ? plain : question.with(scheme: "https")
        guard let plain, let other, rules.decides(linted, other) else { continue }
        guard !meant.contains(where: RuleProbe(plain, rules.asker).holds) else { continue }
        if let port = question.with(scheme: "http", port: 8080), rules.decides(linted, port) {
          return [finding("takes `http:` on every port", linted, rules, port)]
        }
        found = found ?? plain
      }
      return found.map { [finding("takes `http:`", linted, rules, $0)] } ?? []
    })

  private static func finding(
    _ words: String, _ linted: LintedRule, _ rules: LintedRules, _ question: RuleQuestion
  ) -> Diagnostic {
    rules.finding(
      .plainHTTP, linted, "\(words), which anybody on the way can write",
      hint: "add `scheme: https`, or `scheme: [http, https]` when it is meant", rules.witness(question))
  }

  private static func isThisMachine(_ host: String) -> Bool {
    host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" || host.hasPrefix("127.")
  }
}

extension Condition {
  /// A matcher that says `http:`, alone or among others.
  fileprivate var namesHTTP: Bool {
    switch self {
    case .scheme(let name): name == Array("http".utf8)
    case .url(let href): href.starts(with: "http:".utf8)
    case .pattern(let pattern): pattern.namesHTTP
    case .regex(let regex): regex.samples.contains { $0.isAnchored && $0.text.hasPrefix("http:") }
    default: false
    }
  }
}

extension RuleQuestion {
  fileprivate var isSecure: Bool { webParts?.scheme == "https" }
}

extension URLPattern {
  /// Its scheme is written out: `http{s}?` and `(http|https)`, and neither `*` nor `http*`.
  fileprivate var namesHTTP: Bool {
    let scheme = text(of: .protocol)
    return scheme.drop { $0 == "(" }.hasPrefix("http") && !scheme.contains("*")
  }
}

extension LintedRules {
  /// Whether two hosts are of one registrable domain.
  func areOneSite(_ host: String, _ other: String) -> Bool {
    guard let one = URLRecord("https://\(host)/"), let two = URLRecord("https://\(other)/") else { return false }
    return suffixes.areSameSite(one, two)
  }
}
