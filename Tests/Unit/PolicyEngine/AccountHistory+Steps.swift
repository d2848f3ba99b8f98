import GuardModel
import PolicyEngine
import TestSupport

/// The steps of a history: programs, calls, words of sources, time, reloads, facts and persons.
extension AccountHistory {
  // MARK: Programs

  mutating func start(_ random: inout SeededGenerator) throws -> String {
    let holder = AccountModel.Holder(person: random.one(of: Self.people), app: random.one(of: Self.apps))
    let version = random.one(of: [1, 2, 2], orNilOneIn: 4)
    guard programs.count < 5, model.policy.apps[holder.app] != nil else { return "nothing" }
    try start(holder, version: version)
    return "start \(holder) of version \(version ?? 0)"
  }

  mutating func start(_ holder: AccountModel.Holder, version: Int?) throws {
    let peer = Peer(uid: holder.person, groups: Self.groups[holder.person] ?? [])
    let id = try engine.attach(app: holder.app, peer: peer, features: .usual, at: model.time)
    engine.setVersions(version.map { "\($0).0" }, client: nil, of: id)
    let caller = Caller(id, connection: 1)
    _ = try engine.perform(.registerViewer(ViewerDescription("V")), for: caller, at: model.time)
    let number = (programs.map(\.number).max() ?? 0) + 1
    programs.append((number, caller))
    model.start(holder, version: version, as: number)
  }

  mutating func end(_ random: inout SeededGenerator) -> String {
    guard !programs.isEmpty else { return "nothing" }
    return end(random.below(programs.count))
  }

  mutating func end(_ place: Int) -> String {
    let (number, caller) = programs.remove(at: place)
    engine.state.end(caller.instance)
    model.end(number)
    return "end \(number)"
  }

  // MARK: Calls

  mutating func call(_ random: inout SeededGenerator) -> String {
    guard !programs.isEmpty else { return "nothing" }
    let (number, caller) = random.one(of: programs)
    let name = random.one(of: Self.names)
    let call: AccountCall
    let others = strangers(to: name, number)
    switch random.below(10) {
    case 0:
      (call, answers.model) = (.deregister(name, .keep), model.deregister(name, .keep, number))
    case 1, 2:
      (call, answers.model) = (.deregister(name, .remove), model.deregister(name, .remove, number))
    case 3: (call, answers.model) = (.maySignIn(name), model.maySignIn(name, number))
    default: (call, answers.model) = (.register(name), model.register(name, number))
    }
    answers.guard = answer(to: call, for: caller)
    if strangers(to: name, number) != others { broken = "\(call) changed another account" }
    return "\(call) by \(number)"
  }

  /// The accounts that a call of a program about this name has no say in: those of other names, persons and apps.
  private func strangers(to name: String, _ number: Int) -> [ListedAccount] {
    let (account, holder) = (model.account(name), model.programs[number]?.holder)
    return engine.accounts().compactMap { listed in
      let isOwn = listed.account.lowercased() == account && listed.person == holder?.person && listed.app == holder?.app
      var listed = listed
      // While one account of an app is enrolled the others are not tried.
      listed.retryAt = nil
      return isOwn ? nil : listed
    }
  }

  mutating func answer(to call: AccountCall, for caller: Caller) -> String {
    do throws(Refusal) {
      let answer = try engine.perform(call, for: caller, at: model.time)
      return "\(answer.state.rawValue) \(answer.result?.rawValue ?? answer.reason?.rawValue ?? "allowed")"
    } catch {
      return Self.word(error)
    }
  }

  static func word(_ refusal: Refusal) -> String {
    switch refusal {
    case .unknownAccount: "unknownAccount"
    case .noApp: "noApp"
    case .unknownRequest: "unknownRequest"
    case .requestIsOver: "requestIsOver"
    default: "\(refusal)"
    }
  }

  // MARK: Sources

