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
  case .unknown, .download, .upload, .save, .open, .receive, .share, .print, .capture, .notify, .openURL, .exchange,
    .index:
    return Decision(.block, .unknownEvent)
  }
}

extension GuardState {
  /// Who asks, in which viewer, as whom; nil when the app is not in the policy.
  fileprivate func question(_ event: borrowing Event, of id: InstanceID, _ snapshot: Snapshot) -> Question? {
    guard instance(id) != nil, let instance = instances[Int(id.index)], let app = instance.app else { return nil }
    return Question(event, instance, app, accounts, snapshot)
  }
}
