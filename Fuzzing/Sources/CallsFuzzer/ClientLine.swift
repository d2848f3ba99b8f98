import FuzzSupport
import EmbeddedGuard
import JSONText

/// One connection of a client that keeps state: each reply must be the next call's, and fit what came before.
final class ClientLine {
  let line: EmbeddedLine
  let isAdministrator: Bool
  private let house: ClientHouse
  private(set) var instance: ClientInstance?
  private var expected: [Expected] = []
  private var buffer: [UInt8] = []
  /// The end of a message of which the start was sent.
  private(set) var unsent: [UInt8] = []
  private var newest: UInt64 = 0
  /// Nothing that is sent from now on needs to be answered.
  private(set) var isLost = false
  private var hears = false

  init(_ line: EmbeddedLine, isAdministrator: Bool, _ house: ClientHouse) {
    (self.line, self.isAdministrator, self.house) = (line, isAdministrator, house)
  }

  // MARK: Calls

  func call(_ bytes: [UInt8], _ expectation: Expected?, piece: Int) {
    finish()
    if let expectation, !isLost { expected.append(expectation) }
    for start in stride(from: 0, to: bytes.count, by: max(1, piece)) {
      line.send(Array(bytes[start..<min(bytes.count, start + max(1, piece))]))
    }
  }

  /// Sends the start of a message; its end follows with the next one.
  func begin(_ bytes: [UInt8], _ expectation: Expected, length: Int) {
    finish()
    guard !isLost else { return }
    let length = min(max(1, length), bytes.count - 1)
    expected.append(expectation)
    unsent = Array(bytes[length...])
    line.send(Array(bytes[..<length]))
  }

  func finish() {
    guard !unsent.isEmpty else { return }
    line.send(unsent)
    unsent = []
  }

  /// What is no message ends the connection, but not what was asked before it.
  func sendNonsense(_ bytes: [UInt8]) {
    finish()
    line.send(bytes)
    isLost = true
  }

  func listen() { hears = true }

  func endInput() {
    // What is cut off here is no message, and is not answered.
    if !unsent.isEmpty { expected.removeLast() }
    unsent = []
    line.endInput()
    isLost = true
  }

  func close() {
    if !expected.isEmpty { instance?.isSure = false }
    line.close()
    leave()
  }

  /// The connection is gone.
  func leave() {
    if !expected.isEmpty { instance?.isSure = false }
    instance?.users -= 1
    instance = nil
  }

  /// All answers are here, unless the client itself broke off.
  func checkComplete() {
    guard line.isOpen, !isLost, unsent.isEmpty else { return }
    require(line.unreadBytes == 0, "everything is read in the end")
    require(expected.isEmpty, "every call is answered; still due: \(expected)")
  }

  // MARK: Replies

  /// Reads what has come; true when something has.
  @discardableResult func receive() -> Bool {
    let bytes = line.received()
    buffer += bytes
    while let end = buffer.firstIndex(of: 0) {
      let answer = Answer(Array(buffer[..<end]))
      buffer.removeSubrange(...end)
      receive(answer)
    }
    return !bytes.isEmpty
  }

  private func receive(_ answer: Answer) {
    if answer.continues { return hear(answer) }
    guard !expected.isEmpty else {
      // Of nonsense there may be one last word.
      return require(isLost, "nobody asked for \(answer.tree)")
    }
    let expectation = expected.removeFirst()
    require(isAdministrator || expectation.allows(answer, instance), "\(answer.tree) answers \(expectation)")
    check(answer, expectation)
  }

  private func hear(_ answer: Answer) {
    if case .subscribe = expected.first {
      expected = []
      (isLost, hears) = (true, true)
    }
    require(hears, "news for nobody: \(answer.tree)")
  }

