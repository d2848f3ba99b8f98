internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

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
      facts.add("signIn", viewerClass.signIn.map(\.rawValue), more: .looser)
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
    // The longer a word holds, the longer a person who has signed out may work.
    facts.add("enrolment.signInHolds", times.signInHolds.inLargestUnit, rank: -Int(clamping: times.signInHolds))
    facts.addFields(of: times, but: ComparedFields.enrollment)
    return ComparedThing(kind: "policy", name: "", place: root, facts: facts.facts)
  }
}

/// Facts of `escrow`.
enum EscrowFacts {
  /// Whoever holds the private key reads what is sealed: nobody is the strictest.
  static func thing(_ publicKey: String?, _ places: PolicyPlaces, root: String) -> ComparedThing {
    var facts = FactWriter(places, [])
    facts.add("escrow.publicKey", publicKey ?? "none", rank: publicKey == nil ? 1 : 0)
    return ComparedThing(kind: "policy", name: "", place: root, facts: facts.facts)
  }
}

/// Facts of `wipe`.
enum WipeFacts {
  /// A setting that destroys more is tighter. More time to notice a mistake, and one more person who agrees, are neither
  /// tighter nor looser.
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
