package import GuardModel
internal import URLRules

/// A switch that the daemon asked an app for (ledger IS-09).
package struct SwitchRequest: Sendable, Hashable {
  package let id: SwitchRequestID
  /// The window that must show it; nil is the process.
  package let window: [UInt8]?
  /// The identity that it showed when the request was made.
  package let from: Identity
  package let to: Identity
  package let cause: SwitchCause
  /// Milliseconds since 1970; later, it has failed.
  package let deadline: UInt64
  /// The app answered that it did not switch.
  package internal(set) var hasFailed = false

  func isOpen(at time: UInt64) -> Bool { !hasFailed && time <= deadline }
}

/// Switches of identity that the daemon asks for. No call is held meanwhile: the app switches and asks again
/// (amendments, identity).
extension GuardState {
  /// The requests of an instance that wait for an answer.
  package func openRequests(of id: InstanceID, at time: UInt64) -> [SwitchRequest] {
    instance(id)?.requests.filter { $0.isOpen(at: time) } ?? []
  }

  /// Ends a request. A success puts the identity in force, so that the app need not say it as well.
  package mutating func answer(
    _ request: SwitchRequestID, _ result: SwitchResult, in id: InstanceID, at time: UInt64, _ snapshot: Snapshot
  ) throws(Refusal) {
    guard let requests = instance(id)?.requests, let index = requests.firstIndex(where: { $0.id == request }) else {
      throw .unknownRequest(request.text)
    }
    let asked = requests[index]
    guard asked.isOpen(at: time) else { throw .requestIsOver(request.text) }
    guard result == .success else {
      instances[id.place]?.requests[index].hasFailed = true
      return
    }
    if let window = asked.window {
      _ = try setIdentity(asked.to, ofWindow: String(decoding: window, as: UTF8.self), in: id, snapshot)
    } else {
      _ = try setProcessIdentity(asked.to, in: id, snapshot)
    }
  }

  /// Asks for `nobody` wherever an account is shown that may not work (ledger IS-11, IS-13); returns the open requests.
  package mutating func requestSwitchesFromBlocked(
    in id: InstanceID, at time: UInt64, _ snapshot: Snapshot
  ) -> [SwitchRequest] {
    guard let instance = instance(id), let app = instance.app else { return [] }
    guard snapshot[app].identityMode == .multi else { return [] }
    var blocked: [(window: [UInt8]?, identity: Identity)] = []
    if isBlocked(instance.process, instance) { blocked.append((nil, instance.process)) }
    instance.windows.forEach { window, identity in
      if isBlocked(identity, instance) { blocked.append((window, identity)) }
    }
    for (window, identity) in blocked {
      _ = request(.nobody, from: identity, window: window, .cancelConditionalLaunch, at: time, in: id)
    }
    return openRequests(of: id, at: time)
  }

  /// The accounts that an instance shows somewhere, and whether they may work.
  package func shownAccounts(of id: InstanceID) -> [AccountID: AccountState] {
    var found: [AccountID: AccountState] = [:]
    guard let instance = instance(id) else { return found }
    instance.forEachIdentity { identity in
      if case .account(let account) = identity { found[account] = instance.state(of: account, accounts) }
    }
    return found
  }

  private func isBlocked(_ identity: Identity, _ instance: Instance) -> Bool {
    guard case .account(let account) = identity else { return false }
    let state = instance.state(of: account, accounts)
    // One that has to be unlocked stays where it is: its person unlocks it and goes on.
    return state != .active && state != .locked
  }

  /// Unmanaged data may not come into a managed view: an app that can switch shows the unmanaged identity first
  /// (DT-10).
  mutating func switchFirst(
    _ refusal: Decision, _ question: Question, _ event: borrowing Event, of id: InstanceID
  ) -> Decision {
    guard question.app.identityMode == .multi, !question.viewer.isUnknown, question.identity.level != .scope else {
      return refusal
    }
    guard question.features.contains(.switchIdentity) else { return refusal.noting(.cannotSwitch) }
    var decision = refusal
    if isTrial || question.onlyAdvises(refusal) {
      (decision.outcome, decision.reason, decision.switchTo) = (.switchIdentity, .identitySwitchNeeded, .nobody)
      return decision
    }
    let window = instances[id.place]?.windowName(of: question.viewer)
    guard
      let request = request(
        .nobody, from: question.identity.identity, window: window, event.url == nil ? .documentImport : .openURL,
        at: event.time, in: id)
    else {
      decision.reason = .identitySwitchFailed
      return decision
    }
    (decision.outcome, decision.reason) = (.switchIdentity, .identitySwitchNeeded)
    (decision.switchTo, decision.switchRequest) = (.nobody, request)
    return decision
  }

  /// The number of the open request for this, made when there is none; nil when it failed, or when too many are open.
  private mutating func request(
    _ identity: Identity, from: Identity, window: [UInt8]?, _ cause: SwitchCause, at time: UInt64, in id: InstanceID
  ) -> SwitchRequestID? {
    guard let requests = instance(id)?.requests else { return nil }
    let known = requests.indices.first { index in
      requests[index].from == from && requests[index].cause == cause && requests[index].window == window
    }
    if let known { return requests[known].isOpen(at: time) ? requests[known].id : nil }
    requestCount += 1
    let made = SwitchRequest(
      id: SwitchRequestID(epoch: epoch, number: requestCount), window: window, from: from,
      to: identity, cause: cause, deadline: time + limits.switchMilliseconds)
    if requests.count < limits.requestsPerInstance {
      instances[id.place]?.requests.append(made)
    } else if let over = requests.firstIndex(where: { !$0.isOpen(at: time) }) {
      instances[id.place]?.requests[over] = made
    } else {
      return nil
    }
    return made.id
  }
}
