package import GuardModel

/// Wipes in plain words: lock, wait, ask, clean up (docs/accounts.md, Wipes).
extension AccountModel {
  package struct Wiping: Sendable {
    package var mode = WipeMode.off
    package var causes: Set<WipeCause> = []
    package var delay: UInt64 = 72 * AccountModel.hour
    package var approvals = 1
    package var answerTime: UInt64 = 600_000
    package var offlineAfter: UInt64?

    package init() {}
  }

  struct Wipe {
    var id: String
    var person: UInt32
    /// Nil: all apps of the person.
    var app: String?
    var account: String
    var cause: WipeCause
    var reason: String?
    var phase: WipePhase
    var beganAt: UInt64
    /// Running time that counted.
    var ran: UInt64 = 0
    var delay: UInt64
    var needed: Int
    var approvals: [UInt32] = []
    var parts: [String: Part] = [:]

    func covers(_ holder: Holder) -> Bool { person == holder.person && (app == nil || app == holder.app) }

    var lifeState: AccountLifeState { phase == .locked ? .blocked : phase == .pending ? .wipePending : .wiped }
  }

  /// An app's part in a wipe.
  struct Part {
    var step = WipeStep.notAsked
    var deadline: UInt64 = 0
    /// The number of the helper's order; 0 for none.
    var order = 0
    var isGivenUp = false
    var removed: UInt64 = 0
    var kept: UInt64 = 0

    /// Its files are gone, and it was never asked: it still has to forget the account.
    var owesAnswer: Bool { step == .cleaned && deadline == 0 }
    var isOver: Bool { step == .done || isGivenUp || (step == .cleaned && !owesAnswer) }
  }

  package struct Wipes {
    var open: [Wipe] = []
    var count = 0
    /// Running time since the last check-in, and since the last destruction.
    package var offline: UInt64 = 0
    var sinceDestruction = AccountModel.hour
    /// What was refused, since it was too much at once.
    var refused: Set<[String]> = []
    /// Nobody has looked since the daemon started.
    var isUnjudged = false
    /// Something differs from what lies on the disk.
    var isChanged = false
    package var effects: [String] = []
    /// The number in the ids of this daemon.
    package var epoch: UInt64 = 1
  }

  func lock(_ account: String, _ holder: Holder) -> Wipe? {
    wipes.open.first { $0.account == account && $0.covers(holder) }
  }

  func destroys(_ cause: WipeCause) -> Bool { policy.wiping.mode == .on && policy.wiping.causes.contains(cause) }

  /// One of the machine's own may be pending, one of a person's apps, one of the administrators.
  func hasRoom(_ cause: WipeCause, _ person: UInt32) -> Bool {
    let pending = wipes.open.filter { $0.phase == .pending }
    if cause == .admin { return !pending.contains { $0.cause == .admin } }
    if cause == .deregister { return !pending.contains { $0.cause == .deregister && $0.person == person } }
    return !pending.contains { $0.cause.isAutomatic }
  }

  mutating func change(_ id: String, _ body: (inout Wipe) -> Void) {
    guard let index = wipes.open.firstIndex(where: { $0.id == id }) else { return }
    body(&wipes.open[index])
    wipes.isChanged = true
  }

  // MARK: Beginning

  @discardableResult
  mutating func begin(
    _ account: String, _ person: UInt32, _ app: String?, _ cause: WipeCause, reason: String? = nil, now: Bool = false,
    approver: UInt32? = nil, mayExceed: Bool = false
  ) -> String {
    let isPending = destroys(cause) && (mayExceed || hasRoom(cause, person))
    wipes.count += 1
    var wipe = Wipe(
      id: "w-\(String(wipes.epoch, radix: 16))-\(wipes.count)", person: person, app: app, account: account,
      cause: cause, reason: reason, phase: isPending ? .pending : .locked, beganAt: time,
      delay: now ? 0 : policy.wiping.delay, needed: cause == .admin ? policy.wiping.approvals : 0,
      approvals: approver.map { [$0] } ?? [])
    for app in reach(wipe) { wipe.parts[app] = Part() }
    wipes.open.append(wipe)
    tell(wipe, isPending ? "wipeBegun" : destroys(cause) ? "wipeLimit" : "wouldWipe")
    return wipe.id
  }

  /// The apps that have the account or had it, and those whose programs named it.
  private func reach(_ wipe: Wipe) -> Set<String> {
    let having = members.filter { wipe.covers($0.key) && $0.value[wipe.account] != nil }.map(\.key.app)
    let named = programs.values.filter { wipe.covers($0.holder) && $0.named.contains(wipe.account) }.map(\.holder.app)
    return Set(having + named)
  }

  /// An app ended its access, and wants its data to go.
  mutating func removeData(_ account: String, _ holder: Holder) {
    guard destroys(.deregister) else {
      var act = Act("wouldWipe", holder.person, holder.app, account)
      act.cause = .deregister
      return acts.append(act)
    }
    if lock(account, holder) == nil { begin(account, holder.person, holder.app, .deregister) }
  }

