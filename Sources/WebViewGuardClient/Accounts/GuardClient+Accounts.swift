public import GuardModel

extension GuardClient {
  /// The accounts of this app: sign-in, registration, and their end.
  public var accounts: GuardAccounts { GuardAccounts(client: self) }
}

/// Calls of `org.webviewguard.Accounts`. They throw, also when the daemon does not answer: the client repeats none of them by
/// itself later. A malformed reply counts as refused with `invalidReply`.
///
///     guard try await guardian.accounts.maySignIn(name).isAllowed else { … }
///     let outcome = try await guardian.accounts.register(name)
///     if outcome.mustRemove { forget(name) } else if outcome.mayWork { show(name) }
public struct GuardAccounts: Sendable {
  let client: GuardClient

  /// The fate of an account's data in this app.
  public enum Data: String, Sendable, Hashable, CaseIterable {
    /// The app deletes it, or leaves it. It stays the organisation's.
    case keep
    /// The service sees that it is removed, where the policy lets it.
    case remove
  }

  /// Registers an account that signed in. The daemon enrols it at once, or tries again later; the app goes on.
  public nonisolated(nonsending) func register(_ account: String?) async throws(GuardError) -> AccountOutcome {
    try await call("Register", ["account": account.map { .string($0) }], AccountOutcome.init)
  }

  /// Ends the app's access to an account, before the app forgets its tokens. Managed data stays managed.
  public nonisolated(nonsending) func deregister(
    _ account: String, data: Data? = nil
  ) async throws(GuardError) -> AccountOutcome {
    try await call(
      "Deregister", ["account": .string(account), "data": data.map { .string($0.rawValue) }], AccountOutcome.init)
  }

  /// Lists all accounts of this app and person.
  public nonisolated(nonsending) func list() async throws(GuardError) -> AccountOverview {
    try await call("List", [:], AccountOverview.init)
  }

  /// The account of the person itself; nil when none is known.
  public nonisolated(nonsending) func deviceAccount() async throws(GuardError) -> String? {
    try await call("DeviceAccount", [:]) { members throws(AccountReply.Broken) in
      try AccountReply(members).text("account")
    }
  }

  /// Asks whether an account may sign in to this app. Ask before the sign-in begins.
  public nonisolated(nonsending) func maySignIn(_ account: String) async throws(GuardError) -> SignInAnswer {
    try await call("MaySignIn", ["account": .string(account)], SignInAnswer.init)
  }

  /// The accounts that this app takes.
  public nonisolated(nonsending) func allowed() async throws(GuardError) -> TakenAccounts {
    try await call("AllowedAccounts", [:], TakenAccounts.init)
  }

  /// Has the daemon look whether an account meets its conditions. What comes of it is news of `compliance`, with the
  /// request that this gives; the app waits for them before it asks for a token again. Nil where there is nothing to look
  /// at: no protection binds the account, and no news come.
  ///
  /// - Parameter silent: nobody is asked.
  public nonisolated(nonsending) func remediate(
    _ account: String, silent: Bool = false
  ) async throws(GuardError) -> String? {
    let said: [String: GuardValue?] = ["account": .string(account), "silent": silent ? true : nil]
    return try await call("Remediate", said) { members throws(AccountReply.Broken) in
      try AccountReply(members).text("request")
    }
  }

  /// The result of a request of news.
  public enum Completion: String, Sendable, Hashable, CaseIterable {
    /// The account and its data are gone from the app.
    case done
    /// The app does not do it.
    case refused
    /// The app tried.
    case failed
  }

  /// Gives the result of a request of news, once.
  public nonisolated(nonsending) func complete(
    _ request: String, _ result: Completion
  ) async throws(GuardError) -> AccountOutcome {
    try await call("Complete", ["request": .string(request), "result": .string(result.rawValue)], AccountOutcome.init)
  }

  /// The reply to `DataKey`, for the library that seals: texts of hexadecimal digits.
  package nonisolated(nonsending) func dataKeyReply(
    account: String, use: String, object: String, keyID: String?
  ) async throws(GuardError) -> (key: String, keyID: String, accountID: String) {
    let said: [String: GuardValue?] = [
      "account": .string(account), "use": .string(use), "object": .string(object), "keyId": keyID.map { .string($0) },
    ]
    return try await call("DataKey", said) { members throws(AccountReply.Broken) in
      let reply = AccountReply(members)
      return (try reply.said("key"), try reply.said("keyId"), try reply.said("accountId"))
    }
  }

  private nonisolated(nonsending) func call<Answer>(
    _ method: String, _ said: [String: GuardValue?],
    _ read: ([String: GuardValue]) throws(AccountReply.Broken) -> Answer
  ) async throws(GuardError) -> Answer {
    let members = try await client.call("org.webviewguard.Accounts.\(method)", said.compactMapValues(\.self))
    do throws(AccountReply.Broken) { return try read(members) } catch {
      throw .invalidReply
    }
  }
}

/// The result of an enrolment or of its end.
public struct AccountOutcome: Sendable, Hashable {
  /// As the policy spells it; empty for none.
  public let account: String
  /// The point of its life; `blocked` for a word of a newer daemon.
  public let state: AccountLifeState
  /// The result; nil for a word of a newer daemon, which is a failure.
  public let result: EnrollmentResult?
  /// All members, also those that this library does not know.
  public let members: [String: GuardValue]

  init(_ members: [String: GuardValue]) throws(AccountReply.Broken) {
    let reply = AccountReply(members)
    account = try reply.said("account")
    state = try reply.life()
    result = EnrollmentResult(rawValue: try reply.said("result"))
    self.members = members
  }

