internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import NIOCore
internal import PolicyEngine

/// Answers `org.webviewguard.Accounts`: which accounts are signed in, may work, and must leave.
extension GuardCore {
  func answer(_ call: AccountsCall, _ request: borrowing Request, on connection: Connection) throws {
    switch call {
    case .life(let call): try answer(call, request, on: connection)
    case .filesRemoved(let call):
      try filesRemoved(call, connection)
      reply(EmptyReply(), to: connection, request)
    case .signedIn(let source, let accounts):
      try signedIn(accounts, by: source, connection)
      reply(EmptyReply(), to: connection, request)
    case .list: reply(ListReply(engine.accounts(for: try caller(connection))), to: connection, request)
    case .deviceAccount:
      reply(DeviceAccountReply(state.deviceAccount(of: connection.peer.person, snapshot)), to: connection, request)
    case .allowedAccounts:
      let allowed = engine.allowedAccounts(for: try caller(connection))
      reply(AllowedAccountsReply(allowed.accounts, mustSignOut: allowed.mustSignOut), to: connection, request)
    case .notices(let languages):
      reply(NoticesReply(state.notices(for: connection.peer.person, in: languages, snapshot)), to: connection, request)
    case .dataKey(let call): try dataKey(call, on: connection, isOneway: request.isOneway)
    case .openDirectory(let call): reply(try openDirectory(call, for: connection), to: connection, request)
    case .fileCreated(let call): try fileCreated(call, request, on: connection)
    case .readLabel(let call): reply(try readLabel(call, connection), to: connection, request)
    case .setOwner(let call): try setOwner(call, request, on: connection)
    case .config(let accounts):
      let instance = try caller(connection).instance
      reply(ConfigReply(try state.configurations(of: accounts, in: instance, snapshot)), to: connection, request)
    }
  }

  private func answer(_ call: AccountCall, _ request: borrowing Request, on connection: Connection) throws {
    let caller = try caller(connection)
    let time = journal.now()
    journal.state.note(time: time)
    let session = try attached(connection)
    try serving.checkMemory(engine.growth(by: call, of: caller), of: session.memory)
    let before = standings(of: [connection.peer.person])
    defer { if state.hasNewNames { settle(session) } }
    let answer = try engine.perform(call, for: caller, at: time)
    settleAccounts(before, by: connection)
    if case .remediate = call {
      reply(RemediateReply(answer.request), to: connection, request)
      return beginRemediations(at: time)
    }
    if case .deregister = call {
      return answerKept(answer, on: connection, isOneway: request.isOneway) { _ in Refusal.stateUnavailable }
    }
    guard case .maySignIn = call else { return reply(answer, to: connection, request) }
    let text = answer.reason.flatMap { state.text(for: $0, account: answer.account, in: caller.instance, snapshot) }
    reply(SignInReply(answer, text: text), to: connection, request)
  }

  /// The word of the person's session. The other sources are the daemon's own, and an app's `Register`.
  private func signedIn(
    _ accounts: [SignedInAccount], by source: AccountSource, _ connection: Connection
  ) throws {
    guard source == .broker else { throw ServiceError.invalidParameter("source") }
    let time = journal.now()
    journal.state.note(time: time)
    let before = standings(of: [connection.peer.person])
    try engine.signedIn(accounts, by: source, person: connection.peer.person, at: time)
    // It may name accounts in all programs of the person.
    if state.hasNewNames { for session in sessions(of: [connection.peer.person]) { settle(session) } }
    settleAccounts(before, by: connection)
  }

  /// Counts as a check-in for every account: the policy in force was fetched and checked.
  func checkAccountsIn() {
    let time = journal.now()
    let before = standings
    engine.checkIn(at: time)
    settleAccounts(before)
  }

  /// Carries out what time brought about.
  func tickAccounts(at time: UInt64) {
    tickUnlocks(at: time)
    defer { if state.remediations.isDue(at: time) { beginRemediations(at: time) } }
    guard engine.isDue(at: time) else { return }
    let before = engine.personsDue(at: time).map { standings(of: $0) } ?? standings
    engine.tick(at: time)
    journal.state.note(time: time)
    settleAccounts(before)
  }

