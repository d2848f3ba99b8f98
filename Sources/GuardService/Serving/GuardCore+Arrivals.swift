internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import Logging
internal import NIOCore
internal import PolicyEngine

/// Lets connections in. Names, persons and units are looked up beside the loop.
extension GuardCore {
  /// Looks up who connected, and lets in whom the machine or the policy knows: `enter` gets nil for anybody else. False,
  /// and `enter` is never called, when too many stand at the door.
  func admit(_ caller: AcceptedPeer, then enter: @escaping (LookUps.Arrival?) -> Void) -> Bool {
    guard arriving < Self.maximumArriving else {
      refuseArrival(caller.peer, .tooManyConnections)
      return false
    }
    arriving += 1
    let bound = NIOLoopBound((self, enter), eventLoop: loop)
    lookUps.arrival(of: caller, on: loop).whenComplete { result in
      let (core, enter) = bound.value
      core.arriving -= 1
      enter((try? result.get()).flatMap { core.admitted($0, served: caller.served) })
      core.submit()
    }
    return true
  }

  /// Maximum connections whose user is not known yet.
  private static let maximumArriving = 1024

  /// A user whom the mode of the admin socket lets in is an administrator; the user who runs the daemon is known.
  private func admitted(_ arrival: LookUps.Arrival, served: InterfaceSet) -> LookUps.Arrival? {
    guard served == .guardSocket else { return arrival }
    switch arrival.person {
    case .known: return arrival
    case .unknown where isNamed(arrival.peer.uid): return arrival
    case .unknown: refuseArrival(arrival.peer, .unknownPerson)
    case .ambiguous: refuseArrival(arrival.peer, .ambiguousPerson)
    }
    return nil
  }

  private func isNamed(_ uid: UInt32) -> Bool {
    snapshot.apps.contains { app in app.peers.contains { $0.uid == uid } }
  }

  private func refuseArrival(_ peer: Peer, _ fault: PeerFault) {
    vitals.metrics.refusedConnections += 1
    tell(fault, of: peer.person, ["uid": "\(peer.uid)", "total": "\(quotas.total)"])
  }

  // MARK: Names

  /// Answers `WhoAmI`, when the names of the peer's groups are there. Only one such question of each person is looked
  /// up at a time: a person with many groups and many connections makes others wait for one of them only.
  func answerWhoAmI(on connection: Connection, isOneway: Bool) {
    guard !isOneway else { return }
    connection.isBusy = true
    let person = connection.peer.person
    guard namings[person] == nil else {
      namings[person]?.append(connection)
      return
    }
    namings[person] = []
    lookUpNames(for: connection)
  }

  private func lookUpNames(for connection: Connection) {
    let bound = NIOLoopBound((self, connection), eventLoop: loop)
    lookUps.names(ofGroups: Set(connection.peer.groups).sorted(), on: loop).whenComplete { result in
      let (core, connection) = bound.value
      core.tellWho(connection, groups: (try? result.get()) ?? [])
      core.lookUpNextNames(of: connection.peer.person)
    }
  }

  private func lookUpNextNames(of person: UInt32) {
    guard let next = namings[person]?.first else {
      namings[person] = nil
      return
    }
    namings[person]?.removeFirst()
    if next.isOpen { lookUpNames(for: next) } else { lookUpNextNames(of: person) }
  }

  private func tellWho(_ connection: Connection, groups: [String]) {
    guard connection.isOpen else { return }
    connection.isBusy = false
    writer.reset()
    writer.answer(whoAmI(connection.peer, groups: groups))
    hold(on: connection, record: journal.newest)
    submit()
    connection.resume()
  }
}
