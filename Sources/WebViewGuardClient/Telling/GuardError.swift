public import GuardModel

/// The error of a call that changes or reads state. Questions never throw: the failure contract answers them.
///
///     do { try await guardian.registerViewer("v1", class: "documents", window: "w1") }
///     catch .refused(let refusal) where refusal.word == "UnknownClass" { … }
///     catch .noAnswer { }    // it is said again when the daemon is back
public enum GuardError: Error, Sendable, Hashable {
  /// The daemon answered with an error. Nothing was changed, and the client does not remember the statement.
  case refused(ErrorReply)
  /// The daemon is away or was too slow. The client remembers the statement and repeats it after a reconnect.
  case noAnswer
  /// The task was cancelled while it waited. The call may still take effect.
  case cancelled

  /// A varlink error.
  public struct ErrorReply: Sendable, Hashable {
    /// The whole name: `org.webviewguard.Guard.UnknownClass`.
    public internal(set) var name: String
    /// The parameters of the error, such as `class`.
    public internal(set) var parameters: [String: GuardValue]

    /// An error of this name.
    ///
    ///     GuardError.ErrorReply(name: "org.webviewguard.Guard.UnknownClass").word    // UnknownClass
    package init(name: String, parameters: [String: GuardValue] = [:]) {
      (self.name, self.parameters) = (name, parameters)
    }

    /// The last word of the name: `UnknownClass`.
    public var word: String { name.split(separator: ".").last.map(String.init) ?? name }
  }

  /// The daemon answered something that is no reply to the call.
  package static let invalidReply = GuardError.refused(.init(name: "invalidReply", parameters: [:]))
}

extension GuardError: CustomStringConvertible {
  /// One line for a person.
  public var description: String {
    switch self {
    case .refused(let refusal): "the daemon refused it: `\(refusal.word)`"
    case .noAnswer: "the daemon did not answer"
    case .cancelled: "nobody waits for it any more"
    }
  }
}

/// A problem outside of questions. It never reaches a question.
///
///     GuardClient(.init(app: "com.contoso.portal") { problem in log("\(problem)") })
public enum GuardProblem: Error, Sendable, Hashable {
  /// There is no socket.
  case missing(path: String)
  /// No program listens at the socket, or too many wait there.
  case refused(path: String)
  /// The modes of the socket or its directory are in the way.
  case notPermitted(path: String)
  /// The path is longer than a socket's may be.
  case pathTooLong(path: String)
  /// An untrusted user listens there: nothing was sent.
  case strangerListens(path: String, uid: UInt32)
  /// Any other system call failed, with this error number.
  case system(call: String, code: Int32)
  /// The failure contract beside the socket is not the daemon's, or others may write it. It counts as absent.
  case contractNotTrusted(path: String)
  /// The failure contract cannot be read, whole or in part. Missing answers are closed.
  case contractBroken(path: String)
  /// The daemon closed the connection.
  case closed
  /// The daemon sent bytes that are no varlink message, or a longer message than it may.
  case unreadable
  /// A question got no answer in time. The connection was closed, so a late answer cannot pass for another one's.
  case missedDeadline
  /// `Attach` was answered with an error.
  case attachRefused(GuardError.ErrorReply)
  /// The daemon does not know all of these topics. It is asked again without the newest of them.
  case topicsUnknown([String])
  /// The daemon refused a repeated statement that it had accepted before the connection was lost.
  case replayRefused(method: String, GuardError.ErrorReply)
}

extension GuardProblem: CustomStringConvertible {
  /// One line for a person.
  public var description: String {
    switch self {
    case .missing(let path): "there is no socket at `\(path)`"
    case .refused(let path): "nobody answers at `\(path)`"
    case .notPermitted(let path): "no permission to connect to `\(path)`"
    case .pathTooLong(let path): "the path `\(path)` is longer than a socket's may be"
    case .strangerListens(let path, let uid): "user \(uid) listens at `\(path)`, whom nobody trusts; not connected"
    case .system(let call, let code): "`\(call)` failed with error \(code)"
    case .contractNotTrusted(let path): "`\(path)` is not the daemon's alone; it does not count"
    case .contractBroken(let path): "`\(path)` is not whole; what is missing is closed"
    case .closed: "the daemon closed the connection"
    case .unreadable: "what the daemon sent is no message of its own"
    case .missedDeadline: "the daemon did not answer in time"
    case .attachRefused(let refusal): "the daemon refused the app: `\(refusal.word)`"
    case .topicsUnknown(let topics): "the daemon does not know all topics of `\(topics.joined(separator: "`, `"))`"
    case .replayRefused(let method, let refusal): "`\(method)` was refused when it was said again: `\(refusal.word)`"
    }
  }
}

