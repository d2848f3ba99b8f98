internal import DecisionLog
internal import GuardModel
internal import GuardProtocol
internal import JSONText
internal import PolicyEngine
internal import PolicyFiles

/// A record of the decision log as the app's call at the time.
struct RecordedCall {
  enum Kind {
    /// With the program's capabilities.
    case attach(ClientFeatures)
    case instanceEnd
    /// A question, or another call that changes state.
    case call(GuardMethod, JSONTree)
    /// A step in the life of an account.
    case account(RecordedStep)
  }

  let kind: Kind
  let app: String
  let instance: String
  let uid: UInt32?
  /// Milliseconds since 1970.
  let time: UInt64
  /// The viewer that it is about, when that was a registered one.
  let knownViewer: String?
  /// The id that a copy was given at the time.
  let newClip: String?
  /// The name given to its proposal.
  let newProposal: String?
  /// The id of the switch that was asked for at the time.
  let newRequest: String?
  /// The members of the event whose accounts the policy did not know at the time.
  let unknownAccounts: Set<String>
  /// The reason why its answer is not judged again. Its change of the selections is made all the same: later answers
  /// rest on it.
  let problem: LineProblem?

  var isDecision: Bool {
    if case .call(let method, _) = kind { method.event != nil } else { false }
  }

  /// Throws why the record cannot be judged again.
  init(_ record: JSONTree, atLeast least: Replayability) throws(LineProblem) {
    guard record["v"]?.int == Int64(LogEncoder.version) else { throw LineProblem("the record's version is not known") }
    let type = record["type"]?.string ?? ""
    switch RecordType(rawValue: type) {
    case .decision:
      problem = Self.problem(record, atLeast: least)
      kind = try Self.decision(record, problem)
    case .state, .recovered:
      problem = nil
      kind = try Self.state(record)
    case .account:
      problem = nil
      kind = .account(try RecordedStep(record))
    default: throw LineProblem("a record of type \(type.quoted) asks nothing")
    }
    // The word of a source is about all apps.
    let isOfAllApps = if case .account(let step) = kind { step.isOfAllApps } else { false }
    guard let app = record["app"]?.string ?? (isOfAllApps ? "" : nil) else {
      throw LineProblem("the record names no app")
    }
    guard let time = record["time"]?.string.flatMap(RFC3339.milliseconds) else {
      throw LineProblem("the record has no time")
    }
    self.app = app
    self.time = time
    instance = record["instance"]?.string ?? ""
    uid = record["uid"]?.int.flatMap { UInt32(exactly: $0) }
    knownViewer = record["viewerIsUnknown"]?.bool == true ? nil : record["viewer"]?.string
    newClip = record["newClip"]?.string
    newProposal = record["newProposal"]?.string
    newRequest = record["switchRequest"]?.string
    unknownAccounts = Set(Self.accountNotes.filter { record.notes.contains($0.key) }.values)
  }

  private static let accountNotes = [
    "unknownOwner": "owner", "unknownLocationAccount": "locationAccount", "unknownPeerAccount": "peerAccount",
  ]

  private static func decision(_ record: JSONTree, _ problem: LineProblem?) throws(LineProblem) -> Kind {
    guard let word = record["event"]?.string, let method = GuardMethod.allCases.first(where: { $0.event?.name == word })
    else { throw LineProblem("the event is not known") }
    if let problem, method.event?.isOfSelections != true { throw problem }
    return .call(method, .object([.init("event", .object(event(record)))]))
  }

  private static func problem(_ record: JSONTree, atLeast least: Replayability) -> LineProblem? {
    guard record["exception"] == nil else {
      return LineProblem("it rested on a timed exception, which only the daemon knew")
    }
    guard record["fileFacts"] == nil else {
      return LineProblem("it rested on the label of a file, which only the daemon reads")
    }
    let replayable = record["replayable"]?.string.flatMap(Replayability.init) ?? .no
    guard replayable < least else { return nil }
    return LineProblem("replayable is `\(replayable.rawValue)`, less than `\(least.rawValue)`")
  }

