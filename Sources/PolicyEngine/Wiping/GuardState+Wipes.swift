internal import GuardModel

/// How wipes begin and run (design, accounts, section 6; ledger WP).
extension GuardState {
  // MARK: Beginning

  /// Begins a wipe, or only locks: where the policy does not let this cause destroy, and where another one is pending.
  mutating func beginWipe(
    of account: AccountID, person: UInt32, app: AppNumber? = nil, _ cause: WipeCause, reason: String? = nil,
    now: Bool = false, approver: UInt32? = nil, mayExceed: Bool = false, _ snapshot: Snapshot
  ) -> Wipe {
    let settings = snapshot.wipe
    let destroys = settings.destroys(for: cause)
    let hasRoom = mayExceed || wipeBook.hasRoom(for: cause, of: person)
    wipeBook.count += 1
    var wipe = Wipe(
      id: "w-\(String(epoch, radix: 16))-\(wipeBook.count)", person: person, app: app, account: account, cause: cause,
      reason: reason, phase: destroys && hasRoom ? .pending : .locked, beganAt: time,
      delay: now ? 0 : settings.delay, neededApprovals: cause == .admin ? settings.approvals : 0)
    if let approver { wipe.approvals = [approver] }
    for number in apps(of: wipe) { wipe.parts[number] = WipePart() }
    accounts.use(account)
    wipeBook.wipes.append(wipe)
    note(wipe, destroys ? hasRoom ? .wipeBegun : .wipeLimit : .wouldWipe, snapshot)
    return wipe
  }

  /// Whether a wipe only locks so far, and an administrator may order it in earnest by now: the policy let nothing be
  /// destroyed when it began, or another one was pending. Where its names are several accounts, two persons approve.
  func mayBeOrdered(_ wipe: Wipe, _ snapshot: Snapshot) -> Bool {
    wipe.phase == .locked && snapshot.wipe.destroys(for: .admin)
      && !snapshot.accounts.tellsApart(accounts.names(of: wipe.account))
  }

  /// An administrator orders such a wipe: it reaches all apps that it locked, and as many persons agree as the lock wanted,
  /// or as the policy wants now, if these are more.
  mutating func takeUp(_ index: Int, reason: String, now: Bool, approver: UInt32?, _ snapshot: Snapshot) {
    var wipe = wipeBook.wipes[index]
    (wipe.cause, wipe.reason, wipe.phase, wipe.ran) = (.admin, reason, .pending, 0)
    wipe.delay = now ? 0 : snapshot.wipe.delay
    wipe.neededApprovals = max(wipe.neededApprovals, snapshot.wipe.approvals)
    wipe.approvals = approver.map { [$0] } ?? []
    wipeBook.wipes[index] = wipe
    note(wipe, .wipeBegun, snapshot)
  }

  /// The apps that it reaches now.
  private func apps(of wipe: Wipe) -> Set<AppNumber> {
    apps(of: wipe.account, person: wipe.person).filter { wipe.app == nil || wipe.app == $0 }
  }

  /// Looks which accounts the machine itself would wipe, begins at most one, and ends those whose cause is gone. Only
  /// ticks, reloads and check-ins do so. Where none begins since there are several, the accounts may not work all the
  /// same: a mark and a state are the policy's, a condition blocks, and a machine that is offline locks every account.
  ///
  /// - Parameter allowed: as many as an administrator allowed for this reload, and no other number.
  mutating func judgeWipes(_ snapshot: Snapshot, allowing allowed: Int? = nil) {
    guard snapshot.hasPolicy else { return }
    // The next judgement may differ from one for which an administrator said a number.
    (wipeBook.isUnjudged, wipeBook.isStale, wipeBook.mustJudge) = (false, allowed != nil, false)
    let wasOffline = wipeBook.isJudgedOffline
    wipeBook.isJudgedOffline = isOffline(snapshot)
    if wasOffline != wipeBook.isJudgedOffline {
      refreshStandings(snapshot)
      wipeBook.isStale = allowed != nil
    }
    lockGivenNames(snapshot)
    let grounds = wipeGrounds(snapshot)
    for wipe in wipeBook.wipes where wipe.cause.isAutomatic && wipe.phase != .asking {
      if !holds(wipe, grounds) { end(wipe, .wipeCancelled, snapshot) }
    }
    let known = Set(wipeBook.wipes.lazy.filter { $0.app == nil }.map { PersonAccount($0.person, $0.account) })
    let new = wantedWipes(grounds, snapshot).filter { !known.contains(PersonAccount($0.person, $0.account)) }
    let waiting = waitingWipes(snapshot, mayExceed: allowed != nil)
    let count = new.count + waiting.count
    guard count > 0 else {
      wipeBook.refused = []
      return
    }
    guard count == 1 || allowed == count else {
      return refuseWipes(new + waiting.map(WantedWipe.init), snapshot)
    }
    for want in new {
      _ = beginWipe(of: want.account, person: want.person, want.cause, mayExceed: allowed == count, snapshot)
    }
    for wipe in waiting { beginDelay(of: wipe.id, snapshot) }
  }

