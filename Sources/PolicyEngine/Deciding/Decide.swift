package import GuardModel
package import URLRules
internal import URLStandard

/// The engine's answer to one question, with the URLs as it read them. Its caller keeps it and lends it to the next
/// question, so that no answer costs memory. Names are looked up when a report is made of it.
///
///     var ruling = Ruling()
///     try engine.decide(&event, for: caller, at: now, into: &ruling)
///     ruling.decision.outcome                        // .redirect
///     engine.report(ruling, for: caller).rule        // "sharing"
///
/// `Ruling()` is a block.
package struct Ruling: Sendable {
  package internal(set) var decision: Decision
  package internal(set) var input: MatchInput

  package init(_ decision: Decision = Decision(), reading input: MatchInput = MatchInput()) {
    self.decision = decision
    self.input = input
  }
}

extension Ruling {
  /// The judged URL in parts, for the log; nil when it was no URL, or when the answer did not depend on it and so it was
  /// not read. It changes nothing, and is `mutating` since all that was read would be copied for it otherwise.
  package mutating func judgedURL() -> URLText? { Self.text(&input.url) }

  /// The URL that led to it, likewise.
  package mutating func judgedFrom() -> URLText? { Self.text(&input.from) }

  private static func text(_ subject: inout URLSubject) -> URLText? {
    if case .absent = subject.kind { return nil }
    guard subject.asRead.layout.schemeEnd > 0 else { return nil }
    return URLText(subject.asRead.bytes, subject.asRead.layout)
  }

  /// The URL was read, and no browser would open it.
  package var judgedURLIsInvalid: Bool { if case .invalid = input.url.kind { true } else { false } }
}

/// Answers one question: may this happen?
///
/// Total and pure: it never throws, reads no clock and allocates nothing once its buffers have grown. `state` takes the
/// event's changes (clip owners, pages of viewers); everything else comes from `snapshot`, which is one policy from
/// start to end.
package func decide(
  _ event: borrowing Event, of instance: InstanceID, _ state: inout GuardState, under snapshot: Snapshot
) -> Decision {
  state.time = max(state.time, event.time)
  state.input.url.clear()
  state.input.from.clear()
  state.readsPage = false
  // A report concerns something that has happened.
  state.isTrial = event.isProbe && event.kind.countsAsIdentity
  defer { state.isTrial = false }
  guard snapshot.hasPolicy else { return snapshot.decisionWithoutPolicy }
  if event.kind.isOfSelections { state.noteClip(in: instance) }
  guard let question = state.question(event, of: instance, snapshot) else { return Decision(.block, .unknownApp) }
  guard state.takesReport(event, question, of: instance), let again = state.question(event, of: instance, snapshot)
  else { return state.answer(event, question, of: instance) }
  return state.answer(event, again, of: instance)
}

extension Snapshot {
  /// The answer to every event while no policy ever loaded: block where one is required, else allow (ledger SE-07, SE-08).
  package var decisionWithoutPolicy: Decision { Decision(policyRequired ? .block : .allow, .noPolicy) }
}

extension Instance {
  fileprivate mutating func question(
    _ event: borrowing Event, of id: InstanceID, as assumed: Identity?, isFileTask: Bool,
    _ accounts: borrowing AccountTable, _ snapshot: Snapshot
  ) -> Question? {
    guard serial == id.serial, let app else { return nil }
    return Question(event, self, app, as: assumed, isFileTask: isFileTask, accounts, snapshot)
  }
}

extension GuardState {
  /// Answers once it is known who asks.
  fileprivate mutating func answer(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Decision {
    var decision = judgeEach(event, question, of: id)
    answerMonitored(&decision, event, question, of: id)
    question.holdToAbilities(&decision, event.kind)
    noteShown(by: decision, event, question, of: id)
    keepPageRead(event)
    markAdvised(&decision, event, question, of: id)
    decision.flags[.signIn] = decision.outcome == .allow && question.maySignIn(event, at: input.url)
    return decision
  }

  /// Runs the procedure of the event's kind.
  mutating func judge(_ event: borrowing Event, _ question: Question, of instance: InstanceID) -> Decision {
    switch event.kind {
    case .navigate: navigate(event, question, of: instance)
    case .copy: copy(event, question, of: instance)
    case .paste: paste(event, question, of: instance)
    case .clipboardChanged: clipboardChanged(event, question, of: instance)
    case .dragEnd: dragEnd(event, question, of: instance)
    case .download: download(event, question, of: instance)
    case .upload: upload(event, question, of: instance)
    case .save: save(event, question, of: instance)
    case .open: open(event, question, of: instance)
    case .receive: receive(event, question, of: instance)
    case .share: share(event, question, of: instance)
    case .print: print(event, question, of: instance)
    case .capture: capture(event, question)
    case .notify: notify(question)
    case .openURL: openURL(event, question, of: instance)
    case .exchange: exchange(event, question, of: instance)
    case .index: index(question)
    case .unknown: Decision(.block, .unknownEvent)
    }
  }

  /// The asking app, viewer and identity; nil when the app is not in the policy. The instance is taken in place, since
  /// lending an optional's content copies it; it stays unchanged.
  ///
  /// - Parameter assumed: the identity that it counts as, if several are possible.
  mutating func question(
    _ event: borrowing Event, of id: InstanceID, as assumed: Identity? = nil, _ snapshot: Snapshot
  ) -> Question? {
    question(event, of: id, as: assumed, isFileTask: event.isFileTask, snapshot)
  }

  /// The same question as one of file tasks.
  mutating func fileQuestion(_ event: borrowing Event, of id: InstanceID, _ snapshot: Snapshot) -> Question? {
    question(event, of: id, as: nil, isFileTask: true, snapshot)
  }

  private mutating func question(
    _ event: borrowing Event, of id: InstanceID, as assumed: Identity?, isFileTask: Bool, _ snapshot: Snapshot
  ) -> Question? {
    guard instances.indices.contains(Int(id.index)) else { return nil }
    return instances[id.place]?.question(
      event, of: id, as: assumed, isFileTask: isFileTask, accounts, snapshot)
  }
}

/// Many answers at once, for an app that greys out forbidden choices (ledger SL-14, OL-09, DT-05). Each is the answer
/// of the single call, by construction; a hint, never the enforcement (SL-17).

/// The answers to a save or an open for every location, in the order of `Location.allCases`.
package func decideLocations(
  _ event: borrowing Event, of instance: InstanceID, _ state: inout GuardState, under snapshot: Snapshot
) -> [Decision] {
  var asked = copy event
  return Location.allCases.map { location in
    asked.location = location
    return decide(asked, of: instance, &state, under: snapshot)
  }
}

/// The answers to a share with each of several programs, in their order: the share sheet shows the allowed ones.
package func decidePeers(
  _ peers: [String], _ event: borrowing Event, of instance: InstanceID, _ state: inout GuardState,
  under snapshot: Snapshot
) -> [Decision] {
  peers.map { peer in
    var asked = copy event
    asked.peer = asked.append(peer)
    return decide(asked, of: instance, &state, under: snapshot)
  }
}
