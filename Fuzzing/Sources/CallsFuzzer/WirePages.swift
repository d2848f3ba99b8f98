import FuzzSupport
import GuardModel
import EmbeddedGuard
import JSONText
import TestSupport

/// The daemon behind its socket, as the program of a ``PageReader`` asks it.
struct WirePages: PageWorld {
  let accounts = ["reader@open.example", "me@example.org", ""]
  private let daemon: EmbeddedGuard
  private var program: AskingProgram
  /// The daemon that the program knows.
  private var starts: Int

  init(_ daemon: EmbeddedGuard, uid: UInt32) throws {
    (self.daemon, starts) = (daemon, daemon.starts)
    program = try AskingProgram(daemon, uid: uid, app: "reader")
  }

  /// Somebody restarted the daemon, and the program has not come back.
  var isLost: Bool { starts != daemon.starts }

  func navigate(_ move: PageMove) -> PageAnswer { answer(to: move) }

  func reason(of url: String, in viewer: String) -> String {
    answer(to: PageMove(viewer: viewer, url: url), isProbe: true).reason
  }

  private func answer(to move: PageMove, isProbe: Bool = false) -> PageAnswer {
    var members: [JSONTree.Member] = [.init("viewer", .string(move.viewer)), .init("url", .string(move.url))]
    if let from = move.from { members.append(.init("from", .string(from))) }
    let frame = [Frame.main: "main", .sub: "sub", .resource: "resource"][move.frame] ?? "unknown"
    members.append(.init("frame", .string(frame)))
    if move.isSameDocument { members.append(.init("sameDocument", true)) }
    if move.opensWindow { members.append(.init("newWindow", true)) }
    if isProbe { members.append(.init("probe", true)) }
    let answer = program.call("Navigate", ["event": .object(members)])
    let decision = answer.decisions.first
    return PageAnswer(
      isAllowed: decision?["outcome"] == "allow", reason: decision?["reason"]?.string ?? "\(answer.tree)")
  }

  func setDocument(_ url: String, of viewer: String) -> Bool {
    isTaken("SetDocument", ["viewer": .string(viewer), "document": .string(url)])
  }

  func register(_ viewer: String, document: String?) -> Bool {
    var members: [JSONTree.Member] = [.init("viewer", .string(viewer)), .init("class", "documents")]
    if let document { members.append(.init("document", .string(document))) }
    return isTaken("RegisterViewer", .object(members))
  }

  /// Whether a call is not refused for its document.
  private func isTaken(_ method: String, _ parameters: JSONTree) -> Bool {
    let answer = program.call(method, parameters)
    require(answer.error == nil || answer.error == "DocumentIsExternal", "\(method) \(parameters): \(answer.tree)")
    return answer.error == nil
  }

  func forget(_ viewer: String) { program.tell("ForgetViewer", ["viewer": .string(viewer)]) }

  func signIn(_ account: String) {
    program.tell("SetIdentity", ["level": "process", "account": .string(account)])
  }

  mutating func restart(asItself: Bool) throws {
    if !isLost { try daemon.restart() }
    starts = daemon.starts
    try program.comeBack(asItself: asItself)
  }

  func reload() throws { try daemon.reload() }

  func close() { program.close() }
}
