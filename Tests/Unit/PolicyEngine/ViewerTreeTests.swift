import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// Viewers that come, move and go.
struct ViewerTreeTests {
  private func policy(_ example: inout Example, _ viewer: String) -> WebViewPolicy? {
    example.navigate("https://x.example/", in: viewer).policy
  }

  @Test
  func aForgottenViewerStaysForThoseThatInherit() throws {
    var example = try Example()
    try example.register(ViewerDescription("box", kind: .container))
    try example.tag("box", .currentIdentityBlockUpload)
    try example.register(ViewerDescription("V", parent: "box"))
    try example.register(ViewerDescription("popup", opener: "V"))
    try example.state.forget(viewer: "box", in: example.portal, example.snapshot)
    try example.state.forget(viewer: "V", in: example.portal, example.snapshot)
    #expect(policy(&example, "popup") == .currentIdentityBlockUpload)
    #expect(example.navigate("https://x.example/", in: "V").flags[.viewerIsUnknown])
    // A new viewer of the old name is another.
    try example.register(ViewerDescription("box", kind: .container))
    try example.tag("box", .unmanaged)
    #expect(policy(&example, "popup") == .currentIdentityBlockUpload)
    try example.register(ViewerDescription("popup", parent: "box"))
    #expect(policy(&example, "popup") == .unmanaged)
  }

  @Test
  func closingAnOpenerDoesNotLoosenItsPopupsRules() throws {
    var example = try Example()
    try example.register(ViewerDescription("popup", opener: "D"))
    try example.state.forget(viewer: "D", in: example.portal, example.snapshot)
    #expect(Answer(example.navigate("https://news.example/", in: "popup")) == Answer(.redirect, .external))
  }

  @Test
  func circlesAreRefused() throws {
    var example = try Example()
    for name in ["a", "b", "c"] { try example.register(ViewerDescription(name)) }
    try example.register(ViewerDescription("b", parent: "a"))
    try example.register(ViewerDescription("c", opener: "b"))
    for call in [
      ViewerDescription("a", parent: "c"), ViewerDescription("a", opener: "c"), ViewerDescription("a", parent: "a"),
      ViewerDescription("a", opener: "b"),
    ] {
      #expect(throws: Refusal.self) { try example.register(call) }
    }
  }

  /// The opener that a parent hides still gives its rules; a circle of such openers would never end.
  @Test
  func circlesOfOpenersBehindParentsAreRefused() throws {
    var example = try Example()
    try example.register(ViewerDescription("P1"))
    try example.register(ViewerDescription("a"))
    try example.register(ViewerDescription("b"))
    try example.register(ViewerDescription("a", opener: "b"))
    try example.register(ViewerDescription("a", parent: "P1"))
    #expect(throws: Refusal.viewerCycle(viewer: "b")) { try example.register(ViewerDescription("b", opener: "a")) }
    #expect(Answer(example.navigate("https://x.example/", in: "a")) == Answer(.allow, .noRules))
  }

