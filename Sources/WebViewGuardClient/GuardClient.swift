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

  let courier: Courier

  /// A client that opens nothing yet: `start` does, or the first question.
  public init(_ configuration: Configuration) { courier = Courier(configuration) }

  deinit { courier.close() }

  /// Connects, and says what is registered. False when that takes longer than the contract allows (2 s unless it says
  /// otherwise) or does not come about: the contract then answers until the daemon is back.
  @discardableResult
  public nonisolated(nonsending) func start() async -> Bool {
    if case .reply = await beginStart().value() { true } else { false }
  }

  /// Ends the connection for good. Whoever waits, and whoever asks later, is answered by the contract.
  public func close() { courier.close() }

  /// What holds when nobody answers: the daemon's own word, else the file beside its socket, else everything closed.
  public var contract: FailureContract { courier.contract }

  /// Whether the daemon answers at the moment. By the time it is read it may be over: ask, and look at the answer.
  public var isConnected: Bool { courier.isConnected }

  /// How it stands between the client and the daemon now.
  package var standing: Standing { courier.standing }

  func beginStart() -> PendingAnswer {
    courier.change { core, now in
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
