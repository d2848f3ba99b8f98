import DecisionLog
import GuardModel
import PolicyEngine
import PolicyFiles
import TestSupport
import Testing

/// One running app whose every event is decided and recorded, as the daemon does.
struct ReplayWorld {
  static let key = Array("a key for the documentation only".utf8)
  private static let viewers = ["documents", "assistant", "company-page", "plain", "mixed", "nobody"]
  private static let accounts = [
    "work@contoso.com", "WORK@contoso.com", "6D5C0000-0000-4000-8000-000000000001", "second@contoso.com",
    "private@home.example", "who@else.example", "",
  ]
  private static let urls = [
    "https://docs.contoso.com/d/42", "https://www.example.net/", "https://dropbox.example/x", "tel:+12015550123",
    "https://docs.contoso.com/d?q=1", "mailto:ada@home.example", "file:///srv/x", "not a url",
  ]
  private static let paths = ["/home/ada/plan.odt", "/srv/../home/ada/plan.odt", "plan.odt", "/a//b"]

  let snapshot: Snapshot
  private var state = GuardState(epoch: 1)
  private var encoder: LogEncoder
  private let instance: InstanceID
  private(set) var log: [UInt8] = []
  /// What was decided, in the order of the records of decisions.
  private(set) var reports: [DecisionReport] = []
  private(set) var kinds: [EventKind] = []
  private var time: UInt64 = 1_795_228_769_000

  init(redaction: RedactionSettings = RedactionSettings()) throws {
    let policy = try #require(
      ConfigurationLoader(roots: [CommandScript.directory + "/configurations/replayed"]).load().policy)
    snapshot = policy.snapshot(generation: 1, at: 1_795_228_769)
    encoder = LogEncoder(
      continuing: .start, pseudonyms: try #require(AccountPseudonyms(key: Self.key)), redaction: redaction)
    state.time = time
    let app = try #require(snapshot.app(named: "com.contoso.portal"))
    instance = try state.attach(app: app, peer: Peer(uid: 1000), snapshot)
    record(StateChange(.attach))
    for viewer in Self.viewers {
      let known = ["documents", "assistant", "company-page"].contains(viewer) ? viewer : nil
      try state.register(
        ViewerDescription(viewer, class: known, window: viewer), in: instance, snapshot)
      var change = StateChange(.registerViewer)
      (change.viewer, change.viewerClass, change.window) = (viewer, known, viewer)
      record(change)
    }
    try show("work@contoso.com", in: nil)
    try show("", in: "nobody")
  }

  /// Sets whose data a window shows; nil is the process.
  mutating func show(_ account: String, in window: String?) throws {
    state.time = time
    let identity = try state.identity(account, in: instance, snapshot)
    var change = StateChange(.setIdentity)
    if let window {
      _ = try state.setIdentity(identity, ofWindow: window, in: instance, snapshot)
      (change.identityLevel, change.window) = (.window, window)
    } else {
      _ = try state.setProcessIdentity(identity, in: instance, snapshot)
      change.identityLevel = .process
    }
    change.account = state.name(of: identity)
    record(change)
  }

  /// Decides and records an event of this kind, made up of everything an app may say.
  mutating func ask(_ kind: EventKind, _ random: inout SeededGenerator) throws {
    if random.oneIn(8) {
      let account = random.one(of: ["work@contoso.com", "second@contoso.com", "private@home.example", ""])
      try show(account, in: random.one(of: Self.viewers, orNilOneIn: 3))
    }
    var event = Event(kind)
    event.viewer = random.one(of: Self.viewers + ["stranger"], orNilOneIn: 12).map { event.append($0) }
    event.url = random.one(of: Self.urls, orNilOneIn: 12).map { event.append($0) }
    event.from = random.one(of: Self.urls, orNilOneIn: 2).map { event.append($0) }
    event.owner = random.one(of: Self.accounts, orNilOneIn: 2).map { event.append($0) }
    event.locationAccount = random.one(of: Self.accounts, orNilOneIn: 3).map { event.append($0) }
    event.peerAccount = random.one(of: Self.accounts, orNilOneIn: 3).map { event.append($0) }
    event.path = random.one(of: Self.paths, orNilOneIn: 2).map { event.append($0) }
    event.peer = random.one(of: ["com.contoso.notes", "word.desktop", "x.desktop"], orNilOneIn: 5).map {
      event.append($0)
    }
    event.method = random.one(of: ["GET", "POST"], orNilOneIn: 2).map { event.append($0) }
    event.frame = random.one(of: Frame.allCases)
    event.hop = random.one(of: [.unknown, .no, .yes])
    event.isSameDocument = random.oneIn(6)
    event.opensWindow = random.oneIn(6)
    event.location = random.one(of: Location.allCases)
    event.isInPlace = random.oneIn(9)
    event.channel = random.one(of: Channel.allCases)
    event.capture = random.one(of: CaptureKind.allCases)
    event.inspection = random.one(of: Inspection.allCases)
    event.selection = random.one(of: Selection.allCases)
    event.length = random.one(of: [0, 3, 8, 9], orNilOneIn: 5)
    event.selfOwned = random.one(of: [.unknown, .no, .yes])
    try decideAndRecord(event)
  }

  mutating func decideAndRecord(_ event: Event) throws {
    var event = event
    time += 1_000
    event.time = time
    let decision = decide(event, of: instance, &state, under: snapshot)
    var ruling = Ruling(decision, reading: state.input)
    let report = state.report(ruling, snapshot)
    var entry = DecisionEntry(id: String(reports.count + 1))
    (entry.app, entry.instance) = ("com.contoso.portal", "i-1")
    entry.url =
      ruling.judgedURLIsInvalid ? .invalid(byteCount: 9) : ruling.judgedURL().map(LoggedURL.valid) ?? .absent
    entry.from = ruling.judgedFrom().map(LoggedURL.valid) ?? .absent
    entry.owner = state.accountName(event.owner, in: event)
    entry.locationAccount = state.accountName(event.locationAccount, in: event)
    entry.peerAccount = state.accountName(event.peerAccount, in: event)
    encoder.encode(entry, of: event, as: report, into: &log)
    reports.append(report)
    kinds.append(event.kind)
  }

  private mutating func record(_ change: StateChange) {
    var change = change
    (change.app, change.instance) = ("com.contoso.portal", "i-1")
    encoder.encode(change, at: time, into: &log)
  }

  /// The lines of the log as they stand in a file.
  var lines: [[UInt8]] {
    var chain = Chain(continuing: .start)
    var batch = LogBatch()
    for line in log.split(separator: UInt8(ascii: "\n")) { batch.add { $0 += line + [UInt8(ascii: "\n")] } }
    chain.seal(&batch, through: batch.bytes.count)
    return batch.bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
  }
}
