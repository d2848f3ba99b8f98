public import GuardModel

/// Questions: may this happen? Each kind has a method of its own, built on `decide`.
extension GuardClient {
  /// Asks about anything.
  ///
  /// The answer never takes longer than the contract's answer time. When the task is cancelled while it waits, the
  /// contract answers at once.
  public nonisolated(nonsending) func decide(_ kind: EventKind, _ event: GuardEvent) async -> GuardDecision {
    .reading(await transport.ask(kind, event).value(), to: kind, contract)
  }

  /// Asks several questions at once, decided in order under one policy; the answers come in the same order. When one of
  /// them cannot be read, none is decided, and all are `block`.
  public nonisolated(nonsending) func decide(_ questions: [(EventKind, GuardEvent)]) async -> [GuardDecision] {
    guard !questions.isEmpty else { return [] }
    let answer = await transport.ask(questions).value()
    return GuardDecision.reading(answer, to: questions.map(\.0), contract)
  }

  /// Asks, and calls back: for toolkits with an event loop of their own.
  ///
  /// The callback runs on the client's own thread, or at once on this one when the contract answers. It must not block,
  /// least of all in `decideBlocking`: the answers to all questions come from there. Go to the main loop, and return.
  public func decide(
    _ kind: EventKind, _ event: GuardEvent, then callback: @escaping @Sendable (GuardDecision) -> Void
  ) {
    transport.ask(kind, event).whenGiven { [transport] in callback(.reading($0, to: kind, transport.contract)) }
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
