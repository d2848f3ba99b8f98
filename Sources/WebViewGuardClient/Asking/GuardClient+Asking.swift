public import GuardModel

/// Questions: may this happen? Each kind has a method of its own, built on `decide`.
extension GuardClient {
  /// Asks about anything.
  ///
  /// The answer never takes longer than the contract's answer time. When the task is cancelled while it waits, the
  /// contract answers at once.
  public nonisolated(nonsending) func decide(_ kind: EventKind, _ event: GuardEvent) async -> GuardDecision {
    .reading(await here.ask(kind, event).value(), to: kind, contract)
  }

  /// Asks several questions at once, decided in order under one policy; the answers come in the same order. When one of
  /// them cannot be read, none is decided, and all are `block`.
  public nonisolated(nonsending) func decide(_ questions: [(EventKind, GuardEvent)]) async -> [GuardDecision] {
    guard !questions.isEmpty else { return [] }
    let answer = await here.ask(questions).value()
    return GuardDecision.reading(answer, to: questions.map(\.0), contract)
  }

  /// Asks, and calls back: for toolkits with an event loop of their own.
  ///
  /// The callback runs on the client's own thread, or at once on this one when the contract answers. It must not block,
  /// least of all in `decideBlocking`: the answers to all questions come from there. Go to the main loop, and return.
  public func decide(
    _ kind: EventKind, _ event: GuardEvent, then callback: @escaping @Sendable (GuardDecision) -> Void
  ) {
    here.ask(kind, event).whenGiven { [transport] in callback(.reading($0, to: kind, transport.contract)) }
  }

  /// May the viewer load this URL? Ask for every navigation of a main frame and every redirect in it.
  public nonisolated(nonsending) func navigate(_ event: GuardEvent) async -> GuardDecision {
    await decide(.navigate, event)
  }

  /// The user cuts or copies, or starts to drag, out of a viewer.
  public nonisolated(nonsending) func copy(_ event: GuardEvent) async -> GuardDecision { await decide(.copy, event) }

  /// The user pastes or drops into a viewer.
  public nonisolated(nonsending) func paste(_ event: GuardEvent) async -> GuardDecision { await decide(.paste, event) }

  /// A selection has a new owner.
  @discardableResult
  public nonisolated(nonsending) func clipboardChanged(_ event: GuardEvent) async -> GuardDecision {
    await decide(.clipboardChanged, event)
  }

  /// A drag is over: its clip is forgotten.
  @discardableResult
  public nonisolated(nonsending) func dragEnd(_ event: GuardEvent) async -> GuardDecision {
    await decide(.dragEnd, event)
  }

  /// A viewer stores a file that a server sent. Ask before the first byte is kept, and again when the place is chosen.
  public nonisolated(nonsending) func download(_ event: GuardEvent) async -> GuardDecision {
    await decide(.download, event)
  }

  /// A page takes a file of the user. Ask before the page sees its name.
  public nonisolated(nonsending) func upload(_ event: GuardEvent) async -> GuardDecision {
    await decide(.upload, event)
  }

  /// The app saves data to a place. Ask when the place is known, before anything is written there.
  public nonisolated(nonsending) func save(_ event: GuardEvent) async -> GuardDecision { await decide(.save, event) }

  /// The app opens data from a place. Ask after opening the file and before showing it.
  public nonisolated(nonsending) func open(_ event: GuardEvent) async -> GuardDecision { await decide(.open, event) }

  /// Data comes in from another program. Ask before any of it is shown or kept.
  public nonisolated(nonsending) func receive(_ event: GuardEvent) async -> GuardDecision {
    await decide(.receive, event)
  }

  /// Data goes to another program. Ask when the program is known; to list programs, ask `programHints`.
  public nonisolated(nonsending) func share(_ event: GuardEvent) async -> GuardDecision { await decide(.share, event) }

  /// A page is printed. Ask before the preview; with `path` it is printed into a file.
  public nonisolated(nonsending) func print(_ event: GuardEvent) async -> GuardDecision { await decide(.print, event) }

