package import GuardModel

/// The answers of apps and of the helper to a wipe, and its end (ledger WP-01, WP-02, WP-04, WP-07).
extension GuardState {
  /// An app was silent for too long, or every app has answered.
  mutating func expire(_ index: Int, _ snapshot: Snapshot) {
    let wipe = wipeBook.wipes[index]
    for app in sortedApps(of: wipe) {
      guard let part = wipe.parts[app], part.step == .asked, part.deadline <= time else { continue }
      wipeBook.wipes[index].parts[app]?.step = .silent
      note(wipe, .wipeAnswered, app: app, note: "silent", snapshot)
      orderFiles(of: app, index, snapshot)
    }
    complete(index, snapshot)
  }

  /// In an order that does not change between runs: orders are numbered by it.
  func sortedApps(of wipe: Wipe) -> [AppNumber] { wipe.parts.keys.sorted { name(of: $0) < name(of: $1) } }

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
    guard let (index, app) = place(ofOrder: request, person) else {
      throw .unknownRequest(String(request.prefix(64)))
    }
    guard var part = wipeBook.wipes[index].parts[app], part.step != .cleaned else { throw .requestIsOver(request) }
    part.count(removed: removed, kept: kept)
    // An app that came meanwhile is asked, and answers for itself.
    if part.step == .asked { part.order = 0 } else { part.step = .cleaned }
    wipeBook.wipes[index].parts[app] = part
    note(wipeBook.wipes[index], .filesRemoved, app: app, note: "removed \(removed), kept \(kept)", snapshot)
    complete(index, snapshot)
  }

  /// No directory of the account can be named for an order: nothing is removed, and the end says so.
  package mutating func giveUpFiles(_ request: String, person: UInt32, _ snapshot: Snapshot) {
    guard let (index, app) = place(ofOrder: request, person),
      var part = wipeBook.wipes[index].parts[app], part.isOrdered
    else { return }
    wipeBook.dropOrder(of: part, wipeBook.wipes[index])
    part.order = 0
    // An app that was not asked yet, or has not answered, may still remove them itself.
    if part.step != .notAsked, part.step != .asked { part.isGivenUp = true }
    wipeBook.wipes[index].parts[app] = part
    complete(index, snapshot)
  }

  private func place(ofOrder request: String, _ person: UInt32) -> (index: Int, app: AppNumber)? {
    for (index, wipe) in wipeBook.wipes.enumerated() where wipe.person == person && wipe.phase == .asking {
      for (app, part) in wipe.parts where part.order > 0 && wipe.order(of: part) == request { return (index, app) }
    }
    return nil
  }

  /// Lets the helper remove the files that the app left, where the policy names directories of the account alone.
  mutating func orderFiles(of app: AppNumber, _ index: Int, _ snapshot: Snapshot) {
    let wipe = wipeBook.wipes[index]
    let appName = name(of: app)
    wipeBook.isChanged = true
    guard let place = snapshot.app(named: appName), !snapshot[place].dataDirectories.isEmpty else {
      // An app that does not run may still answer; one that left the policy can attach no more.
      let isGone = snapshot.app(named: appName) == nil
      if isGone || wipe.parts[app]?.step != .notAsked { wipeBook.wipes[index].parts[app]?.isGivenUp = true }
      return
    }
    let last = wipe.parts.values.map(\.order).max() ?? 0
    if wipe.parts[app]?.order == 0 { wipeBook.wipes[index].parts[app]?.order = last + 1 }
    wipeBook.order(app: appName, wipeBook.wipes[index].parts[app], of: wipe, accounts.displayName(wipe.account))
  }

  /// Ends a wipe whose apps have all answered: the registrations go with it (ledger WP-07).
  mutating func complete(_ index: Int, _ snapshot: Snapshot) {
    wipeBook.isChanged = true
    let wipe = wipeBook.wipes[index]
    guard wipe.isComplete else { return refreshStandings(ofPerson: wipe.person, snapshot) }
    wipeBook.dropOrders(of: wipe)
    if wipe.app == nil { forgetSignIns(of: wipe) }
    for holder in sortedHolders(of: wipe.person)
    where wipe.covers(holder, wipe.account) && wipe.parts[holder.app] != nil {
      forget(wipe, holder, snapshot)
      settle(holder, snapshot)
    }
    for id in instances(ofPerson: wipe.person) {
      guard let instance = instance(id), wipe.covers(instance.holder, wipe.account),
        wipe.parts[instance.appNumber] != nil
      else { continue }
      // Its number is not another account's as long as the program runs.
      note(wipe.account, in: id)
      instances[id.place]?.wiped.insert(wipe.account)
    }
    let removed = wipe.parts.values.reduce(0) { $0 + $1.removed }
    let kept = wipe.parts.values.reduce(0) { $0 + $1.kept }
    let isLeft = wipe.parts.values.contains { $0.mayHaveLeft }
    end(wipe, isLeft ? .wipeIncomplete : .wipeCompleted, note: "removed \(removed), kept \(kept)", snapshot)
  }

  // MARK: Going with it

  /// The registration goes. One that the app ended itself stays ended while a source still names the account: no word
  /// of a source brings it back.
  private mutating func forget(_ wipe: Wipe, _ holder: AccountHolder, _ snapshot: Snapshot) {
    let isNamed = sources(of: wipe.account, holder, snapshot).contains { $0 != .app }
    guard wipe.cause == .deregister, isNamed else { return remove(wipe.account, from: holder) }
    change(wipe.account, of: holder) { member in
      (member.status, member.result, member.enrolledAt) = (.ended, .unenrolled, nil)
      (member.isByApp, member.isUnchecked) = (false, false)
    }
  }

  /// The sign-in goes (ledger WP-07): only a new word of a source, or the app, brings the account back, as a new one.
  private mutating func forgetSignIns(of wipe: Wipe) {
    let names = accounts.names(of: wipe.account)
    for (source, var word) in life.words[wipe.person] ?? [:] where word.names(names) {
      let isOf = { (known: SignedInAccount) in known.all.contains { names.contains(AccountName.fold($0)) } }
      word.accounts.removeAll(where: isOf)
      word.covered.removeAll(where: isOf)
      life.words[wipe.person]?[source] = word
      guard keepsPages else { continue }
      life.changedWords.insert(SignInPlace(person: wipe.person, source: source))
      hasChanges = true
    }
  }

  /// What was copied may still be in the selections, and nobody may paste it any more: not even the same account, when it
  /// comes back (ledger WP-02).
  mutating func loseClips(of wipe: Wipe) {
    guard let user = users.firstIndex(where: { $0.uid == wipe.person }) else { return }
    func lost(_ record: ClipRecord) -> Bool {
      record.account == wipe.account && record.owner == .account(wipe.account)
        && (wipe.app == nil || record.appNumber == wipe.app)
    }
    if users[user].lose(where: lost) { hasChanges = true }
  }

  // MARK: Ending

  /// Takes a wipe back, before anything was destroyed.
  mutating func end(_ wipe: Wipe, _ act: AccountEvent.Act, note text: String? = nil, _ snapshot: Snapshot) {
    wipeBook.wipes.removeAll { $0.id == wipe.id }
    // Its name may go with the wipe, and the last word of it needs the name.
    note(wipe, act, note: text, snapshot)
    accounts.release(wipe.account)
  }

  mutating func note(
    _ wipe: Wipe, _ act: AccountEvent.Act, app: AppNumber? = nil, note text: String? = nil, _ snapshot: Snapshot
  ) {
    var event = AccountEvent(
      act: act, person: wipe.person, app: (app ?? wipe.app).map { name(of: $0) },
      account: accounts.displayName(wipe.account), state: wipe.phase == .asking ? .wiped : .wipePending)
    (event.cause, event.note, event.request) = (wipe.cause, text ?? wipe.reason, wipe.id)
    if app == nil, wipe.app == nil { event.apps = apps(hearingOf: wipe) }
    if act == .wipeCompleted { event.result = .unenrolled }
    if act == .wipeIncomplete { event.result = .clearFailed }
    if act == .wipeCancelled || act == .wipeRestored { event.state = .registered }
    life.events.append(event)
    (wipeBook.isChanged, wipeBook.isStale) = (true, true)
    if keepsPages { hasChanges = true }
    refreshStandings(ofPerson: wipe.person, snapshot)
  }

  private func apps(hearingOf wipe: Wipe) -> [String] {
    apps(of: wipe.account, person: wipe.person).union(wipe.parts.keys).map { name(of: $0) }.sorted()
  }

  /// The orders of wipes that began, again: the policy in force may name other directories, or name some at all. An app
  /// that left it answers no more.
  package mutating func orderAgain(_ snapshot: Snapshot) {
    for index in wipeBook.wipes.indices where wipeBook.wipes[index].phase == .asking {
      for (app, part) in wipeBook.wipes[index].parts where !part.isOver && snapshot.app(named: name(of: app)) == nil {
        wipeBook.wipes[index].parts[app]?.isGivenUp = true
        wipeBook.isChanged = true
      }
    }
    for wipe in wipeBook.wipes where wipe.phase == .asking {
      for (app, part) in wipe.parts where part.isOrdered && snapshot.app(named: name(of: app)) != nil {
        wipeBook.order(app: name(of: app), part, of: wipe, accounts.displayName(wipe.account))
      }
    }
  }

  private mutating func refreshStandings(ofPerson person: UInt32, _ snapshot: Snapshot) {
    for id in instances(ofPerson: person) { refreshStandings(of: id, snapshot) }
  }
}
