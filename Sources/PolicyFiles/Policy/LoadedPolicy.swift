package import GuardModel
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
  package var enrollment = EnrollmentTimes()
  package var wipe = WipeSettings()
  /// The public key that copies of account keys are sealed to, in its text; nil where nobody is to have copies.
  package var escrow: String?
  package var appConfig = AppConfigDirectory()
  /// The expected outcomes of events under it, as its files state them; `PolicyTestRunner` runs them.
  package var tests: [PolicyTest] = []
  /// The place of each value; the snapshot carries no places.
  package var places = PolicyPlaces()
  /// SHA-256 over the files, in lower-case hexadecimal.
  package var digest = ""

  init() {}

  /// The snapshot that decides at a time (seconds since 1970), under a number that begins at 1.
  ///
  /// Rules that expired by then are not in it, nor is monitoring that is over. It holds until `nextExpiry(after:)`, when
  /// the next one is due: the engine has no clock.
  ///
  /// - Parameter exceptions: the exceptions that administrators granted for a time; only a daemon knows of any.
  package func snapshot(
    generation number: UInt64, at time: Int64, exceptions: TimedExceptions = TimedExceptions()
  ) -> Snapshot {
    Snapshot(
      generation: Generation(number: number, digest: digest), policyRequired: policyRequired,
      apps: apps.map { $0.monitored(at: time) }, accounts: accounts,
      protections: protections.map { $0.monitored(at: time) }, ruleSets: ruleSets.map { $0.at(time) },
      browsers: browsers, links: links, texts: texts, enrollment: enrollment,
      wipe: wipe, exceptions: exceptions, appConfig: appConfig)
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
}

/// Something of a policy that only monitors until a time.
package struct MonitoredPart: Sendable, Hashable {
  package let kind: MonitorCause
  /// `com.contoso.portal`, `contoso-standard`, or `contoso-documents/sharing` for a rule.
  package let name: String
  /// The first second in which it is enforced, since 1970 UTC.
  package let until: Int64
  /// `file:line:column` of the app, protection or rule.
  package let location: String

  /// ``rule `contoso-documents/sharing` ``
  package var words: String { "\(kind.rawValue) \(name.quoted)" }

  /// A time as text: `2027-02-01T00:00:00.000Z`
  package static func day(_ until: Int64) -> String {
    until < 0 ? "a day before 1970" : RFC3339.text(UInt64(until) * 1000)
  }
}

extension LoadedPolicy {
  /// Everything that states `monitorOnly`, even when it is over: apps, protections, then rules, in the order of the
  /// files.
  package var monitoredParts: [MonitoredPart] {
    let apps = apps.compactMap { app in
      app.monitoredUntil.map { MonitoredPart(kind: .app, name: app.name, until: $0, location: app.location) }
    }
    let protections = protections.compactMap { protection in
      protection.monitoredUntil.map {
        MonitoredPart(kind: .protection, name: protection.name, until: $0, location: protection.location)
      }
    }
    return apps + protections + ruleSets.flatMap(\.monitoredParts)
  }

  /// The parts that begin to be enforced after one time and by another: ``rule `contoso-documents/sharing` ``
  package func monitoringEnding(after start: Int64, through end: Int64) -> [String] {
    monitoredParts.filter { start < $0.until && $0.until <= end }.map(\.words)
  }
}

extension RuleSetTests {
  /// The rules that state `monitorOnly`.
  package var monitoredRules: [MonitoredPart] { ruleSet.monitoredParts }
}

extension RuleSet {
  /// The rules that state `monitorOnly`, in their order.
  package var monitoredParts: [MonitoredPart] {
    rules.compactMap { rule in
      rule.monitoredUntil.map {
        MonitoredPart(kind: .rule, name: "\(name)/\(rule.id)", until: $0, location: rule.location)
      }
    }
  }
}

extension App {
  /// The app as it stands at a time, in seconds since 1970.
  func monitored(at time: Int64) -> App {
    guard let until = monitoredUntil, until <= time else { return self }
    var enforced = self
    enforced.monitoredUntil = nil
    return enforced
  }
}

extension Protection {
  /// The protection as it stands at a time, in seconds since 1970.
  func monitored(at time: Int64) -> Protection {
    guard let until = monitoredUntil, until <= time else { return self }
    var enforced = self
    enforced.monitoredUntil = nil
    return enforced
  }
}
