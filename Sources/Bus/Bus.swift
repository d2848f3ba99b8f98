internal import CBus
internal import Glibc
internal import Platform

/// A method of a peer on a bus, with its arguments.
package struct BusCall: Sendable, Hashable {
  package var destination: String
  package var path: String
  package var interface: String
  package var member: String
  package var arguments: [BusValue]

  package init(
    to destination: String, at path: String, _ interface: String, _ member: String, _ arguments: [BusValue] = []
  ) {
    self.destination = destination
    self.path = path
    self.interface = interface
    self.member = member
    self.arguments = arguments
  }
}

/// News from a peer on a bus. Arguments over the limits are left out.
package struct BusSignal: Sendable, Hashable {
  /// The unique name of the sender, which the bus writes; the bus itself is `org.freedesktop.DBus`.
  package var sender: String
  package var path: String
  package var interface: String
  package var member: String
  package var arguments: [BusValue]
}

/// A message that arrived on a bus.
package enum BusIncoming: Sendable, Hashable {
  /// The answer to the call of this number.
  case reply(UInt64, Result<[BusValue], BusError>)
  case signal(BusSignal)
}

/// A connection to a message bus, by sd-bus of libsystemd, which is loaded when the first connection is opened.
///
///     let bus = try Bus(.session)
///     let call = BusCall(to: "org.freedesktop.DBus", at: "/", "org.freedesktop.DBus", "GetId")
///     try bus.call(call, milliseconds: 1000)    // [.string("8f3c…")]
///
/// One thread at a time uses it. Everything ends by its deadline: a bus that accepts and says nothing, or a peer that
/// hangs, costs the milliseconds that the caller gives. An answer is taken as the bus delivers it: that it is the right
/// peer's is what the system bus sees to, and on a session bus every peer is the same person.
///
/// libsystemd is not linked. The daemon decides without D-Bus, also on machines without systemd, and one that starts
/// before a library is repaired still guards.
///
/// Source: sd-bus(3); design accounts.md section 2.
package final class Bus {
  /// Which bus.
  package enum Kind: Sendable, Hashable {
    /// The machine's; `DBUS_SYSTEM_BUS_ADDRESS` names another.
    case system
    /// The person's; `DBUS_SESSION_BUS_ADDRESS` names it.
    case session
  }

  /// News and answers that wait to be taken; more are dropped and counted in ``missed``.
  private static let mostWaiting = 256

  private let library: bus_library
  private let bus: OpaquePointer
  private let limits: BusLimits
  private var waiting: [BusIncoming] = []
  private var isOpen = true

  /// News and answers to nobody that were dropped, since a peer sent them faster than they were taken.
  package private(set) var missed = 0

  /// Opens a connection. Does not wait for the bus: the first call does.
  package init(_ kind: Kind, limits: BusLimits = BusLimits()) throws(BusError) {
    let (library, bus) = try Self.open { library, bus in
      kind == .system ? library.open_system(&bus) : library.open_user(&bus)
    }
    (self.library, self.bus, self.limits) = (library, bus, limits)
  }

  /// Opens a connection to the bus of an address, such as `unix:path=/run/dbus/system_bus_socket`.
  package init(address: String, limits: BusLimits = BusLimits()) throws(BusError) {
    let (library, bus) = try Self.open { library, bus in
      var result = library.new_bus(&bus)
      if result >= 0 { result = library.set_address(bus, address) }
      if result >= 0 { result = library.set_bus_client(bus, 1) }
      return result >= 0 ? library.start(bus) : result
    }
    (self.library, self.bus, self.limits) = (library, bus, limits)
  }

  private static func open(
    _ open: (bus_library, inout OpaquePointer?) -> Int32
  ) throws(BusError) -> (bus_library, OpaquePointer) {
    guard let library = bus_library()?.pointee else { throw .noLibrary }
    var opened: OpaquePointer?
    let result = open(library, &opened)
    guard result >= 0, let opened else {
      if let opened { _ = library.unref(opened) }
      throw .failure(result)
    }
    return (library, opened)
  }

  deinit {
    library.close(bus)
    _ = library.unref(bus)
  }

  /// Calls a method and waits for its answer. News that arrive meanwhile are kept for ``next(milliseconds:waking:)``.
  package func call(_ call: BusCall, milliseconds: Int) throws(BusError) -> [BusValue] {
    let cookie = try begin(call)
    let deadline = SystemClock.monotonicMilliseconds + Int64(milliseconds)
    while true {
      if let place = waiting.firstIndex(where: { $0.cookie == cookie }),
        case .reply(_, let answer) = waiting.remove(at: place)
      {
        return try answer.get()
      }
      guard try wait(until: deadline, waking: -1, for: cookie) else { throw .timedOut }
    }
  }

  /// Sends a call; ``next(milliseconds:waking:)`` gives its answer under the number that is returned.
  package func begin(_ call: BusCall) throws(BusError) -> UInt64 {
    guard isOpen else { throw .gone }
    return try BusMessage.made(of: call, on: bus, library).send(on: bus)
  }

  /// Asks the bus for news.
  ///
  /// - Parameter rule: a match rule of the specification, such as `type='signal',member='NameOwnerChanged'`.
  package func subscribe(_ rule: String, milliseconds: Int) throws(BusError) {
    _ = try call(
      BusCall(
        to: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", [.string(rule)]),
      milliseconds: milliseconds)
  }

  /// Takes the next message; nil when none came in time, or when `waking` can be read.
  ///
  /// - Parameter waking: a descriptor that ends the wait, or -1.
  package func next(milliseconds: Int, waking: Int32 = -1) throws(BusError) -> BusIncoming? {
    let deadline = SystemClock.monotonicMilliseconds + Int64(milliseconds)
    while waiting.isEmpty {
      guard try wait(until: deadline, waking: waking, for: nil) else { return nil }
    }
    return waiting.removeFirst()
  }

  /// Waits for messages once; false when the time is over or `waking` can be read.
  private func wait(until deadline: Int64, waking: Int32, for cookie: UInt64?) throws(BusError) -> Bool {
    if try process(for: cookie) { return true }
    let left = deadline - SystemClock.monotonicMilliseconds
    guard left > 0 else { return false }
    return try poll(milliseconds: left, waking: waking)
  }

  /// Carries out what sd-bus has to do; true when something did happen.
  private func process(for cookie: UInt64?) throws(BusError) -> Bool {
    guard isOpen else { throw .gone }
    var arrived: OpaquePointer?
    let result = library.process(bus, &arrived)
    guard result >= 0 else {
      isOpen = false
      throw .failure(result)
    }
    guard let arrived else { return result > 0 }
    if let incoming = BusMessage(library, owning: arrived).incoming(limits) { try keep(incoming, for: cookie) }
    return true
  }

  private func keep(_ incoming: BusIncoming, for cookie: UInt64?) throws(BusError) {
    // sd-bus says so itself when the connection has ended.
    if case .signal(let signal) = incoming, signal.interface == "org.freedesktop.DBus.Local" {
      isOpen = false
      throw .gone
    }
    if case .signal(let signal) = incoming, signal.isAboutOwnNames { return }
    guard waiting.count < Self.mostWaiting || incoming.cookie == cookie && cookie != nil else {
      missed += 1
      return
    }
    waiting.append(incoming)
  }

  private func poll(milliseconds: Int64, waking: Int32) throws(BusError) -> Bool {
    let descriptor = library.get_fd(bus)
    let events = library.get_events(bus)
    guard descriptor >= 0, events >= 0 else {
      isOpen = false
      throw .gone
    }
    var waited = [
      pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0),
      pollfd(fd: waking, events: Int16(POLLIN), revents: 0),
    ]
    let own = ownMilliseconds()
    let milliseconds = min(milliseconds, own, Int64(Int32.max))
    _ = Glibc.poll(&waited, 2, Int32(milliseconds))
    return waited[1].revents == 0
  }

  /// Milliseconds until sd-bus wants to be asked again, such as for the end of its own wait for the bus's welcome.
  private func ownMilliseconds() -> Int64 {
    var microseconds = UInt64.max
    guard library.get_timeout(bus, &microseconds) >= 0, microseconds != .max else { return .max }
    let now = SystemClock.monotonicMicroseconds
    return microseconds <= now ? 0 : Int64(min((microseconds - now) / 1000 + 1, UInt64(Int32.max)))
  }
}

extension BusIncoming {
  fileprivate var cookie: UInt64? {
    if case .reply(let cookie, _) = self { return cookie }
    return nil
  }
}

extension BusSignal {
  /// The bus tells every newcomer its unique name, asked or not.
  fileprivate var isAboutOwnNames: Bool {
    sender == "org.freedesktop.DBus" && ["NameAcquired", "NameLost"].contains(member)
  }
}
