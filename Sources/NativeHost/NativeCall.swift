package import GuardModel
package import WebViewGuardClient

/// One parsed message of the extension. There are no other calls; none of them names a method of the daemon.
///
///     try NativeCall(["id": 1, "call": "forgetViewer", "viewer": "tab-7"])    // .tell(.forget(viewer: "tab-7"))
package enum NativeCall: Equatable {
  /// The extension begins.
  case hello(NativeGreeting)
  /// A statement that holds from now on: the identity of the data that the browser shows, the viewers and their
  /// documents.
  case tell(Statement)
  /// A question, with the members of its event as the interface has them.
  case ask(EventKind, [String: GuardValue])
  /// Start the program that the decision with that id offers.
  case open(decision: String)
  /// The explicit rules for a class, as declarativeNetRequest has them.
  case rules(viewerClass: String?)
  /// A download lies in its place: label and store it.
  case store(ArrivedDownload)
  /// A call about accounts, which the daemon answers: their standing, their configuration, the permission to sign in, and
  /// the result of its requests.
  case relay(method: String, [String: GuardValue])

  /// The call in a message; throws when it is none, or when it holds members that no call may.
  package init(_ message: GuardValue) throws(NativeRefusal) {
    guard let name = message["call"]?.string else { throw .notAMessage }
    guard let known = NativeMember.ofCalls[name] else { throw .unknownCall }
    let members = try NativeMember.read(message, known)
    self = try Self.make(name, members)
  }

  private static func make(_ name: String, _ members: [String: GuardValue]) throws(NativeRefusal) -> NativeCall {
    func required(_ name: String) throws(NativeRefusal) -> String {
      guard let text = members[name]?.string else { throw .wrongMember(name) }
      return text
    }
    switch name {
    case "hello": return .hello(NativeGreeting(members))
    // An empty account means unmanaged.
    case "identity": return .tell(.identity(.process, .one(try required("account")), gates: nil))
    case "registerViewer": return .tell(.viewer(viewer(try required("viewer"), members)))
    case "setDocument":
      return .tell(.document(viewer: try required("viewer"), url: members["document"]?.string))
    case "forgetViewer": return .tell(.forget(viewer: try required("viewer")))
    case "open": return .open(decision: try required("decision"))
    case "rules": return .rules(viewerClass: members["class"]?.string)
    case "store":
      guard let file = ArrivedDownload(members) else { throw .wrongMember("path") }
      return .store(file)
    default:
      if let method = NativeMember.relayed[name] { return try relay(name, method, members) }
      guard let kind = NativeMember.ofQuestions.keys.first(where: { $0.name == name }) else { throw .unknownCall }
      return .ask(kind, members)
    }
  }

  /// A call about accounts has all of its members.
  private static func relay(
    _ name: String, _ method: String, _ members: [String: GuardValue]
  ) throws(NativeRefusal) -> NativeCall {
    for member in (NativeMember.ofCalls[name] ?? [:]).keys.sorted() where members[member] == nil {
      throw .wrongMember(member)
    }
    // An extension asks about one account; the daemon's call takes several.
    guard name == "config" else { return .relay(method: method, members) }
    return .relay(method: method, ["accounts": .array(members.values.map(\.self))])
  }

  private static func viewer(_ name: String, _ members: [String: GuardValue]) -> ViewerDescription {
    ViewerDescription(
      name, class: members["class"]?.string, parent: members["parent"]?.string,
      window: members["window"]?.string, opener: members["opener"]?.string,
      kind: members["kind"]?.string.flatMap(ViewerKind.init), document: members["document"]?.string,
      policy: members["policy"]?.string.flatMap(WebViewPolicy.init(named:)), ruleSet: members["ruleSet"]?.string)
  }
}

/// The extension's first message.
package struct NativeGreeting: Equatable {
  /// The app to ask as; nil when the caller matches only one.
  package var app: String?
  /// The user's languages, the preferred first, as BCP 47 tags.
  package var languages: [String] = []
  /// The extension's version.
  package var version: String?
  /// The extension's features. A word that this host does not know is left out: uses that need it are then blocked.
  package var features: Set<GuardFeature> = []

  /// The values before the first message.
  package init() {}

  fileprivate init(_ members: [String: GuardValue]) {
    app = members["app"]?.string
    version = members["version"]?.string
    languages = members["languages"]?.array?.compactMap(\.string) ?? []
    features = Set(members["features"]?.array?.compactMap { $0.string.flatMap(GuardFeature.init) } ?? [])
  }
}

/// The kinds of values that an extension may send. None is for text of any length: page content has no way through.
private enum NativeMember {
  /// Text of at most so many bytes.
  case text(Int)
  /// At most 64 texts of 256 bytes, such as MIME types.
  case texts
  case number
  case truth
  /// A known word of the interface: a kind of viewer, or a policy of web views.
  case kind, policy
  /// The word for the result of a wipe, or of a switch.
  case completion, switchResult

  /// An identifier, a class, a word of the interface.
  static let name = NativeMember.text(256)
  /// The daemon refuses longer ones as no URL at all.
  static let url = NativeMember.text(256 * 1024)
  /// As the kernel has it.
  static let path = NativeMember.text(4096)

