internal import GuardModel

extension Transport {
  /// Sends a question.
  func ask(_ kind: EventKind, _ event: GuardEvent) -> PendingAnswer {
    guard let method = kind.method else { return Self.unknownEvent }
    return change { core, now in
      let event = core.session.naming(event, kind, at: now)
      return core.session.ask(method, about: [event.viewer], at: now) { parameters, remaining in
        parameters.member("event") { event.write(to: &$0, deadline: remaining) }
      }
    }
  }

  /// Sends a question with an unchanged event.
  func ask(_ kind: EventKind, _ members: [String: GuardValue]) -> PendingAnswer {
    guard let method = kind.method else { return Self.unknownEvent }
    let (viewer, url) = (members["viewer"]?.string, members["url"]?.string)
    let said = GuardEvent(
      viewer: viewer, url: url, newWindow: members["newWindow"]?.bool, action: members["action"]?.string)
    return change { core, now in
      var members = members
      members["action"] = core.session.naming(said, kind, at: now).action.map { .string($0) }
      return core.session.ask(method, about: [viewer], at: now) { [members] parameters, remaining in
        parameters.member("event") { event in
          event.object {
            $0.members(members)
            $0.member("deadline", remaining)
          }
        }
      }
    }
  }

  /// Sends several questions in one call.
  func ask(_ questions: [(EventKind, GuardEvent)]) -> PendingAnswer {
    guard questions.allSatisfy({ $0.0.method != nil }) else { return Self.unknownEvent }
    return change { core, now in
      let named = questions.map { (kind: $0.name, event: core.session.naming($1, $0, at: now)) }
      return core.session.ask("DecideMany", about: named.map(\.event.viewer), at: now) { parameters, remaining in
        parameters.member("questions") { list in
          list.array { list in
            for question in named {
              list.element { element in
                element.object { members in
                  members.member("kind", question.kind)
                  members.member("event") { question.event.write(to: &$0, deadline: remaining) }
                }
              }
            }
          }
        }
      }
    }
  }

  /// A kind without a name cannot be asked about.
  private static var unknownEvent: PendingAnswer {
    let answer = PendingAnswer()
    answer.give(.refused(.init(name: Reason.unknownEvent.rawValue, parameters: [:])))
    return answer
  }
}

extension Session {
  /// The event, with an id for the user action when it is a navigation without one.
  mutating func naming(_ event: GuardEvent, _ kind: EventKind, at time: Int64) -> GuardEvent {
    guard kind == .navigate, event.action == nil else { return event }
    var event = event
    event.action = actions.action(of: event, at: time)
    return event
  }

  /// Submits a question with the contract's answer time as its deadline.
  package mutating func ask(
    _ method: String, about viewers: [String?] = [], at time: Int64,
    _ members: @escaping @Sendable (inout ValueWriter, _ remaining: Int) -> Void
  ) -> PendingAnswer {
    let call = Call(
      method: method, purpose: .question(viewers: viewers), deadline: time + Int64(contract.answerMilliseconds)
    ) { writer, remaining in writer.object { members(&$0, remaining) } }
    submit(call, at: time)
    return call.answer
  }
}
