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
  /// The protection that judges where `rulesApply: always` meets no managed identity: the strictest web transfer.
  package let strictestProtection: Int32?
  /// The apps' names, and the accounts' in lower case as far as they are ASCII.
  private let appNames: ByteTable<Int32>
  private let accountNames: ByteTable<Int32>
  private let accountPatterns: [[UInt8]]

  package init(
    generation: Generation = Generation(), policyRequired: Bool = true, apps: [App] = [],
    accounts: AccountDirectory = AccountDirectory(), protections: [Protection] = [], ruleSets: [RuleSet] = [],
    browsers: Browsers = Browsers(), links: Links = Links(), texts: UserTexts = UserTexts()
  ) {
    self.generation = generation
    self.policyRequired = policyRequired
    self.apps = apps.map { $0.completed() }
    self.accounts = accounts
    self.protections = protections
    effective = protections.map(EffectiveSettings.init)
    self.ruleSets = ruleSets
    self.browsers = browsers
    self.links = links
    self.texts = texts
    appNames = Self.table(apps.enumerated().map { ($0.element.name, $0.offset) })
    accountNames = Self.table(
      accounts.entries.enumerated().flatMap { entry in entry.element.foldedNames.map { ($0, entry.offset) } })
    accountPatterns = protections.flatMap(\.accountPatterns).map { Array($0.utf8) }
    strictestProtection = protections.indices.max {
      (protections[$0].webTransfer.rawValue, -$0) < (protections[$1].webTransfer.rawValue, -$1)
    }.map(Int32.init)
  }

  /// Whether any policy ever loaded.
  package var hasPolicy: Bool { generation.number > 0 }

  package func app(named name: String) -> Int32? {
    apps.firstIndex { $0.name == name }.map(Int32.init)
  }

  /// Whether an app of the policy has this name.
  func hasApp(named name: Span<UInt8>) -> Bool { appNames.value(for: name) != nil }

  /// Whether an account of this name is written down, not only taken by a pattern.
  func hasAccount(folded name: Span<UInt8>) -> Bool { accountNames.value(for: name) != nil }

  /// Whether a protection's pattern takes this name.
  func hasPattern(taking folded: Span<UInt8>) -> Bool {
    for pattern in accountPatterns where AccountName.pattern(pattern.span, takes: folded) { return true }
    return false
  }

  private static func table(_ names: [(name: String, index: Int)]) -> ByteTable<Int32> {
    var table = ByteTable<Int32>()
    for (name, index) in names {
      let bytes = Array(name.utf8)
      if table.value(for: bytes.span) == nil { table.set(Int32(index), for: bytes.span) }
    }
    return table
  }

  package func ruleSet(named name: String) -> Int32? {
    ruleSets.firstIndex { $0.name == name }.map(Int32.init)
  }
}
