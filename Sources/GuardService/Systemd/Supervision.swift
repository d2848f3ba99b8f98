internal import Glibc
internal import Platform

/// The daemon's reports to the service manager: that it is ready, its state, and that it lives.
package struct Supervision: Sendable {
  private let notifier: ServiceNotifier?
  /// Nanoseconds between two signs of life; nil when no service manager waits for them.
  package let interval: Int64?
  private var status = ""
  private var log = WriterPulse()
  private var state = WriterPulse()

  /// The settings of the environment; none without a service manager.
  init() { self.init(environment: { getenv($0).map { String(cString: $0) } }, process: getpid()) }

  /// Reads `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
  ///
  /// Signs of life come at a third of the time that is allowed, so that one that is held back costs nothing.
  package init(environment: (String) -> String?, process: Int32) {
    notifier = ServiceNotifier(address: environment("NOTIFY_SOCKET"))
    let isForUs = environment("WATCHDOG_PID").map { Int32($0) == process } ?? true
    let allowed = environment("WATCHDOG_USEC").flatMap { Int64($0) } ?? 0
    interval = notifier != nil && isForUs && (1...Self.longest).contains(allowed) ? allowed * 1000 / 3 : nil
  }

  /// A year, in microseconds.
  private static let longest: Int64 = 365 * 86_400 * 1_000_000

  /// The daemon serves; also said after a load, where it ends the state that `reloading` began.
  package mutating func ready(_ status: String) {
    self.status = status
    notifier?.send("READY=1\nSTATUS=\(status)")
  }

  /// A load began, at this time of the monotonic clock.
  package func reloading(atMicroseconds time: UInt64) { notifier?.send("RELOADING=1\nMONOTONIC_USEC=\(time)") }

  package func stopping() { notifier?.send("STOPPING=1\nSTATUS=stopping") }

  /// Says how the daemon stands, when that has changed.
  package mutating func say(_ status: String) {
    guard status != self.status else { return }
    self.status = status
    notifier?.send("STATUS=\(status)")
  }

  // MARK: Life

  /// The thread that writes the log has ended an attempt, well or not.
  package mutating func logReported() { log.reports &+= 1 }

  /// The thread that writes the state has.
  package mutating func stateReported() { state.reports &+= 1 }

  /// Gives a sign of life. Called by the event loop, so a loop that hangs gives none; nor does one whose writers hang,
  /// since every answer waits for them.
  ///
  /// - Parameters:
  ///   - logWaits: records were handed to the log's thread that it has not told of.
  ///   - stateWaits: changes were handed to the state's thread that it has not told of.
  package mutating func beat(logWaits: Bool, stateWaits: Bool) {
    // Both must be asked: each remembers the state it saw.
    let isLogAlive = log.isAlive(hasWork: logWaits)
    let isStateAlive = state.isAlive(hasWork: stateWaits)
    if isLogAlive, isStateAlive { notifier?.send("WATCHDOG=1") }
  }
}

/// Tells a thread that works from one that hangs.
struct WriterPulse: Sendable, Hashable {
  /// Number of progress reports.
  var reports: UInt64 = 0
  private var seen: UInt64 = 0

  /// Whether it has nothing to do, or has reported since the last call. A reported failure is a sign of life too:
  /// another daemon does not help against a full disk.
  mutating func isAlive(hasWork: Bool) -> Bool {
    defer { seen = reports }
    return !hasWork || reports != seen
  }
}

/// Tells a service manager how the daemon is. Source: sd_notify(3).
///
/// Written by ourselves, as `AdoptedSockets` is: one datagram is not worth a library.
package struct ServiceNotifier: Sendable {
  private let address: UnixAddress
  private let socket: DatagramSocket

  /// The notifier for `$NOTIFY_SOCKET`; nil when it is not set, and no service manager listens.
  ///
  /// `/run/systemd/notify` is a path, `@notify` an abstract name.
  package init?(address text: String?) {
    guard let address = text.flatMap({ UnixAddress($0) }), let socket = DatagramSocket() else { return nil }
    self.address = address
    self.socket = socket
  }

  /// Sends assignments, one a line; false when no reader took them. A slow reader cannot hold the daemon up for longer
  /// than a moment.
  @discardableResult
  package func send(_ assignments: String) -> Bool { address.send(Array(assignments.utf8), from: socket.descriptor) }
}

/// A socket for datagrams that waits a moment at most, and is closed with its owner.
private final class DatagramSocket: Sendable {
  let descriptor: Int32

  init?() {
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = Glibc.socket(AF_UNIX, kind, 0)
    guard descriptor >= 0 else { return nil }
    var moment = timeval(tv_sec: 0, tv_usec: 50_000)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &moment, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }
}
