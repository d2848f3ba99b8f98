internal import GuardModel
internal import URLRules

/// Data that goes to another program, or comes from one: ledger E.3.
extension GuardState {
  mutating func share(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate { return end }
    let named = namedAccounts(event, .program, question, of: id)
    if event.isChooser, event.kind == .share, event.peer == nil { return chooser(event, question, named) }
    let end = question.gate(named.owner) ?? question.gate(named.other)
    return (end ?? judgeShare(event, question, named)).noting(question.notes(event, named))
  }

  /// May a person be shown the programs to share with? Yes, unless nothing may be sent at all; also when no program is
  /// there that may have it (ledger DT-14). The answer lists the allowed programs.
  private func chooser(_ event: borrowing Event, _ question: Question, _ named: EventAccounts) -> Decision {
    if let end = question.gate(named.owner) { return end.noting(named.ownerNote) }
    let owners = Owners(named, place: question.ownPlace)
    let transfer = Transfer(question: question)
    let managed = Transfer.Side(party: owners.first.party)
    if let refusal = owners.refusal({ transfer.refusal(of: $0, to: managed, event) }) {
      return question.answer(refusal)
    }
    guard owners.first.party != .unmanaged else { return question.answer(.allow, owners.first.freeReason) }
    var decision = question.answer(.allow, .transferAllowed)
    decision.offersPrograms = question.snapshot.strictest(of: owners.first.party.protections) { $0.send }?.value != .any
    decision.dataOwner = owners.first.party.account
    return decision
  }

  private func judgeShare(_ event: borrowing Event, _ question: Question, _ named: EventAccounts) -> Decision {
    let owners = Owners(named, place: question.ownPlace)
    let transfer = Transfer(question: question)
    let peer = Transfer.Side(party: named.other.party, program: event.otherProgram)
    if let refusal = owners.refusal({ transfer.refusal(of: $0, to: peer, event) }) { return question.answer(refusal) }
    if let refusal = owners.refusal({ transfer.refusal(of: peer.party, from: Transfer.Side(party: $0), event) }) {
      return question.answer(refusal)
    }
    if owners.first.party == .unmanaged, peer.party == .unmanaged {
      return question.answer(.allow, owners.first.freeReason)
    }
    return question.answer(.allow, .transferAllowed)
  }

  /// Received data counts as its owner's, if the app names the owner (RX-02); else as the sender's. Both owners are
  /// asked whether data may leave.
  mutating func receive(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    if let end = question.dataGate ?? question.uploadGate { return end }
    let named = namedAccounts(event, .program, question, of: id)
    let end = question.gate(named.owner) ?? question.gate(named.other)
    return (end ?? judgeReceive(event, question, named, of: id)).noting(question.notes(event, named))
  }

  private mutating func judgeReceive(
    _ event: borrowing Event, _ question: Question, _ named: EventAccounts, of id: InstanceID
  ) -> Decision {
    let owners = Owners(named, place: named.other)
    let transfer = Transfer(question: question)
    let destination = question.party
    let own = Transfer.Side(party: destination)
    let refusal =
      transfer.refusal(of: named.other.party, to: own, event)
      ?? owners.refusal { transfer.refusal(of: $0, to: own, event) }
    if let refusal { return question.answer(refusal) }
    // The sender's program counts only if the data's owner is not named.
    let program = named.owner.isSaid ? .guarded : event.otherProgram
    let entering = owners.refusal { party in
      transfer.refusal(of: destination, from: Transfer.Side(party: party, program: program), event)
    }
    if let entering {
      guard owners.first.party == .unmanaged else { return question.answer(entering) }
      return switchFirst(question.answer(entering), question, event, of: id)
    }
    if owners.first.party == .unmanaged, destination == .unmanaged {
      return question.answer(.allow, question.unrestrictedReason)
    }
    return transfer.allow(.transferAllowed, from: owners, to: destination)
  }
}

extension Event {
  var otherProgram: Transfer.Program { peer == nil ? .unnamed : .peer }
}

extension Question {
  /// Notes about accounts and the other program of the event that the policy does not know.
  fileprivate func notes(_ event: borrowing Event, _ named: EventAccounts) -> DecisionNotes {
    let notes = named.ownerNote.union(peerNote(event))
    return named.other.isUnknown ? notes.union(.unknownPeerAccount) : notes
  }

  private func peerNote(_ event: borrowing Event) -> DecisionNotes {
    guard let peer = event.peer else { return .unknownPeer }
    return snapshot.hasProgram(named: event.bytes(peer)) ? [] : .unknownPeer
  }
}

extension Decision {
  func noting(_ notes: DecisionNotes) -> Decision {
    var decision = self
    decision.notes.formUnion(notes)
    return decision
  }
}

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
  fileprivate func protectionForbiddingInputMethods(_ accounts: AccountTable, _ snapshot: Snapshot) -> ProtectionIndex?
  {
    var shown = ProtectionSet()
    forEachIdentity { identity in
      if case .account(let account) = identity { shown = shown.union(protections(of: account, accounts)) }
    }
    return snapshot.first(of: shown) { $0.inputMethods == .block }
  }
}
