internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

/// Facts of `browsers` and `texts`.
enum ProgramFacts {
  /// Without a browser external pages that are to go there are blocked.
  static func browsers(_ browsers: Browsers, _ places: PolicyPlaces, root: String) -> [ComparedThing] {
    var things: [ComparedThing] = []
    if let managed = browsers.managed {
      var facts = FactWriter(places, ["browsers", "managed"])
      add(managed.program, to: &facts)
      facts.add("app", managed.app ?? "none")
      facts.add("apps", managed.apps.isEmpty ? "all" : managed.apps.joined(separator: ", "))
      facts.add("alternatives", alternatives(of: managed))
      facts.addFields(of: managed, but: ComparedFields.managedBrowser)
      things.append(thing("browsers.managed", facts, places["browsers", "managed"]?.description ?? root))
    }
    if let unmanaged = browsers.unmanaged {
      var facts = FactWriter(places, ["browsers", "unmanaged"])
      add(unmanaged.program, to: &facts)
      facts.add("scheme", unmanaged.scheme ?? "none")
      facts.addFields(of: unmanaged, but: ComparedFields.unmanagedBrowser)
      things.append(thing("browsers.unmanaged", facts, places["browsers", "unmanaged"]?.description ?? root))
    }
    return things
  }

  /// In their order, since that is the order in which they are tried.
  private static func alternatives(of browser: ManagedBrowser) -> String {
    guard !browser.alternatives.isEmpty else { return "none" }
    return browser.alternatives.map { other in
      let words = [words(other.program), other.app.map { "app: \($0)" } ?? ""] + other.apps.map { "for \($0)" }
      return words.filter { !$0.isEmpty }.joined(separator: ", ")
    }.joined(separator: "; ")
  }

  private static func thing(_ kind: String, _ facts: FactWriter, _ place: String) -> ComparedThing {
    ComparedThing(kind: kind, name: "", place: place, ifNew: .looser, facts: facts.facts)
  }

  static func add(_ program: Program, to facts: inout FactWriter) {
    facts.add("desktopId", program.desktopID ?? "none")
    facts.add("command", program.command.map { "\($0)" } ?? "none")
    facts.add("template", program.template)
    facts.addFields(of: program, but: ComparedFields.program)
  }

  /// The program of a link, in one text.
  static func words(_ program: Program) -> String {
    var facts = FactWriter(PolicyPlaces(), [])
    add(program, to: &facts)
    let stated = facts.facts.filter { $0.value != .one("none") && $0.value != .one("{url}") }
    return stated.map { "\($0.key): \($0.value.text)" }.joined(separator: ", ")
  }
}

/// Texts for people, by language.
enum TextFacts {
  static func things(_ texts: UserTexts, _ places: PolicyPlaces, root: String) -> [ComparedThing] {
    let localized = texts.localized.sorted { $0.key.description < $1.key.description }
    return [thing(LanguageTag.reserved, texts.standard.completed, places, root)]
      + localized.map { thing($0.key.description, $0.value, places, root) }.filter { !$0.facts.isEmpty }
  }

  /// Only existing texts: the rest comes from another language.
  private static func thing(
    _ tag: String, _ texts: LanguageTexts, _ places: PolicyPlaces, _ root: String
  ) -> ComparedThing {
    let key = places.keys(below: ["texts"]).first { $0.lowercased() == tag } ?? tag
    var facts = FactWriter(places, ["texts", key])
    if let replacement = texts.replacement { facts.add("replacement", replacement) }
    if let notification = texts.notification { facts.add("notification", notification) }
    for (reason, text) in texts.reasons.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      facts.add("reasons.\(reason.rawValue)", text)
    }
    facts.addFields(of: texts, but: ComparedFields.language)
    return ComparedThing(
      kind: "texts", name: tag, place: places["texts", key]?.description ?? root, facts: facts.facts)
  }
}

extension LanguageTexts {
  /// With the built-in words where nothing is written.
  fileprivate var completed: LanguageTexts {
    let builtIn = Dictionary(Reason.allCases.compactMap { reason in reason.userText.map { (reason, $0) } }) { $1 }
    return LanguageTexts(
      replacement: replacement ?? Self.builtIn.replacement, notification: notification ?? Self.builtIn.notification,
      reasons: builtIn.merging(reasons) { $1 })
  }
}
