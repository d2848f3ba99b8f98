package import GuardModel

/// The settings of a policy for wipes (design, accounts, section 6). Without them nothing is ever destroyed.
package struct WipeSettings: Sendable, Hashable {
  package var mode = WipeMode.off
  /// The causes that may destroy.
  package var causes: Set<WipeCause> = []
  /// Milliseconds of running time between the lock and the destruction.
  package var delay: UInt64 = 72 * 3_600_000
  /// Login users who have to agree to an administrator's wipe.
  package var approvals = 1
  /// Milliseconds that an app has to answer.
  package var answerTime: UInt64 = 600_000
  /// Milliseconds of running time without a check-in after which `offlineGrace` begins; nil never.
  package var offlineAfter: UInt64?

  package init() {}

  func destroys(for cause: WipeCause) -> Bool { mode == .on && causes.contains(cause) }
}

/// A wipe of one account of one person.
struct Wipe: Sendable, Hashable {
  let id: String
  let person: UInt32
  /// Nil: all apps of the person.
  let app: AppNumber?
  let account: AccountID
  var cause: WipeCause
  var reason: String?
  var phase: WipePhase
  let beganAt: UInt64
  /// Milliseconds of running time that counted so far.
  var ran: UInt64 = 0
  var delay: UInt64
  var neededApprovals: Int
  /// The login users who agreed.
  var approvals: [UInt32] = []
  /// The apps that it reaches: those that had the account when it was locked, and those that have it when it is destroyed.
  /// A program that is closed, or pushes the account out of its registrations, evades no wipe.
  var parts: [AppNumber: WipePart] = [:]

  func covers(_ holder: AccountHolder, _ account: AccountID) -> Bool {
    self.account == account && person == holder.person && (app == nil || app == holder.app)
  }

  /// The name of an app's order: `w-1f-2-1`
  func order(of part: WipePart) -> String { "\(id)-\(part.order)" }

  /// The point of the account's life meanwhile.
  var lifeState: AccountLifeState {
    switch phase {
    case .locked: .blocked
    case .pending: .wipePending
    case .asking: .wiped
    }
  }

  /// - Parameter wanted: as many login users as the policy in force wants to agree to an administrator's wipe.
  func isApproved(_ wanted: Int) -> Bool { approvals.count >= needed(wanted) }

  /// A policy that wants more approvals holds for a wipe that waits; one that wants fewer does not.
  func needed(_ wanted: Int) -> Int { cause == .admin ? max(neededApprovals, wanted) : neededApprovals }

  /// Whether some app was silent for too long, or the wipe can end.
  func hasToExpire(at time: UInt64) -> Bool {
    phase == .asking && (isComplete || parts.values.contains { $0.step == .asked && $0.deadline <= time })
  }

  /// Whether every app answered, or the files that it left were removed after it had been asked.
  var isComplete: Bool { phase == .asking && parts.values.allSatisfy(\.isOver) }
}

/// One app's part in a wipe.
struct WipePart: Sendable, Hashable {
  var step = WipeStep.notAsked
  /// Milliseconds since 1970; afterwards it counts as silent.
  var deadline: UInt64 = 0
  /// The number of the order by which the helper removes the app's files; 0 when there is none.
  var order: UInt64 = 0
  /// The app left something, and the policy names no directories that could be removed.
  var isGivenUp = false
  var removed: UInt64 = 0
  var kept: UInt64 = 0

  /// The helper removed the files of an app that has not run since: the app still has to forget the account.
  var isCleanedUnasked: Bool { step == .cleaned && deadline == 0 }

  var isOver: Bool { step == .done || (step == .cleaned && !isCleanedUnasked) || isGivenUp }

  /// Data of the account may remain: the helper kept files, or nobody could remove them.
  var mayHaveLeft: Bool { isGivenUp || step == .cleaned && kept > 0 }

  /// The helper has not reported on its order, and the app did not remove everything itself.
  var isOrdered: Bool { order > 0 && step != .done && step != .cleaned }

  /// The report of the helper: a program of the person may state any number, and sums must not overflow.
  mutating func count(removed: UInt64, kept: UInt64) {
    self.removed = min(self.removed + min(removed, Self.mostFiles), Self.mostFiles)
    self.kept = min(kept, Self.mostFiles)
  }

  /// More than any file system has.
  private static let mostFiles: UInt64 = 1 << 48
}

/// Something that the shell has to do.
package enum WipeEffect: Sendable, Hashable {
  /// Tell the programs of the app that they have to remove the account.
  case ask(person: UInt32, app: String, account: String, request: String, deadline: UInt64)
  /// Let the helper remove the files of the account in the app's directories.
  case removeFiles(person: UInt32, app: String, account: String, request: String)
  /// The helper's order is of no use any more.
  case dropOrder(person: UInt32, request: String)
  /// Destroy the account's keys: no app of the person has it any more.
  case destroyKeys(person: UInt32, account: String)
}