  /// The members that each call may have.
  static let ofCalls: [String: [String: NativeMember]] = {
    var calls: [String: [String: NativeMember]] = [
      "hello": ["app": .name, "languages": .texts, "features": .texts, "version": .name],
      "identity": ["account": .name],
      "registerViewer": [
        "viewer": .name, "class": .name, "parent": .name, "window": .name, "opener": .name, "kind": .kind,
        "document": .url, "policy": .policy, "ruleSet": .name,
      ],
      "setDocument": ["viewer": .name, "document": .url],
      "forgetViewer": ["viewer": .name],
      "open": ["decision": .name],
      "rules": ["class": .name],
      "store": ["path": .path, "account": .name, "since": .number],
      "accounts": [:],
      "config": ["account": .name],
      "complete": ["request": .name, "result": .completion],
      "register": ["account": .name],
      "deregister": ["account": .name],
      "maySignIn": ["account": .name],
      "allowedAccounts": [:],
      "answer": ["request": .name, "result": .switchResult],
    ]
    for (kind, members) in ofQuestions { calls[kind.name] = members }
    return calls
  }()

  /// The calls that the daemon answers, by its own methods.
  static let relayed = [
    "accounts": "org.webviewguard.Accounts.List",
    "config": "org.webviewguard.Accounts.Config",
    "complete": "org.webviewguard.Accounts.Complete",
    "register": "org.webviewguard.Accounts.Register",
    "deregister": "org.webviewguard.Accounts.Deregister",
    "maySignIn": "org.webviewguard.Accounts.MaySignIn",
    "allowedAccounts": "org.webviewguard.Accounts.AllowedAccounts",
    "answer": "Answer",
  ]

  /// The questions that an extension asks, and the members that each may have.
  static let ofQuestions: [EventKind: [String: NativeMember]] = {
    let navigation: [String: NativeMember] = [
      "viewer": .name, "url": .url, "from": .url, "frame": .name, "hop": .truth, "method": .name, "gesture": .name,
      "newWindow": .truth, "sameDocument": .truth, "action": .name,
    ]
    let file: [String: NativeMember] = ["viewer": .name, "url": .url, "location": .name]
    let clip: [String: NativeMember] = [
      "viewer": .name, "selection": .name, "length": .number, "formats": .texts, "cut": .truth, "selfOwned": .truth,
      "clip": .name, "proposal": .name, "from": .url,
    ]
    return [
      .navigate: navigation, .download: file, .upload: file, .print: ["viewer": .name],
      .copy: clip, .paste: clip, .clipboardChanged: clip, .dragEnd: clip,
    ]
  }()

  /// The members of a message beside its id and its call, without those that are null; throws at one that the call does
  /// not have.
  static func read(
    _ message: GuardValue, _ known: [String: NativeMember]
  ) throws(NativeRefusal) -> [String: GuardValue] {
    let members = (message.object ?? [:]).filter { $0.key != "id" && $0.key != "call" }
    for (name, value) in members.sorted(by: { $0.key < $1.key }) {
      guard let kind = known[name] else { throw .unknownMember(name) }
      guard value == .null || kind.takes(value) else { throw .wrongMember(name) }
    }
    return members.filter { $0.value != .null }
  }

  private func takes(_ value: GuardValue) -> Bool {
    switch (self, value) {
    case (.truth, .bool): true
    case (.text(let most), .string(let text)): text.utf8.count <= most
    case (.number, .integer(let number)): number >= 0
    case (.texts, .array(let elements)):
      elements.count <= 64 && elements.allSatisfy { ($0.string?.utf8.count ?? .max) <= 256 }
    case (.kind, .string(let word)): ViewerKind(rawValue: word) != nil
    case (.policy, .string(let word)): WebViewPolicy(named: word) != nil
    case (.completion, .string(let word)): GuardAccounts.Completion(rawValue: word) != nil
    case (.switchResult, .string(let word)): SwitchResult(rawValue: word) != nil
    default: false
    }
  }
}

/// Why a message of the extension is not carried out.
package enum NativeRefusal: Error, Equatable {
  /// The bytes are no JSON.
  case notJSON
  /// It is no object with an id and a call.
  case notAMessage
  /// It is longer than ``NativeMessageInput/maximumLength``.
  case tooLong
  /// There is no such call.
  case unknownCall
  /// The call has no member of that name.
  case unknownMember(String)
  /// The member of that name is missing, or not of its kind.
  case wrongMember(String)
  /// No decision of this host with that id offers to open anything, or it was opened already.
  case nothingToOpen
  /// The program was not started, and why.
  case cannotOpen(String)
  /// There are no rules to send, and why.
  case rulesUnavailable(String)

  /// The refusal as a reply.
  package func reply(to id: GuardValue) -> GuardValue {
    let (word, text) = words
    return ["id": id, "error": .string(word), "text": .string(text)]
  }

  private var words: (String, String) {
    switch self {
    case .notJSON: ("notJSON", "the message is no JSON")
    case .notAMessage: ("notAMessage", "the message is no object with an id and a call")
    case .tooLong: ("tooLong", "the message is longer than \(NativeMessageInput.maximumLength) bytes")
    case .unknownCall: ("unknownCall", "there is no such call")
    case .unknownMember(let name): ("unknownMember", "the call has no member `\(name)`")
    case .wrongMember(let name): ("wrongMember", "the member `\(name)` is missing, or not of its kind")
    case .nothingToOpen: ("nothingToOpen", "no decision with that id offers anything to open")
    case .cannotOpen(let problem): ("cannotOpen", problem)
    case .rulesUnavailable(let problem): ("rulesUnavailable", problem)
    }
  }
}
