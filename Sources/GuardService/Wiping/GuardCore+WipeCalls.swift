internal import AccountKeys
internal import DecisionLog
internal import GuardModel
package import GuardProtocol
internal import JSONText
internal import Logging
internal import NIOCore
internal import Platform
internal import PolicyEngine

/// Administrators wipe accounts: with a preview and its code, a second person where the policy wants one, and the way
/// back (design, accounts, section 6).
extension GuardCore {
  func answer(_ call: WipeCall, _ request: borrowing Request, on connection: Connection) throws(AdminError) {
    switch call {
    case .wipe(let call) where call.confirm == nil: try showWipe(call, on: connection, isOneway: request.isOneway)
    case .wipe(let call): answerKept(try wipe(call, by: connection), on: connection, isOneway: request.isOneway)
    case .approve(let call): answerKept(try approve(call, by: connection), on: connection, isOneway: request.isOneway)
    case .restore(let call):
      try restore(call, by: connection)
      answerKept(EmptyReply(), on: connection, isOneway: request.isOneway)
    case .list: reply(WipesReply(engine.wipes), to: connection, request)
    }
  }

  private func wipe(_ call: WipeAccountCall, by connection: Connection) throws(AdminError) -> WipeAccountReply {
    try check(cause: call.cause)
    var answer = try preview(call)
    let offer = WipeOffer(call, answer)
    answer.directories = []
    guard let code = call.confirm, vitals.wipeOffers.take(code, for: offer, at: SystemClock.uptime) else {
      throw .accountRefused(.badCode, AccountRefusal.badCode.explanation)
    }
    let settings = snapshot.wipe
    if settings.approvals > 1, connection.loginUser == nil {
      throw .accountRefused(.noLogin, AccountRefusal.noLogin.explanation)
    }
    try change(by: connection, call.cause) { engine, time throws(AccountRefusal) in
      answer.wipe = try engine.wipe(
        call.account, person: call.uid, app: call.app, reason: call.cause, now: call.now ?? false,
        approver: connection.loginUser ?? connection.peer.uid, at: time)
    }
    return answer
  }

  /// Shows what a wipe would reach. The home of the person is looked up first, and the connection's next calls wait: a user
  /// database that hangs delays previews, and locks no account later, since a confirmed wipe asks for no home.
  private func showWipe(
    _ call: WipeAccountCall, on connection: Connection, isOneway: Bool
  ) throws(AdminError) {
    try check(cause: call.cause)
    _ = try preview(call)
    connection.isBusy = true
    let bound = NIOLoopBound((self, connection), eventLoop: loop)
    lookUps.home(of: call.uid, on: loop).assumeIsolated().whenComplete { result in
      let (core, connection) = bound.value
      connection.isBusy = false
      if !isOneway { core.answerPreview(call, home: (try? result.get()) ?? "", on: connection) }
      core.submit()
      connection.resume()
    }
  }

  private func answerPreview(_ call: WipeAccountCall, home: String, on connection: Connection) {
    do throws(AdminError) {
      var answer = try preview(call)
      countKeys(of: call, &answer)
      answer.code = vitals.wipeOffers.make(for: WipeOffer(call, answer), at: SystemClock.uptime)
      answer.directories = []
      for place in dataPlaces(answer) {
        let found = place.data.directories(home: home)
        answer.directories += found.paths.map { "\(place.app): \($0)" }
        answer.refused += found.refused.map { "\(place.app): \($0.directory.text): \($0.reason)" }
      }
      writer.reset()
      writer.answer(answer)
      hold(on: connection, record: journal.newest)
    } catch { reply(error, to: connection) }
  }

  /// The keys that go with the last app of the person that uses them, and the copies that stay.
  private func countKeys(of call: WipeAccountCall, _ answer: inout WipeAccountReply) {
    let owners = keyOwners(call.uid, answer.account)
    let known = keys.ring?.known
    let apps = owners.reduce(into: Set<String>()) { $0.formUnion(keys.book.holders[$1]?.apps ?? []) }
    let stay = !answer.destroys || call.app.map { !apps.subtracting([$0]).isEmpty } ?? false
    answer.keys = stay ? 0 : known?.keys(of: owners) ?? 0
    answer.copies = known?.copies(of: owners) ?? 0
  }