  mutating func say(_ random: inout SeededGenerator) throws -> String {
    let all = [
      ["work@contoso.com", "6d5c"], ["6d5c"], ["second@contoso.com"], ["new@contoso.com"], ["fresh@contoso.com"],
      ["private@home.example"], ["me@example.org"],
    ]
    let names = all.filter { _ in random.oneIn(3) }
    let (source, person) = (random.one(of: [AccountSource.user, .broker]), random.one(of: Self.people))
    model.say(names, source, person)
    let accounts = names.map { names in
      SignedInAccount(upn: names.first { $0.contains("@") }, objectID: names.first { !$0.contains("@") })
    }
    try engine.signedIn(accounts, by: source, person: person, at: model.time)
    return "\(source) of \(person) says \(names)"
  }

  // MARK: Time

  /// The wall clock goes on, jumps ahead (also to 2038) or is set back; then the daemon ticks. No running time passes.
  mutating func pass(_ random: inout SeededGenerator) -> String {
    let hours: [UInt64] = [0, 1, 3, 8, 24, 30, 7 * 24, 20 * 24, 91 * 24, 400 * 24]
    let span = random.one(of: hours) * Self.hour + random.one(of: [0, 1, 999])
    if random.oneIn(12) {
      tick(at: model.time - span)
      return "back by \(span)"
    }
    if random.oneIn(40) {
      count("2038")
      pass(12 * 365 * Self.day)
      return "to 2038"
    }
    pass(span)
    return "after \(span)"
  }

  mutating func pass(_ span: UInt64) {
    model.time += span
    tick(at: model.time)
  }

  private mutating func tick(at time: UInt64) {
    engine.tick(at: time)
    _ = engine.expireUnlocks(at: time)
    model.tick()
  }

  mutating func checkIn() -> String {
    model.checkInAll()
    engine.checkIn(at: model.time)
    return "check-in"
  }

  mutating func reload(_ random: inout SeededGenerator) -> String {
    number += 1
    let policy = Self.policy(number, at: model.time, &random)
    engine.adopt(Self.snapshot(policy, number))
    model.reload(policy)
    return "reload \(policy)"
  }

  // MARK: Facts

  /// What is read of the machine: some facts, each with an end or none, or nothing at all.
  mutating func read(_ random: inout SeededGenerator) -> String {
    guard !model.policy.conditions.isEmpty else { return "nothing" }
    var facts: [String: (holds: Bool, until: UInt64?)] = [:]
    for check in ["DiskEncrypted", "Antivirus"] where !random.oneIn(3) {
      facts[check] = (random.oneIn(2), random.one(of: [Self.hour, Self.day, 7 * Self.day], orNilOneIn: 2))
      if let span = facts[check]?.until { facts[check]?.until = model.time + span }
    }
    read(facts)
    return "read \(facts)"
  }

  mutating func read(_ facts: [String: (holds: Bool, until: UInt64?)]) {
    model.setFacts(facts)
    safety.read(facts)
    engine.setFacts(facts.mapValues { Fact(.truth($0.holds), until: $0.until) }, at: model.time)
  }

  // MARK: Persons

  /// A person unlocks, or the machine says whether somebody is there. A moment passes.
  mutating func turnUp(_ random: inout SeededGenerator) -> String {
    let person = random.one(of: Self.people)
    pass(1)
    if random.oneIn(2) {
      model.unlock(person)
      engine.unlock(person, at: model.time)
      pass(1)
      return "\(person) unlocks"
    }
    let spans: [UInt64] = [0, 60_000, AccountModel.recheckAfter - 1, AccountModel.recheckAfter, Self.day]
    let span = random.one(of: spans)
    let presence = random.one(of: [Presence.unknown, .present, .present, .locked, .idle(span)])
    _ = engine.setPresence(presence, of: person, at: model.time)
    model.setPresence(AccountModel.Presence(presence), of: person)
    pass(1)
    return "\(person) is \(presence)"
  }
}

extension AccountModel.Presence {
  fileprivate init(_ presence: Presence) {
    switch presence {
    case .unknown: self = .unknown
    case .present: self = .present
    case .locked: self = .locked
    case .idle(let span): self = .idle(span)
    }
  }
}
