import GuardModel
import PolicyEngine
import Testing

/// What a person is told outside of any app: each happening once, in the person's language, and nothing of others.
struct PersonNoticeTests {
  @Test func nothingHappened() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    #expect(desk.notices().isEmpty)
    #expect(desk.engine.state.notices(for: 1000, in: [], Snapshot(policyRequired: true)).isEmpty)
  }

  /// The announcement has the account, the organisation and a date that comes, and its id stays the same until the end.
  @Test func aWipeIsAnnounced() throws {
    var desk = AccountDesk { policy in
      policy.wipe = .on([.admin])
      policy.texts.standard.organization = "Contoso"
      policy.texts.standard.contact = "Eve"
    }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    try desk.wipeByAdministrator(Name.work)
    let told = desk.notices(in: ["en"])
    #expect(
      told.map(\.text) == [
        "On 2026-11-21 11:06 UTC Contoso will remove the data of the account work@contoso.com here. A mistake? Ask Eve."
      ])
    #expect(told.first?.title == "Contoso")
    let german = desk.notices(in: ["nonsense!", "de-AT"])
    #expect(german.first?.text.hasPrefix("Am 2026-11-21 11:06 UTC entfernt Contoso hier die Daten") ?? false)
    #expect(desk.notices(for: 1001).isEmpty, "it is about another person")
    desk.run(hours: 24)
    #expect(desk.notices().map(\.id) == told.map(\.id))
    var kept = KeptState()
    desk.restart(&kept)
    #expect(desk.notices().map(\.id) == told.map(\.id), "the next daemon announces the same")
    try desk.restoreByAdministrator(Name.work)
    #expect(desk.notices().isEmpty)
  }

  /// What only locks, or waits for a second person, is no announcement.
  @Test(arguments: [WipeMode.off, .dryRun, .on]) func aWipeThatDestroysNothing(_ mode: WipeMode) throws {
    var desk = AccountDesk { policy in
      policy.wipe = .on([.admin]) { $0.approvals = 2 }
      policy.wipe.mode = mode
    }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    let wipe = try desk.wipeByAdministrator(Name.work)
    #expect(desk.notices().isEmpty)
    guard mode == .on else { return }
    _ = try desk.engine.approveWipe(wipe.id, by: 501)
    #expect(desk.notices().count == 1)
  }

  /// A source that is silent for a day is told of, until its word ends; then the computer is not checked.
  @Test func aSilentSource() throws {
    var desk = AccountDesk { $0.app.accounts.sources = [.broker] }
    _ = try desk.attach()
    try desk.say([Name.work])
    #expect(desk.notices().isEmpty)
    desk.wait(AccountDesk.day - 1)
    #expect(desk.notices().isEmpty)
    desk.wait(1)
    let told = desk.notices()
    #expect(told.map(\.text) == ["The sign-in service does not answer. You can work until 2026-11-25 11:06 UTC."])
    desk.wait(5 * AccountDesk.day)
    #expect(desk.notices() == told)
    #expect(desk.notices(for: 1001).isEmpty)
    try desk.say([Name.work])
    #expect(desk.notices().isEmpty, "it answers again")
    desk.wait(7 * AccountDesk.day)
    #expect(
      desk.notices().map(\.text) == [
        "This computer was last checked on 2026-11-24 11:06 UTC. Connect it, or ask your help desk. Nothing was deleted."
      ])
  }

  /// Of two sources one is enough, and an account that the app registered needs none.
  @Test func otherSources() throws {
    var desk = AccountDesk { $0.app.accounts.sources = [.broker, .user, .app] }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    try desk.say([Name.work])
    desk.wait(2 * AccountDesk.day)
    #expect(desk.notices().isEmpty, "the app itself says so")
  }

  /// Conditions of which nothing is known for too long: since when.
  @Test func conditionsThatNobodyChecks() throws {
    var desk = AccountDesk { policy in
      policy.app.accounts.sources = []
      policy.protection.conditions = [LaunchCondition("DiskEncrypted", .equals, .truth(true))]
      policy.protection.notCheckedAfter = AccountDesk.day
    }
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    desk.engine.setFacts([:], at: desk.time)
    #expect(desk.notices().isEmpty)
    desk.wait(AccountDesk.day)
    let told = desk.notices()
    #expect(
      told.map(\.text) == [
        "This computer was last checked on 2026-11-18 11:06 UTC. Connect it, or ask your help desk. Nothing was deleted."
      ])
    desk.wait(9 * AccountDesk.day)
    #expect(desk.notices() == told, "the same silence is one notice")
    #expect(desk.notices(for: 1001).isEmpty)
    desk.engine.setFacts(["DiskEncrypted": Fact(.truth(true))], at: desk.time)
    #expect(desk.notices().isEmpty)
  }

  /// An app is told of once, however many of its programs run; the text names the app and no account.
  @Test func restartsAreToldByApp() throws {
    var desk = AccountDesk()
    let first = try desk.attach()
    let second = try desk.attach()
    for caller in [first, second] {
      desk.engine.setRules("old", of: caller.instance, at: desk.time)
      let request = try #require(desk.engine.state.openRestart(of: caller.instance))
      _ = try desk.complete(request.id, .refused, by: caller)
    }
    #expect(
      desk.notices().map(\.text) == [
        "Close com.contoso.portal and open it again: your organization changed its rules."
      ])
    #expect(desk.notices(for: 1001).isEmpty)
    _ = desk.engine.state.end(first.instance)
    #expect(desk.notices().count == 1, "the other one runs on")
    _ = desk.engine.state.end(second.instance)
    #expect(desk.notices().isEmpty)
  }
}
