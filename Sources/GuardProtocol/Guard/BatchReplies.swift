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

extension Hint {
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
