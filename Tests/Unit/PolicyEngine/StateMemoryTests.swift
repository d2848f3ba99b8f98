import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// What instances are counted to take.
struct StateMemoryTests {
  /// Any sequence of calls: no call adds more than it is said to, and nothing is left of what went.
  @Test func whatIsCountedIsWhatIsThere() throws {
    var random = SeededGenerator()
    var example = try Example()
    let empty = example.state.byteCount(of: example.portal)
    let names = (0..<20).map { String(repeating: "v", count: $0 * 7 + 1) + "\($0)" }
    for _ in 0..<Effort.scaled(2000) {
      let name = random.one(of: names)
      if random.oneIn(3) {
        try? example.state.forget(viewer: name, in: example.portal, example.snapshot)
        continue
      }
      let document = "https://contoso.com/" + String(repeating: "x", count: random.below(3000))
      var call = ViewerDescription(name, parent: random.oneIn(4) ? random.one(of: names) : nil)
      call.document = random.oneIn(2) ? document : nil
      call.window = random.oneIn(3) ? "w\(random.below(40))" : nil
      let before = example.state.byteCount(of: example.portal)
      let growth = example.state.growth(by: call, in: example.portal)
      guard (try? example.register(call)) != nil else { continue }
      // A viewer that is given another parent may have been the last that kept a ghost.
      #expect(example.state.byteCount(of: example.portal) <= before + growth, "\(random.note)")
    }
    for name in names { try? example.state.forget(viewer: name, in: example.portal, example.snapshot) }
    #expect(example.state.byteCount(of: example.portal) == empty, "\(random.note)")
  }

  @Test func anotherDocumentIsCountedByItsDifference() throws {
    var example = try Example()
    try example.register(ViewerDescription("v"))
    let before = example.state.byteCount(of: example.portal)
    let long = "https://contoso.com/" + String(repeating: "x", count: 5000)
    #expect(example.state.growth(bySetting: long, of: "v", in: example.portal) == long.utf8.count)
    try example.state.setDocument(long, of: "v", in: example.portal, example.snapshot)
    #expect(example.state.byteCount(of: example.portal) == before + long.utf8.count)
    // It is still accepted again.
    #expect(example.state.growth(bySetting: nil, of: "v", in: example.portal) == 0)
    try example.state.setDocument(nil, of: "v", in: example.portal, example.snapshot)
    #expect(example.state.byteCount(of: example.portal) == before + long.utf8.count)
    try example.state.setDocument("https://contoso.com/", of: "v", in: example.portal, example.snapshot)
    #expect(example.state.byteCount(of: example.portal) == before + "https://contoso.com/".utf8.count)
    #expect(example.state.growth(bySetting: long, of: "nobody", in: example.portal) == 0)
  }

  /// A viewer that others inherit from takes its room until they are gone.
  @Test func aGhostIsCounted() throws {
    var example = try Example()
    let empty = example.state.byteCount(of: example.portal)
    try example.register(ViewerDescription("box", kind: .container))
    try example.register(ViewerDescription("v", parent: "box"))
    let both = example.state.byteCount(of: example.portal)
    try example.state.forget(viewer: "box", in: example.portal, example.snapshot)
    #expect(example.state.byteCount(of: example.portal) == both)
    try example.state.forget(viewer: "v", in: example.portal, example.snapshot)
    #expect(example.state.byteCount(of: example.portal) == empty)
  }
}
