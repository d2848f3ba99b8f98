public import GuardModel

/// An app's line to the guard. It asks before anything happens; without an answer, the failure contract decides.
///
///     let guardian = GuardClient(.init(app: "com.contoso.portal"))
///     await guardian.start()
///     try await guardian.setIdentity(.process, account: "work@contoso.com")
///     try await guardian.registerViewer("v1", class: "documents", window: "w1")
///     let decision = await guardian.navigate(.init(viewer: "v1", url: url, from: page, frame: .main))
///
/// Questions never throw and never take longer than the contract allows (500 ms unless it says otherwise), connecting
/// included. When the daemon goes away, the client reconnects by itself and repeats the app's statements. An app makes
/// one client and keeps it: when the last reference goes, the contract answers all waiting callers, and news end.
///
/// Any task and any thread may use it. The daemon gets the calls of one task or thread in their order.
public final class GuardClient: Sendable {
  /// The settings of a client.
  public struct Configuration: Sendable {
    /// The app of the policy that asks; nil where the daemon knows it by the user or unit that runs it.
    public var app: String?
    /// The socket; nil for the machine's daemon, or the user's where the machine has none.
    public var socketPath: String?
    /// The app's additional abilities.
    public var features: Set<GuardFeature>
    /// The languages of the user, the preferred first, as BCP 47 tags such as `de-AT`.
    public var languages: [String]
    /// The app's own version, such as `2.1.0`: conditions about `appVersion` judge it. Nil tells none.
    public var version: String?
    /// The digest of the configuration that the app's static rules were exported from, for an app that loads them at its
    /// start only: while another one is in force, the topic `restart` asks it to start anew. Nil tells none.
    public var rules: String?
    /// The users whose sockets and files the client trusts, in place of root, `webviewguard` and, where the machine has
    /// no daemon of its own, the app's own user.
    public var trustedUIDs: Set<UInt32>?
    /// Receives problems outside of questions. It runs on the client's own thread or on the asking thread, and must not
    /// block: the answers to all questions come from there.
    public var onProblem: (@Sendable (GuardProblem) -> Void)?
    /// Receives each new connection, and its end. It runs on the same threads as `onProblem`.
    package var onStanding: (@Sendable (LineStanding) -> Void)?

    /// Nothing is opened yet.
    public init(
      app: String? = nil, socketPath: String? = nil, features: Set<GuardFeature> = [], languages: [String] = [],
      version: String? = nil, rules: String? = nil, trustedUIDs: Set<UInt32>? = nil,
      onProblem: (@Sendable (GuardProblem) -> Void)? = nil
    ) {
      (self.app, self.socketPath, self.features, self.languages) = (app, socketPath, features, languages)
      (self.version, self.rules) = (version, rules)
      (self.trustedUIDs, self.onProblem) = (trustedUIDs, onProblem)
    }
  }

  /// The version of this library, which it tells the daemon: conditions about `clientVersion` judge it.
  public static let libraryVersion = ReleaseVersion.text

  let transport: Transport

  /// A client that opens nothing yet: `start` does, or the first question.
  public init(_ configuration: Configuration) { transport = Transport(configuration) }

  deinit { transport.close() }

  /// Connects, and repeats the registrations. False when that fails or takes longer than the contract allows (2 s
  /// unless it says otherwise): the contract then answers until the daemon is back.
  @discardableResult
  public nonisolated(nonsending) func start() async -> Bool {
    if case .reply = await beginStart().value() { true } else { false }
  }

  /// Ends the connection for good. The contract answers waiting and later questions.
  public func close() { transport.close() }

  /// The contract for missing answers: the daemon's own, else the file beside its socket, else everything closed.
  public var contract: FailureContract { transport.contract }

  /// The daemon answers at the moment. The value may be out of date when it is read: ask, and look at the answer.
  public var isConnected: Bool { transport.isConnected }

  /// The features that the daemon knows and this app did not claim, with the cost of each; empty before the first `start`
  /// that worked.
  ///
  ///     guardian.missing.first { $0.word == "wrap" }?.cost    // copies that only managed apps may read are blocked
  public var missing: [MissingFeature] {
    let listed = transport.standing.attachment["missing"]?.array ?? []
    return listed.compactMap { value in
      value["feature"]?.string.map { MissingFeature($0, value["cost"]?.string ?? "") }
    }
  }

  /// What the policy said of the organisation at the latest attachment; news of the topic `policy` tell of another one.
  public var organization: GuardOrganization? {
    transport.standing.attachment["organization"].map(GuardOrganization.init(reading:))
  }

  /// The present state of the line between the client and the daemon.
  package var standing: LineStanding { transport.standing }

  func beginStart() -> PendingAnswer {
    transport.change { core, now in
      let answer = PendingAnswer()
      core.session.start(answer, at: now)
      return answer
    }
  }
}

/// The organisation as a notice shows it, in the first of the app's languages that the policy has. What the policy leaves
/// out is nil.
///
///     guardian.organization?.name    // "Contoso"
public struct GuardOrganization: Sendable, Hashable {
  /// Its name.
  public let name: String?
  /// The person or desk to ask, in words: "the help desk".
  public let contact: String?
  /// Where that person is reached: an `https:`, `mailto:` or `tel:` URL.
  public let contactLink: String?
  /// The colour of the main button on a light page: `#rrggbb`.
  public let color: String?
  /// The same on a dark page.
  public let darkColor: String?

