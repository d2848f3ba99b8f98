package import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import NIOCore
internal import PolicyEngine

/// One instance as the service sees it: its token, the connections that share it, and its recent answers.
final class Session {
  let token: String
  let instance: InstanceID
  let app: String
  let peer: Peer
  /// Connections that are attached to it.
  var connections = 1
  /// Ends the instance when no client came back in time.
  var ending: Scheduled<Void>?
  @exclusivity(unchecked) var actions = RecentActions()
  /// It said that it shows the data of an account.
  var hasIdentity = false
  /// The windows in which it does.
  var windows: Set<UInt64> = []
  /// Answers it got lately, written out.
  @exclusivity(unchecked) var forms = AnswerForms()
  /// The token is a secret; its first half tells instances apart in the log.
  let logName: String
  /// Decisions that may still be acknowledged.
  @exclusivity(unchecked) var answered = AnsweredDecisions()
  /// Limits how fast its viewers fill the log.
  @exclusivity(unchecked) var recordRates = RecordRates()
  /// Limits how fast its statements about accounts that are not believed fill the log.
  @exclusivity(unchecked) var refused = RefusedChanges()
  /// The viewers whose pages the log does not name.
  @exclusivity(unchecked) var privateViewers: PrivateViewers
  /// Subscribers know of switches up to this number.
  var toldSwitch: UInt64 = 0

  /// The account of its user.
  let memory: UserMemory
  /// The part of it that is counted for this instance.
  var registeredBytes = 0

  /// - Parameter isResumed: its program was attached to a daemon before this one.
  init(
    token: String, instance: InstanceID, app: String, peer: Peer, memory: UserMemory, isResumed: Bool = false
  ) {
    privateViewers = PrivateViewers(takesAll: isResumed)
    self.memory = memory
    self.token = token
    logName = String(token.prefix(Self.logNameLength))
    self.instance = instance
    self.app = app
    self.peer = peer
  }

  /// 128 random bits in hexadecimal.
  static func newToken() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let hex = String(UInt64.random(in: .min ... .max, using: &random), radix: 16)
      return String(repeating: "0", count: 16 - hex.count) + hex
    }.joined()
  }
}

/// Limits how fast one instance may fill the log by statements about accounts that are not believed.
///
/// The attack: a program that says a thousand wrong names a second. For each reason some are recorded one by one, and
/// then one a second; the others are counted, so that nothing is lost silently.
///
///     var refused = RefusedChanges()
///     refused.take(.unknownAccount, at: now)    // .recorded, 32 times at once and then once a second
package struct RefusedChanges {
  private var rates = RecordRates(burst: 32, perSecond: 1)
  private var counts: [RefusedChange.Reason: UInt64] = [:]

  package init() {}

  /// Takes room for one record; a refusal without room is counted.
  ///
  /// - Parameter time: in milliseconds; it never runs back.
  package mutating func take(_ reason: RefusedChange.Reason, at time: UInt64) -> RecordRates.Answer {
    let number = RefusedChange.Reason.allCases.firstIndex(of: reason) ?? 0
    let answer = rates.take(UInt64(number) + 1, at: time)
    if answer != .recorded { counts[reason, default: 0] += 1 }
    return answer
  }

  /// The refusals that were only counted; counting starts anew.
  package mutating func takeCounts() -> [(reason: RefusedChange.Reason, count: UInt64)] {
    defer { counts = [:] }
    return RefusedChange.Reason.allCases.compactMap { reason in counts[reason].map { (reason, $0) } }
  }
}

/// The running programs, by token, and by person: news about one person's account look at that person's programs alone.
struct Sessions {
  private(set) var byToken: [String: Session] = [:]
  private var byPerson: [UInt32: [Session]] = [:]

  subscript(token: String) -> Session? { byToken[token] }

  /// In no order.
  var values: Dictionary<String, Session>.Values { byToken.values }

  var count: Int { byToken.count }

  /// The programs of one person, in the order of their start.
  func of(_ person: UInt32) -> [Session] { byPerson[person] ?? [] }

  mutating func add(_ session: Session) {
    byToken[session.token] = session
    byPerson[session.peer.person, default: []].append(session)
  }

  mutating func remove(_ token: String) -> Session? {
    guard let session = byToken.removeValue(forKey: token) else { return nil }
    let person = session.peer.person
    byPerson[person]?.removeAll { $0 === session }
    if byPerson[person]?.isEmpty ?? false { byPerson[person] = nil }
    return session
  }
}
