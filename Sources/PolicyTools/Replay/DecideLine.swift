internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import PolicyFiles

/// One line of `decide`'s input.
enum DecideLine {
  /// A call of org.webviewguard.Guard, written as the daemon would read it.
  case call([UInt8])
  /// A record of the decision log.
  case record(JSONTree)

  /// The content of a line; throws when it is no JSON.
  static func tree(of line: Span<UInt8>) throws(LineProblem) -> JSONTree {
    do throws(JSONError) { return try JSONTree(parsing: line, maximumLength: LineInput.maximumLine) } catch {
      throw LineProblem(error.description)
    }
  }

  /// Throws when the line is none of these.
  init(_ tree: JSONTree) throws(LineProblem) {
    guard case .object(let members) = tree else { throw LineProblem("a line must be a JSON object") }
    if tree["v"] != nil, tree["seq"] != nil, tree["type"] != nil {
      self = .record(tree)
    } else if let event = tree["event"] {
      self = .call(try Self.event(event, members))
    } else if let call = tree["call"] {
      self = .call(try Self.stateCall(call, members))
    } else {
      throw LineProblem("the line has no `event`, no `call`, and is no record of a log")
    }
  }

  private static func event(_ name: JSONTree, _ members: [JSONTree.Member]) throws(LineProblem) -> [UInt8] {
    guard let word = name.string, let method = GuardMethod.allCases.first(where: { $0.event?.name == word }) else {
      let words = GuardMethod.allCases.compactMap { $0.event?.name }.quotedList
      throw LineProblem("`event` must be one of \(words)")
    }
    return frame(method, event: members.filter { $0.key != "event" })
  }

  private static func stateCall(_ name: JSONTree, _ members: [JSONTree.Member]) throws(LineProblem) -> [UInt8] {
    guard let word = name.string, let method = calls.first(where: { $0.rawValue == word }) else {
      throw LineProblem("`call` must be one of \(calls.map(\.rawValue).quotedList)")
    }
    if let other = members.first(where: { $0.key != "call" && $0.key != "parameters" }) {
      throw LineProblem("\(other.key.quoted) does not belong beside `call` and `parameters`")
    }
    return frame(method, parameters: members.first { $0.key == "parameters" }?.value ?? .object([]))
  }

  private static let calls: [GuardMethod] = [
    .registerViewer, .setDocument, .forgetViewer, .setWebViewPolicy, .setExternalURLRules, .setIdentity, .identities,
    .answer,
    .decideMany, .decideLocations, .decidePeers,
  ]

  static func frame(_ method: GuardMethod, event: [JSONTree.Member]) -> [UInt8] {
    frame(method, parameters: .object([.init("event", .object(event))]))
  }

  /// The call as a varlink message, without its NUL.
  static func frame(_ method: GuardMethod, parameters: JSONTree) -> [UInt8] {
    let call = JSONTree.object([
      .init("method", .string(Method.guard(method).qualifiedName)), .init("parameters", parameters),
    ])
    return Array(call.text().utf8)
  }
}

/// Why a line of the input cannot be judged.
struct LineProblem: Error, Hashable {
  /// For people: lower case, without a full stop.
  let text: String

  init(_ text: String) { self.text = text }
}
