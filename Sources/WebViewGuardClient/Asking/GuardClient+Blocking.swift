public import GuardModel

/// For hooks that a toolkit calls synchronously, on its main thread or any other: each waits for the answer, never
/// longer than the contract's answer time. In tasks use the `async` methods: a blocking task holds up others.
extension GuardClient {
  /// Does the same as `decide`.
  @available(*, noasync, message: "await `decide`")
  public func decideBlocking(_ kind: EventKind, _ event: GuardEvent) -> GuardDecision {
    .reading(wait(for: transport.ask(kind, event)), to: kind, contract)
  }

  /// Does the same as `start`: it waits at most the contract's start time, which is longer. Call it before the first
  /// window opens.
  @available(*, noasync, message: "await `start`")
  @discardableResult
  public func startBlocking() -> Bool {
    let started = beginStart()
    if case .reply = started.wait(milliseconds: contract.startMilliseconds) { return true }
    return false
  }

  /// Does the same as `registerViewer`.
  @available(*, noasync, message: "await `registerViewer`")
  @discardableResult
  public func registerViewerBlocking(
    _ name: String, class viewerClass: String? = nil, parent: String? = nil, window: String? = nil,
    opener: String? = nil, kind: ViewerKind? = nil, document: String? = nil, policy: WebViewPolicy? = nil,
    ruleSet: String? = nil
  ) throws(GuardError) -> RegisteredViewer {
    let viewer = ViewerDescription(
      name, class: viewerClass, parent: parent, window: window, opener: opener, kind: kind,
      document: document, policy: policy, ruleSet: ruleSet)
    return RegisteredViewer(reading: try sayBlocking(.viewer(viewer)))
  }

  /// Does the same as `setDocument`.
  @available(*, noasync, message: "await `setDocument`")
  public func setDocumentBlocking(_ viewer: String, _ url: String?) throws(GuardError) {
    _ = try sayBlocking(.document(viewer: viewer, url: url))
  }

  /// Does the same as `forgetViewer`.
  @available(*, noasync, message: "await `forgetViewer`")
  public func forgetViewerBlocking(_ viewer: String) throws(GuardError) {
    _ = try sayBlocking(.forget(viewer: viewer))
  }

  /// Does the same as `setIdentity`.
  @available(*, noasync, message: "await `setIdentity`")
  @discardableResult
  public func setIdentityBlocking(
    _ target: IdentityTarget = .process, account: String?, gates: SwitchResult? = nil
  ) throws(GuardError) -> IdentityChange {
    let shown = account.map(ShownAccounts.one) ?? .inherited
    return IdentityChange(reading: try sayBlocking(.identity(target, shown, gates: gates)))
  }

  @available(*, noasync)
  private func sayBlocking(_ statement: Statement) throws(GuardError) -> GuardValue {
    try relayBlocking(statement).members()
  }
}

/// For a program that passes on another one's calls: events and replies stay as they are.
extension GuardClient {
  /// Does the same as `decideBlocking`. The daemon gets the members of the event unchanged, including words that this
  /// library does not know. A navigation without `action` gets one, and every event gets the remaining time.
  @available(*, noasync)
  package func relayBlocking(_ kind: EventKind, _ members: [String: GuardValue]) -> GuardDecision {
    .reading(wait(for: transport.ask(kind, members)), to: kind, contract)
  }

  /// Makes a statement, which is remembered unless it is refused. Returns the daemon's answer.
  @available(*, noasync)
  package func relayBlocking(_ statement: Statement) -> CallAnswer {
    wait(for: transport.say(statement))
  }

  /// Does the same as `call`. Returns the daemon's answer.
  @available(*, noasync)
  package func relayBlocking(_ method: String, _ parameters: [String: GuardValue]) -> CallAnswer {
    wait(for: transport.submit(method, .other) { $0.members(parameters) })
  }

  /// Reads the contract only when the call is on its way: the first call loads it.
  @available(*, noasync)
  private func wait(for pending: PendingAnswer) -> CallAnswer {
    pending.wait(milliseconds: contract.answerMilliseconds)
  }
}