  private func dataPlaces(_ preview: WipeAccountReply) -> [(app: String, data: DataPlaces)] {
    preview.apps.compactMap { app in snapshot.dataPlaces(of: preview.account, in: app).map { (app, $0) } }
  }

  private func preview(_ call: WipeAccountCall) throws(AdminError) -> WipeAccountReply {
    do throws(AccountRefusal) {
      let reach = try engine.wipeReach(of: call.account, person: call.uid, app: call.app)
      var answer = WipeAccountReply(account: reach.account, apps: reach.apps)
      // The code stands for them as the policy has them.
      answer.directories = dataPlaces(answer).flatMap { place in place.data.patterns.map { "\(place.app): \($0)" } }
      answer.destroys = snapshot.wipe.mode == .on && snapshot.wipe.causes.contains(.admin)
      answer.delay = call.now == true ? 0 : snapshot.wipe.delay
      answer.needed = snapshot.wipe.approvals
      return answer
    } catch {
      throw .accountRefused(error, error.explanation)
    }
  }

  private func approve(_ call: ApproveWipeCall, by connection: Connection) throws(AdminError) -> ApproveWipeReply {
    guard let login = connection.loginUser else {
      throw .accountRefused(.noLogin, AccountRefusal.noLogin.explanation)
    }
    var wipe: ListedWipe?
    try change(by: connection, nil) { engine, _ throws(AccountRefusal) in
      wipe = try engine.approveWipe(call.id, by: login)
    }
    guard let wipe else { throw .accountRefused(.noWipe, AccountRefusal.noWipe.explanation) }
    return ApproveWipeReply(wipe)
  }

  private func restore(_ call: RestoreAccountCall, by connection: Connection) throws(AdminError) {
    try check(cause: call.cause)
    try change(by: connection, call.cause) { engine, time throws(AccountRefusal) in
      try engine.restore(call.account, person: call.uid, reason: call.cause, at: time)
    }
  }

  private func change(
    by connection: Connection, _ cause: String?,
    _ body: (inout Guard, UInt64) throws(AccountRefusal) -> Void
  ) throws(AdminError) {
    let time = journal.now()
    journal.state.note(time: time)
    let before = standings
    do throws(AccountRefusal) { try body(&engine, time) } catch {
      throw .accountRefused(error, error.explanation)
    }
    settleAccounts(before, by: connection, cause: cause)
  }
}

/// A wipe that an administrator previewed, with everything that the code stands for. A policy under which it would do
/// something else needs another preview.
package struct WipeOffer: Sendable, Hashable {
  let account: String
  let uid: UInt32
  let app: String?
  let now: Bool
  let apps: [String]
  /// As the policy has them, by app.
  let directories: [String]
  let destroys: Bool
  let delay: UInt64
  let needed: Int

  package init(_ call: WipeAccountCall, _ preview: WipeAccountReply) {
    (account, uid, app, now) = (preview.account, call.uid, call.app, call.now ?? false)
    (apps, directories) = (preview.apps, preview.directories)
    (destroys, delay, needed) = (preview.destroys, preview.delay, preview.needed)
  }
}

/// The codes of previews: each is good for ten minutes, for the wipe that it was made for, and once.
package struct WipeOffers: Sendable {
  private var offers: [(code: String, offer: WipeOffer, end: UInt64)] = []

  /// Ten minutes.
  package static let lifetime: UInt64 = 600_000
  /// Maximum previews that wait; one more ends the oldest. Administrators look at a few.
  package static let most = 32

  package init() {}

  /// - Parameter time: milliseconds of a clock that cannot be set.
  package mutating func make(for offer: WipeOffer, at time: UInt64) -> String {
    offers.removeAll { $0.end <= time }
    if offers.count >= Self.most { offers.removeFirst() }
    var random = SystemRandomNumberGenerator()
    // Letters and digits that are not mistaken for each other.
    let letters = Array("abcdefghjkmnpqrstuvwxyz23456789")
    let code = String((0..<6).map { _ in letters[Int.random(in: letters.indices, using: &random)] })
    offers.append((code, offer, time + Self.lifetime))
    return code
  }

  /// Whether the code is good; it is not good again.
  package mutating func take(_ code: String, for offer: WipeOffer, at time: UInt64) -> Bool {
    guard let index = offers.firstIndex(where: { $0.code == code && $0.offer == offer && $0.end > time }) else {
      return false
    }
    offers.remove(at: index)
    return true
  }
}