  struct Want: Hashable {
    var person: UInt32
    var account: String
    var cause: WipeCause
  }

  /// What the machine itself wants: one cause for each account.
  func wantedWipes() -> [Want] {
    var found: [Want] = []
    for (holder, accounts) in members {
      for (account, member) in accounts {
        for cause in WipeCause.allCases where wants(cause, account, member, holder) {
          found.append(Want(person: holder.person, account: account, cause: cause))
        }
      }
    }
    // An app that registers nobody has the accounts that its programs named.
    for program in programs.values where policy.apps[program.holder.app]?.sources.isEmpty == true {
      let holder = program.holder
      for account in program.named where isManaged(account, holder) && members[holder]?[account] == nil {
        for cause in WipeCause.allCases where wants(cause, account, nil, holder) {
          found.append(Want(person: holder.person, account: account, cause: cause))
        }
      }
    }
    found.sort { ($0.person, $0.account, $0.cause.rawValue) < ($1.person, $1.account, $1.cause.rawValue) }
    return found.enumerated().filter { place, want in
      !found[..<place].contains { $0.person == want.person && $0.account == want.account }
    }.map(\.element)
  }

  private func wants(_ cause: WipeCause, _ account: String, _ member: Member?, _ holder: Holder) -> Bool {
    let isEnrolled = member?.status ?? .enrolled == .enrolled
    switch cause {
    case .admin, .deregister: return false
    case .marker:
      guard let since = markedSince(account), let enrolledAt = member?.enrolledAt else { return false }
      return enrolledAt <= since
    case .nonCompliant:
      return isEnrolled && state(of: account) == .nonCompliant && policy.wiping.causes.contains(.nonCompliant)
    case .conditionalLaunch:
      let isBound = isBoundByName(account) || isRunning(holder) && isInGroup(holder.person)
      return isEnrolled && isBound && conditions.verdict == .wipe
    case .offlineGrace: return isEnrolled && isOffline
    }
  }

  /// What brought a wipe about is still so, whatever its apps and sources say of the account.
  private func holds(_ wipe: Wipe) -> Bool {
    let holders = wipe.parts.keys.map { Holder(person: wipe.person, app: $0) }
    switch wipe.cause {
    case .admin, .deregister: return true
    case .marker:
      guard let since = markedSince(wipe.account) else { return false }
      return holders.contains { members[$0]?[wipe.account]?.enrolledAt.map { $0 <= since } ?? true }
    case .nonCompliant: return state(of: wipe.account) == .nonCompliant && policy.wiping.causes.contains(.nonCompliant)
    case .conditionalLaunch:
      let isBound = holders.contains { isBoundByName(wipe.account) || isRunning($0) && isInGroup($0.person) }
      return isBound && conditions.verdict == .wipe
    case .offlineGrace: return isOffline
    }
  }

  /// The machine was not checked in for too long: every managed account is locked.
  var isOffline: Bool { policy.wiping.offlineAfter.map { wipes.offline >= $0 } ?? false }

  /// A mark needs an object id.
  func markedSince(_ account: String) -> UInt64? {
    let entry = policy.entries.first { $0.names[0] == account && $0.state == .wiped && $0.names.count > 1 }
    return entry?.since
  }

  /// Ends what has lost its cause, and begins at most one; with `allowed` exactly so many.
  package mutating func judgeWipes(allowing allowed: Int? = nil) {
    wipes.isUnjudged = false
    for wipe in wipes.open where wipe.cause.isAutomatic && wipe.phase != .asking {
      if !holds(wipe) { end(wipe, "wipeCancelled") }
    }
    let new = wantedWipes().filter { want in
      !wipes.open.contains { $0.person == want.person && $0.account == want.account && $0.app == nil }
    }
    let waiting = wipes.open.filter { wipe in
      wipe.cause.isAutomatic && wipe.phase == .locked && destroys(wipe.cause)
        && (allowed != nil || hasRoom(wipe.cause, wipe.person))
    }
    let all = new + waiting.map { Want(person: $0.person, account: $0.account, cause: $0.cause) }
    if all.isEmpty { wipes.refused = [] }
    guard all.count == 1 || all.count == allowed else { return refuse(all) }
    for want in new { begin(want.account, want.person, nil, want.cause, mayExceed: allowed == all.count) }
    for wipe in waiting { beginDelay(wipe) }
  }

  private mutating func beginDelay(_ wipe: Wipe) {
    let delay = policy.wiping.delay
    change(wipe.id) { ($0.phase, $0.ran, $0.delay) = (.pending, 0, delay) }
    tell(wipe, "wipeBegun")
  }

  private mutating func refuse(_ wants: [Want]) {
    for want in wants {
      let word = destroys(want.cause) ? "wipeLimit" : "wouldWipe"
      guard wipes.refused.insert(["\(want.person)", want.account, want.cause.rawValue, word]).inserted else { continue }
      var act = Act(word, want.person, nil, want.account)
      act.cause = want.cause
      if destroys(want.cause) {
        act.note = "\(wants.count) accounts would be wiped at once: reload with `--allow-wipes \(wants.count)`"
      }
      acts.append(act)
    }
  }

