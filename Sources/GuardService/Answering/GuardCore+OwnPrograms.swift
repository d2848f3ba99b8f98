internal import GuardModel
internal import GuardProtocol
internal import PolicyEngine
internal import PolicyFiles

/// `OwnPrograms`: facts that users may collect about their own programs for a helpdesk (ledger DC-06).
///
/// The attack: a user learns of other users by it, or a program that shares the user's number learns of one that has a
/// socket of its own.
extension GuardCore {
  /// More are only counted, to keep the reply small.
  private static let mostListed = 32

  func ownPrograms(of connection: Connection) -> OwnProgramsReply {
    let own = sessions.values.filter { isOwn($0, of: connection.peer) }
      .sorted { $0.instance.serial < $1.instance.serial }
    var reply = OwnProgramsReply()
    (reply.generation, reply.contract) = (snapshot.generation, policy.settings.contract)
    reply.problems = problems(for: connection)
    reply.programCount = own.count
    reply.programs = own.prefix(Self.mostListed).map(program)
    serving.charge(reply.programs.reduce(sessions.count / Self.mostListed) { $0 + 1 + $1.viewers.count })
    return reply
  }

  /// The same user, not only the same person. Through an app's own socket, that app's alone; from elsewhere none of those.
  private func isOwn(_ session: Session, of peer: Peer) -> Bool {
    session.peer.uid == peer.uid && session.peer.socket == peer.socket
  }

  /// Nothing of others: not that a share of theirs is full.
  private func problems(for connection: Connection) -> [HealthProblemCode] {
    let shares: Set<HealthProblemCode> = [.logShareFull, .logShareFilling]
    let common = health.problems.map(\.code).filter { !shares.contains($0) }
    return common + (journal.isShareFull(at: connection.logPlace) ? [.logShareFull] : [])
  }

  private func program(_ session: Session) -> OwnProgramsReply.Program {
    let id = session.instance
    let instance = state.instance(id)
    let accounts = state.shownAccounts(of: id).keys.map { state.accounts.displayName($0) }.sorted()
    let protections = Set(accounts.flatMap { state.protections(binding: $0, in: id, snapshot) })
    return OwnProgramsReply.Program(
      app: session.app, instance: session.logName, connections: session.connections,
      mustState: instance.map { $0.mustState || $0.owesIdentity } ?? true, accounts: accounts,
      protections: protections.sorted(), viewerCount: instance?.viewers.count ?? 0,
      viewers: state.viewers(of: id, atMost: Self.mostListed, snapshot).map { viewer in
        let resolved = StateReply.viewer(
          policy: viewer.resolved.policy, source: viewer.resolved.source,
          ruleSet: snapshot.name(of: viewer.resolved.rules))
        return OwnProgramsReply.Viewer(name: viewer.name, viewerClass: viewer.className, resolved: resolved)
      })
  }
}
