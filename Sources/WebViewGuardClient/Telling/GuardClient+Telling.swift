public import GuardModel

/// The app's statements about itself. The client remembers them all and repeats them to a daemon that lost them.
///
/// An error means that nothing was changed (`refused`), or that the client repeats the statement when the daemon is
/// back (`noAnswer`). Before the first policy the daemon refuses everything with `NoPolicy`; the client still remembers
/// it.
extension GuardClient {
  /// Registers a viewer, or changes a registered one: members that are left out stay as they were. Call it before the
  /// viewer loads anything. `policy` and `ruleSet` do the same as `setWebViewPolicy` and `setExternalURLRules`, in one
  /// call: either all of it holds or, when it is refused, nothing.
  @discardableResult
  public nonisolated(nonsending) func registerViewer(
    _ name: String, class viewerClass: String? = nil, parent: String? = nil, window: String? = nil,
    opener: String? = nil, kind: ViewerKind? = nil, document: String? = nil, policy: WebViewPolicy? = nil,
    ruleSet: String? = nil
  ) async throws(GuardError) -> RegisteredViewer {
    let viewer = ViewerDescription(
      name, class: viewerClass, parent: parent, window: window, opener: opener, kind: kind,
      document: document, policy: policy, ruleSet: ruleSet)
    return RegisteredViewer(reading: try await say(.viewer(viewer)))
  }

  /// Names the document that a viewer shows, for rules that compare with it; nil when it is unknown.
  public nonisolated(nonsending) func setDocument(_ viewer: String, _ url: String?) async throws(GuardError) {
    _ = try await say(.document(viewer: viewer, url: url))
  }

  /// Ends a viewer. Later questions about it are questions about an unknown viewer; the viewers in it stay.
  public nonisolated(nonsending) func forgetViewer(_ viewer: String) async throws(GuardError) {
    _ = try await say(.forget(viewer: viewer))
  }

  /// Tags a viewer, or a container and all viewers that ever lie in it; `unset` takes the tag away.
  @discardableResult
  public nonisolated(nonsending) func setWebViewPolicy(
    _ viewer: String, _ policy: WebViewPolicy
  ) async throws(GuardError) -> RegisteredViewer {
    RegisteredViewer(reading: try await say(.policy(viewer: viewer, policy)))
  }

  /// Chooses the rule set that decides a viewer's external URLs; nil: every URL counts as the organisation's own.
  public nonisolated(nonsending) func setExternalURLRules(
    _ viewer: String, _ ruleSet: String?
  ) async throws(GuardError) {
    _ = try await say(.rules(viewer: viewer, ruleSet: ruleSet))
  }

  /// States the account whose data is shown.
  ///
  /// - Parameters:
  ///   - account: by object id or UPN. `nil` and `""` differ: nil sets nothing, so the next level counts; empty is
  ///     explicitly no account, so no policy binds.
  ///   - gates: asks for a switch, which may fail, and gives the result of the app's own gates.
  @discardableResult
  public nonisolated(nonsending) func setIdentity(
    _ target: IdentityTarget = .process, account: String?, gates: SwitchResult? = nil
  ) async throws(GuardError) -> IdentityChange {
    let shown = account.map(ShownAccounts.one) ?? .inherited
    return IdentityChange(reading: try await say(.identity(target, shown, gates: gates)))
  }

  /// States the accounts that a window shows together, at least one.
  @discardableResult
  public nonisolated(nonsending) func setIdentity(
    ofWindow window: String, accounts: [String]
  ) async throws(GuardError) -> IdentityChange {
    IdentityChange(reading: try await say(.identity(.window(window), .several(accounts), gates: nil)))
  }

  /// Gives the result of a switch that the daemon asked for. With `success` the identity is in force, and `setIdentity`
  /// need not be called; then ask the event again.
  public nonisolated(nonsending) func answer(_ request: String, _ result: SwitchResult) async throws(GuardError) {
    let purpose = CallPurpose.switching(request: request, result)
    let answer = transport.submit("Answer", purpose) { members in
      members.member("request", request)
      members.member("result", result.rawValue)
    }
    _ = try await answer.value().members()
  }

  /// Whether the user may go on after a warning: the daemon heard the reason, and the warning still stands. A warning may
  /// be old, and its question be refused by now, or nobody be there who knows: then it is false, and the app asks anew.
  ///
  ///     guard await client.goesOn(after: decision, justification: "for the court") else { return }
  public nonisolated(nonsending) func goesOn(after decision: GuardDecision, justification: String) async -> Bool {
    guard !decision.isLocal else { return false }
    let answer = here.submit("Acknowledge", .other) { members in
      members.member("decision", decision.id)
      members.member("outcome", Outcome.allow.name)
      members.member("justification", justification)
    }
    return (try? await answer.value().members()) != nil
  }

  /// Gives the result of a decision, once, such as `block` after a warning at which the user gave up. The call gets no
  /// reply: before an app goes on it asks `goesOn`. Decisions that were made here have no result to give.
  public func acknowledge(_ decision: GuardDecision, _ outcome: Outcome, justification: String? = nil) {
    guard !decision.isLocal else { return }
    here.submit("Acknowledge", .other, isOneway: true) { members in
      members.member("decision", decision.id)
      members.member("outcome", outcome.name)
      members.member("justification", justification)
    }
  }

