import FuzzSupport
import EmbeddedGuard
import Logging
import PolicyFiles

/// What holds of every sequence of calls, however the bytes arrive, and whatever the clients and the clock do meanwhile.
enum CallsProperties {
  private static let logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }

  static func check(_ bytes: [UInt8]) {
    guard let daemon = try? EmbeddedGuard(CallsPolicy.loaded[0], logger: logger) else {
      return require(false, "the policy loads")
    }
    daemon.run(hours: 0)
    var play = CallsPlay(daemon, ByteReader(bytes))
    while !play.isOver { play.step() }
    play.end()
  }
}

/// The clients of one input, and what they do.
struct CallsPlay: ~Copyable {
  private let daemon: EmbeddedGuard
  private let house = ClientHouse()
  private var choices: ByteReader
  private var lines: [ClientLine] = []
  private var honest: HonestPrograms
  private var steps = 0
  private var calls = 0

  private static let maximumSteps = 200
  private static let maximumLines = 8
  /// Users take turns, so that not everything is answered in one; after so many without a word, nothing more comes.
  private static let quietTurns = 4
  private static let maximumTurns = 1000

  init(_ daemon: EmbeddedGuard, _ choices: ByteReader) {
    (self.daemon, self.choices) = (daemon, choices)
    honest = HonestPrograms(daemon)
  }

  var isOver: Bool { choices.isAtEnd || steps >= Self.maximumSteps }

  mutating func step() {
    steps += 1
    switch choices.below(24) {
    case 0: connect()
    case 1: act()
    case 2: daemon.advance(seconds: Int64(choices.below(4)))
    case 3: require((try? daemon.adopt(choices.one(of: CallsPolicy.loaded))) != nil, "the policy loads")
    case 4: require((try? daemon.restart()) != nil, "the daemon starts again")
    case 5...11: honest.step(&choices)
    default: ask()
    }
    if honest.comeBack() { house.forgetViewers() }
    pump()
  }

  /// Everybody reads, nothing is kept back: then every call is answered. When all are gone, so is what they held.
  mutating func end() {
    for client in lines {
      client.finish()
      client.line.setReads(true)
    }
    var quiet = 0
    for _ in 0..<Self.maximumTurns where quiet < Self.quietTurns { quiet = pump() ? 0 : quiet + 1 }
    for client in lines { client.checkComplete() }
    for client in lines { client.close() }
    honest.close()
    daemon.advance(seconds: 5)
    require(daemon.connections == 0 && daemon.instances == 0, "nothing is left of clients that are gone")
    daemon.end()
  }

  /// Delivers and reads until nothing moves; false when nothing did.
  @discardableResult private mutating func pump() -> Bool {
    daemon.run()
    var hasMoved = false
    for client in lines {
      if client.line.deliver() { hasMoved = true }
      if client.receive() { hasMoved = true }
    }
    for client in lines where !client.line.isOpen { client.leave() }
    lines.removeAll { !$0.line.isOpen }
    return hasMoved
  }

  private mutating func connect() {
    let isAdministrator = choices.below(8) == 7
    let uid = UInt32(choices.below(3) + 1)
    guard lines.count < Self.maximumLines,
      let line = try? daemon.connect(uid: uid, asAdministrator: isAdministrator)
    else { return }
    lines.append(ClientLine(line, isAdministrator: isAdministrator, house))
  }

  /// What a client does besides asking.
  private mutating func act() {
    guard !lines.isEmpty else { return }
    let client = choices.one(of: lines)
    switch choices.below(6) {
    case 0: client.line.setReads(false)
    case 1: client.line.setReads(true)
    case 2: client.close()
    case 3: client.endInput()
    case 4: client.sendNonsense(Array(choices.text().utf8) + [0])
    default: client.sendNonsense([UInt8](repeating: 0x78, count: 5000))
    }
  }

  private mutating func ask() {
    if lines.isEmpty { connect() }
    guard !lines.isEmpty else { return }
    let client = choices.one(of: lines)
    calls += 1
    if client.isAdministrator { return askAsAdministrator(client) }
    let call = CallMaker.call(&choices, number: calls, house.tokens, uid: client.line.uid)
    let piece = choices.one(of: [1 << 16, 7, 1, 64])
    switch choices.below(12) {
    case 10: client.begin(call.bytes(isOneway: false), call.expected, length: choices.below(64))
    case 11 where call.mayBeOneway: client.call(call.bytes(isOneway: true), nil, piece: piece)
    default: client.call(call.bytes(isOneway: false), call.expected, piece: piece)
    }
  }

  private mutating func askAsAdministrator(_ client: ClientLine) {
    switch choices.below(4) {
    case 0:
      client.listen()
      client.call(Array(#"{"method":"org.webviewguard.Admin.Monitor","more":true}"#.utf8) + [0], nil, piece: 1 << 16)
    case 1:
      client.call(Array(#"{"method":"org.webviewguard.Admin.Status"}"#.utf8) + [0], .anything, piece: 1 << 16)
    default:
      let call = AccountCallMaker.order(&choices)
      client.call(call.bytes(isOneway: false), call.expected, piece: 1 << 16)
    }
  }
}
