import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// The guard and a model in plain words agree on the life of accounts, over random histories: calls, words of sources,
/// time that passes and clocks that are set back, reloads, programs that come and go, and daemons that are killed.
struct AccountAgreementTests {
  @Test
  func guardAndModelAgree() throws {
    var random = SeededGenerator()
    var steps = 0
    var seen: Set<String> = []
    for _ in 0..<Effort.scaled(20_000) {
      var history = AccountHistory(&random)
      for _ in 0..<50 {
        let step = try history.happen(&random)
        steps += 1
        let difference = try history.difference()
        seen.formUnion(history.seen)
        guard let difference else { continue }
        Issue.record("\(difference) after \(step), by \(history.steps.suffix(12)) \(random.note)")
        return
      }
    }
    #expect(steps == Effort.scaled(20_000) * 50)
    let missing = AccountHistory.expected.subtracting(seen)
    if !Effort.isPartial { #expect(missing.isEmpty, "\(missing.sorted())") }
  }
}

/// The same history, for a guard and for the model.
private struct AccountHistory: ~Copyable {
  var model: AccountModel
  var engine: Guard
  var kept = KeptState()
  var programs: [(holder: AccountModel.Holder, caller: Caller)] = []
  var steps: [String] = []
  var number: UInt64 = 1
  /// What happened, so that a suite can say that it met everything.
  var seen: Set<String> = []
  private var answers: (guard: String, model: String) = ("", "")

  static let expected: Set<String> = [
    "registered", "registeredAgain", "enrolled", "notEnrolled", "checkedIn", "unenrolled", "deregistered", "forgotten",
    "signInRefused", "signedIn", "signedOut", "enrolled newPolicies", "enrolled unchanged", "enrolled alreadyEnrolled",
    "registered notSignedIn", "registered singleAccount", "notChecked notChecked", "suspended unenrolled",
    "suspended notEnrolled", "notAllowed blocked", "unmanaged noPolicy", "unmanaged notTargeted", "unknownAccount",
    "noApp", "blocked blocked", "wiped blocked", "nonCompliant newPolicies", "policyRequired notEnrolled",
    "notAllowed accountNotAllowed", "block policyRequired", "block accountNotAllowed", "block notChecked",
    "allow unmanaged", "allow printAllowed",
  ]

  private static let names = [
    "work@contoso.com", "WORK@contoso.com", "6d5c", "second@contoso.com", "new@contoso.com", "private@home.example",
    "me@example.org", "ghost",
  ]
  private static let accounts = ["work@contoso.com", "second@contoso.com", "new@contoso.com", "private@home.example"]
  private static let apps = ["com.contoso.portal", "com.contoso.notes", "com.contoso.browser"]
  private static let groups: [UInt32: [UInt32]] = [1000: [1000], 1001: [1001, 50]]
  private static let hour: UInt64 = 3_600_000

  init(_ random: inout SeededGenerator) {
    let policy = Self.policy(1, &random)
    model = AccountModel(policy, groups: Self.groups, at: 1_795_000_000_000)
    engine = Guard(epoch: 1, under: Self.snapshot(policy, 1))
    engine.state.keepsPages = true
    engine.tick(at: model.time)
  }

  // MARK: Policies

  private static func policy(_ number: UInt64, _ random: inout SeededGenerator) -> AccountModel.Policy {
    var policy = AccountModel.Policy()
    let states: [AccountState] = [.active, .active, .active, .active, .blocked, .nonCompliant, .wiped]
    policy.entries = [
      (["work@contoso.com", "6d5c"], random.one(of: states)), (["second@contoso.com"], random.one(of: states)),
      (["private@home.example"], random.one(of: states)),
    ]
    for app in apps where app == apps[0] || !random.oneIn(5) {
      var rules = AccountModel.Policy.App()
      rules.sources = AccountSource.allCases.filter { _ in random.oneIn(2) }
      let lists = [["work@contoso.com"], ["6d5c", "new@contoso.com"], ["*@contoso.com"], ["*@home.example"]]
      rules.allowed = random.oneIn(3) ? random.one(of: lists) : nil
      rules.takesSeveral = !random.oneIn(3)
      policy.apps[app] = rules
    }
    let bound = [
      ["*@contoso.com"], ["*@contoso.com"], ["work@contoso.com"], ["second@contoso.com", "new@contoso.com"], [],
    ]
    policy.bound = random.one(of: bound)
    policy.groups = random.oneIn(3) ? [50] : []
    policy.digest = "d\(number)"
    return policy
  }

