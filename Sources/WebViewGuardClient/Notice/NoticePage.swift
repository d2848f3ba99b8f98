internal import Glibc
internal import GuardModel

/// One notice that is being written, as clients/notice/README.md says.
struct NoticePage {
  private let decision: GuardDecision
  private let organization: GuardOrganization?
  private let kind: NoticeKind
  private let code: String
  private let place: (host: String, address: String)
  private let sentence: String
  private let language: (tag: String, words: GuardValue)
  /// The link to the organisation's contact; empty for one of a scheme that no notice links to.
  private let contact: String
  private let links: [NoticeAction: String]

  init(
    _ decision: GuardDecision, url: String, languages: [String], organization: GuardOrganization?,
    links: [NoticeAction: String]
  ) {
    (self.decision, self.organization) = (decision, organization)
    (kind, code) = (decision.noticeKind, decision.noticeCode)
    place = NoticeText.address(url)
    sentence = decision.noticeSentence(in: languages)
    language = NoticeWords.spoken(by: languages)
    contact = NoticeText.contact(organization?.contactLink ?? "", code: code)
    self.links = Self.fitting(links, to: decision, contact: contact)
  }

  /// The links that say something about the decision.
  private static func fitting(
    _ links: [NoticeAction: String], to decision: GuardDecision, contact: String
  ) -> [NoticeAction: String] {
    var fitting = links.filter { !$0.value.isEmpty && ($0.key != .open || decision.open != nil) }
    if !contact.isEmpty, fitting[.exception] == nil { fitting[.exception] = contact }
    return fitting
  }

  var html: String {
    let words = NoticeWords.all
    let title = kind == .block && place.address.isEmpty ? "action" : kind.rawValue
    let goesOn = kind == .warn ? links[.continue] : nil
    var values = [
      "lang": language.tag, "dir": word("dir"), "kind": kind.rawValue,
      "icon": words["kinds"]?[kind.rawValue]?["icon"]?.string ?? "",
      "title": NoticeText.escaped(word("titles", title)), "sentence": NoticeText.escaped(sentence),
      "style": (words["style"]?.strings ?? []).joined(separator: "\n"),
      "forms": goesOn.map(NoticeText.formTarget) ?? "'none'",
      "organization": part("organization", ["name": organization?.name ?? ""]),
      "host": part("host", ["host": place.host]),
      "hint": part("hint", ["hint": goesOn == nil ? "" : word("hints", "warn")]),
      "form": goesOn.map(form) ?? "", "buttons": buttons, "facts": facts,
    ]
    values.merge(colors) { _, color in color }
    return NoticeText.filled(words["page"]?.strings ?? [], values)
  }

  private func word(_ group: String, _ name: String? = nil) -> String {
    guard let name else { return language.words[group]?.string ?? "" }
    return language.words[group]?[name]?.string ?? ""
  }

  /// A part of the template; empty without a value to show.
  private func part(_ name: String, _ values: [String: String]) -> String {
    guard values.values.allSatisfy({ !$0.isEmpty }) else { return "" }
    return NoticeText.filled(NoticeWords.part(name), values.mapValues(NoticeText.escaped))
  }

  private func form(_ link: String) -> String {
    part("form", ["href": link, "label": word("labels", "justification"), "button": word("buttons", "continue")])
  }

  private var buttons: String {
    let names = (NoticeWords.all["kinds"]?[kind.rawValue]?["actions"]?.strings ?? []).compactMap(NoticeAction.init)
    let shown = names.filter { links[$0] != nil }.enumerated().map { place, action in
      part(
        place == 0 ? "mainButton" : "button",
        ["action": action.rawValue, "href": links[action] ?? "", "label": label(of: action)])
    }
    return shown.isEmpty
      ? "" : NoticeText.filled(NoticeWords.part("buttons"), ["buttons": shown.joined(separator: "\n")])
  }

  private func label(of action: NoticeAction) -> String {
    let isOther = action == .open && decision.open?.target != "managedBrowser"
    return word("buttons", isOther ? "openOther" : action.rawValue)
  }

  private var facts: String {
    let asked = organization?.contact.flatMap { $0.isEmpty ? nil : $0 } ?? NoticeText.spoken(contact)
    let facts = [
      fact("address", place.address), fact("account", NoticeText.name(decision.identity ?? "")),
      fact("rule", NoticeText.name(rule)),
      fact("contact", asked, direction: "auto", link: contact), fact("code", code),
    ]
    return facts.filter { !$0.isEmpty }.joined(separator: "\n")
  }

  private var rule: String {
    guard let rule = decision.rule, !rule.isEmpty else { return "" }
    guard let ruleSet = decision.ruleSet, !ruleSet.isEmpty else { return rule }
    return "\(rule) (\(ruleSet))"
  }

  private func fact(_ name: String, _ value: String, direction: String = "ltr", link: String = "") -> String {
    let said = ["label": word("labels", name), "value": value, "dir": direction]
    return link.isEmpty ? part("fact", said) : part("linkedFact", said.merging(["href": link]) { _, link in link })
  }

  /// The organisation's colours, each with black or white upon it, whichever is read better.
  private var colors: [String: String] {
    let builtIn = NoticeWords.all["colors"]
    let said = NoticeText.color(organization?.color)
    let light = said ?? builtIn?["color"]?.string ?? ""
    let dark = NoticeText.color(organization?.darkColor) ?? said ?? builtIn?["darkColor"]?.string ?? ""
    return ["color": light, "darkColor": dark, "onColor": Self.upon(light), "onDarkColor": Self.upon(dark)]
  }

  /// The colour of text upon this one: with the better of the two the contrast is never below 4.5.
  private static func upon(_ color: String) -> String {
    let number = UInt32(color.dropFirst(), radix: 16) ?? 0
    let parts = [number >> 16, number >> 8, number].map { level in
      let part = Double(level & 0xFF) / 255
      return part <= 0.04045 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4)
    }
    let isDark = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] < 0.179
    return NoticeWords.all["colors"]?[isDark ? "onLight" : "onDark"]?.string ?? ""
  }
}

/// The words and the template of the notice.
enum NoticeWords {
  /// The whole of clients/notice/notice.json.
  static let all = ValueReader.read(Array(noticeSource.utf8)[...]) ?? .null

  static func language(_ tag: String) -> GuardValue { all["languages"]?[tag] ?? .null }

  static func part(_ name: String) -> [String] { all["parts"]?[name]?.strings ?? [] }

  /// The first of these languages that there are words of, by its first part; else English.
  static func spoken(by languages: [String]) -> (tag: String, words: GuardValue) {
    for language in languages {
      let tag = String(String.UnicodeScalarView(language.unicodeScalars.prefix { $0 != "-" && $0 != "_" })).lowercased()
      if let words = all["languages"]?[tag] { return (tag, words) }
    }
    return ("en", language("en"))
  }
}
