internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles
internal import URLRules

/// What an app says, and each of its classes.
enum AppFacts {
  /// More apps may ask, and to each app of the policy data may go that may go to managed ones.
  static func thing(_ app: App, _ places: PolicyPlaces, _ names: ComparedNames) -> ComparedThing {
    var facts = FactWriter(places, ["apps", app.name])
    facts.add("peers", app.peers.map { words($0, names) }, more: .looser)
    facts.add("identityMode", app.identityMode.rawValue)
    facts.add("managedAccounts", app.managedAccounts.rawValue, loosestFirst: ["several", "one"])
    facts.add("account", app.account.map { $0.isEmpty ? "\"\"" : AccountName.fold($0) } ?? "left to the app")
    facts.add("untilIdentity", app.untilIdentity.rawValue, loosestFirst: ["allow", "block"])
    facts.add("unlocks", String(app.unlocks), loosestFirst: ["true", "false"])
    facts.add("treatAllWebViewsAsUnmanaged", String(app.treatAllWebViewsAsUnmanaged))
    facts.add("authViewersUnprotected", String(app.authViewersUnprotected), loosestFirst: ["true", "false"])
    facts.add("handledSchemes", app.handledSchemes.texts.map { $0.lowercased() }, more: .looser)
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
      facts.add("externalURLs", viewerClass.ruleSet.map { ruleSets[Int($0)].name } ?? "left to the app")
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
