internal import GuardModel
internal import JSONText
internal import PolicyEngine
package import PolicyFiles
package import URLRules

/// Everything that `check` says of one path.
package struct CheckReport {
  private let path: String
  private let diagnostics: [Diagnostic]
  private let apps: [EffectiveApp]
  private let protections: [EffectiveProtection]
  private let configs: [EffectiveConfig]
  private let ruleSets: [RuleSetTests]
  /// Parts that only monitor now, as a reminder.
  private let monitored: [MonitoredPart]

  /// Above so many rules without a host, each URL costs noticeably more (architecture, section 6).
  static let maximumResidual = 64

  /// - Parameter account: the account whose app configuration is shown; nil for each that the policy targets.
  package init(
    _ checked: CheckedPath, _ suffixes: PublicSuffixes, at now: Int64, account: CheckedAccount? = nil
  ) {
    path = checked.path
    var diagnostics = checked.diagnostics
    for set in checked.tests where set.ruleSet.residualCount > Self.maximumResidual {
      diagnostics.warning(
        "residual-rules", at: SourceLocation(file: set.file),
        "\(set.ruleSet.residualCount) rules of \(set.ruleSet.name.quoted) are looked at for every URL",
        hint: "give them a `domain`, a `host` or a `url`, by which they are found")
    }
    let linted = checked.tests.map { LintedRules($0, at: now, suffixes) }
    for rules in linted { diagnostics.merge(Lint.findings(in: rules)) }
    if let policy = checked.policy { diagnostics.merge(PolicyLint(policy, linted, at: now).findings) }
    self.diagnostics = diagnostics.sorted
    ruleSets = checked.tests
    monitored = (checked.policy?.monitoredParts ?? checked.tests.flatMap(\.monitoredRules)).filter { $0.until > now }
    apps = checked.policy.map { EffectiveApp.all(in: $0.snapshot(generation: 1, at: now)) } ?? []
    protections =
      checked.policy.map { policy in policy.protections.map { EffectiveProtection($0, policy.places) } } ?? []
    configs =
      checked.policy.map { policy in
        account.map { EffectiveConfig.all(in: policy, for: $0.name, groups: Set($0.groups)) }
          ?? EffectiveConfig.all(in: policy)
      } ?? []
  }

  package var errorCount: Int { diagnostics.count { $0.severity == .error } }
  package var warningCount: Int { diagnostics.count { $0.severity == .warning } }

  package func printText(to output: Output) throws(CommandFailure) {
    for diagnostic in diagnostics { try output.line(DiagnosticPrinter.text(diagnostic, output.style)) }
    for app in apps {
      try output.line(output.style.heading(output.shown(app.name)) + "  " + output.shown(app.summary))
      for line in app.table.lines { try output.line("  " + output.shown(line)) }
    }
    for protection in protections {
      let heading = "protection " + protection.name
      try output.line(output.style.heading(output.shown(heading)) + "  " + output.shown(protection.location))
      for line in protection.table.lines { try output.line("  " + output.shown(line)) }
    }
    for config in configs {
      try output.line(output.style.heading(output.shown("app configuration of " + config.app)))
      for line in config.table.lines { try output.line("  " + output.shown(line)) }
    }
    if !ruleSets.isEmpty {
      for line in ruleSetTable.lines { try output.line(output.shown(line)) }
    }
    if !monitored.isEmpty {
      for line in monitoredTable.lines { try output.line(output.shown(line)) }
    }
    let counts = "\(Self.count(errorCount, "error")), \(Self.count(warningCount, "warning"))"
    try output.line("\(output.shown(path)): \(counts)")
  }

  package func printJSON(to output: Output) throws(CommandFailure) {
    let report: JSONTree = [
      "path": .string(path), "errors": .int(Int64(errorCount)), "warnings": .int(Int64(warningCount)),
      "diagnostics": .array(diagnostics.map(\.json)), "apps": .array(apps.map(\.json)),
      "protections": .array(protections.map(\.json)), "ruleSets": .array(ruleSets.map(\.json)),
      "monitored": .array(monitored.map(\.json)), "appConfig": .array(configs.map(\.json)),
    ]
    try output.json(report.text())
  }

  private var ruleSetTable: TextTable {
    TextTable(
      ["RULE SET", "RULES", "FOR EVERY URL", "DEFAULT", "TESTS", "FILE"],
      ruleSets.map { set in
        [
          set.ruleSet.name, String(set.ruleSet.rules.count), String(set.ruleSet.residualCount),
          set.ruleSet.default.name, String(set.tests.count), set.file,
        ]
      })
  }

  private var monitoredTable: TextTable {
    TextTable(
      ["ONLY MONITORED", "UNTIL", "AT"], monitored.map { [$0.words, MonitoredPart.day($0.until), $0.location] })
  }

  private static func count(_ number: Int, _ word: String) -> String {
    number == 1 ? "1 \(word)" : "\(number == 0 ? "no" : String(number)) \(word)s"
  }
}