  private static func state(_ record: JSONTree) throws(LineProblem) -> Kind {
    switch record["change"]?.string.flatMap(StateChange.Kind.init) {
    case .attach: return .attach(features(record))
    case .instanceEnd: return .instanceEnd
    case .registerViewer:
      try requireWholeDocument(record)
      return .call(
        .registerViewer,
        members(
          of: record, named: ["viewer", "class", "parent", "window", "opener", "kind", "document", "policy", "ruleSet"])
      )
    case .setDocument:
      try requireWholeDocument(record)
      return .call(.setDocument, members(of: record, named: ["viewer", "document"]))
    case .forgetViewer: return .call(.forgetViewer, members(of: record, named: ["viewer"]))
    case .setWebViewPolicy: return .call(.setWebViewPolicy, members(of: record, named: ["viewer", "policy"]))
    case .setExternalURLRules: return .call(.setExternalURLRules, members(of: record, named: ["viewer", "ruleSet"]))
    case .setIdentity: return .call(.setIdentity, identity(record))
    case .answer: return .call(.answer, members(of: record, named: ["request", "result"]))
    case nil: throw LineProblem("the change is not known")
    }
  }

  /// An app's statements about an event, under the names that wire and log share.
  private static let eventMembers = [
    "viewer", "url", "from", "frame", "hop", "method", "gesture", "sameDocument", "newWindow", "selection", "cut",
    "length", "formats", "selfOwned", "clip", "proposal", "display", "action", "inspection", "owner", "locationAccount",
    "inPlace", "surface", "chooser",
    "peer", "peerAccount", "channel", "capture",
  ]

  /// An equally trustworthy path stands in for one that was left out: nothing else of it decides. An unknown place is
  /// asked by a word that names no place.
  private static func event(_ record: JSONTree) -> [JSONTree.Member] {
    var event = members(named: eventMembers, of: record)
    if record.notes.contains("unknownLocation") {
      event.append(.init("location", "unknown"))
    } else if let location = record["location"] {
      event.append(.init("location", location))
    }
    if let path = record["path"] ?? record["pathForm"].map({ $0 == "plain" ? "/redacted" : "redacted" }) {
      event.append(.init("path", path))
    }
    if record["from"] == nil, hidesPage(record) { event.append(.init("from", "unreadable")) }
    return event
  }

  /// The app named the page, and the record does not: it was no URL, or is private. A page that cannot be read stands
  /// in, which is never the one where something was copied.
  private static func hidesPage(_ record: JSONTree) -> Bool {
    if record["fromRedacted"]?.array?.contains(.string("url")) ?? false { return true }
    let isOfSelections = EventKind.allCases.contains { $0.isOfSelections && $0.name == record["event"]?.string }
    return isOfSelections && record["urlInvalid"]?.bool == true
  }

  private static func members(of record: JSONTree, named names: [String]) -> JSONTree {
    .object(members(named: names, of: record))
  }

  private static func members(named names: [String], of record: JSONTree) -> [JSONTree.Member] {
    names.compactMap { name in record[name].map { JSONTree.Member(name, $0) } }
  }

  private static func features(_ record: JSONTree) -> ClientFeatures {
    let words = record["features"]?.array?.compactMap(\.string) ?? []
    return ClientFeatures(ClientFeatures.names.filter { words.contains($0.name) }.map(\.feature))
  }

  private static func identity(_ record: JSONTree) -> JSONTree {
    let renamed = ["identityLevel": "level", "window": "window", "account": "account", "accounts": "accounts"]
    guard case .object(let members) = record else { return .object([]) }
    return .object(members.compactMap { member in renamed[member.key].map { .init($0, member.value) } })
  }

  /// A fragment is nothing that rules see. Without its query a document is another document. One that was left out whole is
  /// unknown, as where an app gives none: the viewer must not be unknown with it.
  private static func requireWholeDocument(_ record: JSONTree) throws(LineProblem) {
    guard record["documentInvalid"] == nil else { throw LineProblem("the document was no URL") }
    guard case .array(let parts) = record["documentRedacted"] ?? .array([]) else { return }
    guard record["documentSHA256"] == nil, parts.allSatisfy({ $0 == "fragment" || $0 == "url" }) else {
      throw LineProblem("the document's URL is not whole")
    }
  }
}

extension JSONTree {
  /// Facts that a record calls unknown.
  fileprivate var notes: [String] { self["notes"]?.array?.compactMap(\.string) ?? [] }
}
