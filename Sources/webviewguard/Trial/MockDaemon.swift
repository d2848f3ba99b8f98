internal import GuardProtocol
internal import JSONText

/// Plays a script to the connections of an app, and notes where the app left it.
struct MockDaemon {
  private let script: MockScript
  private var next = 0
  /// What the app did otherwise than the script, in its order.
  private(set) var surprises: [String] = []
  private var decisions = 0
  private var instances = 0
  /// The connections that are attached.
  private var attached: Set<ObjectIdentifier> = []

  init(_ script: MockScript) { self.script = script }

  /// The steps that did not come.
  var missing: ArraySlice<MockScript.Step> { script.steps.dropFirst(next) }

  var isOver: Bool { next == script.steps.count }

  /// Answers what lies in a connection's input.
  mutating func serve(_ connection: TrialConnection) {
    while !connection.isEnding, let frame = connection.takeFrame() {
      guard let call = try? JSONTree(parsing: frame.span), let method = call["method"]?.string else {
        surprises.append("what came is no call: \(String(decoding: frame.prefix(80), as: UTF8.self))")
        connection.isEnding = true
        return
      }
      answer(method, call, on: connection)
    }
  }

  private mutating func answer(_ method: String, _ call: JSONTree, on connection: TrialConnection) {
    let name = method.split(separator: ".").last.map(String.init) ?? method
    let parameters = call["parameters"] ?? .object([])
    let step = step(for: name, parameters)
    if let error = refusal(of: call, on: connection), step?.answer.isError != true {
      surprises.append("\(name) \(parameters.text()): a daemon answers `\(error.name)` \(error.parameters.text())")
      return reply(["error": .string(error.name), "parameters": error.parameters], to: call, on: connection)
    }
    if name == "Attach", step?.answer.isError != true { attached.insert(ObjectIdentifier(connection)) }
    let usual = usualReply(name)
    guard let step else {
      if !script.ignored.contains(name) { surprises.append("\(name) \(parameters.text()) is not expected now") }
      return reply(["parameters": usual], to: call, on: connection)
    }
    next += 1
    switch step.answer {
    case .reply(let members): reply(["parameters": usual.replacing(with: members)], to: call, on: connection)
    case .decision(let members):
      let decision = (usual["decision"] ?? .object([])).replacing(with: members)
      reply(["parameters": ["decision": decision]], to: call, on: connection)
    case .error(let error, let about):
      let whole = error.contains(".") ? error : "org.webviewguard.Guard." + error
      reply(["error": .string(whole), "parameters": about], to: call, on: connection)
    case .silence: break
    case .hangUp: connection.isEnding = true
    }
  }

  /// With what error every daemon refuses this call, whatever its policy; nil when it may be a good one.
  private func refusal(
    of call: JSONTree, on connection: TrialConnection
  ) -> (name: String, parameters: JSONTree)? {
    let isAttached = attached.contains(ObjectIdentifier(connection))
    do throws(ServiceError) {
      guard case .guard(let method) = try call.methodAsEveryDaemonReadsIt() else { return nil }
      if method == .attach { return isAttached ? ("org.webviewguard.Guard.AlreadyAttached", .object([])) : nil }
      let isFree = [.whoAmI, .ownPrograms].contains(method)
      return isAttached || isFree ? nil : ("org.webviewguard.Guard.NotAttached", .object([]))
    } catch {
      guard case .invalidParameter(let name) = error else { return (error.qualifiedName, .object([])) }
      return (error.qualifiedName, ["parameter": .string(name)])
    }
  }

  /// The next step, when the call is the one that it wants.
  private func step(for name: String, _ parameters: JSONTree) -> MockScript.Step? {
    guard let step = missing.first, step.call == name else { return nil }
    let isMet = parameters.has(step.parameters) || (parameters["event"]?.has(step.parameters) ?? false)
    return isMet ? step : nil
  }

  private func reply(_ tree: JSONTree, to call: JSONTree, on connection: TrialConnection) {
    guard call["oneway"]?.bool != true else { return }
    let follows = call["more"]?.bool == true
    let whole = follows ? tree.replacing(with: ["continues": true]) : tree
    connection.output += Array(whole.text().utf8) + [0]
  }

  /// What a daemon answers that takes any app and blocks everything.
  private mutating func usualReply(_ name: String) -> JSONTree {
    switch name {
    case "Attach":
      instances += 1
      return [
        "instance": .string("mock-\(instances)"), "app": "com.example.mock", "features": [],
        "contract": [
          "startMs": 2000, "answerMs": 500, "navigation": "closed", "clipboard": "closed", "other": "closed",
        ],
        "generation": 1, "digest": .string(String(repeating: "0", count: 64)),
      ]
    case "WhoAmI": return ["uid": 0, "groups": [], "app": "com.example.mock"]
    case "RegisterViewer", "SetWebViewPolicy": return ["policy": "currentIdentity", "policySource": "default"]
    case "SetIdentity": return ["level": "process"]
    case "Subscribe":
      return ["topic": "policy", "generation": 1, "digest": .string(String(repeating: "0", count: 64))]
    case "SetDocument", "ForgetViewer", "SetExternalURLRules", "Answer", "Acknowledge": return .object([])
    default:
      decisions += 1
      return [
        "decision": [
          "id": .string(String(decisions)), "outcome": "block", "reason": "unknownEvent", "identityLevel": "none",
          "generation": 1, "digest": .string(String(repeating: "0", count: 64)), "mode": "enforced",
        ]
      ]
    }
  }
}

extension JSONTree {
  /// The method of a call; nil of what is no call. Throws the error with which every daemon refuses it, whatever its policy.
  func methodAsEveryDaemonReadsIt() throws(ServiceError) -> Method? {
    var decoder = RequestDecoder(serving: .guardSocket)
    switch decoder.decode(Array(text().utf8).span) {
    case .unreadable: return nil
    case .refused(let error, _): throw error
    case .request(let request):
      switch request.method {
      case .accounts(let method): _ = try request.accountsCall(method)
      case .guard(let method):
        var event = EventCall()
        _ = try request.guardCall(method, event: &event)
      default: break
      }
      return request.method
    }
  }
}

extension MockScript.Answer {
  /// The script wants the call refused, and so may want one that is wrong.
  var isError: Bool {
    if case .error = self { return true }
    return false
  }
}
