import FuzzSupport
import JSONText

/// A call, and what its reply may be.
struct MadeCall {
  var method: String
  var parameters: JSONTree
  var expected: Expected
  var more = false
  var interface = "Guard"
  /// An event changes nothing that later replies rest on.
  var mayBeOneway: Bool {
    if case .event = expected { true } else { false }
  }

  func bytes(isOneway: Bool) -> [UInt8] {
    let name = "org.webviewguard.\(interface).\(method)"
    var members: [JSONTree.Member] = [.init("method", .string(name)), .init("parameters", parameters)]
    if more { members.append(.init("more", true)) }
    if isOneway { members.append(.init("oneway", true)) }
    return Array(JSONTree.object(members).text().utf8) + [0]
  }
}

/// Makes calls of choices.
enum CallMaker {
  private static let viewers = ["a", "b", "c", "d"]
  private static let urls = [
    "https://www.contoso.com/", "https://news.example/", "https://files.example/", "tel:1", "nonsense",
  ]
  private static let events = ["Navigate", "Copy", "Paste", "ClipboardChanged", "Save", "Share", "Receive", "Print"]

  /// - Parameter uid: who calls.
  static func call(_ choices: inout ByteReader, number: Int, _ tokens: [String], uid: UInt32) -> MadeCall {
    switch choices.below(21) {
    case 0, 1: return attach(&choices, tokens)
    case 2: return MadeCall(method: "WhoAmI", parameters: [:], expected: .whoAmI)
    case 3, 4: return register(&choices)
    case 5:
      let viewer = choices.one(of: viewers)
      return MadeCall(method: "ForgetViewer", parameters: ["viewer": .string(viewer)], expected: .forget(viewer))
    case 6: return change(&choices)
    case 7: return identity(&choices)
    case 8:
      let name = "program-\(number)"
      let parameters: JSONTree = ["peers": [.string(name)], "event": ["viewer": .string(choices.one(of: viewers))]]
      return MadeCall(method: "DecidePeers", parameters: parameters, expected: .peers(name))
    case 9: return many(&choices)
    case 10:
      let id = String(choices.flag() ? number : 1 << 40)
      let parameters: JSONTree = ["decision": .string(id), "outcome": "block"]
      return MadeCall(method: "Acknowledge", parameters: parameters, expected: .acknowledge(id))
    case 11: return rare(&choices, number: number)
    case 16...20: return AccountCallMaker.call(&choices, uid: uid)
    default: return event(&choices)
    }
  }

  private static func attach(_ choices: inout ByteReader, _ tokens: [String]) -> MadeCall {
    var members: [JSONTree.Member] = [.init("app", .string(choices.one(of: ["portal", "portal", "mail", "none"])))]
    let token = choices.flag() && !tokens.isEmpty ? choices.one(of: tokens) : nil
    if let token { members.append(.init("instance", .string(token))) }
    if choices.flag() { members.append(.init("features", ["switchIdentity", "actions", "clips"])) }
    return MadeCall(method: "Attach", parameters: .object(members), expected: .attach(token: token))
  }

  private static func register(_ choices: inout ByteReader) -> MadeCall {
    let viewer = choices.one(of: viewers + ["e", "f", "g"])
    var members: [JSONTree.Member] = [.init("viewer", .string(viewer))]
    if choices.flag() { members.append(.init("class", .string(choices.one(of: ["documents", "public", "odd"])))) }
    for name in ["parent", "opener"] where choices.below(4) == 3 {
      members.append(.init(name, .string(choices.one(of: viewers))))
    }
    if choices.below(3) == 2 { members.append(.init("window", .string(choices.one(of: ["w1", "w2", "w3", "w4"])))) }
    return MadeCall(method: "RegisterViewer", parameters: .object(members), expected: .register(viewer))
  }

