internal import GuardModel
internal import PolicyEngine

/// What an app does with what it shows: ledger PR, SC, NT, FC, SI, SW, CB-16.
extension TransferModel {
  func print(_ asked: Asked) -> ModelDecision {
    var decision = setting(asked.own.protection?.printing, .printAllowed, .printBlocked, asked)
    guard decision.outcome == .allow, asked.event.path != nil else { return decision }
    // Into a file: it is saved as well.
    let saved = save(asked)
    guard saved.outcome == .allow else { return saved }
    (decision.setOwner, decision.tagAs, decision.mustEncrypt) = (saved.setOwner, saved.tagAs, saved.mustEncrypt)
    (decision.location, decision.notes) = (saved.location, saved.notes)
    return decision
  }

  func capture(_ asked: Asked) -> ModelDecision {
    if asked.own != .nobody, asked.event.capture == .ownImage { return asked.model.answer(.allow, .captureOwnImage) }
    var decision = setting(asked.own.protection?.screenCapture, .captureAllowed, .captureBlocked, asked)
    if asked.event.capture == .unknown { decision.notes.insert("unknownCapture") }
    return decision
  }

  func notify(_ asked: Asked) -> ModelDecision {
    guard let level = asked.own.protection?.notifications else {
      return asked.model.answer(.allow, asked.model.freeReason)
    }
    if level == .allow { return asked.model.answer(.allow, .notificationAllowed) }
    if level == .blockOrgData, asked.instance.canRedact { return asked.model.answer(.redact, .notificationRedacted) }
    var decision = asked.model.answer(.block, .notificationBlocked)
    if level == .blockOrgData { decision.notes.insert("cannotRedact") }
    return decision
  }

  func index(_ asked: Asked) -> ModelDecision {
    // DT-06: unless all may be sent, nothing is indexed.
    let stated = asked.own.protection.map { $0.send == .any ? $0.indexing : .block }
    return setting(stated, .indexAllowed, .indexBlocked, asked)
  }

  func exchange(_ asked: Asked) -> ModelDecision {
    if asked.event.channel == .nativeMessaging { return share(asked) }
    guard asked.event.channel == .unknown else { return through(asked.event.channel, asked) }
    // Whatever one channel may not, an unknown one may not.
    let all: [Channel] = [.assistant, .automation, .writingTools, .inputMethod, .contacts, .widgets, .backup]
    var decision = all.map { through($0, asked) }.first { $0.outcome == .block } ?? share(asked)
    decision.notes.insert("unknownChannel")
    return decision
  }

  private func through(_ channel: Channel, _ asked: Asked) -> ModelDecision {
    let own = asked.own.protection
    if channel == .inputMethod { return typing(asked) }
    let assistants = own.map { $0.send == .any ? $0.assistants : .block }
    let settings: [Channel: Permission?] = [
      .assistant: assistants, .automation: own?.automation ?? assistants, .writingTools: own?.writingTools,
      .contacts: own?.contacts, .widgets: own?.widgets, .backup: own?.backup,
    ]
    return setting(settings[channel] ?? nil, .channelAllowed, .channelBlocked, asked)
  }

  /// CB-16: what one account of the app forbids is forbidden in all of it.
  private func typing(_ asked: Asked) -> ModelDecision {
    let shown = world.managed(in: asked.instance).compactMap { world.protection(of: $0, in: asked.instance)?.name }
    let forbidding = world.policy.protections.first { shown.contains($0.name) && $0.inputMethods == .block }
    if let forbidding { return refused((.channelBlocked, forbidding), asked) }
    return setting(asked.own.protection?.inputMethods, .channelAllowed, .channelBlocked, asked)
  }

  /// A setting that allows or blocks; nobody has none.
  private func setting(
    _ permission: Permission?, _ allowed: Reason, _ blocked: Reason, _ asked: Asked
  ) -> ModelDecision {
    guard let permission else { return asked.model.answer(.allow, asked.model.freeReason) }
    return permission == .allow ? asked.model.answer(.allow, allowed) : asked.model.answer(.block, blocked)
  }
}
