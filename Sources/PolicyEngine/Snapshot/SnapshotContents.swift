internal import GuardModel
internal import URLRules

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
  let exceptions: TimedExceptions
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
        program.protections.append(Int32(index))
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
  var protections: [Int32] = []
}
