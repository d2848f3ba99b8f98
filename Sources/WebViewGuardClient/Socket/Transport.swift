internal import Glibc
internal import GuardModel
internal import Platform
internal import Synchronization

/// Carries the client's bytes on a thread of its own, which begins with the first call and ends with the client.
///
/// It uses a thread and not tasks: an answer must be in time even when the app's tasks and its main thread are busy.
final class Transport: Sendable {
  private let core: Mutex<Core>
  private let waking = Waking()
  private let socketPath: String?
  private let trustedUIDs: Set<UInt32>?
  private let onProblem: (@Sendable (GuardProblem) -> Void)?
  private let onStanding: (@Sendable (LineStanding) -> Void)?
  /// The client's own line, when this is a scope's.
  private let client: Transport?

  /// A line of its own to the instance of another one.
  init(joining client: Transport) {
    (socketPath, trustedUIDs) = (client.socketPath, client.trustedUIDs)
    (onProblem, onStanding, self.client) = (client.onProblem, nil, client)
    let actionPrefix = String(UInt64.random(in: 0 ... .max), radix: 16)
    core = Mutex(Core(session: client.core.withLock { $0.session.joining(actionPrefix) }))
  }

  init(_ configuration: GuardClient.Configuration) {
    let features = ["actions", "clips"] + configuration.features.map(\.rawValue).sorted()
    let hello = Hello(
      app: configuration.app, features: features, languages: configuration.languages, version: configuration.version,
      rules: configuration.rules)
    let actionPrefix = String(UInt64.random(in: 0 ... .max), radix: 16)
    core = Mutex(Core(session: ClientSession(hello: hello, actionPrefix: actionPrefix)))
    (socketPath, trustedUIDs) = (configuration.socketPath, configuration.trustedUIDs)
    (onProblem, onStanding, client) = (configuration.onProblem, configuration.onStanding, nil)
  }

  /// The failure contract in force now.
  var contract: FailureContract { core.withLock { $0.session.contract } }

  var isConnected: Bool { core.withLock { $0.session.instance != nil } }

  var standing: LineStanding { core.withLock { $0.session.standing } }

  /// The first call was made.
  var hasBegun: Bool { core.withLock { $0.isRunning } }

  private var instance: String? { core.withLock { $0.session.instance } }

  /// The accounts that the app last stated for a level.
  func shown(at level: GuardClient.IdentityTarget) -> ShownAccounts {
    core.withLock { core in
      core.session.registrations.identities.first { $0.level == level }?.shown ?? .inherited
    }
  }

  /// Changes the shared state, carries out the effects, and wakes the thread for the rest.
  @discardableResult
  func change<Result: Sendable>(_ body: @Sendable (inout Core, Int64) -> Result) -> Result {
    begin()
    lookForInstance()
    let (result, effects) = core.withLock { core in
      let result = body(&core, SystemClock.monotonicMilliseconds)
      return (result, core.takeEffects())
    }
    perform(effects)
    waking.wake()
    return result
  }

  /// Ends the thread; the contract answers all waiting callers.
  func close() {
    let effects = core.withLock { core in
      core.close()
      return core.takeEffects()
    }
    perform(effects)
    waking.wake()
  }

  /// A scope learns the client's instance. No lock is held while another one is taken.
  private func lookForInstance() {
    guard let client else { return }
    let instance = client.instance
    core.withLock { $0.session.joinedInstance = instance }
  }

  /// Reads the contract and starts the thread, at the first call.
  private func begin() {
    let isFirst = core.withLock { core in
      defer { core.isRunning = true }
      return !core.isRunning && !core.isClosed
    }
    guard isFirst else { return }
    readContract()
    if waking.descriptor < 0 || !PlatformThread.start({ self.run() }) {
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
      case .tellAll(let listener, let news): listener.yield(news)
      case .end(.known(let listener)): listener.finish()
      case .end(.all(let listener)): listener.finish()
      case .noteSwitches(let reply, let viewers): client?.noteSwitches(reply, viewers)
      }
    }
  }

  private func noteSwitches(_ reply: [String: GuardValue], _ viewers: [String?]) {
    core.withLock { core in core.session.switches.note(reply, viewers, core.session.registrations) }
  }

  // MARK: On the thread

  private func run() {
    var connections: [Core.LineName: DaemonConnection] = [:]
    while true {
      lookForInstance()
      let turn = core.withLock { $0.turn(at: SystemClock.monotonicMilliseconds) }
      perform(turn.effects)
      if turn.isOver { return }
      let names = Set(turn.lines.map(\.name))
      connections = connections.filter { names.contains($0.key) }
      // A line that was just connected has messages to send at once.
      if serve(turn.lines, &connections) { continue }
      wait(for: connections, until: turn.nextTime)
    }
  }

  /// Carries out the wishes of the lines; true when one was connected or lost.
  private func serve(_ lines: [Core.Turn.Line], _ connections: inout [Core.LineName: DaemonConnection]) -> Bool {
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

  private func connect(_ name: Core.LineName) throws(GuardProblem) -> DaemonConnection {
    if name == .session { readContract() }
    let (place, trust) = placeAndTrust
    let connection = DaemonConnection(try GuardSocket.connect(to: place, trust))
    core.withLock { $0.opened(name, at: SystemClock.monotonicMilliseconds) }
    return connection
  }

  /// Waits for the daemon, the app or the time, and reads the daemon's bytes.
  private func wait(for connections: [Core.LineName: DaemonConnection], until time: Int64) {
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

  private func receive(on name: Core.LineName, _ connection: DaemonConnection) {
    do throws(GuardProblem) {
      let messages = try connection.receive()
      if connection.hasUnsent { try connection.send([]) }
      core.withLock { core in
        for message in messages { core.received(message, on: name, at: SystemClock.monotonicMilliseconds) }
        core.receivedAll(on: name, at: SystemClock.monotonicMilliseconds)
      }
    } catch {
      core.withLock { $0.lost(name, error, at: SystemClock.monotonicMilliseconds) }
    }
  }
}

/// A thread of the platform, detached, that takes no signals: those are the app's.
package enum PlatformThread {
  private final class Work: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  /// Starts it; false when the system has no room for one.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    let work = Unmanaged.passRetained(Work(body))
    var thread = pthread_t()
    guard pthread_create(&thread, nil, run, work.toOpaque()) == 0 else {
      work.release()
      return false
    }
    pthread_detach(thread)
    return true
  }

  /// Not isolated to any actor: Swift would check a closure written inside an actor to run there.
  private static let run: @convention(c) @Sendable (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
    argument in
    var signals = sigset_t()
    sigfillset(&signals)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
    return nil
  }
}

/// Wakes the client's thread: a pair of sockets, closed with its owner. Glibc's module does not show `eventfd`.
final class Waking: Sendable {
  /// The end that the thread waits at.
  let descriptor: Int32
  private let other: Int32

  init() {
    var ends: (Int32, Int32) = (-1, -1)
    let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    withUnsafeMutableBytes(of: &ends) { bytes in
      _ = socketpair(AF_UNIX, kind, 0, bytes.assumingMemoryBound(to: Int32.self).baseAddress)
    }
    (descriptor, other) = ends
  }

  deinit {
    close(descriptor)
    close(other)
  }

  /// Without room for another call, the thread is awake already.
  func wake() { withUnsafeBytes(of: UInt8(1)) { _ = send(other, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) } }

  /// Takes all pending calls.
  func rest() {
    var byte: UInt8 = 0
    while recv(descriptor, &byte, 1, 0) > 0 {}
  }
}
