package import GuardModel
package import URLRules

/// One policy, compiled and never changed: everything a decision asks, under one generation number.
///
/// A reload makes a new snapshot and swaps it; a decision uses one from start to end. `Snapshot()` is the state before any
/// policy loaded: it blocks everything.
package final class Snapshot: Sendable {
  package let generation: Generation
  package let policyRequired: Bool
  package let apps: [App]
  package let accounts: AccountDirectory
  package let protections: [Protection]
  /// The values in force of settings that depend on others, for each protection.
  package let effective: [EffectiveSettings]
  package let ruleSets: [RuleSet]
  package let browsers: Browsers
  package let links: Links
  package let texts: UserTexts
  /// The sites that administrators let in for a time.
  package let exceptions: TimedExceptions
  /// All protections: if `rulesApply: always` meets no managed identity, the strictest value of each setting counts.
  package let allProtections: ProtectionSet
  private let names: PolicyNames
  /// The rule sets as decisions ask them: including rules that only monitor, if advice is wanted.
  let askedRuleSets: [RuleSet]
  let asksMonitoredRules: Bool
  /// Some rule says that a URL is a place.
  let namesPlaces: Bool
  /// The parts that were removed from the original policy.
  let lifting: Lifting
  /// The snapshots that answer for the parts that this policy does not enforce.
  let lifted: LiftedSnapshots

  package convenience init(
    generation: Generation = Generation(), policyRequired: Bool = true, apps: [App] = [],
    accounts: AccountDirectory = AccountDirectory(), protections: [Protection] = [], ruleSets: [RuleSet] = [],
    browsers: Browsers = Browsers(), links: Links = Links(), texts: UserTexts = UserTexts(),
    exceptions: TimedExceptions = TimedExceptions()
  ) {
    let contents = SnapshotContents(
      generation: generation, policyRequired: policyRequired, apps: apps.map { $0.completed() }, accounts: accounts,
      protections: protections, ruleSets: ruleSets, browsers: browsers, links: links, texts: texts,
      exceptions: exceptions, names: PolicyNames(apps, accounts, protections))
    self.init(contents, lifted: LiftedSnapshots(of: contents, monitoring: true))
  }

  /// - Parameter lifted: the snapshots that answer for the parts that these contents do not enforce.
  init(_ contents: SnapshotContents, lifted: LiftedSnapshots) {
    generation = contents.generation
    policyRequired = contents.policyRequired
    apps = contents.apps
    accounts = contents.accounts
    protections = contents.protections
    effective = contents.protections.map(EffectiveSettings.init)
    ruleSets = contents.ruleSets
    asksMonitoredRules = contents.asksMonitoredRules
    askedRuleSets = contents.asksMonitoredRules ? contents.ruleSets.map(\.enforced) : contents.ruleSets
    namesPlaces = contents.ruleSets.contains { $0.namesPlaces }
    browsers = contents.browsers
    links = contents.links
    texts = contents.texts
    exceptions = contents.exceptions
    names = contents.names
    lifting = contents.lifting
    self.lifted = lifted
    allProtections = protections.indices.prefix(ProtectionSet.capacity)
      .reduce(into: ProtectionSet()) { $0.insert(Int32($1)) }
  }

  /// Whether any policy ever loaded.
  package var hasPolicy: Bool { generation.number > 0 }

  package func app(named name: String) -> Int32? {
    apps.firstIndex { $0.name == name }.map(Int32.init)
  }

  /// Whether the program counts as managed for accounts of a protection: an app of the policy does for all.
  func isManaged(program name: Span<UInt8>, for protection: Int32) -> Bool {
    names.programs.value(for: name).map { $0.isApp || $0.protections.contains(protection) } ?? false
  }

  /// Whether the policy speaks of a program of this name at all.
  func hasProgram(named name: Span<UInt8>) -> Bool { names.programs.value(for: name) != nil }

  /// Whether an account of this name is written down, not only taken by a pattern.
  func hasAccount(folded name: Span<UInt8>) -> Bool { names.accounts.value(for: name) != nil }

  /// Whether a protection's pattern takes this name.
  func hasPattern(taking folded: Span<UInt8>) -> Bool {
    for pattern in names.accountPatterns where AccountName.pattern(pattern.span, takes: folded) { return true }
    return false
  }

  /// The accounts that an app in single mode may show before its program names one.
  var startingAccounts: StartingAccounts { names.starting }

  package func ruleSet(named name: String) -> Int32? {
    ruleSets.firstIndex { $0.name == name }.map(Int32.init)
  }
}
