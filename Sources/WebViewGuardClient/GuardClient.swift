public import GuardModel

/// An app's line to the guard: asks before anything happens, and says what the failure contract says when nobody answers.
///
///     let guardian = GuardClient(.init(app: "com.contoso.portal"))
///     await guardian.start()
///     try await guardian.setIdentity(.process, account: "work@contoso.com")
///     try await guardian.registerViewer("v1", class: "documents", window: "w1")
///     let decision = await guardian.navigate(.init(viewer: "v1", url: url, from: page, frame: .main))
///
/// Questions never throw and never take longer than the contract allows (500 ms unless it says otherwise), connecting
/// included. When the daemon goes away the client comes back by itself, and says again what the app said. An app makes
/// one client and keeps it: when the last reference goes, whoever waits is answered by the contract, and news end.
///
/// It may be used from any task and any thread. Calls of one task or thread are heard in their order.
public final class GuardClient: Sendable {
  /// What a client has to know.
  public struct Configuration: Sendable {
    /// The app of the policy that asks; nil where the daemon knows it by the user or unit that runs it.
    public var app: String?
    /// The socket; nil for the machine's daemon, or the user's where the machine has none.
    public var socketPath: String?
    /// What the app can do beside the ordinary.
    public var features: Set<GuardFeature>
    /// What the user reads, the preferred first, as BCP 47 tags such as `de-AT`.
    public var languages: [String]
    /// Whose sockets and files are believed, in place of root, `webviewguard` and, where the machine has no daemon of its
    /// own, oneself.
    public var trustedUIDs: Set<UInt32>?
    /// Hears what goes wrong beside questions. It is called on the client's own thread, or on that of whoever asks, and
    /// must not block: the answers to all questions come from there.
    public var onProblem: (@Sendable (GuardProblem) -> Void)?
    /// Hears of each connection that comes about, and of its end; called as `onProblem` is.
    package var onStanding: (@Sendable (Standing) -> Void)?

    /// Nothing is opened yet.
    public init(
      app: String? = nil, socketPath: String? = nil, features: Set<GuardFeature> = [], languages: [String] = [],
      trustedUIDs: Set<UInt32>? = nil, onProblem: (@Sendable (GuardProblem) -> Void)? = nil
    ) {
      (self.app, self.socketPath, self.features, self.languages) = (app, socketPath, features, languages)
      (self.trustedUIDs, self.onProblem) = (trustedUIDs, onProblem)
    }
  }

  let transport: Transport

  /// A client that opens nothing yet: `start` does, or the first question.
  public init(_ configuration: Configuration) { transport = Transport(configuration) }

  deinit { transport.close() }

  /// Connects, and says what is registered. False when that takes longer than the contract allows (2 s unless it says
  /// otherwise) or does not come about: the contract then answers until the daemon is back.
  @discardableResult
  public nonisolated(nonsending) func start() async -> Bool {
    if case .reply = await beginStart().value() { true } else { false }
  }

  /// Ends the connection for good. Whoever waits, and whoever asks later, is answered by the contract.
  public func close() { transport.close() }

  /// What holds when nobody answers: the daemon's own word, else the file beside its socket, else everything closed.
  public var contract: FailureContract { transport.contract }

  /// Whether the daemon answers at the moment. By the time it is read it may be over: ask, and look at the answer.
  public var isConnected: Bool { transport.isConnected }

  /// How it stands between the client and the daemon now.
  package var standing: Standing { transport.standing }

  func beginStart() -> PendingAnswer {
    transport.change { core, now in
      let answer = PendingAnswer()
      core.session.start(answer, at: now)
      return answer
    }
  }
}

/// What an app can do beside the ordinary. Without it, what needs it is `block`.
public enum GuardFeature: String, Sendable, Hashable, CaseIterable {
  /// Replaces content by a neutral text.
  case redact
  /// Shows another account when it is asked to.
  case switchIdentity
  /// Asks its user for a justification, and says with `acknowledge` what came of it.
  case warn
  /// Reports each change of the selections that it makes with `clipboardChanged`, and names the `proposal` of a copy that
  /// it saw happen.
  case clipEcho
  /// Lays a clip beside a notice where the answer says `mimeWrap`.
  case wrap
  /// Leaves nothing but plain text where the answer says `onlyPlainText`.
  case plainText
}

extension GuardClient {
  /// News, from now on: over a connection of its own, which comes back by itself. Without topics, all of them.
  ///
  /// The first say which policy is in force and what switches are asked for; after a reconnect another policy is news, the
  /// same one is not. An app that does not read loses the oldest of more than 64. They end with the client, or when
  /// the task that reads them is cancelled.
  ///
  ///     for await news in guardian.news(.policy) { reload(news.generation) }
  public func news(_ topics: Topic...) -> AsyncStream<GuardNews> {
    let topics = topics.isEmpty ? Topic.allCases : topics
    let (stream, listener) = AsyncStream.makeStream(of: GuardNews.self, bufferingPolicy: .bufferingNewest(64))
    let name = transport.change { core, _ in core.subscribe(topics, listener) }
    listener.onTermination = { [transport] _ in transport.change { core, _ in core.unsubscribe(name) } }
    return stream
  }
}