  /// Whether the app may use the account now.
  public var mayWork: Bool { state.mayWork }
  /// Whether the result is no failure.
  public var isSuccess: Bool { result?.isSuccess ?? false }
  /// Whether the app should remove the account: it can never be enrolled here.
  public var mustRemove: Bool { result?.mustRemove ?? false }
}

/// All accounts of an app and a person.
public struct AccountOverview: Sendable, Hashable {
  /// The accounts, by name.
  public let accounts: [KnownAccount]
  /// The one that is enrolled; nil when none is, or several are.
  public let enrolled: String?

  init(_ members: [String: GuardValue]) throws(AccountReply.Broken) {
    let reply = AccountReply(members)
    guard let listed = members["accounts"]?.array else { throw .init() }
    var accounts: [KnownAccount] = []
    for value in listed { accounts.append(try KnownAccount(value)) }
    self.accounts = accounts
    enrolled = try reply.text("enrolled")
  }
}

/// An account of this app and person. Times are milliseconds since 1970.
public struct KnownAccount: Sendable, Hashable {
  /// As the policy spells it.
  public let account: String
  /// The point of its life; `blocked` for a word of a newer daemon.
  public let state: AccountLifeState
  /// A protection binds it.
  public let isManaged: Bool
  /// The protection that binds it; the first one when several do.
  public let protection: String?
  /// The sources that confirm the sign-in: `user`, `broker`, `app`.
  public let sources: [String]
  /// The latest result; nil without one, and for a word of a newer daemon.
  public let result: EnrollmentResult?
  /// Its registration.
  public let registered: Int?
  /// Its enrolment.
  public let enrolled: Int?
  /// Its latest check-in.
  public let checkedIn: Int?
  /// Its next enrolment.
  public let retry: Int?
  /// The request of the look that is under way.
  public let remediation: String?
  /// What came of the latest look; nil without one, and for a word of a newer daemon.
  public let compliance: ComplianceStatus?
  /// How the app has to encrypt the account's files; `envelope` for a word of a newer daemon, nil from a daemon that does
  /// not say.
  public let encryption: FileEncryption?
  /// All members, also those that this library does not know.
  public let members: [String: GuardValue]

  init(_ value: GuardValue) throws(AccountReply.Broken) {
    guard let members = value.object else { throw .init() }
    let reply = AccountReply(members)
    account = try reply.said("account")
    state = try reply.life()
    isManaged = try reply.truth("managed")
    protection = try reply.text("protection")
    guard let sources = try reply.texts("sources") else { throw .init() }
    self.sources = sources
    result = try reply.text("result").flatMap(EnrollmentResult.init)
    registered = try reply.time("registered")
    enrolled = try reply.time("enrolled")
    checkedIn = try reply.time("checkedIn")
    retry = try reply.time("retry")
    remediation = try reply.text("remediation")
    compliance = try reply.text("compliance").flatMap(ComplianceStatus.init)
    encryption = try reply.text("encryption").map(FileEncryption.init(word:))
    self.members = members
  }

  /// Whether the app has to encrypt the account's files. Where the daemon does not say, those of a managed account are.
  public var mustEncrypt: Bool { encryption?.isRequired ?? isManaged }

  /// Whether the app may use the account now.
  public var mayWork: Bool { state.mayWork }
}

/// Whether an account may sign in.
public struct SignInAnswer: Sendable, Hashable {
  /// It may.
  public let isAllowed: Bool
  /// The point of its life; `blocked` for a word of a newer daemon.
  public let state: AccountLifeState
  /// The reason for a refusal, as decisions have it.
  public let reason: DecisionReason?
  /// A text for the user, in the user's language.
  public let text: String?

  init(_ members: [String: GuardValue]) throws(AccountReply.Broken) {
    let reply = AccountReply(members)
    isAllowed = try reply.truth("allowed")
    state = try reply.life()
    reason = try reply.text("reason").map { DecisionReason(rawValue: $0) }
    text = try reply.text("text")
  }
}

/// The accounts that an app takes.
public struct TakenAccounts: Sendable, Hashable {
  /// Names, and patterns such as `*@contoso.com`; nil for all.
  public let accounts: [String]?
  /// The accounts that the app has and that must sign out.
  public let mustSignOut: [String]

  init(_ members: [String: GuardValue]) throws(AccountReply.Broken) {
    let reply = AccountReply(members)
    accounts = try reply.texts("accounts")
    guard let mustSignOut = try reply.texts("mustSignOut") else { throw .init() }
    self.mustSignOut = mustSignOut
  }
}

/// The members of a reply. A member of a wrong type makes the reply malformed: a guess could let an account work.
struct AccountReply {
  struct Broken: Error {}

  private let members: [String: GuardValue]

  init(_ members: [String: GuardValue]) { self.members = members }

  func text(_ name: String) throws(Broken) -> String? { try read(name) { $0.string } }
  func time(_ name: String) throws(Broken) -> Int? { try read(name) { $0.integer } }

  func texts(_ name: String) throws(Broken) -> [String]? {
    try read(name) { value in
      value.array.flatMap { $0.allSatisfy { $0.string != nil } ? $0.compactMap(\.string) : nil }
    }
  }

  func said(_ name: String) throws(Broken) -> String {
    guard let text = try text(name) else { throw Broken() }
    return text
  }

  func truth(_ name: String) throws(Broken) -> Bool {
    guard let truth = try read(name, { $0.bool }) else { throw Broken() }
    return truth
  }

  func life() throws(Broken) -> AccountLifeState { AccountLifeState(word: try said("state")) }

  private func read<Value>(_ name: String, _ convert: (GuardValue) -> Value?) throws(Broken) -> Value? {
    guard let value = members[name], value != .null else { return nil }
    guard let converted = convert(value) else { throw Broken() }
    return converted
  }
}
