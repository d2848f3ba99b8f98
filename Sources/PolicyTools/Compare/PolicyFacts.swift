internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

/// Facts of a protection.
enum ProtectionFacts {
  static func thing(_ protection: Protection, _ places: PolicyPlaces, _ names: ComparedNames) -> ComparedThing {
    var facts = FactWriter(places, ["protections", protection.name])
    facts.add("accounts", protection.accountPatterns + protection.groups.map(names.group), more: .tighter)
    addTransfer(protection, to: &facts)
    addLeaks(protection, to: &facts)
    facts.add("monitorOnly.until", protection.monitoredUntil.map(MonitoredPart.day) ?? "not monitored")
    facts.add("warn", protection.warn.kinds.map(\.name))
    facts.add("conditionalLaunch", protection.conditions.map(words), more: .tighter)
    // The sooner silence counts, the stricter.
    facts.add(
      "notCheckedAfter", protection.writtenNotCheckedAfter, rank: -Int(clamping: protection.notCheckedAfter))
    facts.addFields(of: protection, but: ComparedFields.protection)
    return ComparedThing(
      kind: "protection", name: protection.name, place: protection.location, ifNew: .tighter, facts: facts.facts)
  }

  /// The differences of the protections of two policies; which way a setting moved, the engine's own table knows.
  static func differences(
    _ old: [Protection], _ new: [Protection], _ things: (old: [ComparedThing], new: [ComparedThing])
  ) -> [ConfigurationDifference] {
    var comparison = ThingComparison()
    comparison.compare(things.old, things.new)
    return comparison.differences.map { difference in
      guard let before = old.first(where: { $0.name == difference.name }),
        let after = new.first(where: { $0.name == difference.name }),
        let setting = ProtectionSetting.all.first(where: { $0.key == difference.key })
      else { return difference }
      var difference = difference
      difference.direction = DifferenceDirection(rawValue: setting.change(before, after).rawValue) ?? .sideways
      return difference
    }
  }

  /// `osVersion atLeast 12.4: block after 14d, "Update, please"`
  private static func words(_ condition: LaunchCondition) -> String {
    // It changes nothing while the condition only warns; stated, it is told all the same.
    let idle = condition.action == .warn && condition.grace > 0 ? ", grace \(condition.grace.inLargestUnit)" : ""
    return condition.written + idle + (condition.message.map { ", \"\($0)\"" } ?? "")
  }

  private static func addTransfer(_ protection: Protection, to facts: inout FactWriter) {
    facts.add("webTransfer", protection.webTransfer.name)
    facts.add("externalInPlace", protection.externalInPlace.rawValue)
    addClipboard(protection.clipboard, to: &facts)
    facts.add("send", protection.send.rawValue)
    facts.add("receive", protection.receive.rawValue)
    for (key, places) in [("save", protection.save), ("open", protection.open)] {
      facts.add(key + ".allowed", String(places.allowed))
      facts.add(key + ".exceptions", places.exceptions.locations.map(\.name))
    }
    facts.add("managedApps", protection.managedApps.texts)
    facts.add("telecommunication", protection.telecommunication.written)
    facts.add("messaging", protection.messaging.written)
    facts.add("exemptSchemes", protection.exemptSchemes.texts)
    facts.add("managedSchemes", protection.managedSchemes.texts)
  }

  private static func addClipboard(_ clipboard: ClipboardSettings, to facts: inout FactWriter) {
    facts.add("clipboard.level", clipboard.level.rawValue)
    facts.add("clipboard.exceptionLength", String(clipboard.exceptionLength))
    facts.add("clipboard.exceptionPerMinute", clipboard.exceptionPerMinute.map(String.init) ?? "no budget")
    facts.add("clipboard.replacement", clipboard.replacement ?? "that of `texts`")
    var inner = FactWriter(PolicyPlaces(), [])
    inner.addFields(of: clipboard, but: ComparedFields.clipboard)
    for fact in inner.facts { facts.add(["clipboard", fact.key], fact.value.text) }
  }