  private func check(_ answer: Answer, _ expectation: Expected) {
    checkNumbers(answer.decisions)
    switch expectation {
    case .whoAmI: require(answer.parameters["uid"]?.int == Int64(line.uid), "each is told who it is itself")
    case .ownPrograms:
      let named = (answer.parameters["programs"]?.array ?? []).compactMap { $0["instance"]?.string }
      require(!named.contains { house.isOthers($0, than: line.uid) }, "nobody is told of others: \(answer.tree)")
    case .attach(let token): attached(answer, token)
    case .event(let viewer):
      guard let instance, instance.isSure, let decision = answer.decisions.first else { return }
      let isUnknown = decision["viewerIsUnknown"]?.bool ?? false
      require(
        isUnknown != instance.viewers.contains(viewer), "viewers are not forgotten: \(viewer) in \(instance.viewers)")
    case .register(let viewer): if answer.error == nil { instance?.viewers.insert(viewer) }
    case .forget(let viewer): if answer.error == nil { instance?.viewers.remove(viewer) }
    case .change(let viewer):
      guard let instance, instance.isSure else { return }
      require(
        (answer.error == "UnknownViewer") != instance.viewers.contains(viewer), "viewers are not forgotten: \(viewer)")
    case .accounts:
      let told = answer.tree.text()
      let others = (1...UInt32(3)).filter { $0 != line.uid }.map(AccountCallMaker.mark(of:))
      require(!others.contains { told.contains($0) }, "nobody is told of other persons' accounts: \(told)")
    case .questions, .locations, .peers, .acknowledge, .rules, .unknownMethod, .subscribe, .anything: return
    }
  }

  private func checkNumbers(_ decisions: [JSONTree]) {
    for decision in decisions where decision["repeat"] == nil {
      let number = decision["id"]?.string.flatMap { UInt64($0) } ?? 0
      require(number > newest, "decision \(number) comes behind \(newest)")
      newest = number
    }
  }

  private func attached(_ answer: Answer, _ token: String?) {
    guard answer.error == nil else { return }
    let given = answer.parameters["instance"]?.string ?? ""
    require(instance == nil, "nobody is attached twice")
    require(token == nil || token == given, "an instance keeps its token")
    let joined = house.instance(given, uid: line.uid)
    require(joined.uid == line.uid, "nobody gets another user's instance")
    joined.users += 1
    if joined.users > 1 { joined.isSure = false }
    instance = joined
  }
}

/// The instances that there are, by token.
final class ClientHouse {
  private var instances: [String: ClientInstance] = [:]
  /// In order of their start.
  private(set) var tokens: [String] = []

  /// Whether an instance, as the log names it, is another user's.
  func isOthers(_ name: String, than uid: UInt32) -> Bool {
    instances.contains { $0.key.hasPrefix(name) && $0.value.uid != uid }
  }

  /// The daemon was restarted: it has none of their viewers any more.
  func forgetViewers() {
    for instance in instances.values { instance.isSure = false }
  }

  func instance(_ token: String, uid: UInt32) -> ClientInstance {
    if let known = instances[token] { return known }
    let instance = ClientInstance(token: token, uid: uid)
    instances[token] = instance
    tokens.append(token)
    return instance
  }
}

extension Expected {
  /// Whether the reply can be one to this call at all.
  func allows(_ answer: Answer, _ instance: ClientInstance?) -> Bool {
    if case .anything = self { return true }
    if answer.error == "NotAttached" { return instance == nil && needsInstance }
    let parameters = answer.parameters
    switch self {
    case .whoAmI, .ownPrograms: return answer.error == nil
    case .rules: return ["InvalidParameter", "UnknownClass"].contains(answer.error ?? "")
    case .attach: return answer.error != nil || parameters["instance"]?.string?.isEmpty == false
    case .event: return answer.error == "LimitReached" || answer.decisions.count == 1
    case .questions(let count): return answer.error == "LimitReached" || answer.decisions.count == count
    case .locations: return parameters["locations"]?.array?.isEmpty == false
    case .peers(let name): return parameters["peers"]?[0]?["peer"]?.string == name
    case .register, .forget, .change: return answer.decisions.isEmpty && isAboutThis(answer)
    case .acknowledge(let id): return answer.error == nil || parameters["decision"]?.string == id
    case .unknownMethod(let name): return answer.error == "MethodNotFound" && parameters["method"]?.string == name
    case .subscribe: return answer.error != nil
    case .accounts(let members, _): return answer.error != nil || members.allSatisfy { parameters[$0] != nil }
    case .anything: return true
    }
  }

  private var needsInstance: Bool {
    switch self {
    case .whoAmI, .ownPrograms, .attach, .unknownMethod: false
    case .accounts(_, let needsInstance): needsInstance
    default: true
    }
  }

  private func isAboutThis(_ answer: Answer) -> Bool {
    guard answer.error == "UnknownViewer", let named = answer.parameters["viewer"]?.string else { return true }
    switch self {
    case .register(let viewer), .forget(let viewer), .change(let viewer): return named == viewer
    default: return false
    }
  }
}
