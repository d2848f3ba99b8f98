import GuardModel
import GuardService
import PolicyEngine
import TestSupport
import Testing

/// What is remembered for previews: distinct events, counted, within bounds.
@Suite struct RecentEventsTests {
  private let snapshot = Snapshot(apps: [App(name: "a"), App(name: "b")])

  private func instances(_ count: Int) throws -> (GuardState, [InstanceID]) {
    var state = GuardState(epoch: 1)
    let ids = try (0..<count).map { number in
      try state.attach(app: 0, peer: Peer(uid: UInt32(number), groups: []), snapshot)
    }
    return (state, ids)
  }

  private func navigation(_ url: String, at time: UInt64 = 1_000, viewer: String = "E") -> Event {
    var event = Event(.navigate)
    event.viewer = event.append(viewer)
    event.url = event.append(url)
    event.time = time
    return event
  }

  private func recent(limit: Int = RecentEvents.standardLimit) -> RecentEvents {
    let recent = RecentEvents(at: 0, limit: limit)
    recent.adopt(snapshot)
    return recent
  }

  @Test func equalEventsAreOneAndCounted() throws {
    let (_, ids) = try instances(1)
    let recent = recent()
    for time in 1...100 as ClosedRange<UInt64> {
      var event = navigation("https://a.example/", at: time, viewer: "viewer \(time)")
      event.action = event.append("action \(time)")
      recent.note(event, Decision(.allow, .internal), of: ids[0], app: "a", uid: 0)
    }
    #expect(recent.all.map(\.count) == [100])
    #expect(recent.all.map(\.last) == [100])
    #expect(recent.all.first?.event.string(recent.all.first?.event.url) == "https://a.example/")
  }

  @Test func whatDiffersIsAnother() throws {
    let (_, ids) = try instances(1)
    let recent = recent()
    let decision = Decision(.allow, .internal)
    var variants = [navigation("https://a.example/")]
    let changes: [(inout Event) -> Void] = [
      { $0.from = $0.append("https://b.example/") }, { $0.frame = .main }, { $0.hop = .yes }, { $0.kind = .openURL },
      { $0.peer = $0.append("x.desktop") }, { $0.path = $0.append("/x") }, { $0.location = .sharePoint },
      { $0.length = 7 }, { $0.opensWindow = true }, { $0.method = $0.append("POST") },
    ]
    for change in changes {
      var event = navigation("https://a.example/")
      change(&event)
      variants.append(event)
    }
    for event in variants { recent.note(event, decision, of: ids[0], app: "a", uid: 0) }
    var other = decision
    other.app = 1
    recent.note(variants[0], other, of: ids[0], app: "b", uid: 0)
    other = decision
    other.identity = .nobody
    recent.note(variants[0], other, of: ids[0], app: "a", uid: 0)
    #expect(recent.all.count == variants.count + 2)
  }

  /// One user's flood pushes out his own events, and none of another's.
  @Test func aFloodPushesOutOnlyItsOwn() throws {
    let (_, ids) = try instances(2)
    let recent = recent(limit: 200_000)
    let decision = Decision(.allow, .internal)
    for number in 0..<50 {
      recent.note(navigation("https://quiet.example/\(number)"), decision, of: ids[0], app: "a", uid: 0)
    }
    for number in 0..<20_000 {
      let event = navigation("https://loud.example/\(number)", at: 1_000 + UInt64(number))
      recent.note(event, decision, of: ids[1], app: "a", uid: 1)
    }
    #expect(recent.all.count { $0.uid == 0 } == 50)
    let loud = recent.all.filter { $0.uid == 1 }
    #expect(loud.count > 50)
    #expect(recent.bytes <= 50_000 + 50 * 512)
    #expect(loud.map(\.last) == Array(UInt64(21_000 - loud.count)..<21_000), "the newest are those that stay")
  }

  @Test func allUsersTogetherHaveALimit() throws {
    let (_, ids) = try instances(40)
    let recent = recent(limit: 100_000)
    for round in 0..<60 {
      for (uid, id) in ids.enumerated() {
        let event = navigation("https://a.example/\(round)", at: UInt64(round) * 1_000)
        recent.note(event, Decision(.allow, .internal), of: id, app: "a", uid: UInt32(uid))
        #expect(recent.bytes <= 100_000)
      }
    }
    #expect(Set(recent.all.map(\.uid)).count == 40, "nobody is left out")
  }

  @Test func tooManyAtOnceAndTooLongAreCounted() throws {
    let (_, ids) = try instances(1)
    let recent = recent()
    for number in 0..<1_500 {
      recent.note(navigation("https://a.example/\(number)"), Decision(), of: ids[0], app: "a", uid: 0)
    }
    #expect(recent.missed == 500)
    let long = navigation("https://a.example/" + String(repeating: "x", count: 4_000), at: 9_000)
    recent.note(long, Decision(), of: ids[0], app: "a", uid: 0)
    #expect(recent.missed == 501)
    #expect(recent.all.count == 1_000)
  }

  /// What a preview says must not depend on the seed: an event is forgotten for its age, and never for its key.
  @Test func anEventThatHasRoomIsRemembered() throws {
    let (_, ids) = try instances(1)
    let recent = recent()
    for number in 0..<2_000 {
      let event = navigation("https://a.example/\(number)", at: UInt64(number))
      recent.note(event, Decision(), of: ids[0], app: "a", uid: 0)
      #expect(recent.bytes <= RecentEvents.standardLimit / 4)
    }
    #expect(recent.missed == 0)
    #expect(recent.all.map(\.last) == Array(0..<2_000))
  }

  /// A preview judges a copy before the paste that followed it, in the same millisecond and by another user too.
  @Test func eventsOfOneMomentKeepTheirOrder() throws {
    let (_, ids) = try instances(3)
    let recent = recent()
    let numbers = Array(0..<300)
    for number in numbers + numbers.reversed() {
      let event = navigation("https://a.example/\(number)")
      recent.note(event, Decision(), of: ids[number % 3], app: "a", uid: UInt32(number % 3))
    }
    #expect(recent.all.map { $0.event.string($0.event.url) } == numbers.reversed().map { "https://a.example/\($0)" })
  }

  @Test func anEventOfAnEndedInstanceGoesToTheNextThatAsks() throws {
    let (_, ids) = try instances(2)
    let recent = recent()
    recent.note(navigation("https://a.example/"), Decision(), of: ids[0], app: "a", uid: 7)
    recent.note(navigation("https://a.example/"), Decision(), of: ids[1], app: "a", uid: 7)
    #expect(recent.all.map(\.instance) == [ids[0]])
    recent.orphan(ids[0], uid: 7)
    recent.note(navigation("https://a.example/"), Decision(), of: ids[1], app: "a", uid: 7)
    #expect(recent.all.map(\.instance) == [ids[1]])
    #expect(recent.all.map(\.count) == [3])
  }
}