/// Wipes under way, and the clocks that they run by.
///
/// Lock first, destroy later: every cause locks at once. The delay counts running time while the clock is synchronised, so
/// that no jump of the clock, no restored file and no cloned machine shortens it.
package struct WipeBook: Sendable {
  var wipes: [Wipe] = []
  var count: UInt64 = 0
  /// Milliseconds of running time since the last check-in.
  var offline: UInt64 = 0
  /// Milliseconds of running time since the last destruction.
  var sinceDestruction = WipeBook.pause
  /// Accounts that were wiped while programs ran which have not come back since the restart, by their serials.
  var returning: [UInt64: Set<AccountID>] = [:]
  /// Wipes that were not begun since there were too many; told once.
  var refused: Set<String> = []
  var effects: [WipeEffect] = []
  var isChanged = false
  /// Milliseconds of running time since the clocks were kept.
  var unkept: UInt64 = 0
  /// Kept wipes were taken up, and no tick has judged them since.
  var isUnjudged = false
  /// Accounts, wipes or groups changed since wipes were judged: another judgement may differ.
  var isStale = true
  /// The latest judgement was made without a check-in for too long.
  var isJudgedOffline = false
  /// A minute is over, and wipes have to be judged.
  var mustJudge = false

  /// One destruction an hour.
  static let pause: UInt64 = 3_600_000
  /// After a boot nothing is destroyed for a day, unless the machine was checked in.
  static let afterBoot: UInt64 = 24 * 3_600_000

  package init() {}

  package mutating func takeEffects() -> [WipeEffect] {
    guard !effects.isEmpty else { return [] }
    defer { effects = [] }
    return effects
  }

  /// Lets the helper carry out an app's order.
  mutating func order(app: String, _ part: WipePart?, of wipe: Wipe, _ account: String) {
    guard let part, part.order > 0 else { return }
    effects.append(.removeFiles(person: wipe.person, app: app, account: account, request: wipe.order(of: part)))
  }

  /// Takes the orders of a wipe back that no helper has reported on.
  mutating func dropOrders(of wipe: Wipe) {
    for part in wipe.parts.values where part.step != .cleaned { dropOrder(of: part, wipe) }
  }

  /// Takes an order back: else the helper would carry it out after its wipe, and reach the account that came since.
  mutating func dropOrder(of part: WipePart, _ wipe: Wipe) {
    guard part.order > 0 else { return }
    effects.append(.dropOrder(person: wipe.person, request: wipe.order(of: part)))
  }

  /// The orders that a helper may still carry out, by person.
  package var openOrders: [UInt32: Set<String>] {
    var open: [UInt32: Set<String>] = [:]
    for wipe in wipes where wipe.phase == .asking {
      for part in wipe.parts.values where part.isOrdered { open[wipe.person, default: []].insert(wipe.order(of: part)) }
    }
    return open
  }

  /// Whether time has something to do for wipes.
  var isIdle: Bool { wipes.isEmpty && !isUnjudged && sinceDestruction >= Self.pause }

  func lock(on holder: AccountHolder, _ account: AccountID) -> Wipe? {
    wipes.isEmpty ? nil : wipes.first { $0.covers(holder, account) }
  }

  /// Whether an app's wipe waits that may begin: no other one of its person is under way.
  var hasNextOfApps: Bool {
    let waiting = wipes.lazy.filter { $0.cause == .deregister && $0.phase == .locked }
    guard !waiting.isEmpty else { return false }
    let busy = Set(wipes.lazy.filter { $0.cause == .deregister && $0.phase == .pending }.map(\.person))
    return waiting.contains { !busy.contains($0.person) }
  }

  /// Whether one more wipe of this cause may be under way: one of the machine's own, one of a person's apps, one of the
  /// administrators. Otherwise an app could keep an administrator from his.
  func hasRoom(for cause: WipeCause, of person: UInt32) -> Bool {
    !wipes.contains { wipe in
      guard wipe.phase == .pending else { return false }
      return cause == .deregister
        ? wipe.cause == .deregister && wipe.person == person
        : cause.isAutomatic ? wipe.cause.isAutomatic : wipe.cause == .admin
    }
  }
}

/// The machine's clocks, for the time that counts towards a destruction.
package struct RunningTime: Sendable, Hashable {
  /// Milliseconds since the last call, by the boot-time clock.
  package var elapsed: UInt64
  /// Milliseconds since the boot.
  package var sinceBoot: UInt64
  package var isSynchronised: Bool
  package var isCheckedInSinceBoot: Bool

  package init(elapsed: UInt64, sinceBoot: UInt64, isSynchronised: Bool, isCheckedInSinceBoot: Bool) {
    self.elapsed = elapsed
    self.sinceBoot = sinceBoot
    self.isSynchronised = isSynchronised
    self.isCheckedInSinceBoot = isCheckedInSinceBoot
  }

  /// The clock can be believed, and the machine is known to be in use.
  var mayDestroy: Bool { isSynchronised && (isCheckedInSinceBoot || sinceBoot >= WipeBook.afterBoot) }
}
