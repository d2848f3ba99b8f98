internal import PolicyFiles
internal import URLRules

extension Lint {
  /// A rule set without tests. The hint is the first one to write.
  static let untested = Lint(.noTests) { rules in
    guard rules.tests.tests.isEmpty else { return [] }
    let rule = rules.inForce.first { linted in linted.questions.contains { rules.decides(linted, $0) } }
    let question = rule.flatMap { linted in linted.questions.first { rules.decides(linted, $0) } }
    let witness = question.flatMap(rules.witness)
    let name = rules.ruleSet.name.quoted
    return [
      Diagnostic(
        .warning, .noTests, at: rules.wholeFile, "nothing tests \(name)",
        hint: witness.map { "begin with `tests: [\($0.asTest)]`" } ?? "add `tests` with URLs and what they must be",
        witness: witness)
    ]
  }

  /// A rule set that is too slow to be linted as a whole.
  static let leftOut = Lint(.notLinted) { rules in
    guard rules.leftOut > 0 else { return [] }
    let residual = rules.ruleSet.residualCount
    return [
      Diagnostic(
        .warning, .notLinted, at: rules.wholeFile,
        "the last \(rules.leftOut) rules of \(rules.ruleSet.name.quoted) were not looked at",
        hint: residual > 0
          ? "\(residual) rules are asked for every URL; give them a `domain`, a `host` or a `url`"
          : "check parts of it as rule sets of their own")
    ]
  }

  /// Patterns that must be run on every URL, one by one.
  static let alwaysChecked = Lint(.alwaysChecked) { rules in
    let numbers = Set(rules.ruleSet.alwaysCheckedRules)
    return rules.inForce.filter { numbers.contains($0.number) }.map { linted in
      rules.finding(
        .alwaysChecked, linted, "has a pattern that cannot be searched for, so it is tried on every URL",
        hint: "name a `host` or `domain` beside it, or let it hold a few letters in a row",
        linted.questions.first.flatMap(rules.witness))
    }
  }

  /// A list of an internal rule and one of an external rule that hold the same hosts.
  static let listOverlap = Lint(.listOverlap) { rules in
    var uses: [HostListNumber: [ListUser]] = [:]
    for linted in rules.inForce {
      for case .list(let list, let file) in linted.rule.condition.positiveMatchers {
        uses[list, default: []].append(ListUser(linted: linted, file: file))
      }
    }
    let inner = Set(uses.filter { $0.value.contains { $0.linted.isInternal } }.keys)
    let outer = Set(uses.filter { $0.value.contains { !$0.linted.isInternal } }.keys)
    return rules.ruleSet.lists.overlaps(of: inner, with: outer, hosts: 3).compactMap { overlap in
      guard let internalUse = uses[overlap.one]?.first(where: { $0.linted.isInternal }),
        let externalUse = uses[overlap.other]?.first(where: { !$0.linted.isInternal })
      else { return nil }
      return finding(overlap, internalUse, externalUse, rules)
    }
  }

  private struct ListUser {
    let linted: LintedRule
    let file: String
  }

  private static func finding(
    _ overlap: ListOverlap, _ one: ListUser, _ other: ListUser, _ rules: LintedRules
  ) -> Diagnostic? {
    let (first, second) = one.linted.number < other.linted.number ? (one, other) : (other, one)
    let question = overlap.hosts.first.map { RuleQuestion(url: "https://\($0)/") }
    guard let witness = question.flatMap(rules.witness) else { return nil }
    let more = overlap.count > overlap.hosts.count ? " and \(overlap.count - overlap.hosts.count) more" : ""
    return rules.finding(
      .listOverlap, second.linted,
      "takes \(overlap.hosts.quotedList)\(more) by \(second.file.quoted), as \(first.linted.rule.id.quoted) before it "
        + "does by \(first.file.quoted)",
      hint: "where both hold the rule that comes first decides; remove them from one list when that is not meant",
      witness)
  }
}

extension Witness {
  /// As a test of a rule file.
  fileprivate var asTest: String {
    let from = question.from.map { ", from: \"\($0)\"" } ?? ""
    let document = question.document.map { ", document: \"\($0)\"" } ?? ""
    let hop = question.hop == true ? ", hop: true" : ""
    return
      "{ url: \"\(question.url)\"\(document)\(from)\(hop), expect: \(isInternal ? "internal" : "external"), rule: \(rule) }"
  }
}

extension Lint {
  /// An internal rule for a host that shows any page its user asks for: through it every page is internal (ledger
  /// WV-30, WT-16).
  ///
  /// A rule for all hosts is told by others.
  static let indirectReach = Lint(.indirectReach) { rules in
    let everything = rules.internalWitness(RuleQuestion(url: "https://somebody-else.example/"))?.rule
    var told: Set<String> = []
    return IndirectHost.all.compactMap { known in
      guard let witness = rules.internalWitness(RuleQuestion(url: "https://\(known.host)/")),
        witness.rule != everything,
        let linted = rules.inForce.first(where: { $0.rule.id == witness.rule }), told.insert(linted.rule.id).inserted
      else { return nil }
      return rules.finding(
        .indirectReach, linted, "takes \(known.host.quoted), \(known.kind.words)",
        hint: "leave such hosts out, or name what of them is yours by its path; where pages load in place, block them",
        witness)
    }
  }
}

/// A host by which other pages are reached.
private struct IndirectHost {
  enum Kind {
    case search
    case translator
    case archive
    case proxy

    var words: String {
      switch self {
      case .search: "a search engine, which leads everywhere and shows parts of pages itself"
      case .translator: "a translator, which shows every page under its own name"
      case .archive: "an archive, which shows every page under its own name"
      case .proxy: "a proxy on a web page, which shows every page under its own name"
      }
    }
  }

  let host: String
  let kind: Kind

  /// The addresses under which these services tell people to use them; no list has all. Google Translate shows a page
  /// `www.contoso.com` as `www-contoso-com.translate.goog`, Bing's translator shows pages below `translatoruser.net`.
  static let all: [IndirectHost] =
    hosts(
      .search, "www.google.com", "www.bing.com", "duckduckgo.com", "search.yahoo.com", "search.brave.com",
      "www.startpage.com", "www.ecosia.org", "yandex.com", "www.baidu.com")
    + hosts(
      .translator, "translate.google.com", "www-contoso-com.translate.goog", "www.translatoruser.net",
      "translate.yandex.com", "www.deepl.com")
    + hosts(
      .archive, "web.archive.org", "archive.today", "archive.ph", "archive.is", "webcache.googleusercontent.com",
      "cdn.ampproject.org")
    + hosts(.proxy, "www.proxysite.com", "www.croxyproxy.com", "hidester.com")

  private static func hosts(_ kind: Kind, _ hosts: String...) -> [IndirectHost] {
    hosts.map { IndirectHost(host: $0, kind: kind) }
  }
}
