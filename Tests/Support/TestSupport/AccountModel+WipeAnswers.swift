package import GuardModel

/// Answers to wipes, their end, and what administrators do with them, in plain words.
extension AccountModel {
  // MARK: Answers

  package mutating func complete(_ request: String, _ result: RequestResult, _ number: Int) -> String {
    guard let holder = programs[number]?.holder else { return "noApp" }
    let wipe = wipes.open.first { $0.id == request && $0.phase == .asking && $0.person == holder.person }
    guard let wipe, let part = wipe.parts[holder.app] else { return "unknownRequest" }
    guard [.notAsked, .asked, .silent].contains(part.step) else { return "requestIsOver" }
    let step: WipeStep =
      switch result {
      case .done: .done
      case .refused: .refused
      case .failed: .failed
      }
    answer(step, result.rawValue, holder.app, wipe)
    complete(request)
    return "wiped wipeReceived"
  }

  mutating func expire(_ id: String) {
    guard let wipe = wipes.open.first(where: { $0.id == id }) else { return }
    for (app, part) in wipe.parts.sorted(by: { $0.key < $1.key }) where part.step == .asked && part.deadline <= time {
      answer(.silent, "silent", app, wipe)
    }
    complete(id)
  }

  private mutating func answer(_ step: WipeStep, _ word: String, _ app: String, _ wipe: Wipe) {
    change(wipe.id) { $0.parts[app]?.step = step }
    tell(wipe, "wipeAnswered", app: app, note: word)
    if step != .done { order(app, wipe.id) }
  }

  /// The helper is to remove what the app left, where the policy names directories.
  mutating func order(_ app: String, _ id: String) {
    let hasDirectories = policy.apps[app]?.hasDirectories ?? false
    let isGone = policy.apps[app] == nil
    change(id) { wipe in
      let next = (wipe.parts.values.map(\.order).max() ?? 0) + 1
      if !hasDirectories, isGone || wipe.parts[app]?.step != .notAsked { wipe.parts[app]?.isGivenUp = true }
      if hasDirectories, wipe.parts[app]?.order == 0 { wipe.parts[app]?.order = next }
    }
    if hasDirectories { tellToRemove(app, id) }
  }

  private mutating func tellToRemove(_ app: String, _ id: String) {
    guard let wipe = wipes.open.first(where: { $0.id == id }), let part = wipe.parts[app] else { return }
    wipes.effects.append("files \(wipe.person) \(app) \(wipe.account) \(id)-\(part.order)")
  }

  /// Another policy may name other directories. An app that left it answers no more.
  mutating func orderAgain() {
    for wipe in wipes.open where wipe.phase == .asking {
      for (app, part) in wipe.parts where !part.isOver && policy.apps[app] == nil {
        change(wipe.id) { $0.parts[app]?.isGivenUp = true }
      }
    }
    for wipe in wipes.open where wipe.phase == .asking {
      for (app, part) in wipe.parts where isOrdered(part) && policy.apps[app] != nil { tellToRemove(app, wipe.id) }
    }
  }

  private func isOrdered(_ part: Part) -> Bool { part.order > 0 && part.step != .done && part.step != .cleaned }

  private func place(ofOrder order: String, _ person: UInt32) -> (wipe: Wipe, app: String)? {
    for wipe in wipes.open where wipe.person == person && wipe.phase == .asking {
      for (app, part) in wipe.parts where part.order > 0 && "\(wipe.id)-\(part.order)" == order { return (wipe, app) }
    }
    return nil
  }

  package mutating func filesRemoved(_ order: String, removed: UInt64, kept: UInt64, _ person: UInt32) -> String {
    guard let (wipe, app) = place(ofOrder: order, person) else { return "unknownRequest" }
    guard wipe.parts[app]?.step != .cleaned else { return "requestIsOver" }
    change(wipe.id) { wipe in
      wipe.parts[app]?.removed += removed
      wipe.parts[app]?.kept = kept
      // An app that came meanwhile answers for itself.
      if wipe.parts[app]?.step == .asked { wipe.parts[app]?.order = 0 } else { wipe.parts[app]?.step = .cleaned }
    }
    tell(wipe, "filesRemoved", app: app, note: "removed \(removed), kept \(kept)")
    complete(wipe.id)
    return "reported"
  }