  /// Wipes of the machine that only lock so far, since another one was pending, or since the policy let nothing be
  /// destroyed: they may begin now.
  private func waitingWipes(_ snapshot: Snapshot, mayExceed: Bool) -> [Wipe] {
    wipeBook.wipes.filter { wipe in
      wipe.cause.isAutomatic && wipe.phase == .locked && snapshot.wipe.destroys(for: wipe.cause)
        && wipe.approvals.count >= wipe.neededApprovals
        && (mayExceed || wipeBook.hasRoom(for: wipe.cause, of: wipe.person))
    }
  }

  /// The oldest of the wipes that apps of a person asked for begins when the one before it is under way.
  private mutating func beginNextOfApps(_ snapshot: Snapshot) {
    guard snapshot.wipe.destroys(for: .deregister) else { return }
    for wipe in wipeBook.wipes where wipe.cause == .deregister && wipe.phase == .locked {
      if wipeBook.hasRoom(for: .deregister, of: wipe.person) { beginDelay(of: wipe.id, snapshot) }
    }
  }

  private mutating func beginDelay(of id: String, _ snapshot: Snapshot) {
    guard let index = wipeBook.wipes.firstIndex(where: { $0.id == id }) else { return }
    (wipeBook.wipes[index].phase, wipeBook.wipes[index].ran) = (.pending, 0)
    wipeBook.wipes[index].delay = snapshot.wipe.delay
    note(wipeBook.wipes[index], .wipeBegun, snapshot)
  }

  /// Several at once may be a mistake: none begins, and an administrator has to say how many.
  private mutating func refuseWipes(_ wants: [WantedWipe], _ snapshot: Snapshot) {
    for want in wants {
      let destroys = snapshot.wipe.destroys(for: want.cause)
      let key = "\(want.person)/\(accounts[want.account].folded)/\(want.cause.rawValue)/\(destroys)"
      guard wipeBook.refused.insert(key).inserted else { continue }
      var event = AccountEvent(
        act: destroys ? .wipeLimit : .wouldWipe, person: want.person, account: accounts.displayName(want.account),
        state: .blocked)
      event.cause = want.cause
      if destroys {
        event.note = "\(wants.count) accounts would be wiped at once: reload with `--allow-wipes \(wants.count)`"
      }
      life.events.append(event)
    }
  }

  /// The names of a wipe are several accounts by now, and nobody knows which was meant: it stays locked, and nothing is
  /// destroyed unless two persons say so (as after a restart: `restore`).
  mutating func lockGivenNames(_ snapshot: Snapshot) {
    for index in wipeBook.wipes.indices {
      let wipe = wipeBook.wipes[index]
      guard wipe.approvals.count < 2, wipe.phase != .locked || wipe.neededApprovals < 2,
        snapshot.accounts.tellsApart(accounts.names(of: wipe.account))
      else { continue }
      wipeBook.dropOrders(of: wipe)
      wipeBook.wipes[index].phase = .locked
      wipeBook.wipes[index].parts = wipe.parts.mapValues { _ in WipePart() }
      (wipeBook.wipes[index].neededApprovals, wipeBook.wipes[index].approvals) = (2, [])
      note(wipeBook.wipes[index], .wipeLimit, note: "its names are several accounts by now", snapshot)
    }
  }

  // MARK: Running

