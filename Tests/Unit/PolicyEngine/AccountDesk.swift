import GuardModel
import PolicyEngine
import Testing

/// A guard under the example policy and a clock that the test sets: apps register accounts, sources speak, time passes.
///
/// The portal asks the sources `app` and `broker`, as long as a test says nothing else.
struct AccountDesk: ~Copyable {
  var engine: Guard
  /// Milliseconds since 1970.
  private(set) var time: UInt64 = 1_795_000_000_000
  /// What wipes told the shell, and the requests that came last.
  var effects: [WipeEffect] = []
  var lastRequest: String?
  var lastOrder: String?

  static let portal = "com.contoso.portal"
  static let hour: UInt64 = 3_600_000
  static let day: UInt64 = 24 * hour

  init(_ change: (inout ExamplePolicy) -> Void = { _ in }) {
    engine = Guard(epoch: 1, under: Self.policy(change).snapshot)
    engine.state.keepsPages = true
  }

  static func policy(_ change: (inout ExamplePolicy) -> Void = { _ in }) -> ExamplePolicy {
    var policy = ExamplePolicy()
    policy.app.accounts.sources = [.broker, .app]
    policy.otherAccounts.append(AccountEntry(upn: Name.second, objectID: nil))
    change(&policy)
    return policy
  }

  // MARK: Programs

  mutating func attach(_ app: String = portal, person: UInt32 = 1000, groups: [UInt32] = []) throws -> Caller {
    let id = try engine.attach(app: app, peer: Peer(uid: person, groups: groups), features: .usual, at: time)
    let caller = Caller(id, connection: 1)
    _ = try engine.perform(.registerViewer(ViewerDescription("V")), for: caller, at: time)
    return caller
  }

  /// The answer in words: `enrolled newPolicies`, or the refusal.
  mutating func register(_ account: String?, by caller: Caller) -> String { call(.register(account), by: caller) }

  mutating func deregister(_ account: String, by caller: Caller) -> String {
    call(.deregister(account, .keep), by: caller)
  }

  mutating func maySignIn(_ account: String, by caller: Caller) -> String { call(.maySignIn(account), by: caller) }

  private mutating func call(_ call: AccountCall, by caller: Caller) -> String {
    do {
      let answer = try engine.perform(call, for: caller, at: time)
      let words = [answer.state.rawValue, answer.result?.rawValue ?? answer.reason?.rawValue ?? "allowed"]
      return words.joined(separator: " ")
    } catch Refusal.unknownAccount {
      return "unknownAccount"
    } catch Refusal.limitReached(let limit, _) {
      return "limitReached \(limit.rawValue)"
    } catch {
      return "\(error)"
    }
  }

  /// A source says that these accounts are signed in, and no others.
  mutating func say(_ accounts: [String], by source: AccountSource = .broker, of person: UInt32 = 1000) throws {
    try engine.signedIn(accounts.map { SignedInAccount(upn: $0) }, by: source, person: person, at: time)
  }

  // MARK: Time

  /// Time passes at once, as for a machine that sleeps.
  mutating func pass(_ milliseconds: UInt64) { time += milliseconds }

  /// The same, and the daemon ticks.
  mutating func wait(_ milliseconds: UInt64) {
    time += milliseconds
    engine.tick(at: time)
  }

  /// The acts since the last time, `enrolled` or `notEnrolled notSignedIn`.
  mutating func acts() -> [String] {
    engine.state.life.takeEvents().map { event in
      event.act.rawValue + (event.result.map { " " + $0.rawValue } ?? "")
    }
  }

  mutating func reload(_ change: (inout ExamplePolicy) -> Void) {
    var policy = Self.policy(change)
    policy.number = 2
    engine.adopt(policy.snapshot)
  }

  /// The daemon is killed, and the next one has what the state file has.
  mutating func restart(_ kept: inout KeptState) {
    engine.state.takeChanges(into: &kept)
    engine = Guard(epoch: 2, under: engine.snapshot)
    engine.state.keepsPages = true
    engine.state.restore(kept, living: [], engine.snapshot)
    engine.takeUpAccounts(at: time)
  }

  // MARK: Looking

  /// The guard has something to do by now.
  var isDue: Bool { engine.isDue(at: time) }

  func listed(_ account: String, for caller: Caller) -> ListedAccount? {
    engine.accounts(for: caller).first { $0.account == account }
  }

  /// The state of an account in `List`; nil for one that is not there.
  func state(_ account: String, for caller: Caller) -> AccountLifeState? { listed(account, for: caller)?.state }

  /// The answer to printing while the app shows the account, whether or not it was let.
  mutating func printed(as account: String, by caller: Caller) throws -> Answer {
    _ = try engine.perform(.setIdentity(IdentityStatement(.process, account: account)), for: caller, at: time)
    return answer(.data(.print, in: "V"), by: caller)
  }

  mutating func answer(_ event: Event, by caller: Caller) -> Answer {
    var event = event
    var ruling = Ruling()
    engine.decideAdmitted(&event, for: caller, at: time, into: &ruling)
    return Answer(ruling.decision)
  }
}