  package mutating func giveUp(_ order: String, _ person: UInt32) {
    guard let (wipe, app) = place(ofOrder: order, person), let part = wipe.parts[app], isOrdered(part) else { return }
    wipes.effects.append("drop \(person) \(order)")
    change(wipe.id) { wipe in
      wipe.parts[app]?.order = 0
      if part.step != .notAsked, part.step != .asked { wipe.parts[app]?.isGivenUp = true }
    }
    complete(wipe.id)
  }

  // MARK: The end

  /// When nobody owes anything, the registrations go.
  mutating func complete(_ id: String) {
    guard let wipe = wipes.open.first(where: { $0.id == id }), wipe.phase == .asking,
      wipe.parts.values.allSatisfy(\.isOver)
    else { return }
    for part in wipe.parts.values where part.order > 0 && part.step != .cleaned {
      wipes.effects.append("drop \(wipe.person) \(id)-\(part.order)")
    }
    if wipe.app == nil { forgetWords(wipe) }
    for holder in members.keys where wipe.covers(holder) && wipe.parts[holder.app] != nil { forget(wipe, holder) }
    for (number, program) in programs where wipe.covers(program.holder) && wipe.parts[program.holder.app] != nil {
      note(wipe.account, number)
      programs[number]?.wiped.insert(wipe.account)
    }
    let removed = wipe.parts.values.map(\.removed).reduce(0, +)
    let kept = wipe.parts.values.map(\.kept).reduce(0, +)
    let isWhole = wipe.parts.values.allSatisfy { !$0.isGivenUp && ($0.step != .cleaned || $0.kept == 0) }
    end(wipe, isWhole ? "wipeCompleted" : "wipeIncomplete", note: "removed \(removed), kept \(kept)")
  }

  /// What the app ended itself stays ended while a source still names it.
  private mutating func forget(_ wipe: Wipe, _ holder: Holder) {
    guard let member = members[holder]?[wipe.account] else { return }
    let isNamed = sources(of: wipe.account, holder).contains { $0 != .app }
    guard wipe.cause == .deregister, isNamed else { return remove(wipe.account, holder) }
    var ended = endedMember(member)
    ended.enrolledAt = nil
    members[holder]?[wipe.account] = ended
  }

  private mutating func forgetWords(_ wipe: Wipe) {
    for (source, word) in words[wipe.person] ?? [:] {
      var rest = word
      rest.names.removeAll { $0.contains { self.account($0) == wipe.account } }
      rest.covered.removeAll { $0.contains { self.account($0) == wipe.account } }
      words[wipe.person]?[source] = rest
    }
  }

  mutating func end(_ wipe: Wipe, _ act: String, note: String? = nil) {
    wipes.open.removeAll { $0.id == wipe.id }
    tell(wipe, act, note: note, hearing: Array(wipe.parts.keys))
  }

  /// The apps of a person that have the account, or whose program named it.
  func apps(of account: String, _ person: UInt32) -> Set<String> {
    let having = members.filter { $0.key.person == person && $0.value[account] != nil }.map(\.key.app)
    let naming = programs.values.filter { $0.holder.person == person && $0.named.contains(account) }.map(\.holder.app)
    return Set(having + naming)
  }

  mutating func tell(
    _ wipe: Wipe, _ act: String, app: String? = nil, note: String? = nil, hearing: [String] = []
  ) {
    var told = Act(act, wipe.person, app ?? wipe.app, wipe.account)
    (told.cause, told.request, told.note) = (wipe.cause, wipe.id, note ?? wipe.reason)
    if told.app == nil {
      told.apps = apps(of: wipe.account, wipe.person).union(wipe.parts.keys).union(hearing).sorted()
    }
    if act == "wipeCompleted" { told.result = .unenrolled }
    if act == "wipeIncomplete" { told.result = .clearFailed }
    acts.append(told)
    wipes.isChanged = true
  }

  // MARK: Administrators

  package mutating func wipe(
    _ name: String, _ person: UInt32, _ app: String?, reason: String, now: Bool, by login: UInt32
  ) -> String {
    let account = account(name)
    let apps = apps(of: account, person)
    guard app.map(apps.contains) ?? !apps.isEmpty else { return "unknownAccount" }
    let known = wipes.open.first { $0.person == person && $0.account == account && $0.app == app }
    if let known, known.phase != .locked || !destroys(.admin) { return "underWay" }
    guard hasRoom(.admin, person) else { return "wipePending" }
    if let known {
      let settings = policy.wiping
      change(known.id) {
        ($0.cause, $0.reason, $0.phase, $0.ran) = (.admin, reason, .pending, 0)
        ($0.delay, $0.needed, $0.approvals) = (now ? 0 : settings.delay, max($0.needed, settings.approvals), [login])
      }
      tell(wipes.open.first { $0.id == known.id } ?? known, "wipeBegun")
      return known.id
    }
    return begin(account, person, app, .admin, reason: reason, now: now, approver: login)
  }

