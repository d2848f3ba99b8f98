import FuzzSupport
import EmbeddedGuard
import JSONText

/// A program that is attached to the daemon, and waits for each answer.
struct AskingProgram {
  let uid: UInt32
  let app: String
  var features: [JSONTree] = []
  private(set) var asking: AskingLine
  private(set) var token = ""
  private let daemon: EmbeddedGuard

  init(_ daemon: EmbeddedGuard, uid: UInt32, app: String, features: [JSONTree] = []) throws {
    (self.daemon, self.uid, self.app, self.features) = (daemon, uid, app, features)
    asking = try AskingLine(daemon, uid: uid)
    try attach()
  }

  /// Connects again, as the instance that it was when `asItself`.
  mutating func comeBack(asItself: Bool) throws {
    close()
    asking = try AskingLine(daemon, uid: uid)
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
  func close() { asking.line.close() }

  func call(_ method: String, _ parameters: JSONTree, of interface: String = "Guard") -> Answer {
    asking.call("\(interface).\(method)", parameters)
  }

  /// A call that must succeed.
  func tell(_ method: String, _ parameters: JSONTree) {
    let answer = call(method, parameters)
    require(answer.error == nil, "\(method) \(parameters) is taken: \(answer.tree)")
  }
}

/// A connection of somebody who waits for each answer.
struct AskingLine {
  let line: EmbeddedLine
  private let daemon: EmbeddedGuard

  private static let maximumTurns = 1000

  init(_ daemon: EmbeddedGuard, uid: UInt32, asAdministrator: Bool = false) throws {
    guard let line = try daemon.connect(uid: uid, asAdministrator: asAdministrator) else {
      require(false, "there is a place for a program that asks")
      fatalError()
    }
    (self.line, self.daemon) = (line, daemon)
  }

  func send(_ method: String, _ parameters: JSONTree, more: Bool = false) {
    var members: [JSONTree.Member] = [
      .init("method", .string("org.webviewguard." + method)), .init("parameters", parameters),
    ]
    if more { members.append(.init("more", true)) }
    line.send(Array(JSONTree.object(members).text().utf8) + [0])
  }

  func call(_ method: String, _ parameters: JSONTree) -> Answer {
    send(method, parameters)
    var received: [UInt8] = []
    for _ in 0..<Self.maximumTurns {
      received += line.received()
      if received.last == 0 { return Answer(Array(received.dropLast())) }
      daemon.run()
      line.deliver()
    }
    require(false, "\(method) \(parameters) is answered")
    return Answer([])
  }
}
