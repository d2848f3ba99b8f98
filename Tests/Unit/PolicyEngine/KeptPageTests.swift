import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// What viewers show outlives the daemon.
struct KeptPageTests {
  private static let policy = DocumentTests.policy

  /// The daemon is started anew on what was kept; the program comes back under its serial, or as one that nobody knows.
  private static func restarted(
    _ example: inout Example, _ kept: inout KeptState, asItself: Bool = true
  ) throws -> Example {
    var changes = KeptState()
    example.state.takeChanges(into: &changes)
    kept.merge(changes)
    var again = try Example(Self.policy)
    again.state = GuardState(epoch: 43)
    again.state.keepsPages = true
    again.state.restore(kept, living: [example.portal.serial], again.snapshot)
    let serial = asItself ? example.portal.serial : nil
    let portal = try again.state.attach(app: 0, peer: Peer(uid: 1000), serial: serial, again.snapshot)
    if asItself { again.state.resume(portal, owesIdentity: false) }
    return try Example(again.snapshot, again.state, portal)
  }

  @Test(arguments: [true, false])
  func anExternalPageIsOneAfterTheRestart(_ asItself: Bool) throws {
    var example = try Example(Self.policy)
    example.state.keepsPages = true
    var kept = KeptState()
    try example.setDocument("https://partner.example/", "D")
    _ = example.navigate("https://news.example/")
    for _ in 0..<3 {
      example = try Self.restarted(&example, &kept, asItself: asItself)
      let again = ViewerDescription("D", class: "documents", document: "https://news.example/")
      #expect(throws: Refusal.documentIsExternal(viewer: "D")) { try example.register(again) }
      try example.register(ViewerDescription("D", class: "documents"))
      #expect(Answer(example.navigate("https://partner.example/a", frame: .main)) == Answer(.allow, .internal))
      try example.setDocument("https://partner.example/", "D")
      #expect(throws: Refusal.documentIsExternal(viewer: "D")) { try example.setDocument("https://news.example/", "D") }
      #expect(throws: Refusal.documentIsExternal(viewer: "D")) {
        try example.setDocument("https://other.example/", "D")
      }
    }
    _ = example.navigate("https://docs.contoso.com/")
    try example.setDocument("https://docs.contoso.com/", "D")
    example = try Self.restarted(&example, &kept, asItself: asItself)
    try example.register(ViewerDescription("D", class: "documents", document: "https://other.example/"))
  }

  /// An answer before the restart and a report after it make no page of the organisation.
  @Test
  func aRestartInBetweenEndsNothing() throws {
    var example = try Example(Self.policy)
    example.state.keepsPages = true
    var kept = KeptState()
    try example.setDocument("https://docs.contoso.com/", "D")
    _ = example.navigate("https://news.example/")
    _ = example.navigate("https://docs.contoso.com/")
    example = try Self.restarted(&example, &kept)
    try example.register(ViewerDescription("D", class: "documents", document: "https://docs.contoso.com/"))
    try example.setDocument("https://docs.contoso.com/", "D")
    #expect(throws: Refusal.documentIsExternal(viewer: "D")) { try example.setDocument("https://news.example/", "D") }
  }

  @Test
  func forgottenNamesAreKeptAsWell() throws {
    var limits = StateLimits()
    limits.leftPagesPerInstance = 1
    var example = try Example(Self.policy, limits: limits)
    example.state.keepsPages = true
    var kept = KeptState()
    for name in ["a", "b"] {
      try example.register(ViewerDescription(name, class: "documents"))
      _ = example.navigate("https://news.example/", in: name)
      try example.state.forget(viewer: name, in: example.portal, example.snapshot)
    }
    example = try Self.restarted(&example, &kept)
    for name in ["a", "b", "never seen"] {
      #expect(throws: Refusal.documentIsExternal(viewer: name)) {
        try example.register(ViewerDescription(name, class: "documents", document: "https://news.example/"))
      }
    }
  }

  @Test
  func whatWasLostMayHaveBeenAnything() throws {
    var example = try Example(Self.policy)
    var state = GuardState(epoch: 43)
    state.losePages()
    let portal = try state.attach(app: 0, peer: Peer(uid: 1000), example.snapshot)
    example = try Example(example.snapshot, state, portal)
    #expect(throws: Refusal.documentIsExternal(viewer: "D")) {
      try example.register(ViewerDescription("D", class: "documents", document: "https://news.example/"))
    }
    example.state.endReturning()
    let other = try example.attach("com.contoso.portal", as: "work@contoso.com")
    try example.state.register(
      ViewerDescription("D", class: "documents", document: "https://news.example/"), in: other, example.snapshot)
  }

  /// Another program of the same user, or another user's, has nothing to do with it; and a program that ended leaves nothing.
  @Test
  func onlyTheProgramItselfIsMeant() throws {
    var example = try Example(Self.policy)
    example.state.keepsPages = true
    var kept = KeptState()
    _ = example.navigate("https://news.example/")
    example = try Self.restarted(&example, &kept)
    let call = ViewerDescription("D", class: "documents", document: "https://news.example/")
    for uid in [1000, 1001] as [UInt32] {
      let other = try example.attach("com.contoso.portal", uid: uid, as: "work@contoso.com")
      try example.state.register(call, in: other, example.snapshot)
    }
    example.state.end(example.portal)
    var changes = KeptState()
    example.state.takeChanges(into: &changes)
    #expect(changes.pages.ended == [example.portal.serial])
  }

  /// Which pages somebody reads who shows nobody's data is not written down; that they were external is.
  @Test
  func privatePagesAreNotWrittenDown() throws {
    var example = try Example(Self.policy)
    example.state.keepsPages = true
    for viewer in ["D", "P"] { try example.setDocument("https://private.example/\(viewer)", viewer) }
    try example.set("private@home.example")
    for viewer in ["D", "P", "C"] {
      try? example.setDocument("https://private.example/secret", viewer)
      _ = example.navigate("https://news.example/", in: viewer)
    }
    var changes = KeptState()
    example.state.takeChanges(into: &changes)
    let pages = changes.pages.pages
    #expect(pages.count == 3 && pages.values.allSatisfy { $0?.showsExternal == true && $0?.document == nil })
  }

  /// Nothing is noted that nobody takes.
  @Test
  func withoutAPlaceNothingIsNoted() throws {
    var example = try Example(Self.policy)
    _ = example.navigate("https://news.example/")
    var changes = KeptState()
    example.state.takeChanges(into: &changes)
    #expect(changes.isEmpty)
  }
}

extension Example {
  /// A daemon's core as it stands, with a program that shows `work@contoso.com`.
  fileprivate init(_ snapshot: Snapshot, _ state: consuming GuardState, _ portal: InstanceID) throws {
    self.snapshot = snapshot
    self.state = state
    self.portal = portal
    try set("work@contoso.com")
  }
}
