package import GuardModel
package import PolicyEngine
internal import URLRules
internal import URLStandard

extension UsedSettings {
  /// The settings of a policy that the decision of a report used.
  ///
  /// - Parameters:
  ///   - app: the app that asked.
  ///   - kind: the kind of its question; one reason may come of several settings.
  ///   - channel: the channel of an `exchange`.
  ///   - url: the URL of the event; its scheme tells which setting of a hand-off was asked.
  ///   - snapshot: the one that decided.
  ///   - places: where its values were stated.
  package init(
    _ report: DecisionReport, of app: String, asking kind: EventKind, through channel: Channel = .unknown,
    url: String?, in snapshot: Snapshot, _ places: PolicyPlaces
  ) {
    self.init()
    let finder = UsedSettingsFinder(
      report: report, app: app, kind: kind, channel: channel, url: url, snapshot: snapshot, places: places)
    viewerPolicy = finder.viewerPolicy
    ruleSet = finder.ruleSet
    account = finder.accountPlace
    binding = finder.binding
    program = finder.program
    values = finder.values
  }
}

/// Looks up the settings that a decision used.
struct UsedSettingsFinder {
  let report: DecisionReport
  let app: String
  let kind: EventKind
  let channel: Channel
  let url: String?
  let snapshot: Snapshot
  let places: PolicyPlaces

  /// The place of a key, as text.
  func place(_ path: [String]) -> String? { places[path]?.description }

  var viewerPolicy: String? {
    switch report.policySource {
    case .viewerClass: classPlace("policy")
    case .flag: place(["apps", app, "treatAllWebViewsAsUnmanaged"])
    case .kind: report.notes.contains(.unprotectedViewer) ? place(["apps", app, "authViewersUnprotected"]) : nil
    case .unknownViewer, .ownTag, .ancestor, .opener, .default, nil: nil
    }
  }

  /// Nil where the app chose the rule set, or where those of all classes were asked.
  var ruleSet: String? {
    guard let name = report.ruleSet, !report.flags[.viewerIsUnknown], let index = snapshot.ruleSet(named: name),
      viewerClass?.ruleSet == index
    else { return nil }
    return classPlace("externalURLs")
  }

  /// The account's entry, or the app's own account.
  var accountPlace: String? {
    guard let identity = report.identity, !identity.isEmpty else { return nil }
    let isFixed = report.identityLevel == .process && appOfPolicy?.account != nil
    if isFixed, let place = place(["apps", app, "account"]) { return place }
    return entry.flatMap { place(["accounts", String($0)]) }
  }

  /// Nil when the protection is not the identity's own, as that of a clip's owner may be.
  var binding: String? {
    guard let protection, let identity = report.identity, !identity.isEmpty else { return nil }
    let names = entry.map { snapshot.accounts.entries[$0].foldedNames } ?? [AccountName.fold(identity)]
    if let entry, let stated = snapshot.accounts.entries[entry].protection,
      snapshot[stated].name == protection.name
    {
      return "its entry" + words(place(["accounts", String(entry), "protection"]))
    }
    let pattern = protection.accountPatterns.firstIndex { pattern in
      names.contains { AccountName.pattern(pattern, takes: $0) }
    }
    if let pattern {
      let place = places.scalarItem(pattern, of: ["protections", protection.name, "accounts"])
      return "the pattern \(protection.accountPatterns[pattern].quoted)" + words(place?.description)
    }
    return protection.groups.isEmpty
      ? nil : "a group of its user" + words(place(["protections", protection.name, "accounts"]))
  }

  var program: String? {
    switch report.open?.target {
    case "managedBrowser": place(["browsers", "managed"])
    case "unmanagedBrowser": place(["browsers", "unmanaged"])
    default: report.linkLocation
    }
  }

  // MARK: Named in the report

  var appOfPolicy: App? { snapshot.app(named: app).map { snapshot[$0] } }

  var viewerClass: ViewerClass? {
    guard let name = report.viewerClass, let app = appOfPolicy, let index = app.viewerClass(named: name) else {
      return nil
    }
    return app[index]
  }

