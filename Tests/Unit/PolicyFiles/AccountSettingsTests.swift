import GuardModel
import PolicyEngine
import PolicyFiles
import Testing

/// `accounts`, `allowedAccounts` and `enrolment` in files. Ledger AA-01, AA-04, AA-06, EN-04, EN-06, EN-07.
@Suite struct AccountSettingsTests {
  private static func loaded(_ yaml: String) -> LoadResult { load(["policy.d/a.yaml": yaml]) }

  @Test func theSettingsAreRead() throws {
    let policy = try #require(
      Self.loaded(
        """
        apps: { x: { identityMode: multi, accounts: { source: [app, user] }, allowedAccounts: [A@Contoso.com, "*@B.example"] } }
        enrolment: { retry: 1h, checkIn: 30m, forgetAfter: 2d, signInHolds: 3h }
        """
      ).policy)
    #expect(policy.apps[0].accounts.sources == [.user, .app])
    #expect(policy.apps[0].accounts.allowed == ["a@contoso.com", "*@b.example"])
    var times = EnrollmentTimes()
    (times.retry, times.checkIn, times.forgetAfter, times.signInHolds) = (3_600_000, 1_800_000, 172_800_000, 10_800_000)
    #expect(policy.enrollment == times)
  }

  /// Absent is free, and the seed's times hold.
  @Test func theDefaultsAreThoseOfTheSDK() throws {
    let policy = try #require(Self.loaded("apps: { x: { identityMode: multi } }").policy)
    #expect(policy.apps[0].accounts.sources.isEmpty && policy.apps[0].accounts.allowed == nil)
    let hour: UInt64 = 3_600_000
    #expect(policy.enrollment.retry == 24 * hour && policy.enrollment.checkIn == 8 * hour)
    #expect(policy.enrollment.forgetAfter == 90 * 24 * hour && policy.enrollment.signInHolds == 7 * 24 * hour)
  }

  /// AA-06: an empty list would keep everybody out, and its absence nobody.
  @Test(arguments: [
    ("apps: { x: { allowedAccounts: [] } }", "expected at least 1 item"),
    ("apps: { x: { accounts: { source: [] } } }", "expected at least 1 item"),
    ("apps: { x: { accounts: {} } }", "source"), ("apps: { x: { accounts: { source: [portal] } } }", "portal"),
    ("apps: { x: { allowedAccounts: [\"*\"] } }", "is not an account pattern"),
    ("apps: { x: { allowedAccounts: [\"*@a@b\"] } }", "is not an account pattern"),
    ("enrolment: { retry: 59s }", "from `1m` to `30d`"),
    ("enrolment: { forgetAfter: 1h }", "forgotten before their next check-in"),
    ("enrolment: { checkIn: 20d, forgetAfter: 10d }", "forgotten before their next check-in"),
  ])
  func mistakesAreTold(_ yaml: String, _ words: String) {
    let diagnostics = Self.loaded(yaml).diagnostics
    #expect(diagnostics.hasErrors, "\(yaml)")
    #expect(diagnostics.description.contains(words), "\(diagnostics.description)")
  }

  /// WP-06: a mark destroys, so it names one account by its object id. Patterns, groups and names alone are errors.
  @Test(arguments: [
    ("upn: a@b, since: 2026-11-20T08:00:00Z", "marked by its object id"),
    ("upn: \"*@contoso.com\", since: 2026-11-20T08:00:00Z", "is not an account"),
    ("upn: \"*@contoso.com\", objectId: 6d5c-0002, since: 2026-11-20T08:00:00Z", "is not an account"),
    ("objectId: \"*\", since: 2026-11-20T08:00:00Z", "is not an account"),
    ("upn: \"*@contoso.com\"", "is not an account"),
    ("group: staff, since: 2026-11-20T08:00:00Z", "unknown key `group`"),
    ("objectId: 6d5c-0002, group: staff, since: 2026-11-20T08:00:00Z", "unknown key `group`"),
    ("objectId: [6d5c-0002, 6d5c-0003], since: 2026-11-20T08:00:00Z", "expected a string"),
  ])
  func aMarkNamesOneAccount(_ names: String, _ words: String) {
    let result = Self.loaded("apps: { x: {} }\naccounts: [{ \(names), state: wiped }]")
    #expect(result.policy == nil && result.diagnostics.hasErrors, "\(names)")
    #expect(result.diagnostics.description.contains(words), "\(result.diagnostics.description)")
  }

  /// A protection, which may bind a pattern or a group, marks nobody.
  @Test func aProtectionMarksNobody() {
    for bound in ["\"*@contoso.com\"", "{ group: staff }"] {
      let result = Self.loaded(
        "apps: { x: {} }\nprotections: { p: { accounts: [\(bound)], state: wiped, since: 2026-11-20T08:00:00Z } }")
      #expect(result.diagnostics.description.contains("unknown key `state`"), "\(result.diagnostics.description)")
      #expect(result.policy == nil)
    }
  }

  /// Two files may not both state the times.
  @Test func theTimesStandInOneFile() {
    let both = load(["policy.d/a.yaml": "enrolment: { retry: 1h }", "policy.d/b.yaml": "enrolment: { retry: 2h }"])
    #expect(both.diagnostics.hasErrors)
  }
}