  private static func snapshot(_ policy: AccountModel.Policy, _ number: UInt64) -> Snapshot {
    var example = ExamplePolicy()
    example.number = number
    (example.work.state, example.protection.groups) = (policy.entries[0].state, policy.groups)
    example.otherAccounts = policy.entries.dropFirst().map { entry in
      var account = AccountEntry(upn: entry.names[0], objectID: nil)
      account.state = entry.state
      return account
    }
    example.protection.accountPatterns = policy.bound
    let built = apps.enumerated().map { index, name in
      var app = App(name: policy.apps[name] == nil ? "com.gone.\(index)" : name)
      let rules = policy.apps[name] ?? AccountModel.Policy.App()
      app.identityMode = .multi
      app.managedAccounts = rules.takesSeveral ? .several : .one
      (app.accounts.sources, app.accounts.allowed) = (rules.sources, rules.allowed)
      return app
    }
    (example.app, example.otherApps) = (built[0], Array(built.dropFirst()))
    return example.snapshot
  }

  // MARK: Steps

  mutating func happen(_ random: inout SeededGenerator) throws -> String {
    answers = ("", "")
    let step: String
    switch random.below(20) {
    case 0, 1: step = try start(&random)
    case 2: step = end(&random)
    case 3...8: step = call(&random)
    case 9...11: step = try say(&random)
    case 12...15: step = pass(&random)
    case 16: step = reload(&random)
    case 17: step = restart(&random)
    case 18:
      model.checkInAll()
      engine.checkIn(at: model.time)
      step = "check-in"
    default:
      engine.state.takeChanges(into: &kept)
      step = "keep"
    }
    steps.append(step)
    return step
  }

  private mutating func start(_ random: inout SeededGenerator) throws -> String {
    let holder = AccountModel.Holder(person: random.one(of: [1000, 1001]), app: random.one(of: Self.apps))
    guard programs.count < 5, model.policy.apps[holder.app] != nil else { return "nothing" }
    let peer = Peer(uid: holder.person, groups: Self.groups[holder.person] ?? [])
    let id = try engine.attach(app: holder.app, peer: peer, features: .usual, at: model.time)
    let caller = Caller(id, connection: 1)
    _ = try engine.perform(.registerViewer(ViewerDescription("V")), for: caller, at: model.time)
    programs.append((holder, caller))
    model.start(holder)
    return "start \(holder)"
  }

  private mutating func end(_ random: inout SeededGenerator) -> String {
    guard !programs.isEmpty else { return "nothing" }
    let (holder, caller) = programs.remove(at: random.below(programs.count))
    engine.state.end(caller.instance)
    model.end(holder)
    return "end \(holder)"
  }

  private mutating func call(_ random: inout SeededGenerator) -> String {
    guard !programs.isEmpty else { return "nothing" }
    let (holder, caller) = random.one(of: programs)
    let name = random.one(of: Self.names)
    let call: AccountCall
    switch random.below(6) {
    case 0: (call, answers.model) = (.deregister(name, .keep), model.deregister(name, holder))
    case 1: (call, answers.model) = (.maySignIn(name), model.maySignIn(name, holder))
    default: (call, answers.model) = (.register(name), model.register(name, holder))
    }
    answers.guard = answer(to: call, for: caller)
    seen.insert(answers.guard)
    return "\(call) \(holder)"
  }

  private mutating func answer(to call: AccountCall, for caller: Caller) -> String {
    do {
      let answer = try engine.perform(call, for: caller, at: model.time)
      return "\(answer.state.rawValue) \(answer.result?.rawValue ?? answer.reason?.rawValue ?? "allowed")"
    } catch Refusal.unknownAccount {
      return "unknownAccount"
    } catch Refusal.noApp {
      return "noApp"
    } catch {
      return "\(error)"
    }
  }

