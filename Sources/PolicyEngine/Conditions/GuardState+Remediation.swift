package import GuardModel

/// How an account is looked at: asked for, one after another, its person asked where that is needed, and told (ledger CA).
extension GuardState {
  // MARK: Asking

  /// An app wants an account to be looked at. It is registered first, where the app did not do so; an app that ended its
  /// access has to register it itself.
  mutating func remediate(
    _ name: String, silent: Bool, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> AccountAnswer {
    let (holder, known) = try account(name, in: id, snapshot)
    guard let account = known, isManaged(account, in: id) else {
      return AccountAnswer(account: known.map { accounts.displayName($0) } ?? name, state: .unmanaged)
    }
    if let place = remediations.queues[holder]?.firstIndex(where: { $0.account == account && $0.isOpen }) {
      remediations.queues[holder]?[place].repeats += 1
      return remediationAnswer(account, in: id, holder, snapshot)
    }
    guard makeRemediationRoom(in: holder, for: account) else {
      throw .limitReached(.accounts, maximum: RemediationBook.mostOfApp)
    }
    if isRegisteredByLook(account, of: holder, snapshot) { _ = try register(name, in: id, snapshot) }
    append(account, silent: silent, id, holder)
    return remediationAnswer(account, in: id, holder, snapshot)
  }

  private func remediationAnswer(
    _ account: AccountID, in id: InstanceID, _ holder: AccountHolder, _ snapshot: Snapshot
  ) -> AccountAnswer {
    var answer = AccountAnswer(
      account: accounts.displayName(account), state: state(of: account, in: id, snapshot),
      reason: instance(id)?.state(of: account, accounts).blockReason)
    let latest = remediations.latest(account, of: holder)
    (answer.request, answer.compliance) = (latest?.request, latest?.status)
    return answer
  }

  /// The app has it from nobody yet. What is locked for a wipe stays so.
  private func isRegisteredByLook(_ account: AccountID, of holder: AccountHolder, _ snapshot: Snapshot) -> Bool {
    guard !isFreeOfSources(holder, snapshot), wipeBook.lock(on: holder, account) == nil else { return false }
    return life[holder, account].map { $0.status == .registered && !$0.isByApp } ?? true
  }

  /// Drops the oldest result where there is no more room; never a look that is under way.
  private mutating func makeRemediationRoom(in holder: AccountHolder, for account: AccountID) -> Bool {
    let queue = remediations.queues[holder] ?? []
    guard queue.count >= RemediationBook.mostOfApp, !queue.contains(where: { $0.account == account }) else {
      return true
    }
    guard let place = queue.firstIndex(where: { !$0.isOpen }) else { return false }
    drop(place, of: holder)
    return true
  }

  private mutating func append(_ account: AccountID, silent: Bool, _ id: InstanceID, _ holder: AccountHolder) {
    var notBefore: UInt64 = 0
    if let place = remediations.queues[holder]?.firstIndex(where: { $0.account == account }) {
      notBefore = (remediations.queues[holder]?[place].notBefore ?? 0)
      drop(place, of: holder)
    }
    remediations.count += 1
    var look = Remediation(
      request: "look-\(String(epoch, radix: 16))-\(remediations.count)", account: account, isSilent: silent,
      instance: id, askedAt: time)
    (look.reading, look.notBefore) = (remediations.begun, notBefore)
    insert(look, of: holder)
    var event = event(.remediating, look, holder)
    event.note = silent ? "silent" : nil
    life.events.append(event)
  }

  /// Takes a look into the queue; its account keeps its number until it leaves.
  mutating func insert(_ look: Remediation, of holder: AccountHolder) {
    accounts.use(look.account)
    remediations.queues[holder, default: []].append(look)
    remediations.open.insert(holder)
    remediations.due = min(remediations.due, look.askedAt + RemediationBook.longest)
    noteRemediations()
  }

  private mutating func drop(_ place: Int, of holder: AccountHolder) {
    guard let look = remediations.queues[holder]?.remove(at: place) else { return }
    if remediations.queues[holder]?.isEmpty ?? false { remediations.queues[holder] = nil }
    accounts.release(look.account)
    noteRemediations()
  }

  private mutating func noteRemediations() {
    guard keepsPages else { return }
    remediations.isChanged = true
    hasChanges = true
  }

  // MARK: Looking

  /// Looks at every account whose turn it is.
  mutating func runRemediations(_ snapshot: Snapshot) {
    if remediations.due <= time { giveUp() }
    let holders = remediations.open.sorted { ($0.person, name(of: $0.app)) < ($1.person, name(of: $1.app)) }
    for holder in holders {
      while look(of: holder, snapshot) {}
      if !(remediations.queues[holder]?.contains(where: \.isOpen) ?? false) { remediations.open.remove(holder) }
    }
  }

  /// Looks at the next account of an app; false when that has to wait.
  private mutating func look(of holder: AccountHolder, _ snapshot: Snapshot) -> Bool {
    guard let place = remediations.queues[holder]?.firstIndex(where: \.isOpen),
      let look = remediations.queues[holder]?[place], let id = judge(of: look, holder), look.notBefore <= time,
      !snapshot.hasConditions || remediations.ended > look.reading
    else { return false }
    if look.stage == .waiting {
      _ = attempt(look.account, of: holder, snapshot)
      settle(holder, snapshot)
    }
    let found = finding(of: look, in: id, snapshot)
    if found.needsPerson {
      remediations.queues[holder]?[place].stage = .asking
      return false
    }
    end(place, of: holder, found.status)
    return true
  }

  /// The program for which an account is judged: the one that asked, or another one of the app. Nil while none runs.
  private func judge(of look: Remediation, _ holder: AccountHolder) -> InstanceID? {
    if let asker = look.instance, isLive(asker) { return asker }
    return liveInstances.first { instance($0)?.holder == holder }
  }

  private mutating func end(_ place: Int, of holder: AccountHolder, _ status: ComplianceStatus) {
    guard var look = remediations.queues[holder]?[place] else { return }
    look.stage = .over(status)
    look.notBefore = time + RemediationBook.pause
    remediations.queues[holder]?[place] = look
    var event = event(.remediated, look, holder)
    (event.compliance, event.unlock) = (status, look.unlock)
    event.note = look.repeats > 0 ? "repeated \(look.repeats)" : nil
    life.events.append(event)
    if let result = result(of: look, holder) { remediations.add(result) }
    noteRemediations()
  }

  /// Apps that did not come back are not told any more. A look that still waits for its person goes on.
  private mutating func giveUp() {
    for holder in remediations.queues.keys { giveUp(holder) }
    let waiting = remediations.queues.values.joined().filter { !$0.isTold }
    remediations.due = waiting.map { max($0.askedAt + RemediationBook.longest, time + 60_000) }.min() ?? .max
  }

  private mutating func giveUp(_ holder: AccountHolder) {
    while let place = remediations.queues[holder]?.firstIndex(where: {
      !$0.isTold && $0.askedAt + RemediationBook.longest <= time && ($0.status != nil || judge(of: $0, holder) == nil)
    }) {
      if let look = remediations.queues[holder]?[place], look.isOpen {
        life.events.append(event(.remediationForgotten, look, holder))
      }
      drop(place, of: holder)
    }
  }

  private func event(_ act: AccountEvent.Act, _ look: Remediation, _ holder: AccountHolder) -> AccountEvent {
    var event = AccountEvent(
      act: act, person: holder.person, app: name(of: holder.app), account: accounts.displayName(look.account))
    event.request = look.request
    return event
  }

  // MARK: Its person

  /// The accounts whose person has to be asked, with the program that asks. Of each app one at a time.
  package func remediationsToAsk() -> [(instance: InstanceID, account: String)] {
    remediations.open.compactMap { holder in
      guard let look = remediations.queues[holder]?.first(where: \.isOpen), look.stage == .asking,
        let id = judge(of: look, holder)
      else { return nil }
      return (id, accounts.displayName(look.account))
    }
  }

  /// The question to a person has ended: the accounts that wait for it are looked at again.
  mutating func answerRemediations(of person: UInt32, _ result: UnlockResult) {
    for holder in remediations.open where holder.person == person {
      guard let place = remediations.queues[holder]?.firstIndex(where: \.isOpen),
        remediations.queues[holder]?[place].stage == .asking
      else { continue }
      remediations.queues[holder]?[place].unlock = result
    }
  }

  // MARK: Telling

  /// What came of looks of a program's app, and no program of it was told yet.
  package func untoldRemediations(of id: InstanceID) -> [RemediationResult] {
    guard let holder = instance(id)?.holder else { return [] }
    return (remediations.queues[holder] ?? []).filter { !$0.isTold }.compactMap { result(of: $0, holder) }
  }

  private func result(of look: Remediation, _ holder: AccountHolder) -> RemediationResult? {
    look.status.map { status in
      RemediationResult(
        person: holder.person, app: name(of: holder.app), account: look.account, request: look.request, status: status,
        unlock: look.unlock)
    }
  }

  /// A program of the app was told.
  package mutating func noteTold(_ result: RemediationResult) {
    let holder = AccountHolder(person: result.person, app: number(ofApp: result.app))
    guard let place = remediations.queues[holder]?.firstIndex(where: { $0.request == result.request }) else { return }
    remediations.queues[holder]?[place].isTold = true
    noteRemediations()
  }

  /// An app of a person has no running program any more: nobody asks for results that were told.
  mutating func forgetToldRemediations(of holder: AccountHolder) {
    guard remediations.queues[holder] != nil, !instances.contains(where: { $0?.holder == holder }) else { return }
    while let place = remediations.queues[holder]?.firstIndex(where: \.isTold) { drop(place, of: holder) }
  }
}

/// The looks that outlive the daemon: those whose app was not told yet.
package struct KeptRemediation: Sendable, Hashable {
  package var request: String
  package var person: UInt32
  package var app: String
  /// In lower case.
  package var account: String
  package var isSilent: Bool
  /// Milliseconds since 1970.
  package var askedAt: UInt64

  package init(request: String, person: UInt32, app: String, account: String, isSilent: Bool, askedAt: UInt64) {
    (self.request, self.person, self.app) = (request, person, app)
    (self.account, self.isSilent, self.askedAt) = (account, isSilent, askedAt)
  }
}

extension GuardState {
  /// In the order of the queues.
  var keptRemediations: [KeptRemediation] {
    remediations.queues.flatMap { holder, queue in
      queue.filter { !$0.isTold }.map { look in
        KeptRemediation(
          request: look.request, person: holder.person, app: name(of: holder.app),
          account: accounts[look.account].folded, isSilent: look.isSilent, askedAt: look.askedAt)
      }
    }
  }

