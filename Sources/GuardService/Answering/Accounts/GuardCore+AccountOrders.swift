internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import PolicyEngine

/// Administrators ask for the accounts of persons and apps, and end an app's access. Each is on record with who asked.
extension GuardCore {
  func answer(_ order: AccountOrder, _ request: borrowing Request, on connection: Connection) throws(AdminError) {
    switch order {
    case .list(let order): reply(list(order, by: connection), to: connection, request)
    case .deregister(let order):
      answerKept(try endAccess(order, by: connection), on: connection, isOneway: request.isOneway)
    case .rotateKey(let order): try rotateKey(order, on: connection, isOneway: request.isOneway)
    case .escrow: reply(escrowReply, to: connection, request)
    case .recoverKey(let order): try recoverKey(order, on: connection, isOneway: request.isOneway)
    }
  }

  private func list(_ order: AccountsOrder, by connection: Connection) -> AccountsReply {
    let accounts = engine.accounts(app: order.app, person: order.uid, account: order.account)
    serving.charge(accounts.count)
    var entry = AccountStepEntry("listed", account: order.account, person: order.uid)
    entry.app = order.app
    entry.peer = LoggedPeer(uid: connection.peer.uid, pid: connection.peer.pid)
    (entry.user, entry.login) = (connection.userName, connection.loginUser)
    entry.generation = snapshot.generation
    journal.record { $0.encode(entry, at: $1, into: &$2) }
    return AccountsReply(accounts, signIns: engine.signIns(of: order.uid))
  }

  private func endAccess(
    _ order: DeregisterOrder, by connection: Connection
  ) throws(AdminError) -> AccountAnswer {
    try check(cause: order.cause)
    let time = journal.now()
    journal.state.note(time: time)
    let before = standings(of: [order.uid])
    let answer: AccountAnswer
    do throws(AccountRefusal) {
      answer = try engine.endAccess(of: order.app, to: order.account, person: order.uid, at: time)
    } catch {
      throw .accountRefused(error, error.explanation)
    }
    logger.notice("an administrator ended an app's access to an account", metadata: connection.metadata([:]))
    settleAccounts(before, by: connection, cause: order.cause)
    return answer
  }

  /// Every order about an account has a reason, for the log.
  func check(cause: String) throws(AdminError) {
    guard cause.utf8.count <= Self.longestCause, cause.contains(where: { !$0.isWhitespace }) else {
      throw .accountRefused(.badReason, "the reason is empty, or longer than \(Self.longestCause) bytes")
    }
  }

  /// In bytes, as for exceptions: every record of the log holds it.
  static let longestCause = 500

  /// The accounts by their states: no names.
  func describeAccounts(_ text: inout MetricsText) {
    let counts = engine.accountCounts
    text.family("webviewguard_accounts", .gauge, "Accounts of persons' apps, by the point of their life.")
    for state in AccountLifeState.allCases {
      text.sample("webviewguard_accounts", ["state": state.rawValue], UInt64(counts[state] ?? 0))
    }
  }
}

extension AccountRefusal {
  var explanation: String {
    switch self {
    case .unknownApp: "the policy has no such app, and none ever had an account"
    case .unknownAccount: "the app of this person has no such account"
    case .unmanaged: "no protection binds the account: it is the person's own"
    case .ended: "the app's access has ended already"
    case .tooMany: "the app of this person has too many accounts"
    case .badReason: "the reason is missing"
    case .underWay: "a wipe of it is under way"
    case .wipePending: "another wipe is pending: one at a time"
    case .noWipe: "no wipe of it is under way"
    case .tooLate: "its data is being removed, or is gone"
    case .sameApprover: "this login user has agreed before: another one has to"
    case .noLogin: "two persons have to agree, and the system does not know who logged in here"
    case .badCode: "the code is not that of a preview of this wipe in the last ten minutes"
    case .notKept: "it holds now, and a restart may forget it, since the state file cannot be written"
    case .noKey: "this person's account has no key: it gets one when something is sealed for it"
    case .keysUnusable: "no key can be made now"
    case .badCopy: "this is no copy of a key"
    case .keyDestroyed: "the key was destroyed on this machine, with the account's data"
    }
  }
}