  @Test
  func nestingIsCappedHoweverItIsBuilt() throws {
    var limits = StateLimits()
    limits.nesting = 4
    var example = try Example(limits: limits)
    for name in ["a", "b", "c", "d", "e"] { try example.register(ViewerDescription(name)) }
    try example.register(ViewerDescription("b", parent: "a"))
    try example.register(ViewerDescription("c", parent: "b"))
    try example.register(ViewerDescription("d", parent: "c"))
    #expect(throws: Refusal.limitReached(.nesting, maximum: 4)) {
      try example.register(ViewerDescription("e", parent: "d"))
    }
    #expect(throws: Refusal.limitReached(.nesting, maximum: 4)) {
      try example.register(ViewerDescription("a", parent: "e"))
    }
    #expect(throws: Refusal.limitReached(.nesting, maximum: 4)) {
      try example.register(ViewerDescription("a", opener: "e"))
    }
    try example.register(ViewerDescription("e", opener: "c"))
  }

  @Test
  func viewersMayMove() throws {
    var example = try Example()
    for name in ["left", "right"] { try example.register(ViewerDescription(name, kind: .container)) }
    try example.tag("left", .unmanaged)
    try example.register(ViewerDescription("V", parent: "left"))
    #expect(policy(&example, "V") == .unmanaged)
    try example.register(ViewerDescription("V", parent: "right"))
    #expect(policy(&example, "V") == .currentIdentity)
    try example.register(ViewerDescription("left", parent: "V"))
    #expect(policy(&example, "left") == .unmanaged)
  }

  @Test
  func whatACallLeavesOutStays() throws {
    var example = try Example()
    try example.register(ViewerDescription("W", kind: .window))
    try example.register(
      ViewerDescription("V", class: "documents", parent: "W", window: "main", document: "https://contoso.com/d"))
    try example.set("private@home.example", window: "main")
    try example.register(ViewerDescription("V"))
    let decision = example.navigate("https://contoso.com/", in: "V")
    #expect(decision.viewerClass == 0 && decision.identityLevel == .window)
  }

  @Test
  func theCapCountsGhostsAndRoomIsUsedAgain() throws {
    var limits = StateLimits()
    limits.viewersPerInstance = 5
    var example = try Example(limits: limits)
    try example.register(ViewerDescription("a"))
    try example.register(ViewerDescription("b", parent: "a"))
    #expect(throws: Refusal.limitReached(.viewers, maximum: 5)) { try example.register(ViewerDescription("c")) }
    try example.register(ViewerDescription("b", window: "known ones still change"))
    try example.state.forget(viewer: "a", in: example.portal, example.snapshot)
    #expect(throws: Refusal.limitReached(.viewers, maximum: 5)) { try example.register(ViewerDescription("c")) }
    try example.state.forget(viewer: "b", in: example.portal, example.snapshot)
    try example.register(ViewerDescription("c"))
    try example.register(ViewerDescription("d"))
    #expect(throws: Refusal.limitReached(.viewers, maximum: 5)) { try example.register(ViewerDescription("e")) }
    #expect(example.state.instance(example.portal)?.viewers.count == 5)
  }

  @Test
  func aUsedSlotRemembersNothing() throws {
    var example = try Example()
    try example.register(ViewerDescription("a", class: "public", window: "w", document: "https://contoso.com/"))
    try example.state.forget(viewer: "a", in: example.portal, example.snapshot)
    try example.register(ViewerDescription("b"))
    let decision = example.navigate("https://contoso.com/", in: "b")
    #expect(decision.policySource == .default && decision.viewerClass == nil)
  }

  @Test
  func instancesAreToldApartByMoreThanTheirPlace() throws {
    var example = try Example()
    let old = example.portal
    example.state.end(old)
    let new = try example.state.attach(app: 0, peer: Peer(uid: 1000), example.snapshot)
    #expect(old != new)
    #expect(example.state.instance(old) == nil)
    #expect(example.state.instance(new)?.viewers.count == 0)
    #expect(example.state.instanceCount == 1)
    #expect(throws: Refusal.self) { try example.register(ViewerDescription("V")) }
    example.state.end(old)
    #expect(example.state.instanceCount == 1)
  }

  /// Random calls never corrupt the tree: each viewer resolves, and forgetting all frees all.
  @Test
  func allRoomIsFreeAgainWhenAllAreForgotten() throws {
    var random = SeededGenerator()
    var limits = StateLimits()
    limits.viewersPerInstance = 12
    var example = try Example(ExamplePolicy().with { $0.app.classes = [] }, limits: limits)
    let names = (0..<10).map { "v\($0)" }
    for _ in 0..<Effort.scaled(2_000) {
      for _ in 0..<30 {
        let name = random.one(of: names)
        if random.oneIn(4) {
          try? example.state.forget(viewer: name, in: example.portal, example.snapshot)
        } else {
          let call = ViewerDescription(
            name, parent: random.one(of: names, orNilOneIn: 2), opener: random.one(of: names, orNilOneIn: 2))
          try? example.register(call)
        }
        #expect(example.navigate("https://x.example/", in: name).policy != nil)
      }
      for name in names { try? example.state.forget(viewer: name, in: example.portal, example.snapshot) }
      for number in 0..<12 { try example.register(ViewerDescription("all\(number)")) }
      #expect(throws: Refusal.limitReached(.viewers, maximum: 12), "\(random.note)") {
        try example.register(ViewerDescription("more"))
      }
      for number in 0..<12 { try example.state.forget(viewer: "all\(number)", in: example.portal, example.snapshot) }
    }
  }
}
