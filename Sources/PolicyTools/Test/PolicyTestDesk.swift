internal import GuardModel
internal import PolicyEngine
internal import PolicyFiles

/// One user's apps during one test, with an engine of their own.
struct PolicyTestDesk {
  private let test: PolicyTest
  private let snapshot: Snapshot
  private var state = GuardState(epoch: 1)
  /// The running apps, by name, each with one connection.
  private var instances: [String: InstanceID] = [:]
  private var scopes: [String: Identity] = [:]
  /// The last request of the daemon to each app.
  private var requests: [String: SwitchRequestID] = [:]
  /// Milliseconds since 1970.
  private var time: UInt64

  init(_ test: PolicyTest, _ snapshot: Snapshot) {
    self.test = test
    self.snapshot = snapshot
    time = UInt64(clamping: test.at ?? 0).multipliedReportingOverflow(by: 1000).partialValue
  }

  mutating func run(_ step: PolicyTestStep) -> PolicyTestAnswer {
    time &+= step.after
    state.time = max(state.time, time)
    do throws(PolicyTestError) {
      let instance = try instance(of: step.app)
      if case .event(let event) = step.action { return .decision(decide(event, step.app, instance)) }
      try call(step.action, step.app, instance)
      return .done
    } catch { return .refused(error) }
  }

  /// The app's instance, started when there is none, for a peer that its `peers` speak of: the first of them.
  private mutating func instance(of name: String) throws(PolicyTestError) -> InstanceID {
    if let known = instances[name] { return known }
    guard let app = snapshot.app(named: name) else { throw .noApp }
    let rule = snapshot.apps[Int(app)].peers.first ?? PeerRule()
    // One user, whoever the peers say: what one app copies, another pastes.
    let groups = [rule.group].compactMap(\.self) + test.groups
    let peer = Peer(uid: 1000, groups: groups, unit: rule.unit, label: rule.label)
    let instance = try translated { () throws(StateError) in
      try state.attach(app: app, peer: peer, features: test.features, snapshot)
    }
    instances[name] = instance
    return instance
  }

  private mutating func decide(_ event: Event, _ app: String, _ instance: InstanceID) -> DecisionReport {
    var event = event
    event.time = time
    event.scope = scopes[app] ?? .absent
    let decision = PolicyEngine.decide(event, of: instance, &state, under: snapshot)
    if let request = decision.switchRequest { requests[app] = request }
    return state.report(decision, snapshot, for: instance)
  }

  private mutating func call(
    _ action: PolicyTestAction, _ app: String, _ instance: InstanceID
  ) throws(PolicyTestError) {
    switch action {
    case .event: break
    case .answer(let request, let result): try answer(request ?? requests[app], result, instance)
    default:
      do throws(StateError) { try change(action, app, instance) } catch {
        if action.isAboutIdentity { state.refuseIdentity(in: instance, snapshot) }
        throw PolicyTestError(error)
      }
    }
  }

  private mutating func answer(
    _ request: SwitchRequestID?, _ result: SwitchResult, _ instance: InstanceID
  ) throws(PolicyTestError) {
    guard let request else { throw .unknownRequest }
    do throws(SwitchError) { try state.answer(request, result, in: instance, at: time, snapshot) } catch {
      throw PolicyTestError(error)
    }
  }

  private mutating func change(
    _ action: PolicyTestAction, _ app: String, _ id: InstanceID
  ) throws(StateError) {
    switch action {
    case .event, .answer: break
    case .registerViewer(let call): try state.register(call, in: id, snapshot)
    case .setDocument(let viewer, let url): try state.setDocument(url, of: viewer, in: id, snapshot)
    case .forgetViewer(let viewer): try state.forget(viewer: viewer, in: id, snapshot)
    case .setWebViewPolicy(let viewer, let policy): try state.setWebViewPolicy(policy, of: viewer, in: id, snapshot)
    case .setExternalURLRules(let viewer, let ruleSet):
      try state.setExternalURLRules(ruleSet, of: viewer, in: id, snapshot)
    case .setProcessIdentity(let account):
      _ = try state.state(try state.identity(account, in: id, snapshot), ofWindow: nil, in: id, snapshot)
    case .setScopeIdentity(let account): try setScope(account, app, id)
    case .setWindowIdentity(let window, let account):
      _ = try state.state(try state.identity(account, in: id, snapshot), ofWindow: window, in: id, snapshot)
    case .setWindowIdentities(let window, let accounts):
      var identities: [Identity] = []
      for account in accounts { identities.append(try state.identity(account, in: id, snapshot)) }
      _ = try state.state(identities, ofWindow: window, in: id, snapshot)
    }
  }

  private mutating func setScope(_ account: String?, _ app: String, _ id: InstanceID) throws(StateError) {
    let identity = try state.identity(account, in: id, snapshot)
    try state.requireMultiMode(id, snapshot)
    try state.requireOneManaged(identity, in: id, snapshot)
    scopes[app] = identity
    state.setScope(identity, ofConnection: 0, in: id)
  }
}

/// Runs a call of the state; what it refuses has the wire's word.
private func translated<Value>(_ body: () throws(StateError) -> Value) throws(PolicyTestError) -> Value {
  do throws(StateError) { return try body() } catch { throw PolicyTestError(error) }
}