  /// The member of an object of the wire.
  ///
  ///     GuardOrganization(reading: ["name": "Contoso"]).name    // "Contoso"
  package init(reading value: GuardValue) {
    (name, contact) = (value["name"]?.string, value["contact"]?.string)
    (contactLink, color, darkColor) = (value["contactLink"]?.string, value["color"]?.string, value["darkColor"]?.string)
  }
}

/// An additional ability of an app. Without it, events that need it are `block`.
public enum GuardFeature: String, Sendable, Hashable, CaseIterable {
  /// Replaces content by a neutral text.
  case redact
  /// Shows another account when it is asked to.
  case switchIdentity
  /// Asks its user for a justification, and gives the result with `acknowledge`.
  case warn
  /// Reports each change of the selections that it makes with `clipboardChanged`, and names the `proposal` of a copy
  /// that it saw happen.
  case clipEcho
  /// Lays a clip beside a notice where the answer says `mimeWrap`.
  case wrap
  /// Leaves nothing but plain text where the answer says `onlyPlainText`.
  case plainText
}

extension GuardClient {
  /// News, from now on, over a connection of its own that reconnects by itself. Without topics, all of them.
  ///
  /// The first news name the policy in force and the requested switches; after a reconnect another policy is news, the
  /// same one is not. An app that does not read loses the oldest of more than 64. They end with the client, or when
  /// the task that reads them is cancelled.
  ///
  ///     for await news in guardian.news(.policy) { reload(news.generation) }
  public func news(_ topics: Topic...) -> AsyncStream<GuardNews> {
    let topics = topics.isEmpty ? Topic.standard : topics
    let (stream, listener) = AsyncStream.makeStream(of: GuardNews.self, bufferingPolicy: .bufferingNewest(64))
    let name = transport.change { core, _ in core.subscribe(topics.map(\.rawValue), .known(listener)) }
    listener.onTermination = { [transport] _ in transport.change { core, _ in core.unsubscribe(name) } }
    return stream
  }
}

/// The answer that a question would get for one place.
public struct LocationHint: Sendable, Hashable {
  /// The place.
  public internal(set) var location: Location
  /// The outcome.
  public internal(set) var outcome: Outcome
  /// The step that would end the procedure.
  public internal(set) var reason: DecisionReason
}

/// The answer that a question would get for one program.
public struct ProgramHint: Sendable, Hashable {
  /// The program: an app of the policy, or the name of a desktop file.
  public internal(set) var peer: String
  /// The outcome.
  public internal(set) var outcome: Outcome
  /// The step that would end the procedure.
  public internal(set) var reason: DecisionReason
}

/// Hints, so an app can grey out forbidden choices. The daemon records nothing; ask again when the user has chosen.
extension GuardClient {
  /// The direction of data between a viewer and a place.
  public enum PlaceQuestion: String, Sendable, Hashable, CaseIterable {
    /// As `save`.
    case save
    /// As `open`.
    case open
  }

  /// The answers of `save` or `open` for every place, in the order of `Location`. The event's location is ignored.
  public nonisolated(nonsending) func locationHints(
    _ kind: PlaceQuestion, _ event: GuardEvent
  ) async -> [LocationHint] {
    let answer = await here.askHints("DecideLocations", event) { $0.member("kind", kind.rawValue) }.value()
    let hints = Self.hints(answer, "locations") { hint in
      hint["location"]?.string.flatMap(Location.init(word:)).map {
        LocationHint(location: $0, outcome: Outcome(word: hint["outcome"]), reason: DecisionReason(reading: hint))
      }
    }
    let local = GuardDecision.reading(answer, to: kind == .save ? .save : .open, contract)
    return hints ?? Location.allCases.map { .init(location: $0, outcome: local.outcome, reason: local.reason) }
  }

  /// The answers of `share` for each of these programs, in the same order. The event's peer is ignored.
  public nonisolated(nonsending) func programHints(_ peers: [String], _ event: GuardEvent) async -> [ProgramHint] {
    let answer = await here.askHints("DecidePeers", event) { $0.member("peers", peers) }.value()
    let hints = Self.hints(answer, "peers") { hint in
      hint["peer"]?.string.map {
        ProgramHint(peer: $0, outcome: Outcome(word: hint["outcome"]), reason: DecisionReason(reading: hint))
      }
    }
    let local = GuardDecision.reading(answer, to: .share, contract)
    return hints ?? peers.map { .init(peer: $0, outcome: local.outcome, reason: local.reason) }
  }

  private static func hints<Hint>(_ answer: CallAnswer, _ name: String, _ read: (GuardValue) -> Hint?) -> [Hint]? {
    guard case .reply(let members) = answer else { return nil }
    return members[name]?.array?.compactMap(read)
  }
}

extension DecisionReason {
  fileprivate init(reading value: GuardValue) { self.init(rawValue: value["reason"]?.string ?? "") }
}

extension Transport {
  fileprivate func askHints(
    _ method: String, _ event: GuardEvent, _ members: @escaping @Sendable (inout ValueWriter) -> Void
  ) -> PendingAnswer {
    change { core, now in
      core.session.ask(method, at: now) { parameters, remaining in
        members(&parameters)
        parameters.member("event") { event.write(to: &$0, deadline: remaining) }
      }
    }
  }
}
