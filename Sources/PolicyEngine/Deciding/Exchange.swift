internal import GuardModel

/// Data that passes through something beside the app: each channel has its setting.
extension GuardState {
  mutating func exchange(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate { return end }
    switch event.channel {
    case .nativeMessaging: return share(event, question, of: id)
    case .unknown: return anyChannel(event, question, of: id).noting(.unknownChannel)
    default: return single(event.channel, question, of: id)
    }
  }

  /// A channel that nobody named may do what every channel may.
  private mutating func anyChannel(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    for channel in Channel.allCases where channel != .unknown && channel != .nativeMessaging {
      let decision = single(channel, question, of: id)
      if decision.outcome == .block { return decision }
    }
    return share(event, question, of: id)
  }

  private func single(_ channel: Channel, _ question: Question, of id: InstanceID) -> Decision {
    if channel == .inputMethod { return inputMethod(question, of: id) }
    return question.permitted(question.permission(for: channel), .channelAllowed, .channelBlocked)
  }

  /// A keyboard serves the whole app: what one managed account of it forbids is forbidden to its personal ones as well
  /// (ledger CB-16).
  private func inputMethod(_ question: Question, of id: InstanceID) -> Decision {
    guard let forbidding = instance(id)?.protectionForbiddingInputMethods(accounts, question.snapshot) else {
      return question.permitted(question.protectionSettings?.inputMethods, .channelAllowed, .channelBlocked)
    }
    var decision = question.answer(.block, .channelBlocked)
    decision.protection = forbidding
    return decision
  }
}

extension Question {
  fileprivate func permission(for channel: Channel) -> Permission? {
    guard let protectionSettings, let effective else { return nil }
    switch channel {
    case .assistant: return effective.assistants
    case .automation: return effective.automation
    case .writingTools: return protectionSettings.writingTools
    case .inputMethod: return protectionSettings.inputMethods
    case .contacts: return protectionSettings.contacts
    case .widgets: return protectionSettings.widgets
    case .backup: return protectionSettings.backup
    case .unknown, .nativeMessaging: return .block
    }
  }
}

extension Instance {
  /// The first protection of an account that the instance shows and that blocks input methods.
  fileprivate func protectionForbiddingInputMethods(_ accounts: AccountTable, _ snapshot: Snapshot) -> Int32? {
    var found: Int32?
    forEachIdentity { identity in
      guard case .account(let account) = identity, let protection = protection(of: account, accounts) else { return }
      guard snapshot.protections[Int(protection)].inputMethods == .block else { return }
      found = min(found ?? protection, protection)
    }
    return found
  }
}
