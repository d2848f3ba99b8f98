internal import DecisionLog
internal import GuardProtocol
package import Logging
package import NIOCore
package import PolicyEngine
package import PolicyFiles

/// The daemon's core on a loop that its user drives: it has no thread, no socket and no file but those of its log.
/// Nothing happens but what the user brings about, so that tests and fuzzers see each step.
package final class DrivenGuard {
  private let core: GuardCore
  private let bound: NIOLoopBound<GuardCore>

  /// A core without a policy.
  ///
  /// - Parameters:
  ///   - settings: those of the start.
  ///   - persons: the users of the machine.
  ///   - logDirectory: where the decision log lies; nil for none.
  ///   - time: the latest time on record, in milliseconds since 1970.
  package init(
    on loop: any EventLoop, _ settings: DaemonSettings, _ persons: PersonLookUp, logger: Logger,
    logDirectory: String? = nil, after time: UInt64 = 0
  ) throws {
    core = GuardCore(
      loop: loop, logger: logger, version: "0",
      policy: ActivePolicy(settings, roots: [], contractFile: "/dev/null/contract.json", logger: logger),
      lookUps: LookUps(persons, isDriven: true))
    bound = NIOLoopBound(core, eventLoop: loop)
    core.journal.clock.advance(to: time)
    core.state.keepsPages = true
    if let logDirectory {
      let key = [UInt8](repeating: 7, count: LogKey.byteCount)
      core.begin(try OpenedLog(directory: logDirectory), key: key, expecting: nil, bound, isDriven: true)
    }
    core.startTicking(bound)
  }

  /// Puts a configuration in force, as a reload does. Throws when it has errors.
  package func adopt(_ loaded: LoadResult) throws {
    _ = try core.adopt(loaded)
    core.submit()
  }

  /// The handler for a connection of a peer.
  ///
  /// - Parameter isAdministrator: it comes through the admin socket; else through that of all apps, or the app's own
  ///   that `peer` names.
  package func handler(for peer: Peer, isAdministrator: Bool) -> any ChannelHandler {
    let served = isAdministrator ? ServedSocket.adminSocket : peer.socket.map(ServedSocket.app) ?? .guardSocket
    return ConnectionHandler(
      core: core, servedSocket: served, caller: AcceptedPeer(peer: peer, process: nil, served: served.served))
  }

  /// Writes the records that wait, and lets go the replies that wait for them; false when there were none, or they could
  /// not be written.
  package func settle() -> Bool {
    core.submit()
    guard let (progress, hadWork) = core.journal.settle() else { return false }
    core.logDidProgress(progress)
    return hadWork && !core.journal.isFailing
  }

  /// Milliseconds since 1970, as the daemon takes it.
  package var time: UInt64 {
    get { core.journal.clock.now() }
    set { core.journal.clock.advance(to: newValue) }
  }

  /// Milliseconds since the boot of a machine whose clock is right, for wipes; nil for this machine's clocks.
  package var uptime: UInt64? {
    get { core.vitals.drivenUptime }
    set { core.vitals.drivenUptime = newValue }
  }

  package var connections: Int { core.serving.connections.count }
  package var instances: Int { core.sessions.count }
  /// How often the facts about the machine were read.
  package var factReadings: Int { core.vitals.factReadings }

  /// The last step of a daemon's life; returns how many bytes of the log could not be written.
  package func end() -> Int { core.end() }

  // MARK: The state of the next daemon

  /// Adds the records that a state file would have by now.
  package func keep(in kept: inout StateRecords) {
    var changes = KeptState()
    core.state.takeChanges(into: &changes)
    kept.clips.merge(changes)
    kept.instances = [:]
    for (token, instance) in core.returning { kept.instances.updateValue(instance, forKey: token) }
    for (token, session) in core.sessions.byToken {
      kept.instances.updateValue(core.journal.kept(session), forKey: token)
    }
  }

  /// Takes up the records of an earlier daemon; after the policy.
  package func takeUp(_ kept: StateRecords) { core.takeUp(kept, bound) }
}
