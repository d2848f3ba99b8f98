package import GuardModel
internal import URLRules

/// Answers one question: may this happen?
///
/// Total and pure: it never throws, reads no clock and allocates nothing once its buffers have grown. `state` takes what
/// the event changes (clip owners, URLs answered external); everything else comes from `snapshot`, which is one policy
/// from start to end.
package func decide(
  _ event: borrowing Event, of instance: InstanceID, _ state: inout GuardState, under snapshot: Snapshot
) -> Decision {
  state.input.url.clear()
  state.input.from.clear()
  guard snapshot.hasPolicy else { return Decision(snapshot.policyRequired ? .block : .allow, .noPolicy) }
  guard let question = state.question(event, of: instance, snapshot) else { return Decision(.block, .unknownApp) }
  switch event.kind {
  case .navigate: return state.navigate(event, question, of: instance)
  case .copy: return state.copy(event, question, of: instance)
  case .paste: return state.paste(event, question, of: instance)
  case .clipboardChanged: return state.clipboardChanged(event, question, of: instance)
  case .dragEnd: return state.dragEnd(event, question, of: instance)
  case .download: return state.download(event, question, of: instance)
  case .upload: return state.upload(event, question, of: instance)
  case .save: return state.save(event, question, of: instance)
  case .open: return state.open(event, question, of: instance)
  case .receive: return state.receive(event, question, of: instance)
  case .share: return state.share(event, question, of: instance)
  case .print: return state.print(event, question, of: instance)
  case .capture: return state.capture(event, question)
  case .notify: return state.notify(question)
  case .openURL: return state.openURL(event, question, of: instance)
  case .exchange: return state.exchange(event, question, of: instance)
  case .index: return state.index(question)
  case .unknown: return Decision(.block, .unknownEvent)
  }
}

extension GuardState {
  /// Who asks, in which viewer, as whom; nil when the app is not in the policy.
  fileprivate func question(_ event: borrowing Event, of id: InstanceID, _ snapshot: Snapshot) -> Question? {
    guard instance(id) != nil, let instance = instances[Int(id.index)], let app = instance.app else { return nil }
    return Question(event, instance, app, accounts, snapshot)
  }
}
