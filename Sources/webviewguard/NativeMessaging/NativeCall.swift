internal import GuardModel
package import JSONText

/// One message of the extension, read. These calls are all there are; none of them names a method of the daemon.
///
///     try NativeCall(JSONTree(parsing: #"{"id":1,"call":"forgetViewer","viewer":"tab-7"}"#))
package enum NativeCall: Equatable {
  /// Begins: as which app, in which languages the user reads, and what the extension can do.
  case hello(app: String?, languages: [JSONTree], features: [JSONTree])
  /// Whose data the browser shows; an empty text is nobody's.
  case identity(account: String)
  /// A viewer is there, with the parameters as the interface has them.
  case registerViewer(String, [JSONTree.Member])
  /// What the viewer shows now.
  case setDocument(String, [JSONTree.Member])
  /// The viewer has ended.
  case forgetViewer(String)
  /// A question.
  case ask(NativeQuestion, [JSONTree.Member])
  /// Start what the decision with that id offers.
  case open(decision: String)
  /// The explicit rules for a class, as declarativeNetRequest has them.
  case rules(viewerClass: String?)

  /// The call in a message; throws when it is none, or says what no call may.
  package init(_ message: JSONTree) throws(NativeRefusal) {
    guard let name = message["call"]?.string else { throw .notAMessage }
    guard let known = Self.members[name] else { throw .unknownCall }
    let every = known.merging(["id": .number, "call": .name]) { own, _ in own }
    let members = try NativeMember.read(message, every).filter { $0.key != "id" && $0.key != "call" }
    self = try Self.make(name, Self.Members(members))
  }

  private static func make(_ name: String, _ members: Members) throws(NativeRefusal) -> NativeCall {
    switch name {
    case "hello":
      .hello(
        app: members["app"]?.string, languages: members["languages"]?.array ?? [],
        features: members["features"]?.array ?? [])
    case "identity": .identity(account: try members.text("account"))
    case "registerViewer": .registerViewer(try members.text("viewer"), members.all)
    case "setDocument": .setDocument(try members.text("viewer"), members.all)
    case "forgetViewer": .forgetViewer(try members.text("viewer"))
    case "open": .open(decision: try members.text("decision"))
    case "rules": .rules(viewerClass: members["class"]?.string)
    default: .ask(try NativeQuestion.find(name), members.all)
    }
  }

  private static let viewer: [String: NativeMember] = ["viewer": .name]

  /// What each call may say.
  private static let members: [String: [String: NativeMember]] = {
    var table: [String: [String: NativeMember]] = [
      "hello": ["app": .name, "languages": .texts, "features": .texts],
      "identity": ["account": .name],
      "registerViewer": [
        "viewer": .name, "class": .name, "parent": .name, "window": .name, "opener": .name, "kind": .name,
        "document": .url, "policy": .name, "ruleSet": .name,
      ],
      "setDocument": ["viewer": .name, "document": .url],
      "forgetViewer": viewer,
      "open": ["decision": .name],
      "rules": ["class": .name],
    ]
    for question in NativeQuestion.allCases {
      table[question.rawValue] = viewer.merging(question.members) { own, _ in own }
    }
    return table
  }()

  private struct Members {
    let all: [JSONTree.Member]

    init(_ members: [JSONTree.Member]) { all = members }

    subscript(name: String) -> JSONTree? { all.first { $0.key == name }?.value }

    func text(_ name: String) throws(NativeRefusal) -> String {
      guard let text = self[name]?.string else { throw .wrongMember(name) }
      return text
    }
  }
}

/// The questions that an extension asks.
package enum NativeQuestion: String, CaseIterable {
  /// As the event of the interface with the same name.
  case navigate, download, upload, copy, paste, clipboardChanged, dragEnd, print

  static func find(_ name: String) throws(NativeRefusal) -> NativeQuestion {
    guard let question = NativeQuestion(rawValue: name) else { throw .unknownCall }
    return question
  }

  /// The method of org.webviewguard.Guard that answers it.
  package var method: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

  /// What the contract says when nobody answers.
  func answer(under contract: FailureContract) -> FailureAnswer {
    switch self {
    case .navigate: contract.navigation
    case .copy, .paste, .clipboardChanged, .dragEnd: contract.clipboard
    case .download, .upload, .print: contract.other
    }
  }

  /// Whether it is about what a display's selections hold.
  var isAboutSelection: Bool {
    switch self {
    case .copy, .paste, .clipboardChanged, .dragEnd: true
    default: false
    }
  }

  fileprivate var members: [String: NativeMember] {
    switch self {
    case .navigate:
      [
        "url": .url, "from": .url, "frame": .name, "hop": .truth, "method": .name, "gesture": .name,
        "newWindow": .truth, "sameDocument": .truth, "action": .name,
      ]
    case .download, .upload: ["url": .url, "location": .name]
    case .print: [:]
    case .copy, .paste, .clipboardChanged, .dragEnd:
      [
        "selection": .name, "length": .number, "formats": .texts, "cut": .truth, "selfOwned": .truth, "clip": .name,
        "proposal": .name, "from": .url,
      ]
    }
  }
}