/// An account for the length of one piece of work (MI-19, MI-20).
extension GuardClient {
  /// Shows an account while the work is done, and then what was shown before, also after an error.
  ///
  /// It is the scope that changes: this client alone, in front of window and process. Scopes nest. Tasks that show
  /// different accounts side by side need a client each.
  ///
  ///     try await guardian.setAccount("work@contoso.com") { try await backUp() }
  ///
  /// - Parameter account: nil sets nothing, so that the next level counts; empty is explicitly nobody.
  /// - Throws: `GuardError.refused` when the daemon refuses the account: then the work is not done. Else what the work throws.
  public nonisolated(nonsending) func setAccount<Result>(
    _ account: String?, forScope work: nonisolated(nonsending) () async throws -> Result
  ) async throws -> Result {
    let before = transport.shown(at: .scope)
    // Not ended by a cancellation: who is cancelled in the middle must not leave the account behind.
    let shown = await transport.say(.identity(.scope, .said(account), gates: nil)).settled()
    if case .refused(let refusal) = shown { throw GuardError.refused(refusal) }
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await work()) } catch { result = .failure(error) }
    _ = await restored(before, shown).settled()
    return try result.get()
  }

  /// As `setAccount(_:forScope:)`, for threads.
  @available(*, noasync, message: "await `setAccount`")
  public func setAccountBlocking<Result>(_ account: String?, forScope work: () throws -> Result) throws -> Result {
    let before = transport.shown(at: .scope)
    let shown = transport.say(.identity(.scope, .said(account), gates: nil)).wait(milliseconds: patience)
    if case .refused(let refusal) = shown { throw GuardError.refused(refusal) }
    defer { _ = restored(before, shown).wait(milliseconds: patience) }
    return try work()
  }

  /// The account of the scope as this client last said it; nil when the next level counts.
  public var scopedAccount: String? {
    if case .one(let account) = transport.shown(at: .scope) { account } else { nil }
  }

  private var patience: Int { contract.answerMilliseconds }

  /// Says what was shown before: what this client said, else what the daemon did. What nobody hears is said again.
  private func restored(_ before: ShownAccounts, _ shown: CallAnswer) -> PendingAnswer {
    var before = before
    if before == .inherited, case .reply(let members) = shown { before = .said(members["previous"]?.string) }
    return transport.say(.identity(.scope, before, gates: nil))
  }
}

extension ShownAccounts {
  fileprivate static func said(_ account: String?) -> ShownAccounts { account.map { .one($0) } ?? .inherited }
}

/// What a question would be answered for one place.
public struct LocationHint: Sendable, Hashable {
  /// The place.
  public internal(set) var location: Location
  /// The outcome.
  public internal(set) var outcome: Outcome
  /// The step that would end the procedure.
  public internal(set) var reason: DecisionReason
}

/// What a question would be answered for one program.
public struct ProgramHint: Sendable, Hashable {
  /// The program: an app of the policy, or the name of a desktop file.
  public internal(set) var peer: String
  /// The outcome.
  public internal(set) var outcome: Outcome
  /// The step that would end the procedure.
  public internal(set) var reason: DecisionReason
}

/// Hints, so that an app can grey out what may not be. Nothing is recorded; ask again when the user has chosen.
extension GuardClient {
  /// Which way data goes between a viewer and a place.
  public enum PlaceQuestion: String, Sendable, Hashable, CaseIterable {
    /// As `save`.
    case save
    /// As `open`.
    case open
  }

  /// What `save` or `open` would answer for every place, in the order of `Location`. The event's location is not looked at.
  public nonisolated(nonsending) func locationHints(
    _ kind: PlaceQuestion, _ event: GuardEvent
  ) async -> [LocationHint] {
    let answer = await transport.askHints("DecideLocations", event) { $0.member("kind", kind.rawValue) }.value()
    let hints = Self.hints(answer, "locations") { hint in
      hint["location"]?.string.flatMap(Location.init(word:)).map {
        LocationHint(location: $0, outcome: Outcome(word: hint["outcome"]), reason: DecisionReason(reading: hint))
      }
    }
    let local = GuardDecision.reading(answer, to: kind == .save ? .save : .open, contract)
    return hints ?? Location.allCases.map { .init(location: $0, outcome: local.outcome, reason: local.reason) }
  }

  /// What `share` would answer for each of these programs, in the same order. The event's peer is not looked at.
  public nonisolated(nonsending) func programHints(_ peers: [String], _ event: GuardEvent) async -> [ProgramHint] {
    let answer = await transport.askHints("DecidePeers", event) { $0.member("peers", peers) }.value()
    let hints = Self.hints(answer, "peers") { hint in
      hint["peer"]?.string.map {
        ProgramHint(peer: $0, outcome: Outcome(word: hint["outcome"]), reason: DecisionReason(reading: hint))
      }
    }
    let local = GuardDecision.reading(answer, to: .share, contract)
    return hints ?? peers.map { .init(peer: $0, outcome: local.outcome, reason: local.reason) }
  }

  private static func hints<Hint>(_ answer: CallAnswer, _ name: String, _ read: (GuardValue) -> Hint?) -> [Hint]? {
    guard case .reply(let members) = answer else { return nil }
    return members[name]?.array?.compactMap(read)
  }
}

extension DecisionReason {
  fileprivate init(reading value: GuardValue) { self.init(rawValue: value["reason"]?.string ?? "") }
}

extension Transport {
  fileprivate func askHints(
    _ method: String, _ event: GuardEvent, _ members: @escaping @Sendable (inout ValueWriter) -> Void
  ) -> PendingAnswer {
    change { core, now in
      core.session.ask(method, at: now) { parameters, remaining in
        members(&parameters)
        parameters.member("event") { event.write(to: &$0, deadline: remaining) }
      }
    }
  }
}