  /// Records and tells the conditions that changed and the steps that accounts took, and asks for other accounts where
  /// those that are shown may no longer work.
  ///
  /// - Parameters:
  ///   - before: the standings before the steps.
  ///   - connection: the program or administrator who asked; nil for time, a reload and a sign-in.
  ///   - cause: the administrator's reason.
  func settleAccounts(
    _ before: [String: [AccountID: AccountState]], by connection: Connection? = nil, cause: String? = nil
  ) {
    defer {
      carryOutWipes()
      carryOutRestarts()
    }
    let conditions = state.book.takeEvents()
    let steps = state.life.takeEvents()
    noteWipes(steps)
    guard !conditions.isEmpty || !steps.isEmpty else { return }
    record(conditions)
    for event in steps {
      record(event, by: connection, cause)
      if event.isNews { tell(event) }
    }
    // A condition is everybody's. Else other persons' accounts are as they were, and their answers too.
    let persons = conditions.isEmpty ? Set(steps.map(\.person)) : nil
    tellOfStandings(before, to: persons.map(sessions(of:)))
    settleDirectories(of: persons)
  }

  /// Tells programs of accounts that may work now, or no longer, and asks for other accounts in their place.
  ///
  /// - Parameter sessions: those whose accounts may have changed; nil for all.
  func tellOfStandings(_ before: [String: [AccountID: AccountState]], to changed: [Session]? = nil) {
    let time = journal.now()
    for session in changed ?? Array(sessions.values) {
      forgetActions(of: session)
      session.forms.clear()
      tellOfAccounts(of: session, before[session.token] ?? [:])
      _ = state.requestSwitchesFromBlocked(in: session.instance, at: time, snapshot)
      tellOfSwitches(of: session, at: time)
    }
    submit()
  }

  private func record(_ event: AccountEvent, by connection: Connection?, _ cause: String?) {
    // A program may have to start anew for no account's sake.
    let account = event.account.isEmpty ? nil : event.account
    var entry = AccountStepEntry(event.act.rawValue, account: account, person: event.person)
    entry.app = event.app
    entry.state = event.state
    entry.result = event.result
    entry.source = event.source
    entry.peer = connection.map { LoggedPeer(uid: $0.peer.uid, pid: $0.peer.pid) }
    (entry.user, entry.cause, entry.login) = (connection?.userName, cause, connection?.loginUser)
    (entry.wipeCause, entry.request, entry.note) = (event.cause, event.request, event.note)
    (entry.unlock, entry.compliance) = (event.unlock, event.compliance)
    entry.generation = snapshot.generation
    // No full share hides a wipe or an administrator's order.
    let isOfUser = !event.isOfWipe && connection?.served != .adminSocket
    let encode = { (encoder: inout LogEncoder, time: UInt64, batch: inout [UInt8]) in
      encoder.encode(entry, at: time, into: &batch)
    }
    if isOfUser { journal.record(by: event.person, encode) } else { journal.record(encode) }
  }

  private func tell(_ event: AccountEvent) {
    var news = NewsReply(.enrollment, snapshot.generation)
    (news.account, news.life, news.result) = (event.account, event.state, event.result)
    let apps = event.app.map { [$0] } ?? event.apps
    for session in sessions.of(event.person) where apps.contains(session.app) {
      tell(news, toSubscribersOf: session)
    }
  }

  /// Tells the programs of apps that take other accounts than under the policy before.
  func tellOfAllowedAccounts(_ before: Snapshot) {
    for session in sessions.values {
      let old = before.app(named: session.app).map { before[$0].accounts.allowed } ?? nil
      let new = snapshot.app(named: session.app).map { snapshot[$0].accounts.allowed } ?? nil
      guard old != new else { continue }
      var news = NewsReply(.allowedAccounts, snapshot.generation)
      news.accounts = new
      tell(news, toSubscribersOf: session)
    }
  }

  /// Tells the programs of accounts whose configuration is another one than under the policy before (AC-09). The news
  /// name the account, and no value: the program asks.
  func tellOfConfigs(_ before: Snapshot) {
    guard !serving.subscribers.isEmpty else { return }
    for session in sessions.values {
      for account in state.accountsWithOtherConfiguration(in: session.instance, before, snapshot) {
        var news = NewsReply(.config, snapshot.generation)
        news.account = account
        tell(news, toSubscribersOf: session)
      }
    }
  }
}
