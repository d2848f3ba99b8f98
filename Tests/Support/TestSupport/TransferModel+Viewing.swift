internal import GuardModel
internal import PolicyEngine

/// What an app does with what it shows: ledger PR, SC, NT, FC, SI, SW, CB-16.
extension TransferModel {
  func print(_ asked: Asked) -> ModelDecision {
    var decision = setting(\.printing, .printAllowed, .printBlocked, asked)
    guard decision.outcome == .allow, asked.event.path != nil else { return decision }
    // Into a file: it is saved as well.
    let saved = save(asked)
    guard saved.outcome == .allow else { return saved }
    (decision.setOwner, decision.tagAs) = (saved.setOwner, saved.tagAs)
    decision.flags[.mustEncrypt] = saved.flags[.mustEncrypt]
    (decision.location, decision.notes) = (saved.location, saved.notes)
    return decision
  }

  /// SC-04: where pictures are blocked, previews are blurred.
  func blurred(_ decision: ModelDecision, _ asked: Asked) -> ModelDecision {
    var decision = decision
    decision.flags[.blurPreview] = asked.own.protections.contains { $0.screenCapture == .block }
    return decision
  }

  func capture(_ asked: Asked) -> ModelDecision {
    if asked.own != .nobody, asked.event.capture == .ownImage { return asked.model.answer(.allow, .captureOwnImage) }
    var decision = setting(\.screenCapture, .captureAllowed, .captureBlocked, asked)
    if asked.event.capture == .unknown { decision.notes.insert("unknownCapture") }
    return decision
  }

  func notify(_ asked: Asked) -> ModelDecision {
    guard let (level, protection) = asked.own.protections.strictest(Protection.notices, \.notifications) else {
      return asked.model.answer(.allow, asked.model.freeReason)
    }
    if level == .allow { return asked.model.answer(.allow, .notificationAllowed, by: protection) }
    if level == .blockOrgData, asked.instance.canRedact {
      return asked.model.answer(.redact, .notificationRedacted, by: protection)
    }
    var decision = asked.model.answer(.block, .notificationBlocked, by: protection)
    if level == .blockOrgData { decision.notes.insert("cannotRedact") }
    return decision
  }

  func index(_ asked: Asked) -> ModelDecision {
    // DT-06: unless all may be sent, nothing is indexed.
    setting({ $0.send == .any ? $0.indexing : .block }, .indexAllowed, .indexBlocked, asked)
  }

  func exchange(_ asked: Asked) -> ModelDecision {
    if asked.event.channel == .nativeMessaging { return share(asked) }
    guard asked.event.channel == .unknown else { return through(asked.event.channel, asked) }
    // Whatever one channel may not, an unknown one may not.
    let all: [Channel] = [.assistant, .automation, .writingTools, .inputMethod, .contacts, .widgets, .backup]
    var decision =
      all.map { $0 == .backup ? backup(asked) : through($0, asked) }.first { $0.outcome == .block } ?? share(asked)
    decision.notes.insert("unknownChannel")
    return decision
  }

  /// Of files, so that windows do not count.
  private func backup(_ asked: Asked) -> ModelDecision {
    let files = ofFiles(asked)
    return files.model.dataGate ?? through(.backup, files)
  }

  private func through(_ channel: Channel, _ asked: Asked) -> ModelDecision {
    if channel == .inputMethod { return typing(asked) }
    let assistants = { (protection: Protection) in protection.send == .any ? protection.assistants : .block }
    let settings: [Channel: (Protection) -> Permission] = [
      .assistant: assistants, .automation: { $0.automation ?? assistants($0) }, .writingTools: { $0.writingTools },
      .contacts: { $0.contacts }, .widgets: { $0.widgets }, .backup: { $0.backup },
    ]
    return setting(settings[channel] ?? { _ in .block }, .channelAllowed, .channelBlocked, asked)
  }

  /// CB-16: what one account of the app forbids is forbidden in all of it.
  private func typing(_ asked: Asked) -> ModelDecision {
    let shown = world.managed(in: asked.instance).flatMap { world.protections(of: $0, in: asked.instance).map(\.name) }
    let forbidding = world.policy.protections.one { shown.contains($0.name) && $0.inputMethods == .block }
    if let forbidding { return refused((.channelBlocked, forbidding), asked) }
    return setting(\.inputMethods, .channelAllowed, .channelBlocked, asked)
  }

  /// A setting that allows or blocks; nobody has none.
  private func setting(
    _ permission: (Protection) -> Permission, _ allowed: Reason, _ blocked: Reason, _ asked: Asked
  ) -> ModelDecision {
    guard let (value, protection) = asked.own.protections.strictest(Protection.permits, permission) else {
      return asked.model.answer(.allow, asked.model.freeReason)
    }
    return asked.model.answer(value == .allow ? .allow : .block, value == .allow ? allowed : blocked, by: protection)
  }
}