  private static func change(_ choices: inout ByteReader) -> MadeCall {
    let viewer = choices.one(of: viewers)
    let name = JSONTree.string(viewer)
    switch choices.below(3) {
    case 0:
      let document = JSONTree.string(choices.one(of: urls))
      return MadeCall(
        method: "SetDocument", parameters: ["viewer": name, "document": document], expected: .change(viewer))
    case 1:
      let policy = JSONTree.string(choices.one(of: ["unset", "unmanaged", "currentIdentity"]))
      return MadeCall(
        method: "SetWebViewPolicy", parameters: ["viewer": name, "policy": policy], expected: .change(viewer))
    default:
      return MadeCall(
        method: "SetExternalURLRules", parameters: ["viewer": name, "ruleSet": "documents"], expected: .change(viewer))
    }
  }

  private static func identity(_ choices: inout ByteReader) -> MadeCall {
    let account = JSONTree.string(choices.one(of: ["work@contoso.com", "me@example.org", "", "who@unknown.example"]))
    let level = choices.one(of: ["process", "window", "scope"])
    var members: [JSONTree.Member] = [.init("level", .string(level)), .init("account", account)]
    if level == "window" { members.append(.init("window", .string(choices.one(of: ["w1", "w2", "w3", "w4"])))) }
    return MadeCall(method: "SetIdentity", parameters: .object(members), expected: .anything)
  }

  private static func many(_ choices: inout ByteReader) -> MadeCall {
    let count = choices.below(5)
    let questions = (0..<count).map { _ -> JSONTree in
      ["kind": "print", "event": ["viewer": .string(choices.one(of: viewers))]]
    }
    return MadeCall(method: "DecideMany", parameters: ["questions": .array(questions)], expected: .questions(count))
  }

  private static func rare(_ choices: inout ByteReader, number: Int) -> MadeCall {
    switch choices.below(7) {
    case 6:
      let parameters: JSONTree = [
        "format": .string(choices.one(of: ["webkit-content-blocker", "chromium-policy", "nonsense"])),
        // No class of the policy: a document would be made beside the loop, and one in memory has no beside.
        "class": .string(choices.text() + "?"),
      ]
      return MadeCall(method: "ExportRules", parameters: parameters, expected: .rules)
    case 5: return MadeCall(method: "OwnPrograms", parameters: [:], expected: .ownPrograms)
    case 0: return MadeCall(method: "Subscribe", parameters: [:], expected: .subscribe, more: true)
    case 1:
      let name = "Teleport\(number)"
      let whole = "org.webviewguard.Guard." + name
      return MadeCall(method: name, parameters: [:], expected: .unknownMethod(whole))
    case 2:
      let parameters: JSONTree = ["kind": "save", "event": ["viewer": .string(choices.one(of: viewers))]]
      return MadeCall(method: "DecideLocations", parameters: parameters, expected: .locations)
    case 3:
      let parameters: JSONTree = ["request": .string(choices.text()), "result": "success"]
      return MadeCall(method: "Answer", parameters: parameters, expected: .anything)
    default:
      // The input's own words, where the service expects one of its own.
      let parameters: JSONTree = [
        "event": ["viewer": "a", "frame": .string(choices.text()), "url": .string(choices.text())]
      ]
      return MadeCall(method: "Navigate", parameters: parameters, expected: .anything)
    }
  }

  private static func event(_ choices: inout ByteReader) -> MadeCall {
    let viewer = choices.one(of: viewers)
    var members: [JSONTree.Member] = [.init("viewer", .string(viewer))]
    let method = choices.one(of: events)
    switch method {
    case "Navigate":
      members += [.init("url", .string(choices.one(of: urls))), .init("frame", "main")]
      if choices.flag() { members.append(.init("action", .string(choices.one(of: ["x", "y"])))) }
    case "Copy", "Paste", "ClipboardChanged":
      members += [.init("selection", .string(choices.one(of: ["clipboard", "primary", "drag"]))), .init("length", 3)]
    default: break
    }
    return MadeCall(method: method, parameters: ["event": .object(members)], expected: .event(viewer: viewer))
  }
}
