internal import GuardModel

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
    let before = courier.shown(at: .scope)
    // Not ended by a cancellation: who is cancelled in the middle must not leave the account behind.
    let shown = await courier.say(.identity(.scope, .said(account), gates: nil)).settled()
    if case .refused(let refusal) = shown { throw GuardError.refused(refusal) }
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await work()) } catch { result = .failure(error) }
    _ = await restored(before, shown).settled()
    return try result.get()
  }

  /// As `setAccount(_:forScope:)`, for threads.
  @available(*, noasync, message: "await `setAccount`")
  public func setAccountBlocking<Result>(_ account: String?, forScope work: () throws -> Result) throws -> Result {
    let before = courier.shown(at: .scope)
    let shown = courier.say(.identity(.scope, .said(account), gates: nil)).wait(milliseconds: patience)
    if case .refused(let refusal) = shown { throw GuardError.refused(refusal) }
    defer { _ = restored(before, shown).wait(milliseconds: patience) }
    return try work()
  }

  /// The account of the scope as this client last said it; nil when the next level counts.
  public var scopedAccount: String? {
    if case .one(let account) = courier.shown(at: .scope) { account } else { nil }
  }

  private var patience: Int { contract.answerMilliseconds }

  /// Says what was shown before: what this client said, else what the daemon did. What nobody hears is said again.
  private func restored(_ before: ShownAccounts, _ shown: CallAnswer) -> PendingAnswer {
    var before = before
    if before == .inherited, case .reply(let members) = shown { before = .said(members["previous"]?.string) }
    return courier.say(.identity(.scope, before, gates: nil))
  }
}

extension ShownAccounts {
  fileprivate static func said(_ account: String?) -> ShownAccounts { account.map { .one($0) } ?? .inherited }
}
