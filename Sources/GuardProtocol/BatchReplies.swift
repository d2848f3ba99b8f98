package import GuardModel
package import JSONText

/// The reply to `DecideMany`: one decision for each question, in their order.
package struct DecisionsReply: Reply, Sendable, Hashable {
  package var decisions: [DecisionReply]

  package init(_ decisions: [DecisionReply]) { self.decisions = decisions }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.key("decisions")
    writer.beginArray()
    for decision in decisions { decision.writeObject(to: &writer) }
    writer.endArray()
  }
}

/// What a question would be answered: for an app that greys out what may not be. Nothing is recorded, so it never
/// stands in for the question (ledger SL-17).
package struct Hint: Sendable, Hashable {
  /// What it is about: a location's name, or a program's.
  package var subject: String
  package var outcome: Outcome
  package var reason: Reason

  package init(_ subject: String, _ outcome: Outcome, _ reason: Reason) {
    self.subject = subject
    self.outcome = outcome
    self.reason = reason
  }

  fileprivate func write(_ name: StaticString, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member(name, subject)
    writer.member("outcome", outcome.name)
    writer.member("reason", reason.rawValue)
    writer.endObject()
  }
}

extension JSONWriter {
  fileprivate mutating func hints(_ name: StaticString, _ hints: [Hint], about subject: StaticString) {
    key(name)
    beginArray()
    for hint in hints { hint.write(subject, to: &self) }
    endArray()
  }
}

/// The reply to `DecideLocations`: every location, in the order of the interface file (ledger SL-14, OL-09).
package struct LocationsReply: Reply, Sendable, Hashable {
  package var locations: [Hint]

  package init(_ locations: [Hint]) { self.locations = locations }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.hints("locations", locations, about: "location")
  }
}

/// The reply to `DecidePeers`: the programs in the order in which they were named (ledger DT-05).
package struct PeersReply: Reply, Sendable, Hashable {
  package var peers: [Hint]

  package init(_ peers: [Hint]) { self.peers = peers }

  package func writeParameters(to writer: inout JSONWriter) {
    writer.hints("peers", peers, about: "peer")
  }
}
