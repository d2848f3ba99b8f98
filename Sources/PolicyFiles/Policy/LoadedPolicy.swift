internal import GuardModel
package import PolicyEngine
package import URLRules

/// A policy as the files state it, free of errors; snapshots are made of it.
///
///     let snapshot = result.policy?.snapshot(generation: 7, at: 1_795_219_200)
package struct LoadedPolicy: Sendable {
  package var policyRequired = true
  package var apps: [App] = []
  package var accounts = AccountDirectory()
  package var protections: [Protection] = []
  package var ruleSets: [RuleSet] = []
  /// The files of names and filters that rules refer to, by name.
  package var lists: [ListFile] = []
  package var browsers = Browsers()
  package var links = Links()
  package var texts = UserTexts()
  /// What must come of events under it, as its files say; `PolicyTestRunner` runs them.
  package var tests: [PolicyTest] = []
  /// Where each value was stated; the snapshot carries nothing of it.
  package var places = PolicyPlaces()
  /// SHA-256 over the files, in lower-case hexadecimal.
  package var digest = ""

  init() {}

  /// The snapshot that decides at a time (seconds since 1970), under a number that begins at 1.
  ///
  /// Rules that expired by then are not in it, nor is monitoring that is over. It holds until `nextExpiry(after:)`, when
  /// the next one is due: the engine has no clock.
  ///
  /// - Parameter exceptions: what administrators let in for a time; only a daemon knows of any.
  package func snapshot(
    generation number: UInt64, at time: Int64, exceptions: TimedExceptions = TimedExceptions()
  ) -> Snapshot {
    Snapshot(
      generation: Generation(number: number, digest: digest), policyRequired: policyRequired,
      apps: apps.map { $0.monitored(at: time) }, accounts: accounts,
      protections: protections.map { $0.monitored(at: time) }, ruleSets: ruleSets.map { $0.at(time) },
      browsers: browsers, links: links, texts: texts, exceptions: exceptions)
  }

  /// When, after a time, the next rule of any rule set expires, or the next monitoring ends; nil when nothing does.
  package func nextExpiry(after time: Int64) -> Int64? {
    let ends = apps.compactMap(\.monitoredUntil) + protections.compactMap(\.monitoredUntil)
    return (ruleSets.compactMap { $0.nextExpiry(after: time) } + ends.filter { $0 > time }).min()
  }

  /// The rules that expire after one time and by another: `contoso-documents/visitor-wifi`.
  package func rulesExpiring(after start: Int64, through end: Int64) -> [String] {
    ruleSets.flatMap { set in
      set.rules.compactMap { rule in
        guard let expires = rule.expires, start < expires, expires <= end else { return nil }
        return "\(set.name)/\(rule.id)"
      }
    }
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