/// An event of the daemon that the app did not ask about.
///
///     for await news in guardian.news(.policy, .identity) {
///       switch news.topic {
///       case .policy: reloadWhatIsShown()
///       case .identity: await show(news.account, in: news.window); try await guardian.answer(news.request ?? "", .success)
///       default: tell(news.account, news.state)
///       }
///     }
public struct GuardNews: Sendable, Hashable {
  /// The topic of the news.
  public internal(set) var topic: Topic
  /// The number of the policy in force.
  public internal(set) var generation: Int
  /// The digest of the policy in force.
  public internal(set) var digest: String
  /// The account whose standing changed, or whose data the app must show; empty for no account.
  public internal(set) var account: String?
  /// The account's permission to work now; nil for a word of a newer daemon, which counts as `blocked`.
  public internal(set) var state: AccountState?
  /// Topic `account`: how the question to unlock the account ended; nil for a word of a newer daemon, which is no
  /// success.
  public internal(set) var unlock: UnlockResult?
  /// Topic `enrollment`: the point of the account's life; `blocked` for a word of a newer daemon.
  public internal(set) var life: AccountLifeState?
  /// Topic `enrollment`: the result; nil for a word of a newer daemon.
  public internal(set) var result: EnrollmentResult?
  /// Topic `allowedAccounts`: the names and patterns that the app takes; nil for all.
  public internal(set) var accounts: [String]?
  /// Topic `compliance`: the result of the look at the account; nil for a word of a newer daemon, which is not compliant.
  public internal(set) var status: ComplianceStatus?
  /// Topic `compliance`: a title for the account's person, in the person's language.
  public internal(set) var title: String?
  /// Topic `compliance`: a text for the account's person that says what the person can do.
  public internal(set) var text: String?
  /// Topic `restart`: why the app has to start anew; nil for a word of a newer daemon.
  public internal(set) var restart: RestartCause?
  /// Topics `wipe` and `restart`: the moment at which the app counts as silent, in milliseconds since 1970.
  public internal(set) var deadline: Int?
  /// Topic `dataProtection`: how the account's files have to be encrypted; `envelope` for a word of a newer daemon.
  public internal(set) var encryption: FileEncryption?
  /// Topic `dataProtection`: the number of the account's newest key; nil without one, and where the daemon can use none.
  public internal(set) var keyId: String?
  /// Topic `policy`: what the policy says of the organisation; nil where it says nothing.
  public internal(set) var organization: GuardOrganization?
  /// The window that must show the account; nil for the process.
  public internal(set) var window: String?
  /// The request that `answer` names.
  public internal(set) var request: String?
  /// The reason for showing another account.
  public internal(set) var cause: SwitchCause?
  /// The number of news before this that were missed, because the app did not read them in time.
  public internal(set) var missed: Int

  /// The news in a reply to `Subscribe`; nil for a topic that only a newer daemon knows.
  init?(reading members: [String: GuardValue]) {
    let value = GuardValue.object(members)
    guard let topic = value["topic"]?.string.flatMap(Topic.init) else { return nil }
    self.topic = topic
    generation = value["generation"]?.integer ?? 0
    digest = value["digest"]?.string ?? ""
    account = value["account"]?.string
    state = value["state"]?.string.flatMap(AccountState.init)
    unlock = value["unlock"]?.string.flatMap(UnlockResult.init)
    life = value["life"]?.string.map(AccountLifeState.init(word:))
    result = value["result"]?.string.flatMap(EnrollmentResult.init)
    accounts = value["accounts"].map(\.strings)
    status = value["status"]?.string.flatMap(ComplianceStatus.init)
    (title, text) = (value["title"]?.string, value["text"]?.string)
    restart = value["restart"]?.string.flatMap(RestartCause.init)
    deadline = value["deadline"]?.integer
    encryption = value["encryption"]?.string.map(FileEncryption.init(word:))
    keyId = value["keyId"]?.string
    organization = value["organization"].map(GuardOrganization.init(reading:))
    window = value["window"]?.string
    request = value["request"]?.string
    cause = value["cause"]?.string.flatMap(SwitchCause.init)
    missed = value["missed"]?.integer ?? 0
  }
}
