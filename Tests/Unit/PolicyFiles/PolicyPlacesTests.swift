import GuardModel
import PolicyEngine
import PolicyFiles
import Testing

/// Where values were stated, and which of them a decision used.
@Suite struct PolicyPlacesTests {
  private static let files = [
    "policy.d/a.yaml": """
    apps:
      reader:
        peers: [{ unit: reader.service }]
        classes:
          pages: { policy: currentIdentity }
    accounts:
      - { upn: first@contoso.com }
    """,
    "policy.d/b.yaml": """
    accounts:
      - { upn: second@contoso.com, protection: named }
      - upn: third@contoso.com
        state: blocked
    protections:
      listed:
        accounts: [{ group: staff }, someone@contoso.com, "*@contoso.com"]
        webTransfer: block
      named:
        clipboard: { level: blocked }
      sealed:
        send: none
    """,
  ]

  private func policy() throws -> LoadedPolicy {
    let result = load(Self.files)
    return try #require(result.policy, "\(result.diagnostics)")
  }

  @Test(arguments: [
    ("apps/reader", "c/policy.d/a.yaml:2:3"),
    ("apps/reader/classes/pages/policy", "c/policy.d/a.yaml:5:16"),
    ("accounts/0", "c/policy.d/a.yaml:7:5"),
    ("accounts/1", "c/policy.d/b.yaml:2:5"),
    ("accounts/1/protection", "c/policy.d/b.yaml:2:32"),
    ("accounts/2/state", "c/policy.d/b.yaml:4:5"),
    ("protections/listed/accounts/2", "c/policy.d/b.yaml:7:55"),
    ("protections/named/clipboard/level", "c/policy.d/b.yaml:10:18"),
    ("protections/named/webTransfer", nil), ("apps/reader/popups", nil), ("accounts/3", nil), ("", nil),
  ]) func everyKeyHasItsPlace(_ path: String, _ place: String?) throws {
    let keys = path.split(separator: "/").map(String.init)
    #expect(try policy().places[keys]?.description == place)
  }

  private func used(
    asking kind: EventKind = .navigate, _ body: (inout DecisionReport) -> Void
  ) throws -> UsedSettings {
    let policy = try policy()
    var report = DecisionReport()
    body(&report)
    let snapshot = policy.snapshot(generation: 1, at: 0)
    return UsedSettings(report, of: "reader", asking: kind, url: "tel:1", in: snapshot, policy.places)
  }

  @Test func whatIsNotStatedIsADefault() throws {
    let used = try used(asking: .print) { report in
      (report.reason, report.protection, report.identity) = (.printAllowed, "named", "second@contoso.com")
    }
    #expect(used.account == "c/policy.d/b.yaml:2:5")
    #expect(used.binding == "its entry (c/policy.d/b.yaml:2:32)")
    #expect(
      used.values.map(\.sentence) == [
        "protection `named`: `printing` is `allow`, the default, since nothing is stated"
      ])
  }

  /// Each setting is that of the protection that is strictest there, whichever ended the procedure.
  @Test func aSettingIsToldAsTheStrictestStatesIt() throws {
    let used = try used { report in
      (report.reason, report.protection, report.identity) = (.externalBlocked, "named", "second@contoso.com")
    }
    #expect(
      used.values.map(\.sentence) == ["protection `listed`: `webTransfer` is `block` (c/policy.d/b.yaml:8:5)"])
  }

  /// Of what goes into an external page it is told whose setting made that page nobody's (ledger WV-31).
  @Test func whoseTheExternalPageIsIsTold() throws {
    let text = """
      apps: { reader: {} }
      accounts: [{ upn: a@contoso.com, protection: careful }]
      protections:
        careful: { clipboard: { level: managed }, externalInPlace: unmanaged }
      """
    let policy = try #require(PolicyFilesTests.load(["policy.d/b.yaml": text]).policy)
    var report = DecisionReport()
    (report.reason, report.protection, report.identity) = (.orgData, "careful", "a@contoso.com")
    report.policy = .currentIdentity
    let values: (DecisionReport) -> [String] = { report in
      let snapshot = policy.snapshot(generation: 1, at: 0)
      return UsedSettings(report, of: "reader", asking: .paste, url: nil, in: snapshot, policy.places)
        .values.map(\.sentence)
    }
    let level = "protection `careful`: `clipboard.level` is `managed` (c/policy.d/b.yaml:4:27)"
    #expect(values(report) == [level])
    report.notes = .externalReceiver
    #expect(
      values(report) == [
        level, "protection `careful`: `externalInPlace` is `unmanaged` (c/policy.d/b.yaml:4:45)",
      ])
    #expect(
      Explanation(.paste, url: nil, viewer: "v", report).steps.contains(
        "the page is external, and counts as nobody's for what comes in"))
  }

  @Test func aPatternIsFoundBehindGroups() throws {
    let used = try used { report in
      (report.reason, report.protection, report.identity) = (.externalBlocked, "listed", "first@contoso.com")
    }
    #expect(used.binding == "the pattern `*@contoso.com` (c/policy.d/b.yaml:7:55)")
    #expect(
      used.values.map(\.sentence) == ["protection `listed`: `webTransfer` is `block` (c/policy.d/b.yaml:8:5)"])
  }

  /// What is in force is said, with what forces it, and not what is stated or left out.
  @Test func forcedValuesNameTheirCause() throws {
    let used = try used { report in
      (report.reason, report.protection) = (.saveLocationNotListed, "sealed")
    }
    #expect(
      used.values.map(\.sentence) == [
        "protection `sealed`: `save.allowed` is `false` (since `send` is `none`, c/policy.d/b.yaml:12:5)",
        "protection `sealed`: `save.exceptions` is empty, the default, since nothing is stated",
      ])
  }

  @Test func theProtectionOfAClipIsNotTheIdentitys() throws {
    let used = try used { report in
      (report.reason, report.protection, report.identity) = (.orgData, "named", "first@contoso.com")
    }
    #expect(used.binding == nil)
    #expect(
      used.values.map(\.sentence) == ["protection `named`: `clipboard.level` is `blocked` (c/policy.d/b.yaml:10:18)"])
  }

  @Test func whatNamesNothingUsesNothing() throws {
    #expect(try used { $0.reason = .noPolicy } == UsedSettings())
    #expect(try used { ($0.reason, $0.identity) = (.accountBlocked, "nobody@fabrikam.com") }.values.isEmpty)
    #expect(try used { ($0.reason, $0.identity) = (.accountBlocked, "third@contoso.com") }.values.count == 1)
  }
}
