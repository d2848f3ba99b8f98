package import GuardModel
package import GuardProtocol
package import Logging
internal import NIOCore
internal import Platform
package import PolicyEngine
package import PolicyFiles

/// The connections and their limits: places, memory, work, and lines in the operational log. Each user's flood meets
/// a limit of its own before it meets that of all.
package struct Serving: ~Copyable {
  private let logger: Logger
  private(set) var connections: [ObjectIdentifier: Connection] = [:]
  private var connectionCount: UInt64 = 0
  /// Open connections on the admin socket.
  private var administrators = 0
  private var refusedConnections: UInt64 = 0
  /// Connections that see decisions as they are made.
  var watchers: [ObjectIdentifier: Connection] = [:]
  /// Connections that get news.
  var subscribers: [ObjectIdentifier: Connection] = [:]
  /// Connections with a call of many questions that is answered in part.
  var underWay: [ObjectIdentifier: Connection] = [:]
  private var quotas: Quotas
  private var memory: MemoryBudget
  private var faults = PeerFaults()
  /// Work done since the start, in questions; see `charge`.
  package private(set) var work = 0
  /// The part of it that was charged for time alone.
  package private(set) var workOfTime = 0
  /// Connections whose user is not known yet.
  private var arriving = 0
  /// Persons whose groups' names are being looked up, each with the connections that wait for that.
  private var namings: [UInt32: [Connection]] = [:]
  /// The listening sockets; nil until they listen.
  var sockets: SocketWatch?
  /// No more files can be opened.
  private var lacksFiles = false

  package init(_ limits: DaemonSettings.Limits, logger: Logger) {
    self.logger = logger
    memory = MemoryBudget(megabytes: limits.memoryMegabytes)
    quotas = Quotas(perUser: limits.connectionsPerUser, maximum: limits.connections)
  }

  // MARK: Arrivals

  /// Counts a connection whose user is being looked up; false when too many stand at the door.
  package mutating func beginArrival(of peer: Peer) -> Bool {
    guard arriving < Self.maximumArriving else {
      refuse(peer, .tooManyConnections)
      return false
    }
    arriving += 1
    return true
  }

  /// Maximum connections whose user is not known yet.
  private static let maximumArriving = 1024

  /// The user was looked up; nil for anybody whom neither the machine nor the policy knows. A user whom the mode of the
  /// admin socket lets in is an administrator; the user who runs the daemon is known.
  mutating func endArrival(
    _ arrival: LookUps.Arrival?, served: InterfaceSet, _ snapshot: Snapshot
  ) -> LookUps.Arrival? {
    arriving -= 1
    guard let arrival, served == .guardSocket else { return arrival }
    switch arrival.person {
    case .known: return arrival
    case .unknown where snapshot.apps.contains { app in app.peers.contains { $0.uid == arrival.peer.uid } }:
      return arrival
    case .unknown: refuse(arrival.peer, .unknownPerson)
    case .ambiguous: refuse(arrival.peer, .ambiguousPerson)
    }
    return nil
  }

  private mutating func refuse(_ peer: Peer, _ fault: PeerFault) {
    refusedConnections += 1
    tell(fault, of: peer.person, ["uid": "\(peer.uid)", "total": "\(quotas.total)"])
  }

  // MARK: Connections

  /// Counts a connection in; nil when its user, or all together, have too many.
  ///
  /// - Parameter place: where the log keeps the share of its user.
  mutating func open(
    _ channel: any NIOCore.Channel, _ arrival: LookUps.Arrival, served: InterfaceSet, place: Int
  ) -> Connection? {
    let peer = arrival.peer
    guard served == .adminSocket ? administrators < Self.maximumAdministrators : quotas.admit(peer.person) else {
      refuse(peer, .tooManyConnections)
      return nil
    }
    connectionCount += 1
    let connection = Connection(
      number: connectionCount, peer: peer, channel: channel, served: served, memory: quotas.memory(of: peer.person))
    connection.userName = arrival.userName
    connection.loginUser = arrival.loginUser
    connection.naming = arrival.naming
    connection.logPlace = place
    connections[ObjectIdentifier(connection)] = connection
    if served == .adminSocket { administrators += 1 }
    return connection
  }

  /// Administrators have places of their own, so that no flood of apps locks them out.
  private static let maximumAdministrators = 64

  /// Counts a connection out, and forgets it; false when that was done before.
  mutating func close(_ connection: Connection) -> Bool {
    let key = ObjectIdentifier(connection)
    guard connections.removeValue(forKey: key) != nil else { return false }
    connection.isOpen = false
    connection.underWay = nil
    (underWay[key], watchers[key], subscribers[key]) = (nil, nil, nil)
    if connection.refusals > Connection.refusalsTold {
      tell(
        .refusedCalls, of: connection.peer.person, connection.metadata(["count": "\(connection.refusals)"]), at: .notice
      )
    }
    memory.move(-connection.movingBytes, of: connection.memory)
    connection.movingBytes = 0
    if connection.served == .adminSocket { administrators -= 1 } else { quotas.release(connection.peer.person) }
    return true
  }

  func isOpen(_ connection: Connection) -> Bool { connections[ObjectIdentifier(connection)] != nil }

  /// The connections on the guard socket that stay without an instance for too long, which must end: each holds one of
  /// its user's places, and one of all users' together. Called every second.
  ///
  /// As long as no policy ever loaded no client can attach, and only a connection that says nothing is idle.
  mutating func unattached(for seconds: Int, hasPolicy: Bool) -> [Connection] {
    var over: [Connection] = []
    for connection in connections.values where connection.session == nil && connection.served == .guardSocket {
      let isIdle = hasPolicy || !connection.hasAsked
      connection.hasAsked = false
      connection.unattachedSeconds = isIdle ? connection.unattachedSeconds + 1 : 0
      guard connection.unattachedSeconds > seconds, connection.held.count == 0 else { continue }
      tell(.noApp, of: connection.peer.person, connection.metadata(), at: .notice)
      over.append(connection)
    }
    return over
  }

  // MARK: Memory: registrations of apps, and data on its way

  /// Refuses to take up so many bytes more for a user whose programs hold their part already. Existing registrations
  /// hold, and anything not registered is judged as strictly as anything unknown.
  package mutating func checkMemory(_ growth: Int, of user: UserMemory) throws(Refusal) {
    guard !memory.hasRoom(for: growth, of: user) else { return }
    tell(
      .noMemory, of: user.uid,
      ["uid": "\(user.uid)", "bytes": "\(user.registered)", "inAll": "\(memory.registered)"])
    throw .limitReached(.memoryBytes, maximum: memory.share)
  }

  /// Counts the memory of a user's instances: so many bytes more, or fewer.
  package mutating func register(_ growth: Int, of user: UserMemory) { memory.register(growth, of: user) }

  /// Counts the memory of a connection anew: bytes that wait to be read, and answers that wait to leave.
  mutating func account(_ connection: Connection) {
    let bytes = connection.receivedBytes + connection.held.byteCount + connection.leavingBytes
    guard bytes != connection.movingBytes else { return }
    memory.move(bytes - connection.movingBytes, of: connection.memory)
    connection.movingBytes = bytes
  }

  /// Whether a connection's answers must leave before more of its questions are answered. One without any goes on: each
  /// gets its next answer, however much its user holds.
  @inline(__always)
  func mustWait(_ connection: Connection) -> Bool {
    guard connection.held.count > 0 else { return false }
    return connection.held.byteCount > Connection.maximumHeld || memory.mustWait(connection.memory)
  }

  // MARK: Work: a user's turns are paid with it

  /// Counts work: so many questions, and the bytes that they are about.
  package mutating func charge(_ questions: Int, bytes: Int = 0) {
    work &+= questions + bytes / Self.bytesOfOneQuestion
  }

  /// To read so many bytes takes as long as to answer a short question.
  private static let bytesOfOneQuestion = 4096

  /// Counts work that stands for time alone.
  package mutating func charge(time questions: Int) {
    work &+= questions
    workOfTime &+= questions
  }

  // MARK: Names

  /// A connection asks who it is; false when another of the same person is being looked up, behind which it waits. A
  /// person with many groups and many connections makes others wait for one look-up only.
  mutating func beginNaming(_ connection: Connection) -> Bool {
    guard namings[connection.peer.person] == nil else {
      namings[connection.peer.person]?.append(connection)
      return false
    }
    namings[connection.peer.person] = []
    return true
  }

  /// The next open connection of a person that asks who it is; nil when none waits.
  mutating func nextNaming(of person: UInt32) -> Connection? {
    while let next = namings[person]?.first {
      namings[person]?.removeFirst()
      if next.isOpen { return next }
    }
    namings[person] = nil
    return nil
  }

  // MARK: Reports

  /// Reports a fault of a peer; of many in a minute only the first.
  package mutating func tell(
    _ fault: PeerFault, of uid: UInt32, _ metadata: Logger.Metadata, at level: Logger.Level = .warning
  ) {
    guard faults.count(fault, of: uid) else { return }
    logger.log(level: level, "\(fault.rawValue)", metadata: metadata)
  }

  /// The work of every minute: tells the number of faults that were not told, and forgets users who hold nothing.
  package mutating func keep() {
    quotas.forgetGone()
    for (fault, uid, count) in faults.takeUntold() {
      logger.warning("\(fault.rawValue): more in this minute", metadata: ["uid": "\(uid)", "count": "\(count)"])
    }
  }

  /// Reports when no more files can be opened. New connections wait then, and open ones go on.
  mutating func checkOpenFiles() {
    let isExhausted = OpenFiles.isExhausted
    guard isExhausted != lacksFiles else { return }
    lacksFiles = isExhausted
    if isExhausted {
      logger.critical("no more files can be opened: new connections wait")
    } else {
      logger.notice("files can be opened again")
    }
  }

  /// Reports sockets and apps that do not find each other: no peer is let in there.
  func tellOfSockets(_ snapshot: Snapshot) {
    guard let sockets, snapshot.hasPolicy else { return }
    let wanted = Set(snapshot.apps.flatMap { $0.peers.compactMap(\.socket) })
    for name in sockets.names.subtracting(wanted).sorted() {
      logger.warning("no app has the socket", metadata: ["socket": "\(name)"])
    }
    for name in wanted.subtracting(sockets.names).sorted() {
      logger.warning("the socket that an app's peers name is not there", metadata: ["socket": "\(name)"])
    }
  }

  var socketProblem: HealthProblem? {
    sockets?.failure.map { HealthProblem(.socketGone, "apps do not find the daemon: \($0)") }
  }

  package var connectionsProblem: HealthProblem? {
    guard quotas.total >= quotas.maximum else { return nil }
    return HealthProblem(.connectionsFull, "all \(quotas.maximum) connections are taken: no app can connect")
  }

  /// The connections' part of `Metrics`.
  func describe(_ text: inout MetricsText) {
    text.family("webviewguard_connections", .gauge, "Open connections, by socket.")
    text.sample(
      "webviewguard_connections", ["socket": "guard"], UInt64(clamping: connections.count - administrators))
    text.sample("webviewguard_connections", ["socket": "admin"], UInt64(clamping: administrators))
    text.single(
      "webviewguard_connections_limit", .gauge, "How many connections apps may have open.",
      UInt64(clamping: quotas.maximum))
    text.single(
      "webviewguard_refused_connections_total", .counter, "Connections closed since there were too many.",
      refusedConnections)
    text.single("webviewguard_subscribers", .gauge, "Connections that get news.", UInt64(subscribers.count))
    text.single("webviewguard_watchers", .gauge, "Connections that monitor.", UInt64(watchers.count))
  }
}
