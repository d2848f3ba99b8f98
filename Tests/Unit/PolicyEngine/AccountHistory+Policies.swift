import GuardModel
import PolicyEngine
import TestSupport

/// Random policies, as the model has them and as the guard does.
extension AccountHistory {
  static func policy(_ number: UInt64, at time: UInt64, _ random: inout SeededGenerator) -> AccountModel.Policy {
    var policy = AccountModel.Policy()
    let states: [AccountState] = [.active, .active, .active, .active, .blocked, .nonCompliant, .wiped]
    policy.entries = [["work@contoso.com", "6d5c"], ["second@contoso.com"], ["private@home.example"]].map { names in
      let since = random.one(of: [time, time, time - day, time - 30 * day], orNilOneIn: 5)
      return AccountModel.Policy.Entry(names, random.one(of: states), since: since)
    }
    for app in apps where app == apps[0] || !random.oneIn(5) { policy.apps[app] = self.app(&random) }
    let bound = [
      ["*@contoso.com"], ["*@contoso.com"], ["work@contoso.com"], ["second@contoso.com", "new@contoso.com"], [],
    ]
    policy.bound = random.one(of: bound)
    policy.groups = random.oneIn(3) ? [50] : []
    policy.digest = "d\(number)"
    policy.asksPerson = random.oneIn(5)
    for _ in 0..<random.one(of: [0, 0, 1, 2, 3]) { policy.conditions.append(condition(&random)) }
    policy.wiping = wiping(&random)
    return policy
  }

  private static func app(_ random: inout SeededGenerator) -> AccountModel.Policy.App {
    var app = AccountModel.Policy.App()
    app.sources = AccountSource.allCases.filter { _ in random.oneIn(2) }
    let lists = [["work@contoso.com"], ["6d5c", "new@contoso.com"], ["*@contoso.com"], ["*@home.example"]]
    app.allowed = random.oneIn(4) ? random.one(of: lists) : nil
    app.takesSeveral = !random.oneIn(3)
    app.hasDirectories = random.oneIn(2)
    return app
  }

  private static func condition(_ random: inout SeededGenerator) -> AccountModel.Condition {
    let check = random.one(of: ["DiskEncrypted", "Antivirus", "Antivirus", AccountModel.Condition.ofProgram])
    // A program's word destroys nothing: the reader of policies refuses it.
    let actions: [AccountModel.Condition.Action] =
      check == AccountModel.Condition.ofProgram ? [.warn, .block] : [.warn, .block, .wipe, .wipe]
    let grace = check == AccountModel.Condition.ofProgram ? 0 : random.one(of: [0, 0, 3 * hour, 2 * day])
    return AccountModel.Condition(check, random.one(of: actions), grace: grace)
  }

  private static func wiping(_ random: inout SeededGenerator) -> AccountModel.Wiping {
    var wiping = AccountModel.Wiping()
    wiping.mode = random.one(of: [.on, .on, .on, .on, .off, .dryRun])
    wiping.causes = Set(WipeCause.allCases.filter { _ in !random.oneIn(5) })
    wiping.delay = random.one(of: [0, hour, 12 * hour, 72 * hour])
    wiping.approvals = random.oneIn(4) ? 2 : 1
    wiping.answerTime = random.one(of: [600_000, day])
    wiping.offlineAfter = random.oneIn(4) ? random.one(of: [2 * day, 90 * day]) : nil
    return wiping
  }

  static func snapshot(_ policy: AccountModel.Policy, _ number: UInt64) -> Snapshot {
    var example = ExamplePolicy()
    example.number = number
    let entries = policy.entries.map { entry in
      var account = AccountEntry(upn: entry.names[0], objectID: entry.names.count > 1 ? "6D5C" : nil)
      (account.state, account.since) = (entry.state, entry.since)
      return account
    }
    (example.work, example.otherAccounts) = (entries[0], Array(entries.dropFirst()))
    (example.protection.groups, example.protection.accountPatterns) = (policy.groups, policy.bound)
    example.protection.unlock = policy.asksPerson ? .polkit : .none
    example.protection.recheckAfter = AccountModel.recheckAfter
    example.protection.conditions = policy.conditions.map(LaunchCondition.init)
    example.wipe = WipeSettings(policy.wiping)
    let built = apps.enumerated().map { index, name in app(name, policy.apps[name], index) }
    (example.app, example.otherApps) = (built[0], Array(built.dropFirst()))
    return example.snapshot
  }

  private static func app(_ name: String, _ rules: AccountModel.Policy.App?, _ index: Int) -> App {
    var app = App(name: rules == nil ? "com.gone.\(index)" : name)
    let rules = rules ?? AccountModel.Policy.App()
    app.identityMode = .multi
    app.managedAccounts = rules.takesSeveral ? .several : .one
    (app.accounts.sources, app.accounts.allowed) = (rules.sources, rules.allowed)
    if rules.hasDirectories {
      app.dataDirectories = ["~/.local/share/app/{account}"].compactMap { try? DataDirectory($0) }
    }
    return app
  }
}

extension LaunchCondition {
  fileprivate init(_ condition: AccountModel.Condition) {
    if condition.check == AccountModel.Condition.ofProgram {
      self.init(condition.check, .atLeast, .version([2]))
    } else {
      self.init(condition.check, .equals, .truth(true))
    }
    switch condition.action {
    case .warn: action = .warn
    case .block: action = .block
    case .wipe: action = .wipe
    }
    grace = condition.grace
  }
}

extension WipeSettings {
  fileprivate init(_ wiping: AccountModel.Wiping) {
    self.init()
    (mode, causes, delay, approvals) = (wiping.mode, wiping.causes, wiping.delay, wiping.approvals)
    (answerTime, offlineAfter) = (wiping.answerTime, wiping.offlineAfter)
  }
}
