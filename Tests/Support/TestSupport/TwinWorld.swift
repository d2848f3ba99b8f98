package import GuardModel
package import PolicyEngine
internal import URLRules

/// One world told twice: to the engine, and to the models in plain words. Every call goes to both; a call that the
/// engine refuses goes to neither.
package struct TwinWorld {
  package let snapshot: Snapshot
  package var state: GuardState
  package var model: ModelWorld
  package private(set) var ids: [InstanceID] = []
  /// The copies that were proposed, by the number of the question.
  package var proposals: [Int: ProposalID] = [:]
  /// Part of every clip id.
  package static let epoch: UInt64 = 42

  package init(_ snapshot: Snapshot) {
    self.snapshot = snapshot
    state = GuardState(epoch: Self.epoch)
    model = ModelWorld(snapshot)
  }

  package mutating func attach(app: String, uid: UInt32, groups: [UInt32], features: ClientFeatures = []) {
    guard let index = snapshot.app(named: app) else { return }
    let peer = Peer(uid: uid, groups: groups)
    guard let id = try? state.attach(app: index, peer: peer, features: features, snapshot) else { return }
    ids.append(id)
    var instance = ModelInstance(app: app, uid: uid, groups: groups)
    instance.canRedact = features.contains(.redact)
    instance.canSwitch = features.contains(.switchIdentity)
    instance.canWarn = features.contains(.warn)
    instance.tellsCopies = features.contains(.clipEcho)
    instance.canWrap = features.contains(.wrap)
    instance.canStrip = features.contains(.plainText)
    model.begin(&instance, as: snapshot[index])
    model.instances.append(instance)
  }

  package mutating func end(_ instance: Int) {
    state.end(ids[instance])
    model.instances[instance].hasEnded = true
  }

  /// What is refused as a document is registered without it.
  package mutating func register(_ call: ViewerDescription, in instance: Int) {
    var call = call
    do throws(Refusal) { try state.register(call, in: ids[instance], snapshot) } catch {
      guard case .documentIsExternal = error else { return }
      call.document = nil
      guard (try? state.register(call, in: ids[instance], snapshot)) != nil else { return }
    }
    let known = model.instances[instance].viewers[call.name]
    var viewer = known ?? ModelViewer()
    if known == nil { model.instances[instance].begin(&viewer, call.name, openedBy: call.opener) }
    if known == nil, let opener = call.opener {
      let opensAdvised = model.instances[instance].viewers[opener]?.opensAdvised ?? false
      viewer.isAdvised = opensAdvised || model.instances[instance].showsAdvised(opener)
    }
    viewer.className = call.className ?? viewer.className
    viewer.kind = call.kind ?? viewer.kind
    viewer.parent = call.parent ?? viewer.parent
    viewer.opener = call.opener ?? viewer.opener
    viewer.window = call.window ?? viewer.window
    model.instances[instance].viewers[call.name] = viewer
    guard let document = call.document else { return }
    model.instances[instance].show(document, in: call.name, wasRegistered: known != nil)
  }

  package mutating func forget(_ viewer: String, in instance: Int) {
    guard (try? state.forget(viewer: viewer, in: ids[instance], snapshot)) != nil else { return }
    model.instances[instance].forget(viewer)
  }

  package mutating func tag(_ viewer: String, _ policy: WebViewPolicy, in instance: Int) {
    guard (try? state.setWebViewPolicy(policy, of: viewer, in: ids[instance], snapshot)) != nil else { return }
    model.instances[instance].viewers[viewer]?.tag = policy
  }

  package mutating func setRules(_ ruleSet: String?, _ viewer: String, in instance: Int) {
    guard (try? state.setExternalURLRules(ruleSet, of: viewer, in: ids[instance], snapshot)) != nil else { return }
    model.instances[instance].viewers[viewer]?.ruleSet = ruleSet
  }

  package mutating func setDocument(_ url: String?, _ viewer: String, in instance: Int) {
    _ = setsDocument(url, viewer, in: instance)
  }

  /// Whether the engine accepts the document.
  package mutating func setsDocument(_ url: String?, _ viewer: String, in instance: Int) -> Bool {
    guard (try? state.setDocument(url, of: viewer, in: ids[instance], snapshot)) != nil else { return false }
    model.instances[instance].show(url, in: viewer, wasRegistered: false)
    return true
  }

  /// What is set: nil is absent, `""` nobody. Without a window it is the process's.
  package mutating func setIdentity(_ account: String?, window: String?, in instance: Int) {
    guard let identity = try? state.identity(account, in: ids[instance], snapshot) else { return }
    if let window {
      guard (try? state.setIdentity(identity, ofWindow: window, in: ids[instance], snapshot)) != nil else { return }
      model.instances[instance].windows[window] = modelIdentity(account)
      model.instances[instance].mixed[window] = nil
      model.instances[instance].forgetRequests(of: window)
    } else {
      guard (try? state.setProcessIdentity(identity, in: ids[instance], snapshot)) != nil else { return }
      say(account, in: instance)
      model.instances[instance].forgetRequestsOfProcess()
    }
  }

  /// An app in single mode that says nothing is where it began.
  private mutating func say(_ account: String?, in instance: Int) {
    let app = snapshot.apps.first { $0.name == model.instances[instance].app }
    if account == nil, let app, app.identityMode == .single {
      model.begin(&model.instances[instance], as: app)
    } else {
      model.instances[instance].process = modelIdentity(account)
      (model.instances[instance].isGiven, model.instances[instance].mustSay) = (app?.account != nil, false)
    }
  }

  /// A window that shows several accounts.
  package mutating func setIdentities(_ accounts: [String], window: String, in instance: Int) {
    let identities = accounts.compactMap { try? state.identity($0, in: ids[instance], snapshot) }
    guard identities.count == accounts.count,
      (try? state.setIdentities(identities, ofWindow: window, in: ids[instance], snapshot)) != nil
    else { return }
    let shown = Set(accounts.map(modelIdentity))
    model.instances[instance].mixed[window] = shown.count > 1 ? Array(shown) : nil
    model.instances[instance].windows[window] = shown.count > 1 ? nil : shown.first ?? .nobody
    model.instances[instance].forgetRequests(of: window)
  }

  package func modelIdentity(_ account: String?) -> ModelIdentity {
    guard let account else { return .absent }
    return account.isEmpty ? .nobody : .account(model.canonical(account))
  }
}

