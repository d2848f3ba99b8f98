package import GuardModel

/// Where the program of a ``PageReader`` is guarded: the engine itself, or a daemon behind its socket.
///
/// Pages load in place for its managed account, and a page may be the organisation's because it is of the document's origin.
package protocol PageWorld {
  /// A managed account, which counts first, and others that are not.
  var accounts: [String] { get }

  mutating func navigate(_ move: PageMove) throws -> PageAnswer
  /// Whether the document is taken.
  mutating func setDocument(_ url: String, of viewer: String) throws -> Bool
  /// Whether the viewer is registered so.
  mutating func register(_ viewer: String, document: String?) throws -> Bool
  mutating func forget(_ viewer: String) throws
  mutating func signIn(_ account: String) throws
  /// The daemon is killed, and the program comes back to the next one, as the instance that it was or as a new one.
  mutating func restart(asItself: Bool) throws
  /// The same policy is loaded again.
  mutating func reload() throws
  /// The reason that a main page would get now; nothing comes of it.
  mutating func reason(of url: String, in viewer: String) throws -> String
}

/// What a page leads to.
package struct PageMove {
  package var viewer: String
  package var url: String
  package var from: String?
  package var frame = Frame.main
  package var isSameDocument = false
  package var opensWindow = false

  package init(viewer: String, url: String) { (self.viewer, self.url) = (viewer, url) }
}

package struct PageAnswer {
  package var isAllowed: Bool
  package var reason: String

  package init(isAllowed: Bool, reason: String) { (self.isAllowed, self.reason) = (isAllowed, reason) }
}

/// An app that shows pages and says which, and the pages, which lead wherever they like (review M1; amendments, documents).
///
/// No sequence of navigations, reports, refused calls, forgotten names, windows, sign-ins, restarts and reloads lets a page
/// become the document of an app that says what its viewers show: that would be in `leaks`.
package struct PageReader<World: PageWorld> {
  private static var viewers: [String] { ["D", "E"] }
  private static var evil: [String] { (0..<40).map { "https://evil\($0 % 4).test/\($0)" } }
  private static var own: [String] { (0..<6).map { "https://docs.contoso.com/\($0)" } }
  /// The app's own documents, of which no rule says anything.
  private static var documents: [String] { (0..<3).map { "https://partner\($0).test/" } }

  package private(set) var world: World
  /// What each viewer really shows, and what the app said last and was not refused.
  private var shown: [String: String] = [:]
  private var said: [String: String] = [:]
  package private(set) var refused = 0
  package private(set) var reportedInternal = 0
  package private(set) var restarts = 0
  package private(set) var leaks: [String] = []

  package init(_ world: World) throws {
    self.world = world
    try self.world.signIn(world.accounts[0])
    for viewer in Self.viewers {
      _ = try self.world.register(viewer, document: nil)
      try open(Self.documents[0], in: viewer)
    }
  }

  package mutating func step(_ choices: inout some Choices) throws {
    let viewer = choices.one(of: Self.viewers)
    switch choices.below(14) {
    case 0...4: try load(choices.one(of: Self.evil), in: viewer, &choices)
    case 5...6: try load(choices.one(of: Self.own), in: viewer, &choices)
    case 7: try load(choices.one(of: Self.documents), in: viewer, &choices)
    case 8...9: try report(viewer)
    case 10: try again(viewer)
    case 11: try restart(asItself: !choices.once(in: 3))
    case 12: try world.signIn(choices.one(of: world.accounts))
    default: try world.reload()
    }
    try world.signIn(world.accounts[0])
    for viewer in Self.viewers { try look(viewer) }
  }

  /// The app opens a document itself, which no page asked for.
  private mutating func open(_ url: String, in viewer: String) throws {
    shown[viewer] = url
    try say(url, viewer)
  }

  /// A page leads somewhere, perhaps by a hop, to a window or to a file that is only stored.
  private mutating func load(_ url: String, in viewer: String, _ choices: inout some Choices) throws {
    var move = PageMove(viewer: viewer, url: url)
    move.from = choices.once(in: 3) ? nil : shown[viewer]
    move.frame = choices.one(of: [.main, .main, .main, .sub, .resource])
    move.isSameDocument = choices.once(in: 8)
    move.opensWindow = choices.once(in: 10)
    let answer = try world.navigate(move)
    let isStored = choices.once(in: 4)
    let stays = move.frame != .main || move.opensWindow || answer.reason == "sameDocument" || isStored
    guard answer.isAllowed, !stays else { return }
    shown[viewer] = url
    if choices.once(in: 2) { try report(viewer) }
  }

  /// The app says what the viewer shows.
  private mutating func report(_ viewer: String) throws {
    guard let url = shown[viewer] else { return }
    if Self.own.contains(url) { reportedInternal += 1 }
    try say(url, viewer)
  }

  private mutating func say(_ url: String, _ viewer: String) throws {
    guard try world.setDocument(url, of: viewer) else {
      refused += 1
      return
    }
    said[viewer] = url
    if Self.evil.contains(url) { leaks.append("\(url) was accepted in \(viewer)") }
  }

  /// The viewer is forgotten and registered again, with what it shows.
  private mutating func again(_ viewer: String) throws {
    try world.forget(viewer)
    try register(viewer, shown[viewer])
  }

  private mutating func register(_ viewer: String, _ document: String?) throws {
    if try world.register(viewer, document: document) {
      if let document, Self.evil.contains(document) { leaks.append("\(document) was registered in \(viewer)") }
    } else {
      refused += 1
      _ = try world.register(viewer, document: nil)
    }
  }

  /// The daemon begins anew; the app comes back and says again what it had said, or what it shows.
  package mutating func restart(asItself: Bool) throws {
    restarts += 1
    try world.restart(asItself: asItself)
    try world.signIn(world.accounts[0])
    for viewer in Self.viewers { try register(viewer, restarts % 2 == 0 ? said[viewer] : shown[viewer]) }
  }

  /// Nothing that an evil page links to counts as the organisation's.
  private mutating func look(_ viewer: String) throws {
    for number in 0..<4 {
      let reason = try world.reason(of: "https://evil\(number).test/link", in: viewer)
      if reason != "externalInPlace" { leaks.append("\(viewer): \(reason)") }
    }
  }
}
