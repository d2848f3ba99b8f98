import GuardModel
import PolicyEngine
import TestSupport

/// Wipes in a history: running time, answers and reports (also late, double, missing and of strangers), administrators,
/// and daemons that are killed.
extension AccountHistory {
  /// The machine runs for a while. Its boot-time clock and its wall clock need not agree.
  mutating func run(_ random: inout SeededGenerator) -> String {
    let elapsed = random.one(of: [60_000, 600_000, Self.hour, 12 * Self.hour, 72 * Self.hour])
    if random.oneIn(2) { pass(elapsed) }
    let running = RunningTime(
      elapsed: elapsed, sinceBoot: random.one(of: [Self.hour, 2 * Self.day, 2 * Self.day]),
      isSynchronised: !random.oneIn(5), isCheckedInSinceBoot: random.oneIn(3))
    run(running)
    return "run \(running)"
  }

  mutating func run(_ running: RunningTime) {
    _ = engine.run(running, at: model.time)
    model.run(
      running.elapsed, sinceBoot: running.sinceBoot, isSynchronised: running.isSynchronised,
      isCheckedIn: running.isCheckedInSinceBoot)
    safety.ran(running)
  }

  // MARK: Answers

  /// Any program answers any request that there ever was, or one that never was.
  mutating func answer(_ random: inout SeededGenerator) -> String {
    guard !programs.isEmpty else { return "nothing" }
    let (number, caller) = random.one(of: programs)
    let request =
      random.oneIn(20) ? "w-1" : random.one(of: Array(requests.suffix(random.one(of: [1, 4]))), orNilOneIn: 30)
    let result = random.one(of: RequestResult.allCases)
    answers.model = model.complete(request ?? "", result, number)
    answers.guard = answer(to: .complete(request: request ?? "", result), for: caller)
    return "\(number) answers \(request ?? "") \(result)"
  }

  /// A helper of any person reports on any order, or no directory can be named for it.
  mutating func report(_ random: inout SeededGenerator) -> String {
    guard let order = random.one(of: Array(orders.suffix(random.one(of: [1, 4]))), orNilOneIn: 30) else {
      return "nothing"
    }
    let person = random.one(of: Self.people)
    if random.oneIn(6) {
      giveUp(order, person)
      return "nothing can be removed for \(order) of \(person)"
    }
    report(order, removed: UInt64(random.below(9)), kept: UInt64(random.below(2)), person)
    return "the helper of \(person) reports \(order)"
  }

  mutating func giveUp(_ order: String, _ person: UInt32) {
    engine.state.giveUpFiles(order, person: person, engine.snapshot)
    model.giveUp(order, person)
    count("givenUp")
  }

  mutating func report(_ order: String, removed: UInt64, kept: UInt64, _ person: UInt32) {
    answers.model = model.filesRemoved(order, removed: removed, kept: kept, person)
    do throws(Refusal) {
      try engine.state.filesRemoved(order, removed: removed, kept: kept, person: person, engine.snapshot)
      answers.guard = "reported"
    } catch {
      answers.guard = Self.word(error)
    }
  }

  // MARK: Administrators

  mutating func administer(_ random: inout SeededGenerator) -> String {
    let (name, person) = (random.one(of: Self.names), random.one(of: Self.people))
    let app = random.one(of: Self.apps, orNilOneIn: 2)
    let login: UInt32 = random.one(of: [500, 501])
    switch random.below(8) {
    case 0, 1, 2:
      let now = random.oneIn(3)
      answers.model = model.wipe(name, person, app, reason: "left", now: now, by: login)
      answers.guard = administrate { engine, time throws(AccountRefusal) in
        try engine.wipe(name, person: person, app: app, reason: "left", now: now, approver: login, at: time).id
      }
      if now { safety.hurried.insert(answers.guard) }
      return "\(login) wipes \(name) of \(person) in \(app ?? "all apps")"
    case 3:
      let id = random.one(of: Array(wipeIDs.suffix(3)), orNilOneIn: 5) ?? "w-1"
      answers.model = model.approve(id, by: login)
      answers.guard = administrate { engine, _ throws(AccountRefusal) in try engine.approveWipe(id, by: login).id }
      return "\(login) approves \(id)"
    case 4:
      answers.model = model.restore(name, person, reason: "a mistake")
      answers.guard = administrate { engine, time throws(AccountRefusal) in
        try engine.restore(name, person: person, reason: "a mistake", at: time)
        return "restored"
      }
      // Nobody has named the account yet: then no wipe has, either.
      if answers.guard == "unknownAccount" { answers.guard = "noWipe" }
      return "\(login) restores \(name) of \(person)"
    case 5:
      let app = app ?? "com.contoso.unknown"
      answers.model = model.endAccess(of: app, to: name, person)
      answers.guard = administrate { engine, time throws(AccountRefusal) in
        try engine.endAccess(of: app, to: name, person: person, at: time).state.rawValue
      }
      // Programs of other versions may differ; the model says how.
      if answers.model.split(separator: "|").contains(answers.guard[...]) { answers.model = answers.guard }
      return "\(login) deregisters \(name) of \(person) in \(app)"
    default:
      let count = 1 + random.below(4)
      model.judgeWipes(allowing: count)
      engine.allowWipes(count, at: model.time)
      safety.allowed = count
      return "\(login) allows \(count) wipes"
    }
  }

