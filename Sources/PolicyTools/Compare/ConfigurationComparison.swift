internal import GuardModel
internal import PolicyEngine
package import PolicyFiles
package import URLRules

/// One configuration, as compared: its content, in any spelling.
package struct ComparedConfiguration: Sendable {
  fileprivate let policy: LoadedPolicy
  fileprivate let settings: DaemonSettings
  fileprivate let settingsPlaces: PolicyPlaces
  fileprivate let names: ComparedNames
  /// The directory, where nothing better is known.
  fileprivate let root: String

  /// Nil for a configuration with errors.
  ///
  /// - Parameter names: those that both were loaded with.
  package init?(_ result: LoadResult, _ names: ComparedNames, root: String) {
    guard let policy = result.policy, let settings = result.settings else { return nil }
    self.policy = policy
    self.settings = settings
    self.names = names
    self.root = root
    settingsPlaces = result.settingsPlaces
  }
}

/// Everything that two configurations say differently and that can change an answer, a record or a message.
///
///     ConfigurationComparison.differences(old, new).map(\.change)    // ["managed -> any"]
///
/// Another spelling is no difference: order of keys, quotes, comments, other files, letters of names, defaults that are
/// written out. Tests and their places decide nothing, and are not compared.
package enum ConfigurationComparison {
  /// In the order of the sections of a policy.
  package static func differences(
    _ old: ComparedConfiguration, _ new: ComparedConfiguration, files: any FileSource = SystemFiles()
  ) -> [ConfigurationDifference] {
    guard old.policy.digest != new.policy.digest || old.policy.digest.isEmpty else { return [] }
    var things = ThingComparison()
    things.compare(
      DaemonFacts.thing(old.settings, old.settingsPlaces, root: old.root),
      DaemonFacts.thing(new.settings, new.settingsPlaces, root: new.root))
    things.compare(old.apps, new.apps)
    things.compare(old.classes, new.classes)
    things.compare(
      AccountFacts.things(old.policy.accounts.entries, old.policy.protections, old.policy.places),
      AccountFacts.things(
        new.policy.accounts.entries, new.policy.protections, new.policy.places, like: old.policy.accounts.entries))
    for difference in ProtectionFacts.differences(
      old.policy.protections, new.policy.protections, (old.protections, new.protections))
    {
      things.add(difference)
    }
    things.compare(old.enrollment, new.enrollment)
    things.compare(old.wipe, new.wipe)
    things.compare(old.browsers, new.browsers)
    things.compare(old.texts, new.texts)
    let appConfig = AppConfigFacts.things(
      (old.policy.appConfig, old.policy.places, old.root), (new.policy.appConfig, new.policy.places, new.root))
    things.compare(appConfig.old, appConfig.new)
    let links = LinkComparison.differences(old.policy.links, new.policy.links)
    return things.differences + links + rules(old, new)
      + ListComparison.differences(old.lists, new.lists, files: files) + further(old.policy, new.policy, old, new)
  }

  /// The differences of two rule files, under any rule-set name.
  package static func differences(
    _ old: RuleSet, lists: [ListFile], _ new: RuleSet, lists newLists: [ListFile],
    files: any FileSource = SystemFiles()
  ) -> [ConfigurationDifference] {
    var before = ListComparison.Side(lists)
    before.add(old)
    var after = ListComparison.Side(newLists)
    after.add(new)
    var things = ThingComparison()
    var thing = RuleSetComparison.thing(old)
    thing.facts.append(ComparedFact(key: "ruleSet", value: .one(old.name), place: old.defaultLocation))
    var other = RuleSetComparison.thing(new)
    other.facts.append(ComparedFact(key: "ruleSet", value: .one(new.name), place: new.defaultLocation))
    things.compare(thing, other)
    return things.differences + RuleSetComparison.differences(old, new)
      + ListComparison.differences(before, after, files: files)
  }

  private static func rules(
    _ old: ComparedConfiguration, _ new: ComparedConfiguration
  ) -> [ConfigurationDifference] {
    var sets = ThingComparison()
    sets.compare(
      old.policy.ruleSets.map(RuleSetComparison.thing), new.policy.ruleSets.map(RuleSetComparison.thing))
    let pairs = old.policy.ruleSets.flatMap { set in
      new.policy.ruleSets.filter { $0.name == set.name }.map { (set, $0) }
    }
    return sets.differences + pairs.flatMap { RuleSetComparison.differences($0, $1) }
  }

  /// Parts of a policy without a line above.
  private static func further(
    _ old: LoadedPolicy, _ new: LoadedPolicy, _ before: ComparedConfiguration, _ after: ComparedConfiguration
  ) -> [ConfigurationDifference] {
    var things = ThingComparison()
    things.compare(thing(old, before.root), thing(new, after.root))
    return things.differences
  }

  private static func thing(_ policy: LoadedPolicy, _ root: String) -> ComparedThing {
    var facts = FactWriter(policy.places, [])
    facts.addFields(of: policy, but: ComparedFields.policy)
    return ComparedThing(kind: "policy", name: "", place: root, facts: facts.facts)
  }
}

