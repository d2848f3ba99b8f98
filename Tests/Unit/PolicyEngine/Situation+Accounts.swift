import GuardModel
import PolicyEngine

/// Accounts by the points of their life: what a source, a condition, an unlocking and a wipe let them do.
extension Situation {
  static let accounts: [Situation] = [
    Situation(
      "registered account", Answer(.allow, .internal), page,
      state: { try $0.asGuard { _ = try $0.perform(.register(Name.work), for: $1, at: 1) } },
      policy: { $0.app.accounts.sources = [.app] }),
    Situation(
      "account that a source names", Answer(.allow, .internal), page,
      state: { example in
        try example.asGuard { engine, _ in
          try engine.signedIn([SignedInAccount(upn: Name.work)], by: .broker, person: 1000, at: 1)
        }
      },
      policy: { $0.app.accounts.sources = [.broker, .app] }),
    Situation(
      "account that nobody registered", Answer(.block, .policyRequired), page,
      policy: { $0.app.accounts.sources = [.broker, .app] }),
    Situation(
      "account that the app takes", Answer(.allow, .internal), page,
      policy: { $0.app.accounts.allowed = ["*@contoso.com"] }),
    Situation(
      "account that the app does not take", Answer(.block, .accountNotAllowed), page,
      policy: { $0.app.accounts.allowed = ["*@fabrikam.com"] }),
    Situation(
      "condition that holds", Answer(.allow, .internal), page, state: { $0.readDisk(isEncrypted: true) },
      policy: { $0.protection.conditions = [.encryptedOrWiped] }),
    Situation(
      "condition that fails", Answer(.block, .accountNotCompliant), page, state: { $0.readDisk(isEncrypted: false) },
      policy: {
        var condition = LaunchCondition.encryptedOrWiped
        condition.action = .block
        $0.protection.conditions = [condition]
      }),
    Situation(
      "condition that wipes", Answer(.block, .accountBlocked), page, state: { $0.readDisk(isEncrypted: false) },
      policy: { $0.protection.conditions = [.encryptedOrWiped] }),
    Situation(
      "unlocked account", Answer(.allow, .internal), page,
      state: { $0.asGuard { engine, _ in engine.unlock(1000, at: 1) } },
      policy: { $0.protection.unlock = .polkit }),
    Situation("locked account", Answer(.block, .locked), page, policy: { $0.protection.unlock = .polkit }),
    Situation(
      "wipe that is pending", Answer(.block, .accountBlocked), page,
      state: { try $0.wipe(now: false) }, policy: { $0.wipe = .on([.admin]) }),
    Situation(
      "wipe under way", Answer(.block, .accountWiped), page,
      state: { try $0.wipe(now: true) }, policy: { $0.wipe = .on([.admin]) }),
    Situation(
      "everything at once", Answer(.allow, .internal), page,
      state: { example in
        example.readDisk(isEncrypted: true)
        try example.asGuard { engine, caller in
          _ = try engine.perform(.register(Name.work), for: caller, at: 1)
          engine.unlock(1000, at: 1)
        }
      },
      policy: { policy in
        (policy.app.accounts.sources, policy.app.accounts.allowed) = ([.broker, .app], ["*@contoso.com"])
        (policy.protection.conditions, policy.protection.unlock) = ([.encryptedOrWiped], .polkit)
      }),
  ]

  private static let page = Event.data(.navigate, in: "D", url: "https://docs.contoso.com/d/42") { $0.frame = .main }
}

extension Example {
  /// Calls and time, which only `Guard` takes, for this state.
  fileprivate mutating func asGuard(_ body: (inout Guard, Caller) throws -> Void) rethrows {
    var engine = Guard(epoch: 42, under: snapshot)
    swap(&engine.state, &state)
    defer { swap(&engine.state, &state) }
    try body(&engine, Caller(portal, connection: 1))
  }

  fileprivate mutating func readDisk(isEncrypted: Bool) {
    asGuard { engine, _ in engine.setFacts(["DiskEncrypted": Fact(.truth(isEncrypted))], at: 1) }
  }

  /// An administrator wipes the account; at once it is asked for.
  fileprivate mutating func wipe(now: Bool) throws {
    try asGuard { engine, caller in
      _ = try engine.perform(.register(Name.work), for: caller, at: 1)
      _ = try engine.wipe(Name.work, person: 1000, app: nil, reason: "left", now: now, approver: 500, at: 1)
      _ = engine.run(AccountDesk.running, at: 1)
    }
  }
}
