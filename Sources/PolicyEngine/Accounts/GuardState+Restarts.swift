package import GuardModel

/// Programs are asked to start anew where that is the only way (ledger RS; design, accounts, section 4).
extension GuardState {
  /// What processes show before another policy comes into force: a fixed account that changes must not pass unseen.
  var shownByProcesses: [UInt64: Identity] {
    var shown: [UInt64: Identity] = [:]
    for case let instance? in instances where instance.process != .absent { shown[instance.serial] = instance.process }
    return shown
  }

  /// Looks at every program under the policy in force.
  ///
  /// - Parameter before: what processes showed under the policy before.
  mutating func judgeRestarts(_ before: [UInt64: Identity] = [:], _ snapshot: Snapshot) {
    for id in liveInstances { judgeRestart(of: id, before[id.serial] ?? .absent, snapshot) }
  }

  /// A program says of which configuration its static rules were exported. It may say so again when it has loaded others.
  mutating func setRules(_ digest: String?, of id: InstanceID, _ snapshot: Snapshot) {
    guard instance(id) != nil else { return }
    if let digest { instances[id.place]?.rules = digest }
    judgeRestart(of: id, .absent, snapshot)
  }

  /// A program that has to start anew shows another account by now.
  mutating func judgeRestartAgain(of id: InstanceID, _ snapshot: Snapshot) {
    if restarts.restarts[id.serial] != nil { judgeRestart(of: id, .absent, snapshot) }
  }

  private mutating func judgeRestart(of id: InstanceID, _ before: Identity, _ snapshot: Snapshot) {
    let open = restarts.restarts[id.serial]
    guard let instance = instance(id), let need = restartNeed(of: instance, open, before, snapshot) else {
      return restarts.set(nil, of: id.serial)
    }
    if var open, open.request.cause == need.cause {
      // A program that has not answered yet, or is about to start anew, gets the newer policy by the same restart.
      if open.need == need.text { return }
      if open.step == .asked || open.step == .done {
        open.need = need.text
        return restarts.set(open, of: id.serial)
      }
    }
    askToRestart(id, instance, need)
  }

  private mutating func askToRestart(_ id: InstanceID, _ instance: Instance, _ need: RestartNeed) {
    restarts.count += 1
    let request = RestartRequest(
      id: "r-\(String(epoch, radix: 16))-\(restarts.count)", cause: need.cause,
      account: need.account.map { accounts.displayName($0) }, deadline: time + RestartBook.answerTime)
    restarts.set(Restart(request: request, need: need.text), of: id.serial)
    restarts.ask(id.serial)
    note(.restartAsked, request, instance, note: need.cause.rawValue)
  }

  /// What a program lacks that only a new start gives it; nil for nothing.
  private func restartNeed(
    of instance: Instance, _ open: Restart?, _ before: Identity, _ snapshot: Snapshot
  ) -> RestartNeed? {
    guard let app = instance.app.map({ snapshot[$0] }) else { return nil }
    if app.account != nil {
      if let left = accountLeft(by: instance, open, before) { return RestartNeed(.fixedAccount, left, accounts) }
    } else if app.identityMode == .single {
      if let gone = accountGone(from: instance, open, app) { return RestartNeed(.accountMustGo, gone, accounts) }
    }
    let digest = snapshot.generation.digest
    // A program that came back to another daemon may not have said it again yet.
    guard let rules = instance.rules else {
      return open?.request.cause == .staticRules ? RestartNeed(cause: .staticRules, text: open?.need ?? "") : nil
    }
    return rules == digest ? nil : RestartNeed(cause: .staticRules, text: digest)
  }

  /// The account whose data the program has, where the policy fixes another one by now.
  private func accountLeft(by instance: Instance, _ open: Restart?, _ before: Identity) -> AccountID? {
    let had = account(of: open, .fixedAccount).map { Identity.account($0) } ?? before
    guard case .account(let account) = had, had != instance.process else { return nil }
    return account
  }

