import FuzzSupport
import EmbeddedGuard
import JSONText

/// A program that is attached to the daemon, and waits for each answer.
struct AskingProgram {
  let uid: UInt32
  let app: String
  var features: [JSONTree] = []
  private(set) var line: EmbeddedLine
  private(set) var token = ""
  private let daemon: EmbeddedGuard

  private static let maximumTurns = 1000

  init(_ daemon: EmbeddedGuard, uid: UInt32, app: String, features: [JSONTree] = []) throws {
    (self.daemon, self.uid, self.app, self.features) = (daemon, uid, app, features)
    line = try Self.connect(daemon, uid)
    try attach()
  }

  private static func connect(_ daemon: EmbeddedGuard, _ uid: UInt32) throws -> EmbeddedLine {
    guard let line = try daemon.connect(uid: uid, asAdministrator: false) else {
      require(false, "there is a place for a program that asks")
      fatalError()
    }
    return line
  }

  /// Connects again, as the instance that it was when `asItself`.
  mutating func comeBack(asItself: Bool) throws {
    line.close()
    line = try Self.connect(daemon, uid)
    if !asItself { token = "" }
    try attach()
  }

  private mutating func attach() throws {
    var members: [JSONTree.Member] = [.init("app", .string(app)), .init("features", .array(features))]
    if !token.isEmpty { members.append(.init("instance", .string(token))) }
    let answer = call("Attach", .object(members))
    let given = answer.parameters["instance"]?.string ?? ""
    require(answer.error == nil && (token.isEmpty || token == given), "it is attached: \(answer.tree)")
    token = given
  }

  /// Leaves the daemon.
  func close() { line.close() }

  func call(_ method: String, _ parameters: JSONTree) -> Answer {
    let call: JSONTree = ["method": .string("org.webviewguard.Guard." + method), "parameters": parameters]
    line.send(Array(call.text().utf8) + [0])
    var received: [UInt8] = []
    for _ in 0..<Self.maximumTurns {
      received += line.received()
      if received.last == 0 { return Answer(Array(received.dropLast())) }
      daemon.run()
      line.deliver()
    }
    require(false, "\(call) is answered")
    return Answer([])
  }

  /// A call that must succeed.
  func tell(_ method: String, _ parameters: JSONTree) {
    let answer = call(method, parameters)
    require(answer.error == nil, "\(method) \(parameters) is taken: \(answer.tree)")
  }
}
