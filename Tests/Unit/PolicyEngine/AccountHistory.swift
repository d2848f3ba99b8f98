import GuardModel
import PolicyEngine
import TestSupport

/// One history of accounts, for a guard and for the model in plain words.
struct AccountHistory: ~Copyable {
  var model: AccountModel
  var engine: Guard
  /// What lies on the disk, and an old copy of it.
  var kept = KeptState()
  var archived = KeptState()
  var programs: [(number: Int, caller: Caller)] = []
  var steps: [String] = []
  /// The number of the policy in force, and of the daemon.
  var number: UInt64 = 1
  /// How often each thing happened, so that a suite can say that it met everything.
  var seen: [String: Int] = [:]
  var answers: (guard: String, model: String) = ("", "")
  /// Requests that apps were asked with, orders of helpers, and ids of wipes; also those that are over.
  var requests: [String] = []
  var orders: [String] = []
  var wipeIDs: [String] = []
  var safety = AccountSafety()
  /// A property that a step itself broke.
  var broken: String?

  static let names = [
    "work@contoso.com", "WORK@contoso.com", "6d5c", "second@contoso.com", "new@contoso.com", "fresh@contoso.com",
    "private@home.example", "me@example.org", "ghost",
  ]
  static let accounts = [
    "work@contoso.com", "second@contoso.com", "new@contoso.com", "fresh@contoso.com", "private@home.example",
  ]
  static let apps = ["com.contoso.portal", "com.contoso.notes", "com.contoso.browser"]
  static let groups: [UInt32: [UInt32]] = [1000: [1000], 1001: [1001, 50]]
  static let people: [UInt32] = [1000, 1001]
  static let hour: UInt64 = 3_600_000
  static let day = 24 * hour

  init(_ random: inout SeededGenerator) {
    let start: UInt64 = 1_795_000_000_000
    let policy = Self.policy(1, at: start, &random)
    model = AccountModel(policy, groups: Self.groups, at: start)
    engine = Guard(epoch: 1, under: Self.snapshot(policy, 1))
    engine.state.keepsPages = true
    engine.tick(at: start)
  }

  mutating func happen(_ random: inout SeededGenerator) throws -> String {
    answers = ("", "")
    let step: String
    switch random.below(40) {
    case 0...2: step = try start(&random)
    case 3: step = end(&random)
    case 4...10: step = call(&random)
    case 11...13: step = try say(&random)
    case 14...16: step = pass(&random)
    case 17, 18: step = reload(&random)
    case 19: step = restart(&random)
    case 20: step = checkIn()
    case 21, 22: step = keep(&random)
    case 23, 24: step = read(&random)
    case 25: step = turnUp(&random)
    case 26...30: step = run(&random)
    case 31...33: step = answer(&random)
    case 34...36: step = report(&random)
    default: step = administer(&random)
    }
    steps.append(step)
    return step
  }

  mutating func count(_ what: String) { seen[what, default: 0] += 1 }

  // MARK: Comparing

  /// The first difference between the two, or the first property that does not hold; nil when all is well.
  mutating func difference() throws -> String? {
    if let broken { return broken }
    if answers.guard != answers.model { return "answered \(answers)" }
    if !answers.guard.isEmpty { count(Self.kind(answers.guard)) }
    if let difference = differenceInEvents() ?? differenceInEffects() ?? differenceInWipes() { return difference }
    if let difference = differenceInHoldings() { return difference }
    return try differenceInPrograms()
  }

  /// An answer without the ids of wipes.
  private static func kind(_ answer: String) -> String { answer.hasPrefix("w-") ? "wipe" : answer }

  private mutating func differenceInEvents() -> String? {
    let events = engine.state.life.takeEvents()
    _ = engine.state.book.takeEvents()
    for event in events {
      count(event.act.rawValue)
      if let cause = event.cause { count("\(event.act.rawValue) \(cause.rawValue)") }
      if event.act == .wipeAnswered, let note = event.note { count("answered \(note)") }
      if event.act == .wipeBegun || event.act == .wipeLimit, let id = event.request { wipeIDs.append(id) }
    }
    let told = events.map { "\(AccountModel.Act($0))" }.sorted()
    let modelled = model.acts.map { "\($0)" }.sorted()
    model.acts = []
    if told != modelled { return "told \(told), the model \(modelled)" }
    return safety.note(events, model, facts: engine.state.book.facts)
  }

