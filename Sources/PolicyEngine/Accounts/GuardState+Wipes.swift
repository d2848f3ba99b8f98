package import GuardModel

/// How wipes begin, run and end (design, accounts, section 6; ledger WP).
extension GuardState {
  // MARK: Beginning

  /// Begins a wipe, or only locks where the policy does not let this cause destroy. Nil when there are too many: then it
  /// only locks, too.
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
    accounts.use(account)
    wipeBook.wipes.append(wipe)
    note(wipe, destroys ? hasRoom ? .wipeBegun : .wipeLimit : .wouldWipe, snapshot)
    return wipe
  }

  /// Looks which accounts the machine itself would wipe, begins at most one, and ends those whose cause is gone.
  ///
  /// - Parameter allowed: as many as an administrator allowed for this reload, and no other number.
  mutating func judgeWipes(_ snapshot: Snapshot, allowing allowed: Int? = nil) {
    let wanted = wantedWipes(snapshot)
    for wipe in wipeBook.wipes where wipe.cause.isAutomatic && wipe.phase != .asking {
      let holds = wanted.contains { $0.person == wipe.person && $0.account == wipe.account && $0.cause == wipe.cause }
      if !holds { end(wipe, .wipeCancelled, snapshot) }
    }
    let new = wanted.filter { want in
      !wipeBook.wipes.contains { $0.person == want.person && $0.account == want.account && $0.app == nil }
    }
    guard !new.isEmpty else {
      wipeBook.refused = []
      return
    }
    let isAllowed = new.count == 1 || allowed == new.count
    for want in new where isAllowed {
      _ = beginWipe(of: want.account, person: want.person, want.cause, mayExceed: allowed == new.count, snapshot)
    }
    if !isAllowed { refuseWipes(new, snapshot) }
  }

  struct WantedWipe: Hashable {
    let person: UInt32
    let account: AccountID
    let cause: WipeCause
  }

  /// The accounts that the policy, a condition or time wants to be wiped, of persons who have them. Exact ids only: a
  /// pattern never wipes.
  private func wantedWipes(_ snapshot: Snapshot) -> [WantedWipe] {
    var found: Set<WantedWipe> = []
    let isOffline = snapshot.wipe.offlineAfter.map { wipeBook.offline >= $0 } ?? false
    for (holder, members) in life.members {
      for (account, member) in members {
        let want = { cause in found.insert(WantedWipe(person: holder.person, account: account, cause: cause)) }
        // What it had stays its data, also when the access has ended.
        if let since = accounts.markedSince(account, snapshot), let enrolledAt = member.enrolledAt, enrolledAt <= since
        {
          _ = want(.marker)
        }
        guard member.status == .enrolled else { continue }
        if accounts[account].state == .nonCompliant, snapshot.wipe.causes.contains(.nonCompliant) {
          _ = want(.nonCompliant)
        }
        if conditionVerdict(of: account, holder, snapshot) == .wipe { _ = want(.conditionalLaunch) }
        if isOffline { _ = want(.offlineGrace) }
      }
    }
    // One cause is enough for an account.
    var firsts: [WantedWipe] = []
    for want in found.sorted(by: { rank($0) < rank($1) })
    where !firsts.contains(where: { $0.person == want.person && $0.account == want.account }) {
      firsts.append(want)
    }
    return firsts
  }

  private func rank(_ want: WantedWipe) -> (UInt32, String, String) {
    (want.person, accounts[want.account].sortName, want.cause.rawValue)
  }

  /// Several at once may be a mistake: none begins, and an administrator has to say how many.
  private mutating func refuseWipes(_ wants: [WantedWipe], _ snapshot: Snapshot) {
    for want in wants {
      let key = "\(want.person)/\(accounts[want.account].folded)/\(want.cause.rawValue)"
      guard wipeBook.refused.insert(key).inserted else { continue }
      var event = AccountEvent(
        act: .wipeLimit, person: want.person, account: accounts.displayName(want.account), state: .blocked)
      event.cause = want.cause
      event.note = "\(wants.count) accounts would be wiped at once: reload with `--allow-wipes \(wants.count)`"
      life.events.append(event)
    }
  }

  private func conditionVerdict(
    of account: AccountID, _ holder: AccountHolder, _ snapshot: Snapshot
  ) -> ConditionVerdict {
    var binding = accounts[account].protections
    for case let instance? in instances where instance.holder == holder {
      binding = binding.union(instance.groupProtections)
    }
    return book.verdict(of: binding)
  }

  // MARK: Running

  /// Lets time pass for wipes; true when something happened.
  mutating func runWipes(_ running: RunningTime, _ snapshot: Snapshot) -> Bool {
    let before = life.events.count
    if running.isSynchronised {
      wipeBook.offline &+= running.elapsed
      wipeBook.sinceDestruction &+= running.elapsed
      for index in wipeBook.wipes.indices where wipeBook.wipes[index].phase == .pending {
        wipeBook.wipes[index].ran &+= running.elapsed
      }
      keepClocks(after: running.elapsed)
    }
    if let offlineAfter = snapshot.wipe.offlineAfter, wipeBook.offline >= offlineAfter { judgeWipes(snapshot) }
    let mayDestroy =
      running.isSynchronised && (running.isCheckedInSinceBoot || running.sinceBoot >= WipeBook.afterBoot)
    if mayDestroy, let due = wipeBook.wipes.firstIndex(where: { isDue($0, snapshot) }) { destroy(due, snapshot) }
    // A wipe that ends leaves the list.
    for id in wipeBook.wipes.filter({ $0.phase == .asking }).map(\.id) {
      if let index = wipeBook.wipes.firstIndex(where: { $0.id == id }) { expire(index, snapshot) }
    }
    return life.events.count > before || !wipeBook.effects.isEmpty
  }

  /// Once a minute: a restart costs a wipe at most a minute of its delay.
  private mutating func keepClocks(after elapsed: UInt64) {
    wipeBook.unkept &+= elapsed
    guard wipeBook.unkept >= 60_000 else { return }
    wipeBook.unkept = 0
    wipeBook.isChanged = true
    if keepsPages { hasChanges = true }
  }

  /// The policy has to want it still.
  private func isDue(_ wipe: Wipe, _ snapshot: Snapshot) -> Bool {
    wipe.phase == .pending && wipe.ran >= wipe.delay && wipe.isApproved
      && wipeBook.sinceDestruction >= WipeBook.pause && snapshot.wipe.destroys(for: wipe.cause)
  }

  /// The point of no return: keys go, and the apps are asked.
  private mutating func destroy(_ index: Int, _ snapshot: Snapshot) {
    wipeBook.sinceDestruction = 0
    wipeBook.wipes[index].phase = .asking
    let wipe = wipeBook.wipes[index]
    for holder in life.members.keys where wipe.covers(holder, wipe.account) {
      if life[holder, wipe.account] != nil { wipeBook.wipes[index].parts[holder.app] = WipePart() }
    }
    for case let instance? in instances where wipe.covers(instance.holder, wipe.account) {
      let names = accounts.names(of: wipe.account)
      if shows(wipe.account, instance) || !names.isEmpty && instance.names.contains(wipe.account) {
        wipeBook.wipes[index].parts[instance.appNumber] = WipePart()
      }
    }
    if wipe.app == nil || !isEnrolledElsewhere(wipe) {
      wipeBook.effects.append(.destroyKeys(person: wipe.person, account: accounts.displayName(wipe.account)))
    }
    note(wipeBook.wipes[index], .wipeStarted, snapshot)
    for app in wipeBook.wipes[index].parts.keys { askIfRunning(app, index, snapshot) }
    complete(index, snapshot)
  }

  private func shows(_ account: AccountID, _ instance: Instance) -> Bool {
    var found = false
    instance.forEachIdentity { if $0 == .account(account) { found = true } }
    return found
  }

  private func isEnrolledElsewhere(_ wipe: Wipe) -> Bool {
    life.members.contains { holder, members in
      holder.person == wipe.person && !wipe.covers(holder, wipe.account) && members[wipe.account]?.status == .enrolled
    }
  }

  /// Asks an app that runs; another is asked when it attaches, and meanwhile the helper removes its files.
  private mutating func askIfRunning(_ app: AppNumber, _ index: Int, _ snapshot: Snapshot) {
    let wipe = wipeBook.wipes[index]
    let holder = AccountHolder(person: wipe.person, app: app)
    guard instances.contains(where: { $0?.holder == holder }) else { return orderFiles(of: app, index, snapshot) }
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
        !part.step.isAnswered || (part.step == .cleaned && part.deadline == 0)
      else { continue }
      if part.step == .notAsked {
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

  private mutating func expire(_ index: Int, _ snapshot: Snapshot) {
    let wipe = wipeBook.wipes[index]
    for (app, part) in wipe.parts where part.step == .asked && part.deadline <= time {
      wipeBook.wipes[index].parts[app]?.step = .silent
      note(wipe, .wipeAnswered, app: app, note: "silent", snapshot)
      orderFiles(of: app, index, snapshot)
    }
    complete(index, snapshot)
  }

  // MARK: Answers

  /// An app's answer (ledger WP-01, WP-02). It counts once, from this person's app alone.
  mutating func completeWipe(
    _ request: String, _ result: RequestResult, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> AccountAnswer {
    guard let holder = instance(id)?.holder else { throw .noApp }
    guard
      let index = wipeBook.wipes.firstIndex(where: {
        $0.id == request && $0.phase == .asking && $0.person == holder.person && $0.parts[holder.app] != nil
      })
    else { throw .unknownRequest(String(request.prefix(64))) }
    let wipe = wipeBook.wipes[index]
    guard let part = wipe.parts[holder.app], part.step == .asked || part.step == .notAsked || part.step == .silent
    else {
      throw .requestIsOver(wipe.id)
    }
    let step: WipeStep = result == .done ? .done : result == .refused ? .refused : .failed
    wipeBook.wipes[index].parts[holder.app]?.step = step
    note(wipe, .wipeAnswered, app: holder.app, note: result.rawValue, snapshot)
    if step != .done { orderFiles(of: holder.app, index, snapshot) }
    complete(index, snapshot)
    return AccountAnswer(account: accounts.displayName(wipe.account), state: .wiped, result: .wipeReceived)
  }

  /// The helper's word about the files of a person.
  package mutating func filesRemoved(
    _ request: String, removed: UInt64, kept: UInt64, person: UInt32, _ snapshot: Snapshot
  ) throws(Refusal) {
    guard
      let index = wipeBook.wipes.firstIndex(where: { wipe in
        wipe.person == person && wipe.phase == .asking
          && wipe.parts.values.contains { $0.order > 0 && wipe.order(of: $0) == request }
      }),
      let app = wipeBook.wipes[index].parts.first(where: { wipeBook.wipes[index].order(of: $0.value) == request })?.key
    else { throw .unknownRequest(String(request.prefix(64))) }
    guard wipeBook.wipes[index].parts[app]?.step != .cleaned else { throw .requestIsOver(request) }
    wipeBook.wipes[index].parts[app]?.step = .cleaned
    wipeBook.wipes[index].parts[app]?.removed = removed
    wipeBook.wipes[index].parts[app]?.kept = kept
    note(wipeBook.wipes[index], .filesRemoved, app: app, note: "removed \(removed), kept \(kept)", snapshot)
    complete(index, snapshot)
  }

  /// Lets the helper remove what the app left, where the policy names directories of the account alone.
  private mutating func orderFiles(of app: AppNumber, _ index: Int, _ snapshot: Snapshot) {
    let wipe = wipeBook.wipes[index]
    let appName = name(of: app)
    wipeBook.isChanged = true
    guard let place = snapshot.app(named: appName), !snapshot[place].dataDirectories.isEmpty else {
      // An app that does not run may still answer.
      if wipe.parts[app]?.step != .notAsked { wipeBook.wipes[index].parts[app]?.isGivenUp = true }
      return
    }
    let last = wipe.parts.values.map(\.order).max() ?? 0
    if wipe.parts[app]?.order == 0 { wipeBook.wipes[index].parts[app]?.order = last + 1 }
    wipeBook.order(app: appName, wipeBook.wipes[index].parts[app], of: wipe, accounts.displayName(wipe.account))
  }

  /// Ends a wipe whose apps have all answered: the registrations go with it (ledger WP-07).
  private mutating func complete(_ index: Int, _ snapshot: Snapshot) {
    wipeBook.isChanged = true
    let wipe = wipeBook.wipes[index]
    guard wipe.isComplete else { return refreshStandings(ofPerson: wipe.person, snapshot) }
    for holder in Array(life.members.keys) where wipe.covers(holder, wipe.account) {
      remove(wipe.account, from: holder)
      settle(holder, snapshot)
    }
    for id in liveInstances where instances[id.place].map({ wipe.covers($0.holder, wipe.account) }) ?? false {
      instances[id.place]?.wiped.insert(wipe.account)
    }
    let removed = wipe.parts.values.reduce(0) { $0 + $1.removed }
    let kept = wipe.parts.values.reduce(0) { $0 + $1.kept }
    let given = wipe.parts.values.contains { $0.isGivenUp }
    end(wipe, given ? .wipeIncomplete : .wipeCompleted, note: "removed \(removed), kept \(kept)", snapshot)
  }

  // MARK: Ending

  /// Takes a wipe back, before anything was destroyed.
  mutating func end(_ wipe: Wipe, _ act: AccountEvent.Act, note text: String? = nil, _ snapshot: Snapshot) {
    wipeBook.wipes.removeAll { $0.id == wipe.id }
    accounts.release(wipe.account)
    note(wipe, act, note: text, snapshot)
  }

  mutating func note(
    _ wipe: Wipe, _ act: AccountEvent.Act, app: AppNumber? = nil, note text: String? = nil, _ snapshot: Snapshot
  ) {
    var event = AccountEvent(
      act: act, person: wipe.person, app: (app ?? wipe.app).map { name(of: $0) },
      account: accounts.displayName(wipe.account), state: wipe.phase == .asking ? .wiped : .wipePending)
    (event.cause, event.note, event.request) = (wipe.cause, text ?? wipe.reason, wipe.id)
    if act == .wipeCancelled || act == .wipeRestored { event.state = .registered }
    life.events.append(event)
    wipeBook.isChanged = true
    if keepsPages { hasChanges = true }
    refreshStandings(ofPerson: wipe.person, snapshot)
  }

  private mutating func refreshStandings(ofPerson person: UInt32, _ snapshot: Snapshot) {
    for id in liveInstances where instance(id)?.peer.person == person { refreshStandings(of: id, snapshot) }
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
