internal import GuardModel
internal import NIOCore
internal import PolicyEngine

/// One instance as the service sees it: its token, the connections that share it, and what was asked lately.
final class Session {
  let token: String
  let instance: InstanceID
  let app: String
  let peer: Peer
  /// Connections that are attached to it.
  var connections = 1
  /// Ends the instance when nobody came back in time.
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
  /// What may still be acknowledged.
  @exclusivity(unchecked) var answered = AnsweredDecisions()
  /// How fast its viewers fill the log.
  @exclusivity(unchecked) var recordRates = RecordRates()
  /// How fast what it says of accounts, and is not believed, does.
  @exclusivity(unchecked) var refused = RefusedChanges()
  /// The viewers whose pages the log does not name.
  @exclusivity(unchecked) var privateViewers: PrivateViewers
  /// Subscribers know of switches up to this number.
  var toldSwitch: UInt64 = 0

  /// The account of its user.
  let memory: UserMemory
  /// What of it is counted for this instance.
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
