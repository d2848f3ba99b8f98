package import GuardModel

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
