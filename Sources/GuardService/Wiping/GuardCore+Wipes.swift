internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import Logging
internal import NIOCore
internal import Platform
internal import PolicyEngine

/// Wipes, as the shell carries them out: apps are asked, helpers get orders, time is counted.
extension GuardCore {
  /// Lets a second pass for wipes.
  func runWipes(at time: UInt64) {
    let running = vitals.running(isCheckedIn: state.isCheckedInSinceBoot)
    if vitals.looksForOrders(at: running.sinceBoot) { lookForOrders() }
    guard engine.pass(running, at: time) else { return }
    let before = standings
    guard engine.runWipes(running) else { return }
    journal.state.note(time: time)
    settleAccounts(before)
  }

  /// An administrator said how many accounts the policy is to wipe.
  func allowWipes(_ number: Int) {
    let before = standings
    engine.allowWipes(number, at: journal.now())
    settleAccounts(before)
  }

  /// Carries out the effects of wipes. The state is handed over first, so the next daemon knows every request.
  func carryOutWipes() {
    let effects = state.wipeBook.takeEffects()
    guard !effects.isEmpty else { return }
    submit()
    for effect in effects {
      switch effect {
      case .ask(let person, let app, let account, let request, let deadline):
        let news = news(ofWipe: request, account, deadline)
        for session in sessions.of(person) where session.app == app {
          tell(news, toSubscribersOf: session)
        }
      case .removeFiles(let person, let app, let account, let request):
        order(app, account, of: person, request)
      case .dropOrder(let person, let request): remove(order: request, of: person)
      case .destroyKeys: destroyOwedKeys()
      }
    }
  }

  func filesRemoved(_ call: FilesRemovedCall, _ connection: Connection) throws {
    let time = journal.now()
    journal.state.note(time: time)
    let before = standings(of: [connection.peer.person])
    try state.filesRemoved(
      call.request, removed: call.removed, kept: call.kept, person: connection.peer.person, snapshot)
    for problem in call.problems.prefix(Self.mostProblems) {
      logger.notice(
        "the helper left something", metadata: ["request": "\(call.request)", "cause": "\(problem.prefix(256))"])
    }
    remove(order: call.request, of: connection.peer.person)
    settleAccounts(before, by: connection)
  }

  private static let mostProblems = 16

  /// Lets the helper remove the files of an account. A helper that was not started finds the order at its next start.
  private func order(_ app: String, _ account: String, of person: UInt32, _ request: String) {
    guard let places = snapshot.dataPlaces(of: account, in: app) else {
      return logger.warning(
        "files of an account wait for a policy that has their app",
        metadata: ["app": "\(app)", "request": "\(request)"])
    }
    let (directory, logger) = (policy.orderDirectory, logger)
    logger.notice(
      "files of an account are to be removed",
      metadata: ["app": "\(app)", "uid": "\(person)", "request": "\(request)"])
    let core = NIOLoopBound(self, eventLoop: loop)
    lookUps.aside {
      do {
        let home = Users.home(ofUser: person) ?? ""
        let found = places.directories(home: home)
        for refused in found.refused {
          logger.warning(
            "a directory of an account is left", metadata: ["cause": "\(refused.directory.text): \(refused.reason)"])
        }
        // The account has no directory here, or the person no home: nothing can be ordered.
        guard !found.paths.isEmpty else { return core.eventLoop.execute { core.value.giveUp(request, of: person) } }
        let order = try WipeOrder(
          request: request, uid: person, app: app, account: account, directories: found.paths)
        try order.write(in: directory)
      } catch let fault as WipeOrderFault {
        // No helper ever carries it out: for one, none removes files of root.
        logger.error("files of an account are left", metadata: ["request": "\(request)", "cause": "\(fault)"])
        core.eventLoop.execute { core.value.giveUp(request, of: person) }
      } catch {
        logger.error("files of an account cannot be removed", metadata: ["request": "\(request)", "cause": "\(error)"])
      }
    }
  }

  /// Writes the orders again that are not where the helper looks, since they could not be written or somebody deleted
  /// them: as long as its wipe waits for it, an order is there. It costs nothing while no wipe waits.
  private func lookForOrders() {
    let (open, directory) = (state.wipeBook.openOrders, policy.orderDirectory)
    guard !open.isEmpty else { return }
    let core = NIOLoopBound(self, eventLoop: loop)
    lookUps.aside {
      let missing = WipeOrder.missing(open, in: directory)
      if !missing.isEmpty { core.eventLoop.execute { core.value.orderAgain(missing) } }
    }
  }

  private func orderAgain(_ missing: [UInt32: Set<String>]) {
    carryOutWipes()
    state.orderAgain(snapshot)
    for case .removeFiles(let person, let app, let account, let request) in state.wipeBook.takeEffects()
    where missing[person]?.contains(request) ?? false {
      order(app, account, of: person, request)
    }
  }

  private func giveUp(_ request: String, of person: UInt32) {
    let time = journal.now()
    journal.state.note(time: time)
    let before = standings(of: [person])
    state.giveUpFiles(request, person: person, snapshot)
    settleAccounts(before)
  }

  /// The helper reported, or nothing is left to remove: its order is done.
  private func remove(order request: String, of person: UInt32) {
    let directory = policy.orderDirectory
    lookUps.aside { try? WipeOrder.remove(request, of: person, in: directory) }
  }

  /// At the start: removes the orders that no wipe knows, such as those of a daemon whose state is lost. The others were
  /// written anew.
  func sweepOrders() {
    let (open, directory, logger) = (state.wipeBook.openOrders, policy.orderDirectory, logger)
    lookUps.aside {
      for order in WipeOrder.sweep(directory, keeping: open) {
        logger.notice("an order that no wipe knows was removed", metadata: ["order": "\(order)"])
      }
    }
  }
}