  /// The word of an answer, or of a refusal.
  private mutating func administrate(
    _ verb: (inout Guard, UInt64) throws(AccountRefusal) -> String
  ) -> String {
    do throws(AccountRefusal) { return try verb(&engine, model.time) } catch { return error.rawValue }
  }

  // MARK: Kills

  mutating func keep(_ random: inout SeededGenerator) -> String {
    engine.state.takeChanges(into: &kept)
    model.keep()
    safety.keep(engine.accounts(), model)
    guard random.oneIn(4) else { return "keep" }
    archived = kept
    model.archive()
    safety.archive()
    return "keep, and copy the state away"
  }

  /// Killed: whatever was not kept is lost. Sometimes the state file is an old copy, or the clock was set back meanwhile.
  mutating func restart(_ random: inout SeededGenerator) -> String {
    let isOld = random.oneIn(8)
    let isLost = !isOld && random.oneIn(3)
    if isOld {
      kept = archived
      model.recallArchive()
      safety.recallArchive()
    } else if !isLost {
      _ = keep(&random)
    }
    let back = random.oneIn(8) ? random.one(of: [1, Self.hour, 20 * Self.day, 12 * 365 * Self.day]) : 0
    // Nothing here is older than this.
    let isBack = back > 0 && model.time > back + 1_700_000_000_000
    if isBack { model.time -= back }
    for (word, holds) in [("killed with an old state", isOld), ("killed before it kept", isLost), ("set back", isBack)]
    where holds { count(word) }
    restart(under: random.oneIn(2) ? Self.policy(number + 1, at: model.time, &random) : model.policy)
    broken = safety.restarted(engine.accounts(), model)
    // Whatever was due long ago is done a moment later.
    pass(1)
    return "restart \(isOld ? "with an old state" : isLost ? "before it kept" : "") back by \(isBack ? back : 0)"
  }

  private mutating func restart(under policy: AccountModel.Policy) {
    number += 1
    kept.accounts.forgetFuture(at: model.time)
    let doubted = kept.judged(at: model.time)
    let isDoubted = kept.accounts.wipes != doubted.accounts.wipes
    if isDoubted, kept.accounts.wipes?.wipes.isEmpty == false { count("begun anew") }
    engine = Guard(epoch: number, under: Self.snapshot(policy, UInt64(policy.digest.dropFirst()) ?? 1))
    engine.state.keepsPages = true
    engine.tick(at: model.time)
    engine.state.restore(doubted, living: [], engine.snapshot)
    engine.takeUpAccounts(at: model.time)
    // None of them comes back.
    engine.state.endReturning()
    programs = []
    model.restart(policy, epoch: number, isDoubted: isDoubted)
    safety.restart()
    guard isDoubted else { return }
    safety.beginAnew()
    // The daemon writes at its start what it doubts.
    engine.state.takeChanges(into: &kept)
    model.keep()
    safety.keep(engine.accounts(), model)
  }

  // MARK: The end

  /// A wipe that began ends, whatever happened before: apps are asked and say nothing, and helpers report.
  mutating func finish() throws -> String? {
    number += 1
    var policy = model.policy
    policy.digest = "d\(number)"
    for app in Self.apps { policy.apps[app, default: AccountModel.Policy.App()].hasDirectories = true }
    engine.adopt(Self.snapshot(policy, number))
    model.reload(policy)
    while !programs.isEmpty { _ = end(0) }
    for person in Self.people {
      for app in Self.apps { try start(AccountModel.Holder(person: person, app: app), version: 2) }
    }
    pass(2 * Self.day)
    // Without a clock that is right nothing new is destroyed.
    run(RunningTime(elapsed: Self.hour, sinceBoot: 0, isSynchronised: false, isCheckedInSinceBoot: false))
    if let difference = try difference() { return difference }
    for order in Set(orders).sorted() {
      for person in Self.people { report(order, removed: 1, kept: 0, person) }
      if let difference = try difference() { return difference }
    }
    return engine.wipes.contains { $0.phase == .asking } ? "never ended: \(engine.wipes)" : nil
  }
}
