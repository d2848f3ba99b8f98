internal import PolicyFiles
internal import URLRules

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