extension ComparedConfiguration {
  fileprivate var apps: [ComparedThing] { policy.apps.map { AppFacts.thing($0, policy.places, names) } }

  fileprivate var classes: [ComparedThing] {
    policy.apps.flatMap { AppFacts.classes($0, policy.ruleSets, policy.places) }
  }

  fileprivate var protections: [ComparedThing] {
    policy.protections.map { ProtectionFacts.thing($0, policy.places, names) }
  }

  fileprivate var enrollment: ComparedThing { EnrollmentFacts.thing(policy.enrollment, policy.places, root: root) }

  fileprivate var wipe: ComparedThing { WipeFacts.thing(policy.wipe, policy.places, root: root) }

  fileprivate var browsers: [ComparedThing] { ProgramFacts.browsers(policy.browsers, policy.places, root: root) }

  fileprivate var texts: [ComparedThing] { TextFacts.things(policy.texts, policy.places, root: root) }

  fileprivate var lists: ListComparison.Side {
    var side = ListComparison.Side(policy.lists)
    for set in policy.ruleSets { side.add(set) }
    side.add(policy.links.exempt, more: .looser)
    side.add(policy.links.managed, more: .sideways)
    return side
  }
}

/// Facts of an entry of `accounts`.
enum AccountFacts {
  /// The entries of a configuration. Entries of both that share any name are the same account, even with different
  /// first names.
  static func things(
    _ entries: [AccountEntry], _ protections: [Protection], _ places: PolicyPlaces, like others: [AccountEntry] = []
  ) -> [ComparedThing] {
    var keys: [String: String] = [:]
    for other in others { for name in other.foldedNames { keys[name] = other.foldedNames[0] } }
    return entries.enumerated().compactMap { number, entry in
      guard let first = entry.foldedNames.first else { return nil }
      let key = entry.foldedNames.lazy.compactMap { keys[$0] }.first ?? first
      return thing(entry, named: key, protections, FactWriter(places, ["accounts", String(number)]))
    }
  }

  private static func thing(
    _ entry: AccountEntry, named key: String, _ protections: [Protection], _ writer: FactWriter
  ) -> ComparedThing {
    var facts = writer
    facts.add("upn", entry.upn.map(AccountName.fold) ?? "none")
    facts.add("objectId", entry.objectID.map(AccountName.fold) ?? "none")
    facts.add("user", entry.user ?? "none")
    let protection = entry.protection.map { protections[Int($0.place)].name }
    // Left to patterns, an account is bound by one of them or by none.
    facts.add("protection", protection ?? "left to patterns")
    facts.add("state", entry.state.rawValue, loosestFirst: ["active", "nonCompliant", "blocked", "wiped"])
    // The later the time, the more enrolments a mark destroys; without one it destroys none.
    facts.add("since", entry.since.map(RFC3339.text) ?? "none", rank: entry.since.map { Int(clamping: $0) } ?? -1)
    facts.addFields(of: entry, but: ComparedFields.account)
    let isBound = entry.protection != nil || entry.state != .active
    return ComparedThing(
      kind: "account", name: key, place: entry.location, ifNew: isBound ? .tighter : .sideways, facts: facts.facts)
  }
}

