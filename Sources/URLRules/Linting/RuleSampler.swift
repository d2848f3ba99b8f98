internal import GuardModel
internal import URLStandard

/// Makes questions that a rule certainly answers, were it alone.
///
///     internal: { domain: contoso.com, from: { host: a.example } }
///       ->  https://contoso.com/ from https://a.example/
///
/// Every question was asked. Of a rule that is too hard to read, as with a list or a clever pattern, there is none.
package struct RuleSampler {
  private let asker: RuleAsker

  /// So many values of a list are tried.
  private static let maximumVariants = 3

  package init(_ asker: RuleAsker) { self.asker = asker }

  /// Questions for the first values of the rule's matchers.
  package func questions(for rule: Rule) -> [RuleQuestion] {
    let groups = rule.condition.conjuncts.map(\.alternatives)
    guard let purpose = Purposes.names.lazy.map(\.purpose).first(where: rule.purposes.contains) else { return [] }
    let most = groups.map(\.count).max() ?? 0
    var found: [RuleQuestion] = []
    for variant in 0..<min(Self.maximumVariants, max(1, most)) {
      for sub in ["", "www."] {
        guard var question = Self.question(groups, variant, sub: sub) else { continue }
        question.purpose = purpose
        guard !found.contains(question), asker.answer(of: rule, to: question) == .yes else { continue }
        found.append(question)
      }
    }
    return found
  }

  /// A question that may fulfil one value of each group.
  private static func question(_ groups: [[Condition]], _ variant: Int, sub: String) -> RuleQuestion? {
    var draft = SampleDraft(sub: sub)
    for group in groups where !group.isEmpty { draft.add(group[variant % group.count]) }
    return draft.question
  }
}

/// A question while it is put together.
private struct SampleDraft {
  /// What stands before the host of a domain.
  let sub: String
  private var scheme: String?
  private var host: String?
  private var port: UInt16?
  private var rest = "/"
  private var whole: String?
  private var wantsDocument = false
  private var from: String?
  private var hop: Bool?

  init(sub: String) { self.sub = sub }

  /// Takes over what a condition needs, as far as it is simple.
  mutating func add(_ condition: Condition) {
    switch condition {
    case .all(let parts): for part in parts { add(part) }
    case .any(let parts): if let part = parts.first { add(part) }
    case .domain(let name): host = (HostShape.isAddress(name) ? "" : sub) + Self.text(name)
    case .host(let name): host = Self.text(name)
    case .url(let href): whole = Self.text(href)
    case .scheme(let name): scheme = Self.text(name)
    case .port(let number): port = number
    case .network(let network): host = network.base.isIPv6 ? "[\(network.base)]" : "\(network.base)"
    case .regex(let regex): if let sample = RegexText.all(of: regex).first { add(Self.text(sample.text)) }
    case .pattern(let pattern): add(pattern)
    case .filter(let filter): add(filter.components)
    case .same, .sameSite: wantsDocument = true
    case .from(let part):
      var page = SampleDraft(sub: sub)
      page.add(part)
      from = page.question?.url
    case .hop(let wanted): hop = wanted
    case .list, .filters, .not: break
    }
  }

  /// A text that a pattern matches: a whole URL, or a piece of one.
  private mutating func add(_ text: String) {
    if text.utf8.starts(with: "http".utf8), text.contains("://") { whole = text } else { rest = "/" + text }
  }

  private mutating func add(_ pattern: URLPattern) {
    switch pattern.keys?.first {
    case .url(let href): whole = Self.text(href)
    case .host(let name, let below, let path):
      host = (below ? sub.isEmpty ? "www." : sub : "") + Self.text(name)
      rest = path.isEmpty ? "/" : Self.text(path)
    default: break
    }
    let scheme = pattern.text(of: .protocol)
    if scheme.utf8.allSatisfy({ (0x61...0x7A).contains($0) }), !scheme.isEmpty { self.scheme = scheme }
    if let number = UInt16(pattern.text(of: .port)) { port = number }
  }

  private mutating func add(_ filter: FilterComponents) {
    if !filter.scheme.isEmpty { scheme = Self.text(filter.scheme) }
    if !filter.host.isEmpty { host = Self.text(filter.host) }
    if filter.port != 0 { port = filter.port }
    rest = filter.path.isEmpty ? "/" : Self.text(filter.path)
    if !filter.query.isEmpty { rest += "?" + Self.text(filter.query) }
  }

  var question: RuleQuestion? {
    let scheme = scheme ?? (port == 80 ? "http" : "https")
    let port = port.map { ":\($0)" } ?? ""
    let url =
      whole ?? (scheme == "file" ? "file://\(host ?? "")\(rest)" : "\(scheme)://\(host ?? "any.example")\(port)\(rest)")
    return RuleQuestion(url: url, document: wantsDocument ? url : nil, from: from, hop: hop)
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
