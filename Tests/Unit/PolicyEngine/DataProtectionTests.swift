import GuardModel
import PolicyEngine
import Testing

/// What apps are told of the encryption of their accounts' files, and whose key an administrator may change (ledger FE-01,
/// FE-02, SD-06).
@Suite struct DataProtectionTests {
  private func told(_ desk: borrowing AccountDesk, _ caller: Caller) -> [String: FileEncryption] {
    let found = desk.engine.state.dataProtections(of: caller.instance, desk.engine.snapshot).values
    return Dictionary(uniqueKeysWithValues: found.map { ($0.account, $0.encryption) })
  }

  /// The default requires; an account that no protection binds is free.
  @Test func everyAccountOfTheAppIsToldOf() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    #expect(told(desk, portal).isEmpty)
    _ = desk.register(Name.work, by: portal)
    _ = desk.register(Name.home, by: portal)
    #expect(told(desk, portal) == [Name.work: .envelope])
    _ = try desk.printed(as: Name.home, by: portal)
    #expect(told(desk, portal) == [Name.work: .envelope, Name.home: .none])
    #expect(desk.listed(Name.work, for: portal)?.encryption == .envelope)
    #expect(desk.engine.accounts(account: Name.work).map(\.encryption) == [.envelope])
    // Nobody hears of another person's accounts.
    #expect(told(desk, try desk.attach(person: 1001)).isEmpty)
  }

  /// An account that may not work has its files still.
  @Test func anAccountThatMayNotWorkIsToldOfAsWell() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    desk.reload { $0.work.state = .blocked }
    #expect(told(desk, portal) == [Name.work: .envelope])
    _ = desk.deregister(Name.work, by: portal)
    #expect(told(desk, portal) == [Name.work: .envelope])
  }

  @Test(arguments: [
    ("another way", FileEncryption.envelope, FileEncryption.volume), ("no longer", .volume, .none),
    ("from now on", .none, .fscrypt), ("the same", .gocryptfs, .gocryptfs), ("none as before", .none, .none),
  ])
  func aReloadTellsWhatIsOtherwise(_ name: String, _ before: FileEncryption, _ now: FileEncryption) throws {
    func encrypting(_ way: FileEncryption) -> (inout ExamplePolicy) -> Void {
      { policy in
        policy.protection.encrypt = way.isRequired
        policy.protection.encryptBy = way.isRequired ? way : .envelope
      }
    }
    var desk = AccountDesk(encrypting(before))
    let portal = try desk.attach()
    for account in [Name.work, Name.second] { _ = desk.register(account, by: portal) }
    let old = desk.engine.state.dataProtections(of: portal.instance, desk.engine.snapshot)
    desk.reload(encrypting(now))
    let changed = desk.engine.state.otherProtections(of: portal.instance, than: old, desk.engine.snapshot)
    let expected = before == now ? [] : [now, now]
    #expect(changed.map(\.encryption) == expected, "\(name)")
    #expect(changed.map(\.account) == (before == now ? [] : [Name.second, Name.work].sorted()))
    // Asked again, nothing is otherwise.
    let later = desk.engine.state.dataProtections(of: portal.instance, desk.engine.snapshot)
    #expect(desk.engine.state.otherProtections(of: portal.instance, than: later, desk.engine.snapshot).isEmpty)
  }

  /// A policy that binds the account no longer frees its files, and the app hears it.
  @Test func anAccountThatNothingBindsAnyLongerIsToldOf() throws {
    var desk = AccountDesk()
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    let old = desk.engine.state.dataProtections(of: portal.instance, desk.engine.snapshot)
    desk.reload { policy in
      policy.work.protection = nil
      policy.protection.accountPatterns = []
    }
    let changed = desk.engine.state.otherProtections(of: portal.instance, than: old, desk.engine.snapshot)
    #expect(changed.map(\.encryption) == [.none])
    #expect(changed.map(\.names) == [[]], "it has no keys")
  }

  // MARK: Whose key

  /// The name of a key is the same whichever name the administrator says, before and after a program named the account.
  @Test func anAccountIsFoundByAnyOfItsNames() throws {
    var desk = AccountDesk()
    let before = try desk.engine.keyClaim(ofAccount: Name.work, person: 1000)
    let portal = try desk.attach()
    _ = desk.register(Name.work, by: portal)
    var claim = try desk.engine.keyClaim(of: Name.work, for: portal, at: desk.time)
    #expect(before?.names.first == claim.names.first && before?.account == claim.account)
    for name in [Name.work, Name.work.uppercased(), "6d5c", "6D5C"] {
      let found = try desk.engine.keyClaim(ofAccount: name, person: 1000)
      #expect(found?.names.first == claim.names.first && found?.account == claim.account, "\(name)")
      claim = try desk.engine.keyClaim(of: name, for: portal, at: desk.time)
    }
    #expect(try desk.engine.keyClaim(ofAccount: "wrok@contoso.com", person: 1000) == nil)
  }

  /// While all apps of a person lose an account its keys are about to go. The wipe of another person, and of one app, is
  /// none of its business.
  @Test func anAccountThatIsBeingWipedIsRefused() throws {
    var desk = AccountDesk()
    let (portal, other) = (try desk.attach(), try desk.attach(person: 1001))
    for caller in [portal, other] { _ = desk.register(Name.work, by: caller) }
    try desk.wipeByAdministrator(Name.work)
    #expect(throws: AccountRefusal.underWay) { try desk.engine.keyClaim(ofAccount: Name.work, person: 1000) }
    #expect(try desk.engine.keyClaim(ofAccount: Name.work, person: 1001) != nil)
    try desk.restoreByAdministrator(Name.work)
    #expect(try desk.engine.keyClaim(ofAccount: Name.work, person: 1000) != nil)
    _ = try desk.engine.wipe(
      Name.work, person: 1000, app: AccountDesk.portal, reason: "left", now: true, approver: 500, at: desk.time)
    #expect(try desk.engine.keyClaim(ofAccount: Name.work, person: 1000) != nil)
  }
}