  /// The account that the program shows and that its app no longer takes.
  private func accountGone(from instance: Instance, _ open: Restart?, _ app: App) -> AccountID? {
    let kept = account(of: open, .accountMustGo)
    switch instance.process {
    case .account(let account): return takes(account, app.accounts) ? nil : account
    case .nobody: return nil
    // It came back to another daemon and has not named its account again, or may not name it.
    case .absent: return kept.flatMap { takes($0, app.accounts) ? nil : $0 }
    }
  }

  private func account(of open: Restart?, _ cause: RestartCause) -> AccountID? {
    guard let open, open.request.cause == cause else { return nil }
    return accounts.number(ofKnown: open.need)
  }

  // MARK: Answers

  /// An app's answer (ledger RS-02). It counts once, and from the program that was asked alone; nil when the request is no
  /// restart.
  mutating func completeRestart(
    _ request: String, _ result: RequestResult, in id: InstanceID
  ) throws(Refusal) -> AccountAnswer? {
    guard let instance = instance(id), var restart = restarts.restarts[id.serial], restart.request.id == request
    else { return nil }
    guard restart.step == .asked || restart.step == .silent else { throw .requestIsOver(request) }
    restart.step = RestartStep(result)
    restarts.set(restart, of: id.serial)
    note(.restartAnswered, restart.request, instance, note: result.rawValue)
    return AccountAnswer(account: restart.request.account ?? "", state: .unknown, result: .unchanged)
  }

  /// Lets time pass; true when a program was silent for too long.
  package mutating func expireRestarts() -> Bool {
    let silent = restarts.takeSilent(at: time)
    for serial in silent {
      guard var restart = restarts.restarts[serial] else { continue }
      restart.step = .silent
      restarts.set(restart, of: serial)
      guard let instance = instances.lazy.compactMap(\.self).first(where: { $0.serial == serial }) else { continue }
      note(.restartAnswered, restart.request, instance, note: RestartStep.silent.rawValue)
    }
    return !silent.isEmpty
  }

  /// The requests that programs are to hear of, since the last call.
  package mutating func takeRestartRequests() -> [(instance: InstanceID, request: RestartRequest)] {
    let serials = Set(restarts.takeUnasked())
    guard !serials.isEmpty else { return [] }
    return liveInstances.compactMap { id in
      serials.contains(id.serial) ? openRestart(of: id).map { (id, $0) } : nil
    }
  }

  /// The request that waits for an answer of this program, for one that subscribes.
  package func openRestart(of id: InstanceID) -> RestartRequest? {
    guard instance(id) != nil, let restart = restarts.restarts[id.serial], restart.step == .asked else { return nil }
    return restart.request
  }

  // MARK: Other daemons

  /// Takes up the requests of an earlier daemon to programs that may come back. The others are forgotten.
  package mutating func restore(_ kept: [UInt64: KeptRestart], living: Set<UInt64>) {
    for (serial, entry) in kept {
      restarts.set(Restart(request: entry.request, need: entry.need, step: entry.step), of: serial)
      if !living.contains(serial) { restarts.set(nil, of: serial) }
    }
  }

  private mutating func note(
    _ act: AccountEvent.Act, _ request: RestartRequest, _ instance: Instance, note text: String
  ) {
    var event = AccountEvent(
      act: act, person: instance.peer.person, app: instance.appName, account: request.account ?? "", state: nil)
    (event.request, event.note) = (request.id, text)
    life.events.append(event)
  }
}

private struct RestartNeed {
  var cause: RestartCause
  var text: String
  var account: AccountID?

  init(cause: RestartCause, text: String) { (self.cause, self.text) = (cause, text) }

  init(_ cause: RestartCause, _ account: AccountID, _ accounts: AccountTable) {
    self.init(cause: cause, text: accounts[account].folded)
    self.account = account
  }
}