/// Facts of an app, and of each of its classes.
enum AppFacts {
  /// More apps may ask, and to each app of the policy data may go that may go to managed ones.
  static func thing(_ app: App, _ places: PolicyPlaces, _ names: ComparedNames) -> ComparedThing {
    var facts = FactWriter(places, ["apps", app.name])
    facts.add("peers", app.peers.map { words($0, names) }, more: .looser)
    facts.add("identityMode", app.identityMode.rawValue)
    facts.add("managedAccounts", app.managedAccounts.rawValue, loosestFirst: ["several", "one"])
    facts.add("account", app.account.map { $0.isEmpty ? "\"\"" : AccountName.fold($0) } ?? "left to the app")
    let sources = app.accounts.sources.map(\.rawValue)
    facts.add("accounts.source", sources.isEmpty ? nil : sources, loosestIfNone: "not asked")
    facts.add("allowedAccounts", app.accounts.allowed, loosestIfNone: "all")
    facts.addFields(of: app.accounts, but: ComparedFields.appAccounts)
    facts.add("untilIdentity", app.untilIdentity.rawValue, loosestFirst: ["allow", "block"])
    facts.add("unlocks", String(app.unlocks), loosestFirst: ["true", "false"])
    facts.add("treatAllWebViewsAsUnmanaged", String(app.treatAllWebViewsAsUnmanaged))
    facts.add("authViewersUnprotected", String(app.authViewersUnprotected), loosestFirst: ["true", "false"])
    facts.add("handledSchemes", app.handledSchemes.texts.map { $0.lowercased() }, more: .looser)
    facts.add("dataDirectories", app.dataDirectories.map(\.text))
    facts.add("popups", app.popups.rawValue, loosestFirst: ["inherit", "block"])
    facts.add("record", app.record.rawValue)
    facts.add(
      "monitorOnly.until", app.monitoredUntil.map(MonitoredPart.day) ?? "not monitored",
      rank: .rank(monitoredUntil: app.monitoredUntil))
    facts.addFields(of: app, but: ComparedFields.app)
    return ComparedThing(kind: "app", name: app.name, place: app.location, ifNew: .looser, facts: facts.facts)
  }

  static func classes(_ app: App, _ ruleSets: [RuleSet], _ places: PolicyPlaces) -> [ComparedThing] {
    app.classes.map { viewerClass in
      var facts = FactWriter(places, ["apps", app.name, "classes", viewerClass.name])
      facts.add("policy", viewerClass.policy?.name ?? "left to the app")
      facts.add("externalURLs", viewerClass.ruleSet.map { ruleSets[Int($0.place)].name } ?? "left to the app")
      facts.add("rulesApply", viewerClass.rulesApply.rawValue, loosestFirst: ["managed", "always"])
      facts.add("subFrames", String(viewerClass.subFrames), loosestFirst: ["false", "true"])
      facts.addFields(of: viewerClass, but: ComparedFields.viewerClass)
      return ComparedThing(
        kind: "class", name: "\(app.name)/\(viewerClass.name)", place: viewerClass.location, facts: facts.facts)
    }
  }

  /// `{ user: kiosk, unit: a.service }`
  private static func words(_ peer: PeerRule, _ names: ComparedNames) -> String {
    var parts = [
      peer.uid.map(names.user), peer.group.map(names.group), peer.unit.map { "unit: \($0)" },
      peer.label.map { "label: \($0)" }, peer.socket.map { "socket: \($0)" }, peer.sameUser ? "sameUser: true" : nil,
    ].compactMap(\.self)
    var further = FactWriter(PolicyPlaces(), [])
    further.addFields(of: peer, but: ComparedFields.peer)
    parts += further.facts.map { "\($0.key): \($0.value.text)" }
    return "{ \(parts.joined(separator: ", ")) }"
  }
}

/// Facts of `enrolment`.
enum EnrollmentFacts {
  static func thing(_ times: EnrollmentTimes, _ places: PolicyPlaces, root: String) -> ComparedThing {
    var facts = FactWriter(places, [])
    facts.add("enrolment.retry", times.retry.inLargestUnit)
    facts.add("enrolment.checkIn", times.checkIn.inLargestUnit)
    facts.add("enrolment.forgetAfter", times.forgetAfter.inLargestUnit)
    // The longer a word holds, the longer somebody may work who has signed out.
    facts.add("enrolment.signInHolds", times.signInHolds.inLargestUnit, rank: -Int(clamping: times.signInHolds))
    facts.addFields(of: times, but: ComparedFields.enrollment)
    return ComparedThing(kind: "policy", name: "", place: root, facts: facts.facts)
  }
}

