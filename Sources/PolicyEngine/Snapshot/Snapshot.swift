internal import Bytes
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
  package let enrollment: EnrollmentTimes
  package let wipe: WipeSettings
  /// The sites that administrators let in for a time.
  package let exceptions: TimedExceptions
  /// The values that apps read as their own configuration; no decision asks for them.
  package let appConfig: AppConfigDirectory
  /// All protections: if `rulesApply: always` meets no managed identity, the strictest value of each setting counts.
  package let allProtections: ProtectionSet
  private let names: PolicyNames
  /// The rule sets as decisions ask them: including rules that only monitor, if advice is wanted.
  let askedRuleSets: [RuleSet]
  let asksMonitoredRules: Bool
  /// For each app, the parts that its viewers are resolved by.
  private let viewerPolicies: [ViewerPolicies]
  /// Some protection has conditions.
  package let hasConditions: Bool
  /// Some protection has the daemon ask persons before their accounts may work.
  package let hasUnlocks: Bool
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
    enrollment: EnrollmentTimes = EnrollmentTimes(), wipe: WipeSettings = WipeSettings(),
    exceptions: TimedExceptions = TimedExceptions(), appConfig: AppConfigDirectory = AppConfigDirectory()
  ) {
    let contents = SnapshotContents(
      generation: generation, policyRequired: policyRequired, apps: apps.map { $0.completed() }, accounts: accounts,
      protections: protections, ruleSets: ruleSets, browsers: browsers, links: links, texts: texts,
      enrollment: enrollment, wipe: wipe, exceptions: exceptions, appConfig: appConfig,
      names: PolicyNames(apps, accounts, protections))
    self.init(contents, lifted: LiftedSnapshots(of: contents, monitoring: true))
  }

  /// - Parameter lifted: the snapshots that answer for the parts that these contents do not enforce.
  init(_ contents: SnapshotContents, lifted: LiftedSnapshots) {
    generation = contents.generation
    policyRequired = contents.policyRequired
    apps = contents.apps
    viewerPolicies = contents.apps.map(ViewerPolicies.init)
    accounts = contents.accounts
    protections = contents.protections
    effective = contents.protections.map(EffectiveSettings.init)
    ruleSets = contents.ruleSets
    asksMonitoredRules = contents.asksMonitoredRules
    askedRuleSets = contents.asksMonitoredRules ? contents.ruleSets.map(\.enforced) : contents.ruleSets
    hasConditions = contents.protections.contains { !$0.conditions.isEmpty }
    hasUnlocks = contents.protections.contains(where: \.asksPerson)
    namesPlaces = contents.ruleSets.contains { $0.namesPlaces }
    browsers = contents.browsers
    links = contents.links
    texts = contents.texts
    enrollment = contents.enrollment
    wipe = contents.wipe
    exceptions = contents.exceptions
    appConfig = contents.appConfig
    names = contents.names
    lifting = contents.lifting
    self.lifted = lifted
    allProtections = protections.indices.prefix(ProtectionSet.capacity)
      .reduce(into: ProtectionSet()) { $0.insert(ProtectionIndex($1)) }
  }

  /// Whether any policy ever loaded.
  package var hasPolicy: Bool { generation.number > 0 }

  package func app(named name: String) -> AppIndex? {
    apps.firstIndex { $0.name == name }.map(AppIndex.init)
  }

  package subscript(app: AppIndex) -> App {
    @inline(__always) get { apps[Int(app.place)] }
  }

  @inline(__always)
  func viewerPolicies(of app: AppIndex) -> ViewerPolicies { viewerPolicies[Int(app.place)] }

  package subscript(protection: ProtectionIndex) -> Protection {
    @inline(__always) get { protections[Int(protection.place)] }
  }

  package subscript(ruleSet: RuleSetIndex) -> RuleSet {
    @inline(__always) get { ruleSets[Int(ruleSet.place)] }
  }

  /// A rule of a rule set. Inlined, so that a caller who asks for one part of the rule copies no other.
  @inline(__always)
  func rule(_ number: RuleNumber, of ruleSet: RuleSetIndex) -> Rule {
    ruleSets[Int(ruleSet.place)].rules[Int(number.place)]
  }

  /// As a decision asks it.
  @inline(__always)
  func asked(_ ruleSet: RuleSetIndex) -> RuleSet { askedRuleSets[Int(ruleSet.place)] }

  /// Whether the program counts as managed for accounts of a protection: an app of the policy does for all.
  func isManaged(program name: Span<UInt8>, for protection: ProtectionIndex) -> Bool {
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

  package func ruleSet(named name: String) -> RuleSetIndex? {
    ruleSets.firstIndex { $0.name == name }.map(RuleSetIndex.init)
  }
}