  private mutating func differenceInEffects() -> String? {
    let effects = engine.state.wipeBook.takeEffects()
    for case .ask(_, _, _, let request, _) in effects { requests.append(request) }
    for case .removeFiles(_, _, _, let order) in effects { orders.append(order) }
    let texts = effects.map(\.text).sorted()
    for text in texts { count("effect " + text.prefix { $0 != " " }) }
    let modelled = model.wipes.effects.sorted()
    model.wipes.effects = []
    return texts == modelled ? nil : "effects \(texts), the model \(modelled)"
  }

  private func differenceInWipes() -> String? {
    var listed = engine.wipes
    for index in listed.indices { listed[index].account = listed[index].account.lowercased() }
    return listed == model.listedWipes ? nil : "wipes \(listed), the model \(model.listedWipes)"
  }

  /// As administrators see them, also while no app runs.
  private mutating func differenceInHoldings() -> String? {
    var states: [String: AccountLifeState] = [:]
    for listed in engine.accounts() {
      states["\(listed.person) \(listed.app) \(listed.account.lowercased())"] = listed.state
    }
    for (holder, account) in model.holdings {
      let expected = model.holdingStates(account, holder)
      guard let state = states.removeValue(forKey: "\(holder.person) \(holder.app) \(account)") else {
        return "\(account) of \(holder) is missing"
      }
      count("state \(state.rawValue)")
      if !expected.contains(state) { return "\(account) of \(holder) is \(state), the model \(expected)" }
    }
    return states.isEmpty ? nil : "the model has no \(states)"
  }

  private mutating func differenceInPrograms() throws -> String? {
    for (number, caller) in programs {
      guard let holder = model.programs[number]?.holder, model.policy.apps[holder.app] != nil else { continue }
      var listed = engine.accounts(for: caller)
      for index in listed.indices { listed[index].account = listed[index].account.lowercased() }
      let expected = model.list(number)
      if listed != expected { return "\(holder) lists \(listed), the model \(expected)" }
      for account in Self.accounts where model.knows(account, holder) {
        if let difference = try decision(account, holder, number, caller) { return difference }
      }
    }
    return nil
  }

  /// Printing while the account is shown; afterwards nobody is.
  private mutating func decision(
    _ account: String, _ holder: AccountModel.Holder, _ number: Int, _ caller: Caller
  ) throws -> String? {
    let time = model.time
    _ = try engine.perform(.setIdentity(IdentityStatement(.process, account: account)), for: caller, at: time)
    model.note(account, number)
    var event = Event.data(.print, in: "V")
    var ruling = Ruling()
    try engine.decide(&event, for: caller, at: time, into: &ruling)
    _ = try engine.perform(.setIdentity(IdentityStatement(.process, account: "")), for: caller, at: time)
    let standing = model.standing(account, number)
    let free = model.isManaged(account, holder) ? Answer(.allow, .printAllowed) : Answer(.allow, .unmanaged)
    let expected = standing.blockReason.map { Answer(.block, $0) } ?? free
    count("\(expected)")
    let answer = Answer(ruling.decision)
    return answer == expected ? nil : "\(holder) as \(account): \(answer), the model \(expected)"
  }
}

extension AccountModel.Act {
  fileprivate init(_ event: AccountEvent) {
    self.init(event.act.rawValue, event.person, event.app, event.account.lowercased(), event.result, event.source)
    (cause, request, note, apps) = (event.cause, event.request, event.note, event.apps)
  }
}

extension WipeEffect {
  /// In the words of the model.
  fileprivate var text: String {
    switch self {
    case .ask(let person, let app, let account, let request, let deadline):
      "ask \(person) \(app) \(account.lowercased()) \(request) \(deadline)"
    case .removeFiles(let person, let app, let account, let order):
      "files \(person) \(app) \(account.lowercased()) \(order)"
    case .dropOrder(let person, let order): "drop \(person) \(order)"
    case .destroyKeys(let person, let account): "keys \(person) \(account.lowercased())"
    }
  }
}
