internal import GuardModel
internal import PolicyFiles
internal import URLRules
internal import URLStandard

/// Writes tests for a rule set, each of which passes: it states the answer.
struct TestSuggestions {
  private let asker: RuleAsker
  private let location: SourceLocation
  private let witness: RuleWitness

  init(_ tests: RuleSetTests) {
    asker = RuleAsker(tests.ruleSet)
    location = SourceLocation(file: tests.file)
    witness = RuleWitness(asker)
  }

  /// A test that the rule decides; nil stands for the default.
  func step(decidedBy rule: RuleNumber?) -> RuleTestStep? {
    witness.question(decidedBy: rule).map(step)
  }

  /// A test that the rule decides because of one of its values.
  func step(decidedBy rule: RuleNumber, using value: RuleValue) -> RuleTestStep? {
    witness.question(decidedBy: rule, using: value).map(step)
  }

  /// A test that states the answer to a question.
  func step(_ question: RuleQuestion) -> RuleTestStep {
    guard let answer = asker.verdict(of: question) else {
      return RuleTestStep(question: question, expect: .invalidURL, location: location)
    }
    let id = answer.rule.map { asker.ruleSet[$0].id } ?? RuleTestStep.defaultRule
    return RuleTestStep(
      question: question, expect: answer.verdict == .internal ? .internal : .external, rule: id, location: location)
  }
}

extension RuleTestStep {
  /// The step as a line of `tests:` in a rule file, without the `-` before it.
  ///
  ///     { url: "https://login.example/", from: "https://contoso.com/", expect: internal, rule: sso }
  ///
  /// `at` is left out: a step that needs it cannot be written without a place for a time.
  package var yaml: String {
    var members = ["url: \(question.url.yamlQuoted)"]
    if let document = question.document { members.append("document: \(document.yamlQuoted)") }
    if let from = question.from { members.append("from: \(from.yamlQuoted)") }
    if question.hop == true { members.append("hop: true") }
    if question.purpose != .page { members.append("for: \(question.purpose.yaml)") }
    members.append("expect: \(expect.rawValue)")
    if let rule { members.append("rule: \(rule.yamlWord)") }
    return "{ \(members.joined(separator: ", ")) }"
  }
}

extension Purposes {
  fileprivate var yaml: String {
    let names = Self.names.filter { contains($0.purpose) }.map(\.name)
    return names.count == 1 ? names[0] : "[\(names.joined(separator: ", "))]"
  }
}

extension String {
  /// The text in double quotes, in ASCII: characters that a terminal or an editor might show otherwise are escaped.
  fileprivate var yamlQuoted: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case " "..."~": text.unicodeScalars.append(scalar)
      default: text += Self.escape(scalar.value)
      }
    }
    return text + "\""
  }

  private static func escape(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    let (mark, width) = value <= 0xFF ? ("x", 2) : value <= 0xFFFF ? ("u", 4) : ("U", 8)
    return "\\" + mark + String(repeating: "0", count: width - digits.utf8.count) + digits
  }

  /// The text as it is where YAML reads it as that text, else in quotes.
  fileprivate var yamlWord: String {
    let isPlain = utf8.allSatisfy { Self.isLetter($0) || "0123456789-_/.".utf8.contains($0) }
    let isWord = isPlain && utf8.first.map(Self.isLetter) == true && !Self.meaningful.contains(lowercased())
    return isWord ? self : yamlQuoted
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

  /// Words that are something else than text in some version of YAML.
  private static let meaningful: Set<String> = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
}

/// A URL in parts of text, to write neighbours of it that are not yet read as a browser reads them.
struct NeighbourURL {
  private(set) var scheme = ""
  private(set) var host = ""
  /// With its colon; empty for the scheme's own.
  private(set) var port = ""
  private(set) var path = ""
  /// With its `?`.
  private(set) var query = ""
  /// The host is a name, not an address.
  private(set) var isName = false
  private var address: IPAddress?

  /// No URL at all.
  init() {}