/// The parts of a snapshot.
struct SnapshotContents: Sendable {
  let generation: Generation
  let policyRequired: Bool
  var apps: [App]
  let accounts: AccountDirectory
  var protections: [Protection]
  let ruleSets: [RuleSet]
  let browsers: Browsers
  let links: Links
  let texts: UserTexts
  let enrollment: EnrollmentTimes
  let wipe: WipeSettings
  let exceptions: TimedExceptions
  let appConfig: AppConfigDirectory
  let names: PolicyNames
  var lifting = Lifting.nothing
  /// Rules that only monitor are asked as if they were in force.
  var asksMonitoredRules = true

  /// The same policy without the restrictions of some protections.
  func lifting(_ isLifted: (Protection) -> Bool) -> SnapshotContents {
    var contents = self
    contents.protections = protections.map { isLifted($0) ? $0.lifted() : $0 }
    contents.lifting = .someProtections
    return contents
  }

  /// The same policy without its monitored parts.
  func liftingMonitored() -> SnapshotContents {
    var contents = self
    if protections.contains(where: \.isMonitored) { contents = lifting(\.isMonitored) }
    if !protections.isEmpty, protections.allSatisfy(\.isMonitored) { contents.lifting = .allProtections }
    contents.asksMonitoredRules = false
    return contents
  }

  /// The same policy without any restriction.
  func liftingEverything() -> SnapshotContents {
    var contents = lifting { _ in true }
    contents.apps = apps.map { $0.lifted() }
    contents.lifting = .everything
    contents.asksMonitoredRules = false
    return contents
  }
}

/// The names of a policy in look-up form: those of apps and programs, and in lower case those of the accounts if they
/// are ASCII.
struct PolicyNames: Sendable {
  let programs: ByteTable<ProgramOfPolicy>
  let accounts: ByteTable<Int32>
  let accountPatterns: [[UInt8]]
  let starting: StartingAccounts

  init(_ apps: [App], _ accounts: AccountDirectory, _ protections: [Protection]) {
    self.accounts = Self.table(
      accounts.entries.enumerated().flatMap { entry in entry.element.foldedNames.map { ($0, entry.offset) } })
    programs = Self.programs(apps, protections)
    accountPatterns = protections.flatMap(\.accountPatterns).map { Array($0.utf8) }
    starting = StartingAccounts(accounts, protections)
  }

  private static func programs(_ apps: [App], _ protections: [Protection]) -> ByteTable<ProgramOfPolicy> {
    var table = ByteTable<ProgramOfPolicy>()
    for app in apps { table.set(ProgramOfPolicy(isApp: true), for: Array(app.name.utf8).span) }
    for (index, protection) in protections.enumerated() {
      for name in protection.managedApps {
        var program = table.value(for: name.span) ?? ProgramOfPolicy(isApp: false)
        program.protections.append(ProtectionIndex(index))
        table.set(program, for: name.span)
      }
    }
    return table
  }

  private static func table(_ names: [(name: String, index: Int)]) -> ByteTable<Int32> {
    var table = ByteTable<Int32>()
    for (name, index) in names {
      let bytes = Array(name.utf8)
      if table.value(for: bytes.span) == nil { table.set(Int32(index), for: bytes.span) }
    }
    return table
  }
}

/// A program that the policy speaks of.
struct ProgramOfPolicy: Sendable {
  let isApp: Bool
  /// The protections that list it among their managed ones.
  var protections: [ProtectionIndex] = []
}