  /// Calls any method of the daemon, such as one that only a newer one has. A name without a dot is one of
  /// `org.webviewguard.Guard`. The client does not remember such calls.
  public nonisolated(nonsending) func call(
    _ method: String, _ parameters: [String: GuardValue] = [:]
  ) async throws(GuardError) -> [String: GuardValue] {
    let answer = here.submit(method, .other) { $0.members(parameters) }
    return try await answer.value().members().object ?? [:]
  }

  /// A scope's identity belongs to its connection; everything else is the client's.
  func line(of statement: Statement) -> Transport {
    if case .identity(.scope, _, _) = statement { here } else { transport }
  }

  private nonisolated(nonsending) func say(_ statement: Statement) async throws(GuardError) -> GuardValue {
    try await line(of: statement).say(statement).value().members()
  }
}

extension CallAnswer {
  /// The content of the reply; throws the error that came in its place.
  func members() throws(GuardError) -> GuardValue {
    switch self {
    case .reply(let members): return .object(members)
    case .refused(let refusal): throw .refused(refusal)
    case .nothing: throw .noAnswer
    case .cancelled: throw .cancelled
    }
  }
}

extension Transport {
  func say(_ statement: Statement) -> PendingAnswer {
    change { core, now in
      let deadline = now + Int64(core.session.contract.answerMilliseconds)
      let call = ClientCall(method: statement.method, purpose: .statement(statement), deadline: deadline) { writer, _ in
        statement.write(to: &writer)
      }
      core.session.submit(call, at: now)
      return call.answer
    }
  }

  @discardableResult
  func submit(
    _ method: String, _ purpose: CallPurpose, isOneway: Bool = false,
    _ members: @escaping @Sendable (inout ValueWriter) -> Void
  ) -> PendingAnswer {
    change { core, now in
      let deadline = now + Int64(core.session.contract.answerMilliseconds)
      let call = ClientCall(method: method, purpose: purpose, deadline: deadline, isOneway: isOneway) { writer, _ in
        writer.object(members)
      }
      core.session.submit(call, at: now)
      return call.answer
    }
  }
}

/// The state of the line between a client and the daemon.
package struct LineStanding: Sendable, Hashable {
  /// The daemon answers. Before its first policy it also answers, but attaches no app.
  package let isConnected: Bool
  /// The failure contract, for when the daemon does not answer.
  package let contract: FailureContract
  /// The daemon's reply to the last `Attach`, such as `app`, `generation` and `digest`; empty when it had no policy.
  package let attachment: [String: GuardValue]
}

/// The daemon's reply about a registered viewer.
public struct RegisteredViewer: Sendable, Hashable {
  /// The policy that it resolves to; the strictest for a word of a newer daemon.
  public internal(set) var policy: WebViewPolicy
  /// The source of that policy; nil for a word of a newer daemon.
  public internal(set) var policySource: PolicySource?
  /// The rule set that is asked for it; nil when it has none.
  public internal(set) var ruleSet: String?

  init(reading value: GuardValue) {
    policy = value["policy"]?.string.flatMap(WebViewPolicy.init(named:)) ?? .currentIdentityBlockUpload
    policySource = value["policySource"]?.string.flatMap(PolicySource.init)
    ruleSet = value["ruleSet"]?.string
  }
}

/// The result of stating the shown account.
public struct IdentityChange: Sendable, Hashable {
  /// The account that the level had before, to be put back; nil when it inherited.
  public internal(set) var previous: String?
  /// The account whose data the user sees now; nil when no level has an identity.
  public internal(set) var effectiveUI: String?
  /// The account whose files are touched now; nil when no level has an identity.
  public internal(set) var effectiveFile: String?
  /// The level that `effectiveUI` comes from.
  public internal(set) var level: IdentityLevel
  /// The result of the switch, when `gates` was given; unless it is `success`, nothing changed.
  public internal(set) var result: SwitchResult?
  /// Why the account may not be shown now, when the organisation does not let it work. With `locked` the daemon asks
  /// the person to unlock it: show the account again when news of `.account` tell that it may work.
  public internal(set) var reason: DecisionReason?

  init(reading value: GuardValue) {
    previous = value["previous"]?.string
    effectiveUI = value["effectiveUI"]?.string
    effectiveFile = value["effectiveFile"]?.string
    level = value["level"]?.string.flatMap(IdentityLevel.init) ?? .none
    result = value["result"]?.string.map { SwitchResult(rawValue: $0) ?? .failed }
    reason = value["reason"]?.string.map { DecisionReason(rawValue: $0) }
  }
}

extension GuardClient {
  /// The level at which an identity is set.
  public enum IdentityTarget: Sendable, Hashable {
    /// The identity of the whole process.
    case process
    /// The identity of one window.
    case window(String)
    /// The identity of this client alone, in front of the others.
    case scope
  }
}
