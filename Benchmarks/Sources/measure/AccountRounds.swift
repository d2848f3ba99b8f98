import CAllocationCounter
internal import GuardModel
internal import PolicyEngine

/// The driver's questions about a machine on which every person runs an app with five enrolled accounts:
///
///     idle COUNT  ->  NANOSECONDS  processor time of a second in which nothing is due, of so many
///     due COUNT   ->  NANOSECONDS  of a second in which one person's accounts are due, of so many
///     reload      ->  NANOSECONDS  of a reload, which looks at every account
struct AccountRounds {
  static let accountsAPerson = 5

  let accounts: Int
  /// It counts names, tables, registrations and standings, and leaves programs out.
  let bytesAnAccount: Int
  private let machine: AccountMachine

  init(persons: Int) throws(MeasureError) {
    machine = try AccountMachine(persons: persons)
    let before = callocation_counter_live_bytes()
    try machine.registerAll()
    accounts = persons * Self.accountsAPerson
    bytesAnAccount = Int(callocation_counter_live_bytes() - before) / accounts
  }

  func answer(_ command: Substring) throws(MeasureError) -> String {
    let words = command.split(separator: " ").map(String.init)
    switch (words.first, words.count > 1 ? Int(words[1]) : 1) {
    case ("idle", let count?) where count > 0: return time(count) { $0.idle(count) }
    case ("due", let count?) where count > 0:
      machine.skipToCheckIns()
      let told = machine.told
      let answer = time(count) { $0.seconds(count) }
      guard machine.told == told + count * Self.accountsAPerson else {
        throw .invalidRules("accounts", "\(machine.told - told) accounts were due")
      }
      return answer
    case ("reload", _): return time(1) { $0.reload() }
    default: throw .usage
    }
  }

  private func time(_ count: Int, _ work: (AccountMachine) -> Void) -> String {
    let start = Clock.thread
    work(machine)
    return "\(Double(Clock.thread - start) / Double(count))"
  }
}

/// Persons, their programs and accounts, and a clock.
private final class AccountMachine {
  private var engine: Guard
  private var callers: [Caller] = []
  private var time: UInt64 = 1_795_000_000_000
  private var registeredAt: UInt64 = 0
  private var reloads: UInt64 = 1
  /// Number of accounts that ticks told of.
  private(set) var told = 0

  private static let app = "com.contoso.portal"
  private static let second: UInt64 = 1_000
  private static let running = RunningTime(
    elapsed: second, sinceBoot: 86_400_000, isSynchronised: true, isCheckedInSinceBoot: true)

  init(persons: Int) throws(MeasureError) {
    engine = Guard(epoch: 1, under: Self.policy(1))
    engine.state.keepsPages = true
    engine.setFacts(["DiskEncrypted": Fact(.truth(true))], at: time)
    do {
      for place in 0..<persons {
        let id = try engine.attach(app: Self.app, peer: Peer(uid: 10_000 + UInt32(place)), at: time)
        callers.append(Caller(id, connection: 1))
      }
    } catch { throw .invalidRules("accounts", "\(error)") }
    settle()
  }

  private static func policy(_ number: UInt64) -> Snapshot {
    var app = App(name: Self.app)
    (app.identityMode, app.managedAccounts, app.accounts.sources) = (.multi, .several, [.broker, .app])
    var protection = Protection(name: "standard")
    protection.accountPatterns = ["*@contoso.com"]
    protection.conditions = [LaunchCondition("DiskEncrypted", .equals, .truth(true))]
    var wipe = WipeSettings()
    (wipe.mode, wipe.causes, wipe.offlineAfter) = (.on, [.offlineGrace], 90 * 86_400_000)
    return Snapshot(
      generation: Generation(number: number, digest: "d\(number)"), apps: [app],
      accounts: AccountDirectory(entries: []), protections: [protection], wipe: wipe)
  }

  /// Each person a second after the one before, so that one person's accounts are due at a time.
  func registerAll() throws(MeasureError) {
    registeredAt = time
    do {
      for (place, caller) in callers.enumerated() {
        for number in 0..<AccountRounds.accountsAPerson {
          let account = "first\(number).last\(place)@contoso.com"
          _ = try engine.perform(.register(account), for: caller, at: time)
        }
        time += Self.second
      }
    } catch { throw .invalidRules("accounts", "\(error)") }
    settle()
  }

  func idle(_ count: Int) {
    for _ in 0..<count { tick(after: 1) }
  }

  func seconds(_ count: Int) {
    for _ in 0..<count { tick(after: Self.second) }
  }

  /// To the moment before the first person's accounts are to be checked in; once.
  func skipToCheckIns() { time = max(time, registeredAt + EnrollmentTimes().checkIn - Self.second) }

  private func tick(after milliseconds: UInt64) {
    time += milliseconds
    engine.tick(at: time)
    _ = engine.run(Self.running, at: time)
    if engine.state.life.hasEvents || engine.state.hasChanges { settle() }
  }

  func reload() {
    reloads += 1
    engine.adopt(Self.policy(reloads))
    settle()
  }

  /// As the shell does: events are told, and changes are handed over to be kept.
  private func settle() {
    told += engine.state.life.takeEvents().count
    _ = engine.state.wipeBook.takeEffects()
    guard engine.state.hasChanges else { return }
    var kept = KeptState()
    engine.state.takeChanges(into: &kept)
  }
}
