internal import Glibc
internal import GuardModel
internal import Platform
internal import Synchronization

/// Carries the client's bytes on a thread of its own, which begins with the first call and ends with the client.
///
/// A thread rather than tasks: an answer must come in time however busy the app's tasks and its main thread are.
final class Courier: Sendable {
  private let core: Mutex<Core>
  private let waking = Waking()
  private let socketPath: String?
  private let trustedUIDs: Set<UInt32>?
  private let onProblem: (@Sendable (GuardProblem) -> Void)?
  private let onStanding: (@Sendable (Standing) -> Void)?

  init(_ configuration: GuardClient.Configuration) {
    let features = ["actions", "clips"] + configuration.features.map(\.rawValue).sorted()
    let hello = Hello(app: configuration.app, features: features, languages: configuration.languages)
    core = Mutex(Core(session: Session(hello: hello, actionPrefix: String(UInt64.random(in: 0 ... .max), radix: 16))))
    (socketPath, trustedUIDs) = (configuration.socketPath, configuration.trustedUIDs)
    (onProblem, onStanding) = (configuration.onProblem, configuration.onStanding)
  }

  /// What holds now.
  var contract: FailureContract { core.withLock { $0.session.contract } }

  var isConnected: Bool { core.withLock { $0.session.instance != nil } }

  var standing: Standing { core.withLock { $0.session.standing } }

  /// What the app last said of a level.
  func shown(at level: GuardClient.IdentityTarget) -> ShownAccounts {
    core.withLock { core in
      core.session.registrations.identities.first { $0.level == level }?.shown ?? .inherited
    }
  }

  /// Changes what is shared, does what follows from it, and lets the thread see to the rest.
  @discardableResult
  func change<Result: Sendable>(_ body: @Sendable (inout Core, Int64) -> Result) -> Result {
    begin()
    let (result, effects) = core.withLock { core in
      let result = body(&core, SystemClock.monotonicMilliseconds)
      return (result, core.takeEffects())
    }
    perform(effects)
    waking.wake()
    return result
  }

  /// Ends the thread; whoever waits is answered by the contract.
  func close() {
    let effects = core.withLock { core in
      core.close()
      return core.takeEffects()
    }
    perform(effects)
    waking.wake()
  }

  /// Reads the contract and starts the thread, the first time.
  private func begin() {
    let isFirst = core.withLock { core in
      defer { core.isRunning = true }
      return !core.isRunning && !core.isClosed
    }
    guard isFirst else { return }
    readContract()
    if !waking.isOpen || !PlatformThread.start({ self.run() }) {
      perform([.report(.system(call: "pthread_create", code: EAGAIN))])
      core.withLock { $0.close() }
    }
  }

  private func readContract() {
    let (place, trust) = placeAndTrust
    guard !core.withLock({ $0.session.hasAttached }) else { return }
    let (contract, problem) = ContractFile.read(place, trust)
    let isNew = core.withLock { core in
      if !core.session.hasAttached { core.session.contract = contract }
      defer { core.contractProblem = problem }
      return core.contractProblem != problem
    }
    if let problem, isNew { perform([.report(problem)]) }
  }

  private var placeAndTrust: (DaemonPlace, Trust) {
    let place = DaemonPlace.find(socketPath)
    return (place, Trust(uids: trustedUIDs, ownUserMayServe: place.ownUserMayServe))
  }

  private func perform(_ effects: [Effect]) {
    for effect in effects {
      switch effect {
      case .give(let pending, let answer): pending.give(answer)
      case .report(let problem): onProblem?(problem)
      case .stand(let standing): onStanding?(standing)
      case .tell(let listener, let news): listener.yield(news)
      case .end(let listener): listener.finish()
      }
    }
  }

  // MARK: On the thread

  private func run() {
    var connections: [Core.LineName: Connection] = [:]
    while true {
      let turn = core.withLock { $0.turn(at: SystemClock.monotonicMilliseconds) }
      perform(turn.effects)
      if turn.isOver { return }
      let names = Set(turn.lines.map(\.name))
      connections = connections.filter { names.contains($0.key) }
      // A line that was just connected has something to say at once.
      if serve(turn.lines, &connections) { continue }
      wait(for: connections, until: turn.nextTime)
    }
  }

  /// Does what the lines want; returns whether one was connected, or lost.
  private func serve(_ lines: [Core.Turn.Line], _ connections: inout [Core.LineName: Connection]) -> Bool {
    var hasChanged = false
    for line in lines {
      if line.wish != .stay { connections[line.name] = nil }
      do throws(GuardProblem) {
        if line.wish == .connect {
          hasChanged = true
          connections[line.name] = try connect(line.name)
        }
        try connections[line.name]?.send(line.output)
      } catch {
        hasChanged = true
        core.withLock { $0.lost(line.name, error, at: SystemClock.monotonicMilliseconds) }
      }
    }
    return hasChanged
  }

  private func connect(_ name: Core.LineName) throws(GuardProblem) -> Connection {
    if name == .session { readContract() }
    let (place, trust) = placeAndTrust
    let connection = Connection(try GuardSocket.connect(to: place, trust))
    core.withLock { $0.opened(name, at: SystemClock.monotonicMilliseconds) }
    return connection
  }

  /// Waits for the daemon, the app or the time, and reads what the daemon sent.
  private func wait(for connections: [Core.LineName: Connection], until time: Int64) {
    let lines = Array(connections)
    var polled = [pollfd(fd: waking.descriptor, events: Int16(POLLIN), revents: 0)]
    polled += lines.map { _, connection in
      let events = POLLIN | (connection.hasUnsent ? POLLOUT : 0)
      return pollfd(fd: connection.socket.descriptor, events: Int16(events), revents: 0)
    }
    let milliseconds = min(max(time - SystemClock.monotonicMilliseconds, 0), 3_600_000)
    poll(&polled, nfds_t(polled.count), time == .max ? -1 : Int32(milliseconds))
    if polled[0].revents != 0 { waking.rest() }
    for (line, state) in zip(lines, polled.dropFirst()) where state.revents != 0 {
      receive(on: line.key, line.value)
    }
  }

  private func receive(on name: Core.LineName, _ connection: Connection) {
    do throws(GuardProblem) {
      let messages = try connection.receive()
      if connection.hasUnsent { try connection.send([]) }
      core.withLock { core in
        for message in messages { core.received(message, on: name, at: SystemClock.monotonicMilliseconds) }
      }
    } catch {
      core.withLock { $0.lost(name, error, at: SystemClock.monotonicMilliseconds) }
    }
  }
}