// Questions and answers in the engine's form and in the models'.
extension TwinWorld {
  package mutating func engineEvent(_ asked: ModelNavigation) -> Event {
    var event = Event(.navigate)
    event.viewer = asked.viewer.map { event.append($0) }
    event.url = asked.url.map { event.append($0) }
    event.from = asked.from.map { event.append($0) }
    event.method = asked.method.map { event.append($0) }
    event.frame = asked.frame
    event.hop = Ternary(asked.hop)
    event.isSameDocument = asked.isSameDocument
    event.opensWindow = asked.opensWindow
    event.scope = engineIdentity(asked.scope, in: asked.instance)
    return event
  }

  package mutating func engineEvent(_ asked: ModelClipEvent) -> Event {
    var event = Event(asked.kind)
    event.viewer = asked.viewer.map { event.append($0) }
    event.display = asked.display.isEmpty ? nil : event.append(asked.display)
    event.from = asked.from.map { event.append($0) }
    event.selection = asked.selection
    event.length = asked.length
    event.offersPlainText = asked.offersPlainText
    event.selfOwned = Ternary(asked.selfOwned)
    event.clip = asked.claim
    event.inspection = asked.inspection
    event.surface = asked.isInFields ? .chrome : .content
    event.scope = engineIdentity(asked.scope, in: asked.instance)
    event.time = asked.time
    event.proposal =
      asked.echoOf.flatMap { proposals[$0] } ?? (asked.echoOf == nil ? nil : ProposalID(epoch: 0, number: 0))
    return event
  }

  package mutating func decide(_ event: Event, in instance: Int) -> Decision {
    let decision = PolicyEngine.decide(event, of: ids[instance], &state, under: snapshot)
    model.instances[instance].note(event, plain(decision))
    return decision
  }

  /// The engine's decision in the models' words.
  package func plain(_ decision: Decision) -> ModelDecision {
    var plain = ModelDecision(decision.outcome, decision.reason)
    plain.flags = decision.flags
    plain.policy = decision.policy
    plain.policySource = decision.policySource
    plain.identity = modelIdentity(state.name(of: decision.identity))
    plain.identityLevel = decision.identityLevel
    plain.protection = decision.protection.map { snapshot[$0].name }
    plain.decider = decision.decider.map { snapshot[$0].name }
    plain.verdict = decision.verdict
    plain.ruleSet = decision.ruleSet.map { snapshot[$0].name }
    plain.rule = decision.rule.map { Int($0.place) }
    plain.exception = decision.exception.map { snapshot.exceptions.list[Int($0.place)].id }
    plain.target = decision.target
    plain.offered = decision.offered
    plain.clip = decision.clip
    plain.limit = decision.limit
    plain.setOwner = decision.setOwner.map { model.canonical(state.accounts.displayName($0)) }
    plain.offersPrograms = decision.offersPrograms
    plain.tagAs = decision.tagAs.map { model.canonical(state.accounts.displayName($0)) }
    plain.switchTo = decision.switchTo.map { modelIdentity(state.name(of: $0)) }
    plain.location = decision.location
    plain.notes = Set(decision.notes.words)
    plain.advice = decision.advice.map { advice in
      var told = ModelAdvice(outcome: advice.outcome, reason: advice.reason, cause: advice.cause)
      told.ruleSet = advice.ruleSet.map { snapshot[$0].name }
      told.rule = advice.rule.map { Int($0.place) }
      return told
    }
    switch decision.clipOwner {
    case .unmanaged: plain.clipOwner = .unmanaged
    case .unknownManaged: plain.clipOwner = .unknownManaged
    case .account(let id): plain.clipOwner = .account(model.canonical(state.accounts.displayName(id)))
    }
    return plain
  }

  mutating func engineIdentity(_ identity: ModelIdentity, in instance: Int) -> Identity {
    switch identity {
    case .absent: .absent
    case .nobody: .nobody
    case .account(let name): (try? state.identity(name, in: ids[instance], snapshot)) ?? .absent
    }
  }
}