  /// Lets time pass for wipes.
  mutating func pass(_ running: RunningTime, _ snapshot: Snapshot) {
    guard running.isSynchronised else { return }
    wipeBook.offline &+= running.elapsed
    wipeBook.sinceDestruction &+= running.elapsed
    for index in wipeBook.wipes.indices where wipeBook.wipes[index].phase == .pending {
      wipeBook.wipes[index].ran &+= running.elapsed
    }
    let isMinute = keepClocks(after: running.elapsed)
    // While nothing changes another judgement would be the same.
    guard isMinute, isOffline(snapshot), wipeBook.isStale || !wipeBook.isJudgedOffline else { return }
    wipeBook.mustJudge = true
  }

  /// The machine was not checked in for so long that `offlineGrace` begins.
  func isOffline(_ snapshot: Snapshot) -> Bool { snapshot.wipe.offlineAfter.map { wipeBook.offline >= $0 } ?? false }

  /// Wipes are to be judged. The word that a kept wipe began by may be over: facts come first.
  private func hasToJudge(_ snapshot: Snapshot) -> Bool {
    snapshot.hasPolicy
      && (wipeBook.mustJudge || wipeBook.isUnjudged && (book.hasFacts || !snapshot.hasConditions))
  }

  /// Whether `runWipes` has anything to do.
  func hasDueWipes(_ running: RunningTime, _ snapshot: Snapshot) -> Bool {
    if hasToJudge(snapshot) || !wipeBook.effects.isEmpty { return true }
    if snapshot.wipe.destroys(for: .deregister), wipeBook.hasNextOfApps { return true }
    return wipeBook.wipes.contains { wipe in
      wipe.phase == .asking ? wipe.hasToExpire(at: time) : running.mayDestroy && isDue(wipe, snapshot)
    }
  }

  /// Carries out what is due for wipes; true when something happened.
  mutating func runWipes(_ running: RunningTime, _ snapshot: Snapshot) -> Bool {
    let before = life.events.count
    if hasToJudge(snapshot) { judgeWipes(snapshot) }
    beginNextOfApps(snapshot)
    if running.mayDestroy, let due = wipeBook.wipes.firstIndex(where: { isDue($0, snapshot) }) {
      destroy(due, snapshot)
    }
    // A wipe that ends leaves the list.
    for id in wipeBook.wipes.filter({ $0.hasToExpire(at: time) }).map(\.id) {
      if let index = wipeBook.wipes.firstIndex(where: { $0.id == id }) { expire(index, snapshot) }
    }
    return life.events.count > before || !wipeBook.effects.isEmpty
  }

  /// Once a minute: a restart costs a wipe at most a minute of its delay.
  ///
  /// - Returns: whether a minute is over.
  private mutating func keepClocks(after elapsed: UInt64) -> Bool {
    wipeBook.unkept &+= elapsed
    guard wipeBook.unkept >= 60_000 else { return false }
    wipeBook.unkept = 0
    wipeBook.isChanged = true
    if keepsPages { hasChanges = true }
    return true
  }

  /// The policy has to want it still, and what brought it about has to be so at this moment.
  private func isDue(_ wipe: Wipe, _ snapshot: Snapshot) -> Bool {
    guard wipe.phase == .pending, wipe.ran >= wipe.delay, wipe.isApproved(snapshot.wipe.approvals),
      wipeBook.sinceDestruction >= WipeBook.pause, snapshot.wipe.destroys(for: wipe.cause)
    else { return false }
    guard wipe.cause.isAutomatic else { return true }
    guard !wipeBook.isUnjudged, wipe.cause != .conditionalLaunch || book.hasFacts else { return false }
    return holds(wipe, wipeGrounds(of: wipe.account, snapshot))
  }

  /// The point of no return: keys go, and the apps are asked.
  private mutating func destroy(_ index: Int, _ snapshot: Snapshot) {
    wipeBook.sinceDestruction = 0
    wipeBook.wipes[index].phase = .asking
    let wipe = wipeBook.wipes[index]
    var hasSpared = false
    for app in apps(of: wipe).union(wipe.parts.keys) {
      let isSpared = isSpared(life[AccountHolder(person: wipe.person, app: app), wipe.account], wipe, snapshot)
      wipeBook.wipes[index].parts[app] = isSpared ? nil : WipePart()
      hasSpared = hasSpared || isSpared
    }
    loseClips(of: wipe)
    if !hasSpared, wipe.app == nil || !isEnrolledElsewhere(wipeBook.wipes[index], snapshot) {
      wipeBook.effects.append(.destroyKeys(person: wipe.person, account: accounts.displayName(wipe.account)))
    }
    note(wipeBook.wipes[index], .wipeStarted, snapshot)
    for app in sortedApps(of: wipeBook.wipes[index]) { askIfRunning(app, index, snapshot) }
    complete(index, snapshot)
  }