  // MARK: Running

  /// The machine ran for so long. Nothing counts unless its clock is right.
  package mutating func run(_ elapsed: UInt64, sinceBoot: UInt64, isSynchronised: Bool, isCheckedIn: Bool) {
    let isIdle = wipes.open.isEmpty && !wipes.isUnjudged && wipes.sinceDestruction >= Self.hour
    guard !isIdle || policy.wiping.offlineAfter != nil else { return }
    if isSynchronised {
      wipes.isChanged = true
      wipes.offline += elapsed
      wipes.sinceDestruction += elapsed
      for wipe in wipes.open where wipe.phase == .pending { change(wipe.id) { $0.ran += elapsed } }
      if let limit = policy.wiping.offlineAfter, wipes.offline >= limit { judgeWipes() }
    }
    if wipes.isUnjudged, conditions.hasFacts || policy.conditions.isEmpty { judgeWipes() }
    for wipe in wipes.open where wipe.cause == .deregister && wipe.phase == .locked {
      if destroys(.deregister), hasRoom(.deregister, wipe.person) { beginDelay(wipe) }
    }
    if isSynchronised, isCheckedIn || sinceBoot >= 24 * Self.hour, let due = wipes.open.first(where: isDue) {
      destroy(due.id)
    }
    for wipe in wipes.open where wipe.phase == .asking { expire(wipe.id) }
  }

  private func isDue(_ wipe: Wipe) -> Bool {
    guard wipe.phase == .pending, wipe.ran >= wipe.delay, wipe.approvals.count >= needed(wipe),
      wipes.sinceDestruction >= Self.hour, destroys(wipe.cause)
    else { return false }
    guard wipe.cause.isAutomatic else { return true }
    if wipe.cause == .conditionalLaunch, !conditions.hasFacts { return false }
    return !wipes.isUnjudged && holds(wipe)
  }

  /// A policy that wants more administrators to agree holds for a wipe that waits.
  func needed(_ wipe: Wipe) -> Int { wipe.cause == .admin ? max(wipe.needed, policy.wiping.approvals) : wipe.needed }

  /// The point of no return.
  private mutating func destroy(_ id: String) {
    guard let wipe = wipes.open.first(where: { $0.id == id }) else { return }
    wipes.sinceDestruction = 0
    let candidates = reach(wipe).union(wipe.parts.keys)
    let spared = candidates.filter { isSpared(members[Holder(person: wipe.person, app: $0)]?[wipe.account], wipe) }
    let reached = candidates.subtracting(spared)
    change(id) { wipe in
      wipe.phase = .asking
      wipe.parts = Dictionary(uniqueKeysWithValues: reached.map { ($0, Part()) })
    }
    if spared.isEmpty, wipe.app == nil || !isElsewhere(wipe.account, wipe.person, reached) {
      wipes.effects.append("keys \(wipe.person) \(wipe.account)")
    }
    tell(wipe, "wipeStarted", hearing: Array(reached))
    for app in reached.sorted() {
      let isRunning = isRunning(Holder(person: wipe.person, app: app))
      if isRunning { ask(app, id) } else { order(app, id) }
    }
    complete(id)
  }

  /// A mark is for what was enrolled before it.
  private func isSpared(_ member: Member?, _ wipe: Wipe) -> Bool {
    guard wipe.cause == .marker, let since = markedSince(wipe.account) else { return false }
    return member?.enrolledAt.map { $0 > since } ?? false
  }

  /// Another app of the person has it.
  private func isElsewhere(_ account: String, _ person: UInt32, _ apps: Set<String>) -> Bool {
    let isMember = members.contains { holder, accounts in
      holder.person == person && !apps.contains(holder.app) && accounts[account]?.status == .enrolled
    }
    return isMember
      || programs.values.contains { program in
        let holder = program.holder
        return holder.person == person && !apps.contains(holder.app) && isFree(holder)
          && members[holder]?[account]?.status != .ended && program.named.contains(account)
      }
  }

  mutating func ask(_ app: String, _ id: String) {
    let deadline = time + policy.wiping.answerTime
    change(id) { wipe in
      wipe.parts[app]?.step = .asked
      wipe.parts[app]?.deadline = deadline
    }
    tellToAsk(app, id)
  }

  private mutating func tellToAsk(_ app: String, _ id: String) {
    guard let wipe = wipes.open.first(where: { $0.id == id }), let part = wipe.parts[app] else { return }
    wipes.effects.append("ask \(wipe.person) \(app) \(wipe.account) \(id) \(part.deadline)")
  }

  /// A program starts: it is asked for what its app has not answered.
  mutating func askForWipes(_ holder: Holder) {
    for wipe in wipes.open where wipe.phase == .asking && wipe.person == holder.person {
      guard let part = wipe.parts[holder.app] else { continue }
      if part.step == .asked { tellToAsk(holder.app, wipe.id) }
      if part.step == .notAsked || part.owesAnswer { ask(holder.app, wipe.id) }
    }
  }
}
