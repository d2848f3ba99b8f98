public import GuardModel

/// What a question would be answered for one place.
public struct LocationHint: Sendable, Hashable {
  /// The place.
  public internal(set) var location: Location
  /// The outcome.
  public internal(set) var outcome: Outcome
  /// The step that would end the procedure.
  public internal(set) var reason: DecisionReason
}

/// What a question would be answered for one program.
public struct ProgramHint: Sendable, Hashable {
  /// The program: an app of the policy, or the name of a desktop file.
  public internal(set) var peer: String
  /// The outcome.
  public internal(set) var outcome: Outcome
  /// The step that would end the procedure.
  public internal(set) var reason: DecisionReason
}

/// Hints, so that an app can grey out what may not be. Nothing is recorded; ask again when the user has chosen.
extension GuardClient {
  /// Which way data goes between a viewer and a place.
  public enum PlaceQuestion: String, Sendable, Hashable, CaseIterable {
    /// As `save`.
    case save
    /// As `open`.
    case open
  }

  /// What `save` or `open` would answer for every place, in the order of `Location`. The event's location is not looked at.
  public nonisolated(nonsending) func locationHints(
    _ kind: PlaceQuestion, _ event: GuardEvent
  ) async -> [LocationHint] {
    let answer = await courier.askHints("DecideLocations", event) { $0.member("kind", kind.rawValue) }.value()
    let hints = Self.hints(answer, "locations") { hint in
      hint["location"]?.string.flatMap(Location.init(word:)).map {
        LocationHint(location: $0, outcome: Outcome(word: hint["outcome"]), reason: DecisionReason(reading: hint))
      }
    }
    let local = GuardDecision.reading(answer, to: kind == .save ? .save : .open, contract)
    return hints ?? Location.allCases.map { .init(location: $0, outcome: local.outcome, reason: local.reason) }
  }

  /// What `share` would answer for each of these programs, in the same order. The event's peer is not looked at.
  public nonisolated(nonsending) func programHints(_ peers: [String], _ event: GuardEvent) async -> [ProgramHint] {
    let answer = await courier.askHints("DecidePeers", event) { $0.member("peers", peers) }.value()
    let hints = Self.hints(answer, "peers") { hint in
      hint["peer"]?.string.map {
        ProgramHint(peer: $0, outcome: Outcome(word: hint["outcome"]), reason: DecisionReason(reading: hint))
      }
    }
    let local = GuardDecision.reading(answer, to: .share, contract)
    return hints ?? peers.map { .init(peer: $0, outcome: local.outcome, reason: local.reason) }
  }

  private static func hints<Hint>(_ answer: CallAnswer, _ name: String, _ read: (GuardValue) -> Hint?) -> [Hint]? {
    guard case .reply(let members) = answer else { return nil }
    return members[name]?.array?.compactMap(read)
  }
}

extension DecisionReason {
  fileprivate init(reading value: GuardValue) { self.init(rawValue: value["reason"]?.string ?? "") }
}

extension Courier {
  fileprivate func askHints(
    _ method: String, _ event: GuardEvent, _ members: @escaping @Sendable (inout ValueWriter) -> Void
  ) -> PendingAnswer {
    change { core, now in
      core.session.ask(method, at: now) { parameters, remaining in
        members(&parameters)
        parameters.member("event") { event.write(to: &$0, deadline: remaining) }
      }
    }
  }
}