  /// Nil for a text without a host, and for one that is judged as another URL than the one written.
  init?(_ text: String) {
    var subject = URLSubject()
    subject.read(text)
    guard subject.kind == .url, !subject.hadCredentials else { return nil }
    let judged = subject.judged
    guard judged.hasAuthority, !judged.hostname.isEmpty, judged.scheme == subject.asRead.scheme else { return nil }
    scheme = String(judged.protocol.dropLast())
    host = judged.hostname
    port = judged.portNumber.map { ":\($0)" } ?? ""
    path = judged.pathname.isEmpty ? "/" : judged.pathname
    query = judged.search
    isName = judged.hostKind == .domain
    address = IPAddress(hostOf: judged)
  }

  private func text(
    scheme: String? = nil, host: String? = nil, port: String? = nil, path: String? = nil, query: String? = nil
  ) -> String {
    "\(scheme ?? self.scheme)://\(host ?? self.host)\(port ?? self.port)\(path ?? self.path)\(query ?? self.query)"
  }

  func with(scheme: String) -> String { text(scheme: scheme) }
  func with(host: String) -> String { text(host: host) }
  func with(port: String) -> String { text(port: port) }
  func with(path: String) -> String { text(path: path) }
  func with(query: String) -> String { text(query: query) }
  /// Another path, without the query.
  func only(path: String) -> String { text(path: path, query: "") }
}

extension NeighbourURL {
  /// The host above this one; nil for a name of one label.
  var parent: String? {
    guard let dot = host.firstIndex(of: ".") else { return nil }
    return String(host[host.index(after: dot)...])
  }

  /// The last two labels: another party might register a longer name with them.
  var lastLabels: String { host.split(separator: ".").suffix(2).joined(separator: ".") }

  /// The host with a letter of another script that looks the same, in punycode: `xn--…`.
  ///
  /// Source: Unicode Technical Standard 39, confusables, the Cyrillic ones of small Latin letters.
  var lookAlike: String? {
    let twins: [Character: Character] = [
      "o": "\u{43E}", "a": "\u{430}", "e": "\u{435}", "c": "\u{441}", "p": "\u{440}", "x": "\u{445}", "y": "\u{443}",
    ]
    guard let twin = replacingFirst(of: twins) else { return nil }
    return URLRecord("https://\(twin)/")?.hostname
  }

  /// The host with a digit that looks like the letter it stands for.
  var digitTwin: String? { replacingFirst(of: ["o": "0", "l": "1", "e": "3", "i": "1", "s": "5", "a": "4"]) }

  /// Replaces a letter of the labels before the last one, of which no twin can be registered. Punycode stays.
  private func replacingFirst(of twins: [Character: Character]) -> String? {
    let end = host.lastIndex(of: ".") ?? host.endIndex
    guard !host.contains("xn--"), let index = host[..<end].lastIndex(where: { twins[$0] != nil }) else { return nil }
    guard let twin = twins[host[index]] else { return nil }
    return host[..<index] + String(twin) + host[host.index(after: index)...]
  }

  /// An IPv4 address as browsers also read it: `2130706433` for `127.0.0.1`.
  var number: String? {
    guard let address, !address.isIPv6 else { return nil }
    return String(UInt32(truncatingIfNeeded: address.bits))
  }

  /// An IPv4 address inside an IPv6 one: `[::ffff:127.0.0.1]`.
  var mapped: String? {
    guard let address, !address.isIPv6 else { return nil }
    return "[::ffff:\(address)]"
  }

  /// The path with its last slash percent-encoded; one more behind the first where that is the only one.
  var encodedSlash: String {
    guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/%2F" + path.dropFirst() }
    return path[..<slash] + "%2F" + path[path.index(after: slash)...]
  }

  /// The path with its first letter percent-encoded.
  var encodedLetter: String? {
    guard let index = path.firstIndex(where: { $0.isASCII && $0.isLetter }), !path[..<index].contains("%"),
      let value = path[index].asciiValue
    else { return nil }
    return path[..<index] + "%" + String(value, radix: 16) + path[path.index(after: index)...]
  }
}
