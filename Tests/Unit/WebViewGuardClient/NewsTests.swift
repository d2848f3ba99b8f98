import GuardModel
import Synchronization
import TestSupport
import Testing
import WebViewGuardClient

/// News come over a connection of their own, and come back with the daemon.
@Suite(.timeLimit(.minutes(10))) struct NewsTests {
  private func news(_ topic: String, _ generation: Int, _ rest: String = "") -> String {
    #"{"parameters":{"topic":"\#(topic)","generation":\#(generation),"digest":"d\#(generation)"\#(rest)},"continues":true}"#
  }

  @Test func bringsWhatHappens() async throws {
    let place = try Place()
    let texts = [
      news("policy", 1), news("account", 1, #","account":"a","state":"blocked","unlock":"dismissed","missed":2"#),
      news("moon", 1),
      news("identity", 1, #","account":"","window":"w","request":"switch-1","cause":"documentImport""#),
      news("policy", 2),
    ]
    let daemon = try FakeDaemon(at: place.socket) { call in
      call.method == "Subscribe" ? .bytes(texts.flatMap { Array($0.utf8) + [0] }) : Wire.usual(call)
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    var heard: [GuardNews] = []
    let stream = guardian.news()
    #expect(await guardian.start())
    for await news in stream {
      heard.append(news)
      if heard.count == 4 { break }
    }
    #expect(heard.map(\.topic) == [.policy, .account, .identity, .policy])
    #expect(heard.map(\.generation) == [1, 1, 1, 2])
    #expect((heard[1].account, heard[1].state, heard[1].missed) == ("a", .blocked, 2))
    #expect((heard[1].unlock, heard[2].unlock) == (.dismissed, nil))
    #expect((heard[2].account, heard[2].window, heard[2].request) == ("", "w", "switch-1"))
    #expect(heard[2].cause == .documentImport)
    let subscribed = try #require(daemon.heard("Subscribe").first)
    #expect(subscribed.more)
    #expect(subscribed.parameters == ["topics": ["policy", "account", "identity"]])
    // It joined the instance of the session.
    let attached = daemon.heard.first { $0.connection == subscribed.connection && $0.method == "Attach" }
    #expect(attached?.parameters["instance"] == "T1")
    // A switch that news asked for is remembered as well.
    try await guardian.answer("switch-1", .success)
    daemon.hangUp()
    try await eventually("it is said again") { daemon.heard("SetIdentity").count == 1 }
    #expect(daemon.heard("SetIdentity").first?.parameters == ["level": "window", "window": "w", "account": ""])
  }

  /// A word of a newer daemon never passes for `unlocked`, in either form of news.
  @Test(arguments: [("unlocked", UnlockResult.unlocked), ("noAgent", .noAgent), ("enchanted", nil)])
  func tellsHowUnlockingEnded(_ word: String, _ expected: UnlockResult?) async throws {
    let place = try Place()
    let text = news("account", 1, #","account":"a","state":"locked","unlock":"\#(word)""#)
    let daemon = try FakeDaemon(at: place.socket) { $0.method == "Subscribe" ? .text(text) : Wire.usual($0) }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    for await news in guardian.news(.account) {
      #expect((news.state, news.unlock) == (.locked, expected))
      break
    }
    let heard = Collected<UnlockResult?>()
    var handlers = NewsHandlers()
    handlers.on(.account) { heard.note($0.unlock) }
    let listening = Task { [handlers] in await guardian.listen(handlers) }
    try await eventually("it is heard") { heard.all == [expected] }
    listening.cancel()
    await listening.value
  }

  @Test func comesBackAndTellsOnlyWhatIsNew() async throws {
    let place = try Place()
    let subscriptions = Problems()
    let first = news("policy", 1)
    let second = news("policy", 2)
    let daemon = try FakeDaemon(at: place.socket) { call in
      guard call.method == "Subscribe" else { return Wire.usual(call) }
      subscriptions.note(.closed)
      return .text(subscriptions.all.count < 3 ? first : second)
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let heard = Mutex<[Int]>([])
    let reader = Task {
      for await news in guardian.news(.policy) { heard.withLock { $0.append(news.generation) } }
    }
    try await eventually("the first news come") { heard.withLock(\.self) == [1] }
    for count in 2...3 {
      daemon.hangUp()
      try await eventually("subscribed \(count) times") { subscriptions.all.count == count }
    }
    try await eventually("the new ones come, and nothing again") { heard.withLock(\.self) == [1, 2] }
    guardian.close()
    await reader.value
  }

  @Test func endsWithItsReader() async throws {
    let place = try Place()
    let text = news("policy", 1)
    let daemon = try FakeDaemon(at: place.socket) { call in
      call.method == "Subscribe" ? .text(text) : Wire.usual(call)
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let reader = Task { for await _ in guardian.news(.policy) {} }
    try await eventually("both are connected") { daemon.openConnections == 2 && daemon.heard("Subscribe").count == 1 }
    reader.cancel()
    await reader.value
    try await eventually("one is left") { daemon.openConnections == 1 }
    #expect(guardian.isConnected)
  }

  @Test func endsWithTheClient() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket, answer: Wire.usual)
    defer { daemon.stop() }
    var guardian: GuardClient? = GuardClient.at(place)
    let stream = try #require(guardian?.news())
    guardian = nil
    for await _ in stream {}
  }
}
