package import GuardModel
internal import PolicyEngine
internal import URLRules

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
  /// Everything that states `monitorOnly`, also what is over: apps, protections, then rules, in the order of the files.
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

  /// What is enforced from after one time on and by another: ``rule `contoso-documents/sharing` ``
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