/// Facts of `wipe`.
enum WipeFacts {
  /// What destroys more is tighter. Whether more time to notice a mistake is, or one more who agrees, nobody can say.
  static func thing(_ wipe: WipeSettings, _ places: PolicyPlaces, root: String) -> ComparedThing {
    var facts = FactWriter(places, [])
    // A dry run destroys as little as none.
    facts.add("wipe.mode", wipe.mode.rawValue, rank: wipe.mode == .on ? 1 : 0)
    facts.add("wipe.causes", wipe.causes.map(\.rawValue), more: .tighter)
    facts.add("wipe.delay", wipe.delay.inLargestUnit)
    facts.add("wipe.answerTime", wipe.answerTime.inLargestUnit)
    facts.add(
      "wipe.offlineAfter", wipe.offlineAfter?.inLargestUnit ?? "never",
      rank: wipe.offlineAfter.map { -Int(clamping: $0) } ?? .min)
    facts.add("wipe.approvals", String(wipe.approvals))
    facts.addFields(of: wipe, but: ComparedFields.wipe)
    return ComparedThing(kind: "policy", name: "", place: root, facts: facts.facts)
  }
}

extension UInt64 {
  /// `90d`: milliseconds in the largest unit that takes them whole.
  var inLargestUnit: String {
    let units: [(UInt64, String)] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1000, "s")]
    let unit = units.first { isMultiple(of: $0.0) } ?? (1, "ms")
    return "\(self / unit.0)\(unit.1)"
  }
}

/// Facts of `webviewguard.yaml`: every field of the daemon's settings, found by looking at the type, under the key that
/// a file gives it. A new setting is compared the day it exists.
enum DaemonFacts {
  static func thing(_ settings: DaemonSettings, _ places: PolicyPlaces, root: String) -> ComparedThing {
    var facts = FactWriter(places, [])
    add(settings, below: [], to: &facts)
    return ComparedThing(kind: "daemon", name: "", place: root, facts: facts.facts)
  }

  /// Fields that a file calls otherwise.
  private static let keys = ["startMilliseconds": "startMs", "answerMilliseconds": "answerMs"]

  /// The settings of which it can be said which value is stricter, the loosest first.
  private static let words: [String: [String]] = [
    "policyRequired": ["false", "true"], "log.onLogFailure": ["continue", "block"],
    "contract.navigation": ["open", "closed"], "contract.clipboard": ["open", "closed"],
    "contract.other": ["open", "closed"],
  ]

  private static func add(_ value: Any, below path: [String], to facts: inout FactWriter) {
    for child in Mirror(reflecting: value).children {
      guard let label = child.label else { continue }
      let path = path + [keys[label] ?? label]
      if let sockets = child.value as? [DaemonSettings.AppSocket] {
        for socket in sockets { add(socket, below: path, to: &facts) }
      } else if Mirror(reflecting: child.value).displayStyle == .struct {
        add(child.value, below: path, to: &facts)
      } else {
        write(child.value, path, &facts)
      }
    }
  }

  private static func add(_ socket: DaemonSettings.AppSocket, below path: [String], to facts: inout FactWriter) {
    for child in Mirror(reflecting: socket).children {
      guard let label = child.label, label != "name" else { continue }
      facts.add(
        path + [socket.name, label], text(child.value),
        rank: label == "open" ? (child.value as? Bool == true ? 0 : 1) : nil)
    }
  }

  private static func write(_ value: Any, _ path: [String], _ facts: inout FactWriter) {
    let text = text(value)
    facts.add(path, text, rank: words[path.joined(separator: ".")]?.firstIndex(of: text))
  }

  /// A value as it would be written.
  private static func text(_ value: Any) -> String {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional { return mirror.children.first.map { text($0.value) } ?? "not set" }
    if let word = value as? any RawRepresentable { return "\(word.rawValue)" }
    return "\(value)"
  }
}
