internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import PolicyEngine

/// Questions to persons that are under way, and those that were just asked.
struct Unlocking {
  /// A question, and the programs that wait for its end.
  struct Asked {
    var person: UInt32
    var account: String
    var app: String
    var peer: Peer
    var waiting: [Waiting]
  }

  struct Waiting: Hashable {
    var token: String
    var account: String
  }

  /// Nil in tests and fuzzers without a machine.
  var bus: DesktopBus?
  var asked: [UInt64: Asked] = [:]
  /// When a person may be asked again, in milliseconds since 1970.
  var pausedUntil: [UInt32: UInt64] = [:]
  var count: UInt64 = 0
  /// The failure that was reported last.
  var failure: String?

  /// Maximum persons whom the daemon asks at the same time.
  static let mostAsked = 64
  /// Maximum programs that wait for one answer.
  static let mostWaiting = 64
  /// The attack: a program asks again and again, and fills its person's screen with dialogues.
  static let pause: UInt64 = 5_000
}

/// `unlock: polkit`: the daemon asks the person, and the accounts that wait for the answer may work (design accounts.md
/// section 5; ledger CD-04, CD-05, IS-02, MI-22).
extension GuardCore {
  /// Connects the loop with the machine's bus. Nothing is opened before it is needed.
  func beginUnlocking(_ bound: NIOLoopBound<GuardCore>) {
    let bus = DesktopBus()
    bus.tell { news in bound.eventLoop.execute { bound.value.take(news) } }
    unlocking.bus = bus
  }

  /// A program was told that it may not show an account before its person unlocked it: asks the person. A question that is
  /// under way is not asked twice.
  func askToUnlock(_ account: String, for session: Session, _ connection: Connection) {
    guard snapshot.hasUnlocks, let bus = unlocking.bus else { return }
    let waiting = Unlocking.Waiting(token: session.token, account: account)
    let person = session.peer.person
    if let number = unlocking.asked.first(where: { $0.value.person == person })?.key {
      let known = unlocking.asked[number]?.waiting ?? []
      if known.count < Unlocking.mostWaiting, !known.contains(waiting) {
        unlocking.asked[number]?.waiting.append(waiting)
      }
      return
    }
    guard unlocking.asked.count < Unlocking.mostAsked, unlocking.pausedUntil[person] ?? 0 <= journal.now() else {
      return
    }
    unlocking.count += 1
    unlocking.asked[unlocking.count] = Unlocking.Asked(
      person: person, account: account, app: session.app, peer: connection.peer, waiting: [waiting])
    bus.ask(
      UnlockAsk(
        uid: connection.peer.uid, pid: connection.peer.pid, process: PeerReading.process(of: connection.channel),
        account: account, app: session.app), number: unlocking.count)
  }

  /// Asks for the accounts that a program shows from its start on.
  func askToUnlockShown(_ session: Session, _ connection: Connection) {
    guard snapshot.hasUnlocks, let account = state.lockedAccounts(of: session.instance).first else { return }
    askToUnlock(account, for: session, connection)
  }

  private func take(_ news: DesktopBus.News) {
    switch news {
    case .unlock(let number, let result, let cause):
      guard let asked = unlocking.asked.removeValue(forKey: number) else { return }
      if result == .serviceFailure { tellFailure(cause) }
      finish(asked, result)
    case .presences(let presences): take(presences)
    }
  }

  private func finish(_ asked: Unlocking.Asked, _ result: UnlockResult) {
    let time = journal.now()
    record(result == .unlocked ? "unlocked" : "unlockFailed", asked, result)
    if result == .unlocked {
      unlocking.failure = nil
      unlocking.pausedUntil[asked.person] = nil
      let before = standings(of: [asked.person])
      engine.unlock(asked.person, at: time)
      unlocking.bus?.watch(state.unlocks.persons)
      tellOfStandings(before, to: sessions.of(asked.person))
    } else {
      unlocking.pausedUntil = unlocking.pausedUntil.filter { $0.value > time }
      unlocking.pausedUntil[asked.person] = time + Unlocking.pause
    }
    for waiting in asked.waiting { tell(waiting, result) }
    answerRemediations(of: asked.person, result, at: time)
    submit()
  }

  /// Tells a program how the question ended that it waits for.
  private func tell(_ waiting: Unlocking.Waiting, _ result: UnlockResult) {
    guard let session = sessions[waiting.token] else { return }
    var news = NewsReply(.account, snapshot.generation)
    news.account = waiting.account
    news.state = state.standing(of: waiting.account, in: session.instance, snapshot).state
    news.unlock = result
    tell(news, toSubscribersOf: session)
  }

  private func take(_ presences: [UInt32: Presence]) {
    let time = journal.now()
    let before = standings(of: state.unlocks.persons)
    var locked: Set<UInt32> = []
    for (person, presence) in presences where engine.setPresence(presence, of: person, at: time) {
      locked.insert(person)
    }
    settleLocked(locked.union(engine.expireUnlocks(at: time)), before)
  }

  /// Locks the accounts of persons who were away for too long.
  func tickUnlocks(at time: UInt64) {
    guard snapshot.hasUnlocks, state.unlocks.isDue(at: time) else { return }
    let before = standings(of: state.unlocks.persons)
    settleLocked(engine.expireUnlocks(at: time), before)
  }

  private func settleLocked(_ persons: Set<UInt32>, _ before: [String: [AccountID: AccountState]]) {
    guard !persons.isEmpty else { return }
    for session in sessions(of: persons) {
      for account in state.lockedAccounts(of: session.instance) {
        var entry = AccountStepEntry("locked", account: account, person: session.peer.person)
        (entry.app, entry.generation) = (session.app, snapshot.generation)
        journal.record(by: session.peer.person) { $0.encode(entry, at: $1, into: &$2) }
      }
    }
    unlocking.bus?.watch(state.unlocks.persons)
    tellOfStandings(before, to: sessions(of: persons))
    submit()
  }

  private func record(_ act: String, _ asked: Unlocking.Asked, _ result: UnlockResult) {
    var entry = AccountStepEntry(act, account: asked.account, person: asked.person)
    (entry.app, entry.unlock, entry.generation) = (asked.app, result, snapshot.generation)
    entry.peer = LoggedPeer(uid: asked.peer.uid, pid: asked.peer.pid)
    journal.record(by: asked.person) { $0.encode(entry, at: $1, into: &$2) }
  }

  /// Reports a failure once: a missing service would fail at every try.
  private func tellFailure(_ cause: String?) {
    let cause = cause ?? "its answer cannot be read"
    guard unlocking.failure != cause else { return }
    unlocking.failure = cause
    logger.warning("nobody can be asked to unlock accounts", metadata: ["cause": "\(cause)"])
  }
}