  private static func addLeaks(_ protection: Protection, to facts: inout FactWriter) {
    for (key, path) in Protection.permissions { facts.add(key, protection[keyPath: path].rawValue) }
    facts.add("automation", (protection.automation ?? protection.assistants).rawValue)
    facts.add("notifications", protection.notifications.rawValue)
    facts.add("inspection.required", String(protection.requiresInspection))
    facts.add("encrypt", String(protection.encrypt))
    facts.add("encryption.by", protection.encryptBy.rawValue)
    facts.add("unlock", protection.unlock.rawValue)
    facts.add("recheckAfter", "\(protection.recheckAfter / 1000)s", rank: -Int(protection.recheckAfter))
  }
}

extension [[UInt8]] {
  /// Names in bytes as text.
  var texts: [String] { map { String(decoding: $0, as: UTF8.self) } }
}

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
    if let organization = texts.organization { facts.add("organization", organization) }
    if let contact = texts.contact { facts.add("contact", contact) }
    if let name = texts.name { facts.add("name", name) }
    if let link = texts.contactLink { facts.add("contactLink", link) }
    if let color = texts.color { facts.add("color", color) }
    if let color = texts.darkColor { facts.add("darkColor", color) }
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
    var texts = LanguageTexts(
      replacement: replacement ?? Self.builtIn.replacement, notification: notification ?? Self.builtIn.notification,
      reasons: builtIn.merging(reasons) { $1 })
    texts.organization = organization ?? AccountNotice.organization(in: [])
    texts.contact = contact ?? AccountNotice.contact(in: [])
    (texts.name, texts.contactLink, texts.color, texts.darkColor) = (name, contactLink, color, darkColor)
    return texts
  }
}

/// Compares the links that belong elsewhere than in a browser: entries of a list, of which the first that holds is taken.
///
/// Their ids are told to no program, so only an entry's content identifies it.
enum LinkComparison {
  static func differences(_ old: Links, _ new: Links) -> [ConfigurationDifference] {
    differences("links.exempt", old.exempt, new.exempt, more: .looser)
      + differences("links.managed", old.managed, new.managed, more: .sideways)
  }

  private struct Entry {
    let text: String
    let place: String
  }

  private static func entries(_ list: LinkList) -> [Entry] {
    zip(list.rules.rules, list.programs).map { rule, program in
      let words = ProgramFacts.words(program)
      let text = rule.condition.writtenGroup + (words.isEmpty ? "" : ", " + words)
      return Entry(text: text, place: rule.location)
    }
  }

  private static func differences(
    _ kind: String, _ old: LinkList, _ new: LinkList, more: DifferenceDirection
  ) -> [ConfigurationDifference] {
    let (before, after) = (entries(old), entries(new))
    var waiting: [String: [Int]] = [:]
    for number in after.indices.reversed() { waiting[after[number].text, default: []].append(number) }
    var pairs: [(old: Int, new: Int)] = []
    var result: [ConfigurationDifference] = []
    for (number, entry) in before.enumerated() {
      if let other = waiting[entry.text]?.popLast() {
        pairs.append((number, other))
      } else {
        result.append(
          ConfigurationDifference(
            kind: kind, name: "", key: "", direction: more.reversed,
            before: DifferenceSide(value: entry.text, place: entry.place), after: DifferenceSide()))
      }
    }
    let kept = Set(pairs.map(\.new))
    for (number, entry) in after.enumerated() where !kept.contains(number) {
      result.append(
        ConfigurationDifference(
          kind: kind, name: "", key: "", direction: more, before: DifferenceSide(),
          after: DifferenceSide(value: entry.text, place: entry.place)))
    }
    for (number, other) in RuleSetComparison.moved(pairs) {
      result.append(
        ConfigurationDifference(
          kind: kind, name: before[number].text, key: "position", direction: .sideways,
          before: DifferenceSide(value: "\(number + 1) of \(before.count)", place: before[number].place),
          after: DifferenceSide(value: "\(other + 1) of \(after.count)", place: after[other].place)))
    }
    return result
  }
}