extension Diagnostic {
  fileprivate var json: JSONTree {
    [
      "file": .string(location.file), "line": .int(Int64(location.line)), "column": .int(Int64(location.column)),
      "severity": .string(severity.rawValue), "code": .string(code.rawValue), "message": .string(message),
      "hint": hint.map(JSONTree.string) ?? .null, "witness": witness.map(\.json) ?? .null,
    ]
  }
}

extension Witness {
  /// The URL with its stated context, and the rule set's answer.
  fileprivate var json: JSONTree {
    [
      "url": .string(question.url), "document": question.document.map(JSONTree.string) ?? .null,
      "from": question.from.map(JSONTree.string) ?? .null, "hop": question.hop.map(JSONTree.bool) ?? .null,
      "for": .array(Purposes.names.filter { question.purpose.contains($0.purpose) }.map { .string($0.name) }),
      "at": at.map { .string(RFC3339.text(UInt64(max(0, $0)) * 1000)) } ?? .null,
      "verdict": .string(isInternal ? "internal" : "external"), "rule": .string(rule),
    ]
  }
}

extension MonitoredPart {
  fileprivate var json: JSONTree {
    [
      "kind": .string(kind.rawValue), "name": .string(name), "until": .string(Self.day(until)),
      "location": .string(location),
    ]
  }
}

extension RuleSetTests {
  fileprivate var json: JSONTree {
    [
      "name": .string(ruleSet.name), "rules": .int(Int64(ruleSet.rules.count)),
      "forEveryURL": .int(Int64(ruleSet.residualCount)), "default": .string(ruleSet.default.name),
      "tests": .int(Int64(tests.count)), "file": .string(file),
    ]
  }
}

/// The account whose app configuration `check` shows, with the Unix groups of its person.
package struct CheckedAccount {
  let name: String
  let groups: [UInt32]

  package init(_ name: String, groups: [UInt32]) {
    (self.name, self.groups) = (name, groups)
  }
}

/// Content of a path on the command line: a configuration directory, or one rule file.
package struct CheckedPath {
  let path: String
  package let diagnostics: Diagnostics
  /// Nil for a rule file, and for a configuration with errors.
  package let policy: LoadedPolicy?
  package let tests: [RuleSetTests]

  /// `checks` names the problems to look for in lists.
  package static func load(_ path: String, checks: ListChecks = ListChecks()) -> CheckedPath {
    if SystemFiles().kind(of: path) == .directory {
      let result = ConfigurationLoader(roots: [path], checks: checks).load()
      return CheckedPath(
        path: path, diagnostics: result.diagnostics, policy: result.policy,
        tests: result.diagnostics.hasErrors ? [] : result.tests)
    }
    let result = RuleFileLoader(checks: checks).load(path)
    return CheckedPath(
      path: path, diagnostics: result.diagnostics, policy: nil, tests: [result.tests].compactMap(\.self))
  }
}
