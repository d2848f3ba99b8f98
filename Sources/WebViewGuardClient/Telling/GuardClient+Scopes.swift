internal import GuardModel

/// An account for the length of one piece of work (MI-19, MI-20).
extension GuardClient {
  /// Shows an account during the work, and then the earlier one, also after an error.
  ///
  /// Only the scope changes: the questions of this task, and of those that begin in it, in front of window and process.
  /// Tasks with different scopes are judged apart. Scopes nest. Each has a connection of its own, which carries
  /// questions, hints, `acknowledge` and `call`; its end ends the scope. A task that outlives it is blocked with the
  /// reason `scopeEnded`.
  ///
  ///     try await guardian.setAccount("work@contoso.com") { try await backUp() }
  ///
  /// - Parameter account: nil sets nothing, so the next level counts; empty is explicitly no account.
  /// - Throws: `GuardError.refused` when the daemon refuses the account: then the work does not run. Else the error of
  ///   the work.
  public nonisolated(nonsending) func setAccount<Result>(
    _ account: String?, forScope work: nonisolated(nonsending) () async throws -> Result
  ) async throws -> Result {
    if !transport.hasBegun { _ = await beginStart().settled() }
    let line = ScopeLine(of: transport, account)
    defer { line.transport.close() }
    // A cancellation does not end this: the account was either shown or it was not.
    let shown = await line.transport.say(.identity(.scope, .said(account), gates: nil)).settled()
    if case .refused(let refusal) = shown { throw GuardError.refused(refusal) }
    return try await ScopeLine.$open.withValue(ScopeLine.open + [line]) { try await work() }
  }

  /// Does the same as `setAccount(_:forScope:)`, for threads: the scope is that of the questions of this thread.
  @available(*, noasync, message: "await `setAccount`")
  public func setAccountBlocking<Result>(_ account: String?, forScope work: () throws -> Result) throws -> Result {
    if !transport.hasBegun { startBlocking() }
    let line = ScopeLine(of: transport, account)
    defer { line.transport.close() }
    let pending = line.transport.say(.identity(.scope, .said(account), gates: nil))
    let shown = pending.wait(milliseconds: contract.answerMilliseconds)
    if case .refused(let refusal) = shown { throw GuardError.refused(refusal) }
    return try ScopeLine.$open.withValue(ScopeLine.open + [line]) { try work() }
  }

  /// The account of the scope of this task or thread; nil when the next level counts.
  public var scopedAccount: String? {
    if let line = ScopeLine.innermost(of: transport) { return line.account }
    return if case .one(let account) = transport.shown(at: .scope) { account } else { nil }
  }

  /// The connection of the scope that this task or thread is in; the client's own when it is in none.
  var here: Transport { ScopeLine.innermost(of: transport)?.transport ?? transport }
}

/// One scope: an identity of the level `scope` belongs to one connection, so each scope has one, which joins the
/// instance of its client. The end of the connection is the end of the scope: nothing has to be put back, and nothing
/// stays behind when the program dies.
struct ScopeLine: Sendable {
  /// The open scopes of this task or thread, of all clients, from outside in.
  @TaskLocal static var open: [ScopeLine] = []

  let account: String?
  let transport: Transport
  private let client: Transport

  init(of client: Transport, _ account: String?) {
    (self.account, self.client) = (account, client)
    transport = Transport(joining: client)
  }

  static func innermost(of client: Transport) -> ScopeLine? { open.last { $0.client === client } }
}

extension ShownAccounts {
  fileprivate static func said(_ account: String?) -> ShownAccounts { account.map { .one($0) } ?? .inherited }
}
