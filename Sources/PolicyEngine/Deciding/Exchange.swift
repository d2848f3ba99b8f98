internal import GuardModel

/// Data that passes through a channel beside the app: each channel has its setting.
extension GuardState {
  mutating func exchange(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate { return end }
    switch event.channel {
    case .nativeMessaging: return share(event, question, of: id)
    case .unknown: return anyChannel(event, question, of: id).noting(.unknownChannel)
    default: return single(event.channel, question, of: id)
    }
  }

  /// An unnamed channel has only the permissions that all channels share.
  private mutating func anyChannel(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    for channel in Channel.allCases where channel != .unknown && channel != .nativeMessaging {
      let decision = channel == .backup ? backup(event, question, of: id) : single(channel, question, of: id)
      if decision.outcome == .block { return decision }
    }
    return share(event, question, of: id)
  }

  /// A backup copies the app's files, whatever the app shows.
  private mutating func backup(_ event: borrowing Event, _ asked: Question, of id: InstanceID) -> Decision {
    guard let question = fileQuestion(event, of: id, asked.snapshot) else {
      return asked.answer(.block, .channelBlocked)
    }
    return question.dataGate ?? single(.backup, question, of: id)
  }

  private func single(_ channel: Channel, _ question: Question, of id: InstanceID) -> Decision {
    if channel == .inputMethod { return inputMethod(question, of: id) }
    return question.permitted(question.permission(for: channel), .channelAllowed, .channelBlocked)
  }

  /// A keyboard serves the whole app: a ban by one managed account of the app applies to its personal accounts as well
  /// (ledger CB-16).
  private func inputMethod(_ question: Question, of id: InstanceID) -> Decision {
    guard let forbidding = instance(id)?.protectionForbiddingInputMethods(accounts, question.snapshot) else {
      return question.permitted({ $0.inputMethods }, .channelAllowed, .channelBlocked)
    }
    var decision = question.answer(.block, .channelBlocked, by: forbidding)
    decision.protection = forbidding
    return decision
  }
}

extension Question {
  fileprivate func permission(for channel: Channel) -> Strictest<Permission>? {
    switch channel {
    case .assistant: snapshot.strictest(ofEffective: binding) { $0.assistants }
    case .automation: snapshot.strictest(ofEffective: binding) { $0.automation }
    case .writingTools: snapshot.strictest(of: binding) { $0.writingTools }
    case .inputMethod: snapshot.strictest(of: binding) { $0.inputMethods }
    case .contacts: snapshot.strictest(of: binding) { $0.contacts }
    case .widgets: snapshot.strictest(of: binding) { $0.widgets }
    case .backup: snapshot.strictest(of: binding) { $0.backup }
    case .unknown, .nativeMessaging: snapshot.strictest(of: binding) { _ in Permission.block }
    }
  }
}

extension Instance {
  /// A protection of an account that the instance shows and that blocks input methods.
  fileprivate func protectionForbiddingInputMethods(_ accounts: AccountTable, _ snapshot: Snapshot) -> Int32? {
    var shown = ProtectionSet()
    forEachIdentity { identity in
      if case .account(let account) = identity { shown = shown.union(protections(of: account, accounts)) }
    }
    return snapshot.first(of: shown) { $0.inputMethods == .block }
  }
}