  /// Each account is looked at anew, when its app has come back. A result of before does not count.
  mutating func restore(_ kept: [KeptRemediation], _ snapshot: Snapshot) {
    for entry in kept where entry.askedAt + RemediationBook.longest > time {
      let holder = AccountHolder(person: entry.person, app: number(ofApp: entry.app))
      let account = accounts.number(of: entry.account, snapshot)
      let isKnown = remediations.queues[holder]?.contains { $0.account == account } ?? false
      guard !isKnown, remediations.queues[holder]?.count ?? 0 < RemediationBook.mostOfApp else { continue }
      insert(
        Remediation(request: entry.request, account: account, isSilent: entry.isSilent, askedAt: entry.askedAt),
        of: holder)
    }
  }
}

extension Guard {
  /// Looks at the accounts whose turn it is.
  ///
  /// - Parameter isOffline: the latest fetch of the policy failed.
  package mutating func runRemediations(isOffline: Bool = false, at time: UInt64) {
    note(time)
    state.remediations.isOffline = isOffline
    state.runRemediations(snapshot)
  }

  /// Facts were read, and `setFacts` has them.
  package mutating func endReading(_ number: UInt64) { state.remediations.endReading(number) }

  /// The question to a person has ended.
  package mutating func answerRemediations(of person: UInt32, _ result: UnlockResult) {
    state.answerRemediations(of: person, result)
  }
}
