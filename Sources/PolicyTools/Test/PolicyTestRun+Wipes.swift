internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles

/// Wipes in a policy's test: the guard's own calls, with a machine whose clock is kept right and which has run for long.
extension PolicyTestRun {
  mutating func run(_ step: WipeTestStep, of app: String) throws(Refusal) -> PolicyTestAnswer {
    switch step {
    case .wipe(let account, let only, let now, let login): return wipe(account, only, now, login)
    case .approve(let account, let login): return approve(account, login)
    case .restore(let account): return restore(account)
    case .checkIn: engine.checkIn(at: time)
    case .answer(let result, let request):
      let caller = try caller(app)
      guard let request = request ?? asked[app] else { throw .unknownRequest("") }
      _ = try engine.perform(.complete(request: request, result), for: caller, at: time)
    case .filesRemoved(let removed, let kept):
      guard let order = orders[app] else { throw .unknownRequest("") }
      try engine.state.filesRemoved(order, removed: removed, kept: kept, person: Self.person, engine.snapshot)
    case .show(let account): return .wipe(under(account), app: app)
    }
    return .done
  }

  private mutating func wipe(_ account: String, _ app: String?, _ now: Bool, _ login: UInt32) -> PolicyTestAnswer {
    do throws(AccountRefusal) {
      let wipe = try engine.wipe(
        account, person: Self.person, app: app, reason: "a policy test", now: now, approver: login, at: time)
      return .wipe(wipe, app: nil)
    } catch { return .orderRefused(error) }
  }

  private mutating func approve(_ account: String, _ login: UInt32) -> PolicyTestAnswer {
    do throws(AccountRefusal) {
      return .wipe(try engine.approveWipe(under(account)?.id ?? "", by: login), app: nil)
    } catch { return .orderRefused(error) }
  }

  private mutating func restore(_ account: String) -> PolicyTestAnswer {
    do throws(AccountRefusal) {
      try engine.restore(account, person: Self.person, reason: "a policy test", at: time)
      return .done
    } catch { return .orderRefused(error) }
  }

  /// The oldest wipe of an account, by any of its names.
  private func under(_ account: String) -> ListedWipe? {
    guard let names = engine.names(ofAccount: account) else { return nil }
    return engine.wipes.first { wipe in names.contains { $0.lowercased() == wipe.account.lowercased() } }
  }

  /// A piece of time passes, as the daemon lets it pass every second.
  mutating func runWipes(after milliseconds: UInt64) {
    sinceBoot &+= milliseconds
    let running = RunningTime(
      elapsed: milliseconds, sinceBoot: sinceBoot, isSynchronised: true,
      isCheckedInSinceBoot: engine.state.isCheckedInSinceBoot)
    _ = engine.run(running, at: time)
  }

  /// What the daemon would do for wipes: apps are asked, and the helper gets orders where a directory can be named.
  mutating func carryOutWipes() {
    while true {
      let effects = engine.state.wipeBook.takeEffects()
      if effects.isEmpty { return }
      for effect in effects { carryOut(effect) }
    }
  }

  private mutating func carryOut(_ effect: WipeEffect) {
    switch effect {
    case .ask(_, let app, _, let request, _): asked[app] = request
    case .removeFiles(let person, let app, let account, let request):
      guard let places = engine.snapshot.dataPlaces(of: account, in: app) else { return }
      if places.directories(home: Self.home).paths.isEmpty {
        engine.state.giveUpFiles(request, person: person, engine.snapshot)
      } else {
        orders[app] = request
      }
    case .dropOrder(_, let request): orders = orders.filter { $0.value != request }
    case .destroyKeys: break
    }
  }

  private static let home = "/home/user"
}

extension ExpectedWipe {
  func isMet(by wipe: ListedWipe?, _ app: String?) -> Bool {
    guard let wipe else { return phase == ExpectedWipe.Phase.none }
    let part = wipe.apps.first { $0.app == app }
    return (phase == nil || phase == .phase(wipe.phase)) && (cause == nil || cause == wipe.cause)
      && (request == nil || request == wipe.id) && (step == nil || step == part?.step)
  }

  /// ``the phase `pending`, the cause `admin` ``
  var words: String {
    let parts = [
      phase.map { "the phase \($0.name.quoted)" }, cause.map { "the cause \($0.rawValue.quoted)" },
      request.map { "the request \($0.quoted)" }, step.map { "the step \($0.name.quoted)" },
    ].compactMap(\.self)
    return parts.isEmpty ? "a wipe" : parts.joined(separator: ", ")
  }
}

extension ListedWipe {
  /// ``the phase `asking`, the cause `admin`, the request `w-1-1`, the step `asked` ``
  func words(_ app: String?) -> String {
    let step = apps.first { $0.app == app }.map { ", the step \($0.step.name.quoted)" } ?? ""
    return "the phase \(phase.name.quoted), the cause \(cause.rawValue.quoted), the request \(id.quoted)\(step)"
  }
}