  func shows(_ account: AccountID, _ instance: Instance) -> Bool {
    var found = false
    instance.forEachIdentity { if $0 == .account(account) { found = true } }
    return found
  }

  /// A mark is for enrolments before its time: an app that enrolled the account later keeps it (ledger WP-06).
  private func isSpared(_ member: Membership?, _ wipe: Wipe, _ snapshot: Snapshot) -> Bool {
    guard wipe.cause == .marker, let since = accounts.markedSince(wipe.account, snapshot) else { return false }
    return member?.enrolledAt.map { $0 > since } ?? false
  }

  /// Another app of the person has the account: enrolled, or, without sources, shown by a program.
  private func isEnrolledElsewhere(_ wipe: Wipe, _ snapshot: Snapshot) -> Bool {
    let isMember = life.holders(of: wipe.person).contains { holder in
      wipe.parts[holder.app] == nil && life[holder, wipe.account]?.status == .enrolled
    }
    return isMember
      || instances(ofPerson: wipe.person).contains { id in
        guard let instance = instance(id), wipe.parts[instance.appNumber] == nil,
          isFreeOfSources(instance.holder, snapshot), life[instance.holder, wipe.account]?.status != .ended
        else { return false }
        return shows(wipe.account, instance) || instance.names.contains(wipe.account)
      }
  }

  /// Asks an app that runs; another is asked when it attaches, and meanwhile the helper removes its files.
  private mutating func askIfRunning(_ app: AppNumber, _ index: Int, _ snapshot: Snapshot) {
    let wipe = wipeBook.wipes[index]
    let holder = AccountHolder(person: wipe.person, app: app)
    guard isRunning(holder) else { return orderFiles(of: app, index, snapshot) }
    wipeBook.wipes[index].parts[app]?.step = .asked
    wipeBook.wipes[index].parts[app]?.deadline = time + snapshot.wipe.answerTime
    wipeBook.isChanged = true
    ask(app, wipeBook.wipes[index])
  }

  private mutating func ask(_ app: AppNumber, _ wipe: Wipe) {
    wipeBook.effects.append(
      .ask(
        person: wipe.person, app: name(of: app), account: accounts.displayName(wipe.account), request: wipe.id,
        deadline: wipe.parts[app]?.deadline ?? time))
  }

  /// A program attaches: before anything else it is asked for the wipes that it has not answered.
  mutating func askForWipes(of id: InstanceID, _ snapshot: Snapshot) {
    guard let holder = instance(id)?.holder else { return }
    for index in wipeBook.wipes.indices where wipeBook.wipes[index].phase == .asking {
      guard wipeBook.wipes[index].person == holder.person, let part = wipeBook.wipes[index].parts[holder.app],
        !part.step.isAnswered || part.isCleanedUnasked
      else { continue }
      if part.step != .asked {
        wipeBook.wipes[index].parts[holder.app]?.step = .asked
        wipeBook.wipes[index].parts[holder.app]?.deadline = time + snapshot.wipe.answerTime
        wipeBook.isChanged = true
      }
      ask(holder.app, wipeBook.wipes[index])
    }
  }

  /// The requests of a person's app that wait for an answer, for a program that subscribes.
  package func openWipes(of id: InstanceID) -> [WipeEffect] {
    guard let holder = instance(id)?.holder else { return [] }
    return wipeBook.wipes.compactMap { wipe in
      guard wipe.phase == .asking, wipe.person == holder.person, let part = wipe.parts[holder.app], part.step == .asked
      else { return nil }
      return .ask(
        person: wipe.person, app: name(of: holder.app), account: accounts.displayName(wipe.account), request: wipe.id,
        deadline: part.deadline)
    }
  }
}

extension AccountTable {
  /// Since when the policy marks an account as wiped, by its exact object id, in milliseconds since 1970.
  func markedSince(_ account: AccountID, _ snapshot: Snapshot) -> UInt64? {
    guard let entry = snapshot.accounts.entry(named: self[account].folded).map({ snapshot.accounts.entries[$0] }),
      entry.state == .wiped, entry.objectID != nil
    else { return nil }
    return entry.since
  }
}