  /// The screen or a viewer is recorded. Ask before it begins, and again when the shown account changes meanwhile.
  public nonisolated(nonsending) func capture(_ event: GuardEvent) async -> GuardDecision {
    await decide(.capture, event)
  }

  /// A page shows a notification. Ask before each; `redact` wants a neutral text in place of its content.
  public nonisolated(nonsending) func notify(_ event: GuardEvent) async -> GuardDecision {
    await decide(.notify, event)
  }

  /// The app itself, not a page, opens a URL in another program. Ask before the program is started.
  public nonisolated(nonsending) func openURL(_ event: GuardEvent) async -> GuardDecision {
    await decide(.openURL, event)
  }

  /// Data passes through a program beside the app: an extension, an assistant, a keyboard.
  public nonisolated(nonsending) func exchange(_ event: GuardEvent) async -> GuardDecision {
    await decide(.exchange, event)
  }

  /// Content goes into a search index. Ask before it is handed over.
  public nonisolated(nonsending) func index(_ event: GuardEvent) async -> GuardDecision { await decide(.index, event) }
}

/// For hooks that a toolkit calls synchronously, on its main thread or any other: each waits for the answer, never
/// longer than the contract's answer time. In tasks use the `async` methods: a blocking task holds up others.
extension GuardClient {
  /// Does the same as `decide`.
  @available(*, noasync, message: "await `decide`")
  public func decideBlocking(_ kind: EventKind, _ event: GuardEvent) -> GuardDecision {
    .reading(wait(for: here.ask(kind, event)), to: kind, contract)
  }

  /// Does the same as `start`: it waits at most the contract's start time, which is longer. Call it before the first
  /// window opens.
  @available(*, noasync, message: "await `start`")
  @discardableResult
  public func startBlocking() -> Bool {
    let started = beginStart()
    if case .reply = started.wait(milliseconds: contract.startMilliseconds) { return true }
    return false
  }

  /// Does the same as `registerViewer`.
  @available(*, noasync, message: "await `registerViewer`")
  @discardableResult
  public func registerViewerBlocking(
    _ name: String, class viewerClass: String? = nil, parent: String? = nil, window: String? = nil,
    opener: String? = nil, kind: ViewerKind? = nil, document: String? = nil, policy: WebViewPolicy? = nil,
    ruleSet: String? = nil
  ) throws(GuardError) -> RegisteredViewer {
    let viewer = ViewerDescription(
      name, class: viewerClass, parent: parent, window: window, opener: opener, kind: kind,
      document: document, policy: policy, ruleSet: ruleSet)
    return RegisteredViewer(reading: try sayBlocking(.viewer(viewer)))
  }

  /// Does the same as `setDocument`.
  @available(*, noasync, message: "await `setDocument`")
  public func setDocumentBlocking(_ viewer: String, _ url: String?) throws(GuardError) {
    _ = try sayBlocking(.document(viewer: viewer, url: url))
  }

  /// Does the same as `forgetViewer`.
  @available(*, noasync, message: "await `forgetViewer`")
  public func forgetViewerBlocking(_ viewer: String) throws(GuardError) {
    _ = try sayBlocking(.forget(viewer: viewer))
  }

  /// Does the same as `setIdentity`.
  @available(*, noasync, message: "await `setIdentity`")
  @discardableResult
  public func setIdentityBlocking(
    _ target: IdentityTarget = .process, account: String?, gates: SwitchResult? = nil
  ) throws(GuardError) -> IdentityChange {
    let shown = account.map(ShownAccounts.one) ?? .inherited
    return IdentityChange(reading: try sayBlocking(.identity(target, shown, gates: gates)))
  }

  @available(*, noasync)
  private func sayBlocking(_ statement: Statement) throws(GuardError) -> GuardValue {
    try relayBlocking(statement).members()
  }
}

/// For a program that passes on another one's calls: events and replies stay as they are.
extension GuardClient {
  /// Does the same as `decideBlocking`. The daemon gets the members of the event unchanged, including words that this
  /// library does not know. A navigation without `action` gets one, and every event gets the remaining time.
  @available(*, noasync)
  package func relayBlocking(_ kind: EventKind, _ members: [String: GuardValue]) -> GuardDecision {
    .reading(wait(for: transport.ask(kind, members)), to: kind, contract)
  }