  package mutating func approve(_ id: String, by login: UInt32) -> String {
    guard let wipe = wipes.open.first(where: { $0.id == id }) else { return "noWipe" }
    guard wipe.phase != .asking else { return "tooLate" }
    guard !wipe.approvals.contains(login) else { return "sameApprover" }
    change(id) { $0.approvals.append(login) }
    tell(wipe, "wipeApproved", hearing: Array(wipe.parts.keys))
    return id
  }

  package mutating func restore(_ name: String, _ person: UInt32, reason: String) -> String {
    let account = account(name)
    let found = wipes.open.filter { $0.person == person && $0.account == account }
    if found.isEmpty { return "noWipe" }
    let early = found.filter { $0.phase != .asking }
    if early.isEmpty { return "tooLate" }
    for wipe in early { end(wipe, "wipeRestored", note: reason) }
    return "restored"
  }

  /// An administrator ends an app's access.
  package mutating func endAccess(of app: String, to name: String, _ person: UInt32) -> String {
    guard policy.apps[app] != nil || members.keys.contains(where: { $0.app == app }) else { return "unknownApp" }
    let (holder, account) = (Holder(person: person, app: app), account(name))
    if members[holder]?[account] == nil {
      guard policy.entries.contains(where: { $0.names[0] == account }) else { return "unknownAccount" }
      guard isBoundByName(account) else { return "unmanaged" }
    }
    if members[holder]?[account]?.status == .ended { return "ended" }
    endAccess(account, holder)
    return holdingStates(account, holder).map(\.rawValue).sorted().joined(separator: "|")
  }

  /// The states in which administrators may see an account of an app: programs of other versions may differ.
  package func holdingStates(_ account: String, _ holder: Holder) -> Set<AccountLifeState> {
    if let wipe = lock(account, holder) { return [wipe.lifeState] }
    guard policy.apps[holder.app] != nil else { return [.unknown] }
    let isBound = isBoundByName(account) || (isRunning(holder) ? isInGroup(holder.person) : !policy.groups.isEmpty)
    let stated = state(of: account)
    let standing = stated == .active ? memberStanding(account, holder, isBound: isBound) : stated
    let own = programs.values.filter { $0.holder == holder }
    var states: Set<AccountState> = [standing]
    if standing == .active, !own.isEmpty, isManaged(account, holder) {
      let verdicts = own.map { max(conditions.verdict, verdict(ofVersion: $0.version)).state }
      states = Set(verdicts.filter { $0 != .active }.isEmpty ? [.active] : verdicts.filter { $0 != .active })
    } else if standing == .active, own.isEmpty, isBoundByName(account) {
      states = [conditions.verdict.state]
    }
    if standing == .active, isOffline, isBound { states = [.blocked] }
    let isUnlocking =
      policy.asksPerson && isLocked(holder.person)
      && (isBoundByName(account) || isRunning(holder) && isInGroup(holder.person))
    if isUnlocking, states.remove(.active) != nil { states.insert(.locked) }
    return Set(states.map { lifeState($0, account, holder, isBound: isBound) })
  }

  /// All accounts that apps have or had.
  package var holdings: [(holder: Holder, account: String)] {
    members.sorted { $0.key < $1.key }.flatMap { holder, accounts in accounts.keys.sorted().map { (holder, $0) } }
  }

  package var listedWipes: [ListedWipe] {
    wipes.open.map { wipe in
      ListedWipe(
        id: wipe.id, person: wipe.person, app: wipe.app, account: wipe.account, cause: wipe.cause, phase: wipe.phase,
        beganAt: wipe.beganAt, remaining: wipe.phase == .pending ? wipe.delay - min(wipe.ran, wipe.delay) : nil,
        approvals: wipe.approvals.count, neededApprovals: needed(wipe),
        apps: wipe.parts.sorted { $0.key < $1.key }.map { ListedWipe.Part(app: $0.key, step: $0.value.step) })
    }
  }
}
