internal import GuardModel
internal import PolicyEngine
internal import URLRules

/// Files from and to the web, and URLs that the app itself opens.
extension TransferModel {
  func download(_ asked: Asked) -> ModelDecision {
    let said = rules(for: .download, asked)
    if let end = said.end { return end }
    let source = named(asked.event.url, .download, asked)
    var decision = save(asked, from: source)
    if decision.reason == .outgoingDisallowed { decision.reason = .downloadBlocked }
    return decision.with(said.answer)
  }

  func upload(_ asked: Asked) -> ModelDecision {
    if takesNothing(asked) { return asked.model.answer(.block, .uploadBlockedViewer) }
    let said = rules(for: .upload, asked)
    if let end = said.end { return end }
    let page = PageReceiverModel(
      world: world, asked: asked.model, instance: asked.instance, app: asked.app, viewer: asked.event.viewer,
      from: asked.event.from
    ).ofUpload()
    // The file is opened into the viewer, and leaves for where the rules say.
    var decision = open(asked, into: page)
    let place = place(asked, isSave: false, shown: asked.own)
    if standing([asked.event.owner, place.account], asked) != nil { return decision }
    let receiver = named(asked.event.url ?? asked.event.from, .upload, asked)
    if let receiver, var end = standing([receiver.account], asked) {
      (end.location, end.notes) = (decision.location, decision.notes)
      return end
    }
    let owners = all(owners(asked.event.owner, place: side(place.account, asked), asked), asked)
    if decision.outcome == .allow {
      let hasLeft = said.answer?.standing == .external
      for owner in owners {
        let asking = hasLeft ? owner : owner.only { page.isNobodys(for: $0) }
        guard let refusal = out(asking, to: .nobody) else { continue }
        var blocked = refused(refusal, asked)
        (blocked.location, blocked.notes) = (decision.location, decision.notes)
        decision = blocked
        break
      }
    }
    if let receiver, decision.outcome == .allow { decision = uploaded(decision, to: receiver, owners, asked) }
    let asking = owners.flatMap(\.protections) + asked.own.protections
    decision = page.told(decision.with(said.answer), asking)
    guard let receiver else { return decision }
    decision.location = receiver.location
    return told(decision, receiver, asked)
  }

  func openURL(_ asked: Asked) -> ModelDecision {
    let model = NavigationModel(world)
    guard asked.own != .nobody || isAlwaysJudged(asked) else {
      return asked.model.answer(.allow, asked.model.freeReason)
    }
    let (from, url) = (ReferenceURL(asked.event.from), ReferenceURL(asked.event.url))
    guard let parts = url.parts else { return asked.model.answer(.block, .invalidURL) }
    guard parts.isWeb else {
      if asked.app.handledSchemes.contains(Array(parts.scheme.utf8)) {
        return asked.model.answer(.allow, .handledInViewer)
      }
      return model.handOff(parts, asked.model)
    }
    let question = question(url, from, .page, asked)
    let said = model.ask(question, asked.model, asked.app)
    let leaving = said ?? NavigationModel.Said()
    var decision = model.external(leaving, question, asked.model, ModelNavigation(), asked.app)
    if decision.reason == .externalInPlace { decision = asked.model.answer(.handOff, .webTransferAny, .schemeHandler) }
    return decision.with(leaving)
  }

  /// What the viewer's rules say of a file's URL; the end, where they block or cannot be asked.
  private func rules(for purpose: Purposes, _ asked: Asked) -> (answer: NavigationModel.Said?, end: ModelDecision?) {
    guard asked.own != .nobody || isAlwaysJudged(asked), asked.model.resolved.rules != .none else { return (nil, nil) }
    let from = ReferenceURL(asked.event.from)
    var url = ReferenceURL(asked.event.url)
    switch url {
    case .absent, .invalid, .script: return (nil, asked.model.answer(.block, .invalidURL))
    case .madeByPage, .url: url = url.judged(as: from)
    }
    let (model, question) = (NavigationModel(world), question(url, from, purpose, asked))
    let said = model.ask(question, asked.model, asked.app).map { model.excepted($0, question, asked.model, asked.app) }
    guard let said, said.standing == .external, said.then == "block", world.taken != .everything else {
      return (said, nil)
    }
    return (said, asked.model.answer(.block, .blockedByRule).with(said))
  }

  func question(
    _ url: ReferenceURL, _ from: ReferenceURL, _ purpose: Purposes, _ asked: Asked
  ) -> ReferenceQuestion {
    let document = asked.instance.document(asked.event.viewer, isMainFrame: false, from: asked.event.from)
    return ReferenceQuestion(url: url, from: from, document: ReferenceURL(document), hop: nil, purposes: [purpose])
  }

  private func isAlwaysJudged(_ asked: Asked) -> Bool {
    asked.model.resolved.isUnknown
      ? asked.app.classes.contains { $0.rulesApply == .always }
      : asked.model.resolved.viewerClass?.rulesApply == .always
  }
}

extension ModelDecision {
  func with(_ said: NavigationModel.Said?) -> ModelDecision {
    guard let said else { return self }
    var decision = self
    (decision.verdict, decision.ruleSet, decision.rule) = (said.verdict, said.ruleSet, said.rule)
    decision.exception = said.exception
    return decision
  }
}