  /// Makes a statement, which is remembered unless it is refused. Returns the daemon's answer.
  @available(*, noasync)
  package func relayBlocking(_ statement: Statement) -> CallAnswer {
    wait(for: line(of: statement).say(statement))
  }

  /// Does the same as `call`. Returns the daemon's answer.
  @available(*, noasync)
  package func relayBlocking(_ method: String, _ parameters: [String: GuardValue]) -> CallAnswer {
    wait(for: transport.submit(method, .other) { $0.members(parameters) })
  }

  /// Reads the contract only when the call is on its way: the first call loads it.
  @available(*, noasync)
  private func wait(for pending: PendingAnswer) -> CallAnswer {
    pending.wait(milliseconds: contract.answerMilliseconds)
  }
}

extension Transport {
  /// Sends a question.
  func ask(_ kind: EventKind, _ event: GuardEvent) -> PendingAnswer {
    guard let method = kind.method else { return Self.unknownEvent }
    return change { core, now in
      let event = core.session.naming(event, kind, at: now)
      return core.session.ask(method, about: [event.viewer], at: now) { parameters, remaining in
        parameters.member("event") { event.write(to: &$0, deadline: remaining) }
      }
    }
  }

  /// Sends a question with an unchanged event.
  func ask(_ kind: EventKind, _ members: [String: GuardValue]) -> PendingAnswer {
    guard let method = kind.method else { return Self.unknownEvent }
    let (viewer, url) = (members["viewer"]?.string, members["url"]?.string)
    let said = GuardEvent(
      viewer: viewer, url: url, newWindow: members["newWindow"]?.bool, action: members["action"]?.string)
    return change { core, now in
      var members = members
      members["action"] = core.session.naming(said, kind, at: now).action.map { .string($0) }
      return core.session.ask(method, about: [viewer], at: now) { [members] parameters, remaining in
        parameters.member("event") { event in
          event.object {
            $0.members(members)
            $0.member("deadline", remaining)
          }
        }
      }
    }
  }

  /// Sends several questions in one call.
  func ask(_ questions: [(EventKind, GuardEvent)]) -> PendingAnswer {
    guard questions.allSatisfy({ $0.0.method != nil }) else { return Self.unknownEvent }
    return change { core, now in
      let named = questions.map { (kind: $0.name, event: core.session.naming($1, $0, at: now)) }
      return core.session.ask("DecideMany", about: named.map(\.event.viewer), at: now) { parameters, remaining in
        parameters.member("questions") { list in
          list.array { list in
            for question in named {
              list.element { element in
                element.object { members in
                  members.member("kind", question.kind)
                  members.member("event") { question.event.write(to: &$0, deadline: remaining) }
                }
              }
            }
          }
        }
      }
    }
  }

  /// A kind without a name cannot be asked about.
  private static var unknownEvent: PendingAnswer {
    let answer = PendingAnswer()
    answer.give(.refused(.init(name: Reason.unknownEvent.rawValue, parameters: [:])))
    return answer
  }
}

extension ClientSession {
  /// The event, with an id for the user action when it is a navigation without one.
  mutating func naming(_ event: GuardEvent, _ kind: EventKind, at time: Int64) -> GuardEvent {
    guard kind == .navigate, event.action == nil else { return event }
    var event = event
    event.action = actions.action(of: event, at: time)
    return event
  }

  /// Submits a question with the contract's answer time as its deadline.
  package mutating func ask(
    _ method: String, about viewers: [String?] = [], at time: Int64,
    _ members: @escaping @Sendable (inout ValueWriter, _ remaining: Int) -> Void
  ) -> PendingAnswer {
    let call = ClientCall(
      method: method, purpose: .question(viewers: viewers), deadline: time + Int64(contract.answerMilliseconds)
    ) { writer, remaining in writer.object { members(&$0, remaining) } }
    submit(call, at: time)
    return call.answer
  }
}
