internal import GuardModel
internal import JSONText

extension NativeSession {
  /// The daemon's decision; what the contract says when nobody gave one.
  func decide(_ question: NativeQuestion, _ members: [JSONTree.Member]) -> JSONTree {
    let deadline = Deadline(after: link.contract.answerMilliseconds)
    let event = event(question, members, deadline)
    switch link.call(SpokenState.Call(method: question.method, parameters: ["event": event]), until: deadline) {
    case .reply(let parameters):
      guard let decision = parameters["decision"] else { return Self.blocked("invalidReply") }
      programs.keep(decision)
      return decision
    case .refused(let word, _): return Self.blocked(word)
    case .silent:
      let isOpen = question.answer(under: link.contract) == .open
      return isOpen ? ["id": "", "outcome": "allow", "reason": "noAnswer", "isLocal": true] : Self.blocked("noAnswer")
    }
  }

  /// What only the host knows is added: the display, the time that is left, and which questions are one action.
  private func event(
    _ question: NativeQuestion, _ members: [JSONTree.Member], _ deadline: Deadline
  ) -> JSONTree {
    var event = members
    event.append(.init("deadline", .int(Int64(deadline.remainingMilliseconds))))
    if question.isAboutSelection, let display = Environment["WAYLAND_DISPLAY"] ?? Environment["DISPLAY"] {
      event.append(.init("display", .string(display)))
    }
    let tree = JSONTree.object(members)
    if question == .navigate, tree["action"] == nil, let viewer = tree["viewer"]?.string, let url = tree["url"]?.string
    {
      event.append(.init("action", .string(actions.name(viewer: viewer, url: url))))
    }
    return .object(event)
  }

  /// A block that was decided here, with what the user may be told.
  private static func blocked(_ reason: String) -> JSONTree {
    [
      "id": "", "outcome": "block", "reason": .string(reason), "isLocal": true,
      "message": .string(LocalMessage.text(for: reason)),
    ]
  }

  /// Whether nobody's data is shown, or that of an account that no protection binds: no rule speaks of it then. A hint
  /// of the daemon tells, since hints leave no record; without an answer it is not so.
  var isFree: Bool {
    let call = SpokenState.Call(method: "DecideLocations", parameters: ["kind": "save", "event": [:]])
    guard case .reply(let hints) = link.call(call, until: Deadline(after: link.contract.answerMilliseconds)) else {
      return false
    }
    let reasons = hints["locations"]?.array?.compactMap { $0["reason"]?.string } ?? []
    return !reasons.isEmpty && reasons.allSatisfy { $0 == "unmanaged" || $0 == "noManagedIdentity" }
  }
}
