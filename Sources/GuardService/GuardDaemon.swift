internal import DecisionLog
internal import Dispatch
internal import Glibc
internal import GuardModel
internal import GuardProtocol
package import Logging
internal import NIOCore
internal import NIOPosix
internal import PolicyEngine
internal import PolicyFiles

/// The daemon: all wiring, and nothing else.
package struct GuardDaemon: Sendable {
  package let options: DaemonOptions
  private let logger: Logger

  package init(options: DaemonOptions, logger: Logger) {
    self.options = options
    self.logger = logger
  }

  /// Serves until SIGTERM or SIGINT tells it to stop; one that comes while it starts stops it then, and further ones
  /// change nothing. SIGHUP reloads the policy. Throws a `StartError` when it cannot start.
  package func run() async throws {
    // A full disk and a peer that is gone are answers of `write`, not ends of the daemon.
    signal(SIGXFSZ, SIG_IGN)
    signal(SIGPIPE, SIG_IGN)
    OpenFiles.allowAll()
    // From the first moment: a hang-up must never end the daemon, however early it comes.
    let signals = await TrappedSignals.trap([SIGTERM, SIGINT, SIGHUP])
    let loaded = BootPolicy.read(options.roots, options.keptPolicies)
    let settings = bounded(loaded.settings)
    let adopted = try AdoptedSockets.inherited()
    var place = options.place(settings)
    place.adopt(adopted)
    let lock = try place.claim()
    let log = try options.openLog(settings)
    var kept = try options.openState(place, settings)
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let core = try await start(on: group.next(), loaded, settings, log, kept, place)
    // All of it was taken up: a million owners of files would stay here a second time.
    kept = nil
    let listeners = try await GuardServer.listen(place, adopting: adopted, core)
    try await core.eventLoop.submit { [place] in
      core.value.begin(SocketWatch(listeners, lock: lock, at: place, core))
      core.value.beginSupervision(core)
    }.get()
    logger.notice("serving", metadata: ["guard": "\(place.guardSocket)", "admin": "\(place.adminSocket)"])
    for await signal in signals {
      guard signal == SIGHUP else { break }
      core.eventLoop.execute { _ = core.value.reload() }
    }
    try await core.eventLoop.submit { core.value.vitals.supervision.stopping() }.get()
    try? await core.eventLoop.flatSubmit { core.value.stopListening() }.get()
    let unwritten = await stop(core)
    try await core.eventLoop.submit { core.value.serving.sockets?.clear() }.get()
    try await group.shutdownGracefully()
    guard unwritten == 0 else { throw StartError.log("\(unwritten) bytes of the decision log could not be written") }
  }

  /// The settings with no more connections than there are files for: a daemon without files could not reload, nor write a
  /// new log.
  private func bounded(_ settings: DaemonSettings) -> DaemonSettings {
    let room = OpenFiles.roomForConnections
    guard settings.limits.connections > room else { return settings }
    logger.warning(
      "the system lets the daemon open too few files for `limits.connections`; raise LimitNOFILE=",
      metadata: ["connections": "\(room)", "limits.connections": "\(settings.limits.connections)"])
    var settings = settings
    settings.limits.connections = room
    return settings
  }

  private func start(
    on loop: any EventLoop, _ loaded: BootPolicy, _ settings: DaemonSettings, _ log: OpenedLog?,
    _ kept: OpenedState?, _ place: SocketPlace
  ) async throws -> NIOLoopBound<GuardCore> {
    let options = options
    let logger = logger
    let key = try log.map { _ in try options.pseudonymKey(settings) }
    // A program that comes back at once has labels to read.
    let ring = kept == nil ? nil : options.keyRing
    let labelKey = ring?.labelKey()
    let started = try await loop.submit {
      let core = GuardCore(
        loop: loop, logger: logger, version: DaemonOptions.version,
        policy: ActivePolicy(
          settings, roots: options.roots, contractFile: place.contractFile, store: options.keptPolicies,
          logger: logger))
      let bound = NIOLoopBound(core, eventLoop: loop)
      if let kept { core.journal.take(clockOf: kept) }
      if let log, let key { core.begin(log, key: key, expecting: Journal.headMark(of: kept), bound) }
      if let kept { core.take(exceptionsOf: kept) }
      if let kept { core.take(checkInsOf: kept) }
      core.adopt(loaded)
      if let kept { core.keys.book = KeyBook(marks: kept.records.marks, at: core.journal.now()) }
      if let kept, let place = options.state { core.take(kept, at: place, bound) }
      if let kept { core.keys.files = FileTable(kept.records.files) }
      if let ring {
        core.keys.labelKey = labelKey
        core.begin(ring)
      }
      core.submit()
      core.beginUnlocking(bound)
      core.startTicking(bound)
      return bound
    }.get()
    // Its first program may want a label at once, and the first keys are being made.
    if labelKey == nil { try? await ring?.wait(for: loop).get() }
    return started
  }

  /// Ends the core; returns how many bytes of the log could not be written.
  private func stop(_ core: NIOLoopBound<GuardCore>) async -> Int {
    try? await core.eventLoop.submit { core.value.endLoading() }.get()
    while let beside = try? await core.eventLoop.submit({ core.value.policy.beside }).get() { try? await beside.get() }
    let unwritten = try? await core.eventLoop.submit { core.value.end() }.get()
    try? await core.eventLoop.submit { core.value.lookUps.end() }.get()
    try? await core.eventLoop.submit { core.value.keys.ring?.end() }.get()
    // Not on the loop: it waits for a thread.
    if let bus = try? await core.eventLoop.submit({ core.value.unlocking.bus }).get() { bus.end() }
    return unwritten ?? 0
  }
}

/// The signals that reach this process from now on, in their order, instead of having their default effect.
///
///     for await signal in await TrappedSignals.trap([SIGTERM, SIGHUP]) where signal == SIGTERM { break }
///
/// Each stays trapped until the process ends, also after the loop over them has ended: a second SIGTERM must not kill a
/// daemon that is writing its last records. Signals that come before this returns may still have their default effect,
/// and equal ones that come close together may arrive as one.
package enum TrappedSignals {
  package static func trap(_ numbers: [Int32]) async -> AsyncStream<Int32> {
    let (signals, arrivals) = AsyncStream.makeStream(of: Int32.self)
    let queue = DispatchQueue(label: "signals")
    for number in numbers {
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        // Its own handler keeps the source, so that it stays.
        withExtendedLifetime(source) { _ = arrivals.yield(number) }
      }
      await withCheckedContinuation { isTrapped in
        source.setRegistrationHandler { isTrapped.resume() }
        source.activate()
      }
    }
    return signals
  }
}