  private mutating func say(_ random: inout SeededGenerator) throws -> String {
    let all = [
      ["work@contoso.com", "6d5c"], ["6d5c"], ["second@contoso.com"], ["new@contoso.com"], ["private@home.example"],
      ["me@example.org"],
    ]
    let names = all.filter { _ in random.oneIn(3) }
    let (source, person) = (random.one(of: [AccountSource.user, .broker]), random.one(of: [1000, 1001] as [UInt32]))
    model.say(names, source, person)
    let accounts = names.map { names in
      SignedInAccount(upn: names.first { $0.contains("@") }, objectID: names.first { !$0.contains("@") })
    }
    try engine.signedIn(accounts, by: source, person: person, at: model.time)
    return "\(source) of \(person) says \(names)"
  }

  /// Time passes, or the clock is set back; then the daemon ticks.
  private mutating func pass(_ random: inout SeededGenerator) -> String {
    let hours: [UInt64] = [0, 1, 3, 8, 24, 30, 7 * 24, 20 * 24, 90 * 24, 400 * 24]
    let span = random.one(of: hours) * Self.hour + random.one(of: [0, 1, 999])
    if random.oneIn(12) {
      engine.tick(at: model.time - span)
      model.tick()
      return "back by \(span)"
    }
    model.time += span
    engine.tick(at: model.time)
    model.tick()
    return "after \(span)"
  }

  private mutating func reload(_ random: inout SeededGenerator) -> String {
    number += 1
    let policy = Self.policy(number, &random)
    engine.adopt(Self.snapshot(policy, number))
    model.reload(policy)
    return "reload \(policy)"
  }

  /// Killed: whatever was not kept is lost, so that the shell keeps before it answers.
  private mutating func restart(_ random: inout SeededGenerator) -> String {
    engine.state.takeChanges(into: &kept)
    let policy = random.oneIn(2) ? Self.policy(number + 1, &random) : model.policy
    number += 1
    engine = Guard(epoch: number, under: Self.snapshot(policy, UInt64(policy.digest.dropFirst()) ?? 1))
    engine.state.keepsPages = true
    engine.state.restore(kept, living: [], engine.snapshot)
    engine.takeUpAccounts(at: model.time)
    programs = []
    model.policy = policy
    model.restart()
    return "restart \(policy)"
  }

  // MARK: Comparing

  /// The first difference between the two; nil when they agree.
  mutating func difference() throws -> String? {
    if answers.guard != answers.model { return "\(answers)" }
    let events = engine.state.life.takeEvents()
    seen.formUnion(events.map(\.act.rawValue))
    let told = events.map { event in
      "\(AccountModel.Act(event.act.rawValue, event.person, event.app, event.account.lowercased(), event.result, event.source))"
    }.sorted()
    let modelled = model.acts.map { "\($0)" }.sorted()
    model.acts = []
    if told != modelled { return "told \(told), the model \(modelled)" }
    for (holder, caller) in programs where model.policy.apps[holder.app] != nil {
      let (listed, expected) = (engine.accounts(for: caller), model.list(holder))
      if listed != expected { return "\(holder) lists \(listed), the model \(expected)" }
      for account in Self.accounts where model.knows(account, holder) {
        if let difference = try decision(account, holder, caller) { return difference }
      }
    }
    return nil
  }

  /// Printing while the account is shown; afterwards nobody is.
  private mutating func decision(
    _ account: String, _ holder: AccountModel.Holder, _ caller: Caller
  ) throws -> String? {
    let time = model.time
    _ = try engine.perform(.setIdentity(IdentityStatement(.process, account: account)), for: caller, at: time)
    var event = Event.data(.print, in: "V")
    var ruling = Ruling()
    try engine.decide(&event, for: caller, at: time, into: &ruling)
    _ = try engine.perform(.setIdentity(IdentityStatement(.process, account: "")), for: caller, at: time)
    let standing = model.standing(account, holder)
    let free = model.isManaged(account, holder) ? Answer(.allow, .printAllowed) : Answer(.allow, .unmanaged)
    let expected = standing.blockReason.map { Answer(.block, $0) } ?? free
    seen.insert("\(expected)")
    let answer = Answer(ruling.decision)
    return answer == expected ? nil : "\(holder) as \(account): \(answer), the model \(expected)"
  }
}
