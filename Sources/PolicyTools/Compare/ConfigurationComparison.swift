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
    things.compare(old.escrow, new.escrow)
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

  fileprivate var escrow: ComparedThing { EscrowFacts.thing(policy.escrow, policy.places, root: root) }

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
