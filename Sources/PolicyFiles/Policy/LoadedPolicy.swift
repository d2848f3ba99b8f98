internal import GuardModel
package import PolicyEngine
package import URLRules

/// A policy as the files state it, free of errors; snapshots are made of it.
///
///     let snapshot = result.policy?.snapshot(generation: 7)
package struct LoadedPolicy: Sendable {
  package var policyRequired = true
  package var apps: [App] = []
  package var accounts = AccountDirectory()
  package var protections: [Protection] = []
  package var ruleSets: [RuleSet] = []
  package var browsers = Browsers()
  package var links = Links()
  /// SHA-256 over the files, in lower-case hexadecimal.
  package var digest = ""

  init() {}

  /// The snapshot that decides, under the number of this load; numbers begin at 1.
  package func snapshot(generation number: UInt64) -> Snapshot {
    Snapshot(
      generation: Generation(number: number, digest: digest), policyRequired: policyRequired, apps: apps,
      accounts: accounts, protections: protections, ruleSets: ruleSets, browsers: browsers, links: links)
  }

  /// How many of the named accounts a protection binds, by name or by pattern.
  var managedAccountCount: Int {
    accounts.entries.count { entry in
      let names = entry.foldedNames
      return entry.protection != nil
        || protections.contains { protection in
          protection.accountPatterns.contains { pattern in names.contains { AccountName.pattern(pattern, takes: $0) } }
        }
    }
  }
}