  var protection: Protection? { deciding.map { snapshot[$0] } }

  /// The protection whose value decided, by its index.
  var deciding: ProtectionIndex? {
    report.protection.flatMap { name in snapshot.protections.firstIndex { $0.name == name } }.map(ProtectionIndex.init)
  }

  /// The protections whose values may be in force: those that bind the identity, else all.
  ///
  /// A clip's owner may have decided with a protection of another identity; then the set holds it alone. A report lacks
  /// the user's groups, so a protection that binds by group is in the set only where it decided.
  var protections: ProtectionSet {
    guard let deciding else { return snapshot.allProtections }
    let ofIdentity = report.identity.map { snapshot.protections(ofAccount: AccountName.fold($0)) } ?? ProtectionSet()
    return ofIdentity.contains(deciding) ? ofIdentity : ProtectionSet(deciding)
  }

  /// The number of the account's entry.
  var entry: Int? { report.identity.flatMap { snapshot.accounts.entry(named: AccountName.fold($0)) } }

  func classPlace(_ key: String) -> String? {
    report.viewerClass.flatMap { place(["apps", app, "classes", $0, key]) }
  }

  private func words(_ place: String?) -> String { place.map { " (\($0))" } ?? "" }
}

extension PolicyPlaces {
  /// The place of an item of a list, counting only those that are no mappings.
  fileprivate func scalarItem(_ number: Int, of path: [String]) -> SourceLocation? {
    var left = number
    var index = 0
    while let place = self[path + [String(index)]] {
      if self[path + [String(index), "group"]] == nil {
        if left == 0 { return place }
        left -= 1
      }
      index += 1
    }
    return nil
  }
}

/// The place of each value of a policy: keys by the path of keys that leads to them, items of lists by their number.
///
///     let places = result.policy?.places
///     places?["apps", "portal", "classes", "documents", "policy"]?.description   // policy.d/apps.yaml:9:20
///     places?["protections", "standard", "webTransfer"]                          // nil: nothing is stated
///
/// Kept beside the policy and never in it: no decision depends on where a value stood.
package struct PolicyPlaces: Sendable {
  private var locations: [[String]: SourceLocation] = [:]

  package init() {}

  /// The places of everything that stands in a file.
  init(of root: YAMLNode) { add(root, below: []) }

  /// The place of a key, or of an item of a list; nil when nothing is stated there.
  package subscript(path: String...) -> SourceLocation? { locations[path] }

  package subscript(path: [String]) -> SourceLocation? { locations[path] }

  /// The keys right below a path, by the alphabet.
  package func keys(below path: [String]) -> [String] {
    locations.keys.filter { $0.count == path.count + 1 && $0.starts(with: path) }.map { $0[path.count] }.sorted()
  }

  /// Adds the values of another file. Some lists of several files are one, in the order of the files: `counts` has for
  /// each the number of items before these.
  mutating func add(_ other: PolicyPlaces, before counts: [String: Int]) {
    for (path, location) in other.locations {
      var path = path
      if path.count > 1, let count = counts[path[0]], let number = Int(path[1]) { path[1] = String(number + count) }
      if locations[path] == nil { locations[path] = location }
    }
  }

  private mutating func add(_ node: YAMLNode, below path: [String]) {
    for entry in node.mapping?.entries ?? [] {
      locations[path + [entry.key]] = entry.keyLocation
      add(entry.value, below: path + [entry.key])
    }
    for (number, item) in (node.sequence ?? []).enumerated() {
      locations[path + [String(number)]] = item.location
      add(item, below: path + [String(number)])
    }
  }

  /// The place of a setting of a protection: `save.allowed`.
  ///
  /// Only in the protection's own file: a second one of its name elsewhere is an error, and gives no places for the
  /// first.
  package func setting(_ key: String, of protection: Protection) -> SourceLocation? {
    let place = self[["protections", protection.name] + key.split(separator: ".").map(String.init)]
    let own = self["protections", protection.name]
    return place.flatMap { $0.file == own?.file ? $0 : nil }
  }
}
