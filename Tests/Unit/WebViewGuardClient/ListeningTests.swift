import GuardModel
import Synchronization
import TestSupport
import Testing
import WebViewGuardClient

/// A handler for each topic of news: the vectors that all clients share, and what becomes of handlers that ask.
@Suite(.timeLimit(.minutes(10))) struct ListeningTests {
  @Test(arguments: try Vectors.cases("news")) func hearsWhatTheVectorsSay(_ vector: GuardValue) async throws {
    let place = try Place()
    let connections = try #require(vector["connections"]?.array)
    let subscribed = Mutex(0)
    let daemon = try FakeDaemon(at: place.socket) { call in
      guard call.method == "Subscribe" else { return Wire.usual(call) }
      let number = subscribed.withLock { count in
        count += 1
        return min(count, connections.count) - 1
      }
      let bytes = Self.bytes(of: connections[number])
      return number == connections.count - 1 ? .bytes(bytes) : .parting(bytes)
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    let wanted = try #require(vector["told"]?.array)
    let told = Collected<GuardValue>()
    let handlers = Self.handlers(vector["handlers"]?.array?.compactMap(\.string) ?? [], wanted, told)
    #expect(await guardian.start())
    let listening = Task { await guardian.listen(handlers) }
    try await eventually("all is told") { told.all.count >= wanted.count }
    #expect(told.all == wanted)
    let said = daemon.heard("Subscribe").map(\.parameters)
    #expect(said == connections.map { Self.whole($0["subscribe"] ?? .null, handlers.topics) })
    listening.cancel()
    await listening.value
    guardian.close()
  }

  @Test func aHandlerMayAskAndEndsWithItsTask() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { call in
      guard call.method == "Subscribe" else { return Wire.usual(call) }
      return .text(#"{"parameters":{"topic":"policy","generation":1,"digest":"d"},"continues":true}"#)
    }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let asked = Collected<Bool>()
    var handlers = NewsHandlers()
    handlers.on(.policy) { _ in asked.note(await guardian.print(.init(viewer: "v")).isAllowed) }
    let listening = Task { [handlers] in await guardian.listen(handlers) }
    try await eventually("it asked") { asked.all == [true] }
    listening.cancel()
    await listening.value
    try await eventually("one connection is left") { daemon.openConnections == 1 }
  }

  @Test func aDaemonThatDoesNotKnowATopicIsReportedOnce() async throws {
    let place = try Place()
    let daemon = try FakeDaemon(at: place.socket) { call in
      guard call.method == "Subscribe" else { return Wire.usual(call) }
      if call.parameters["topics"]?.array?.contains("moon") == true {
        return .text(#"{"error":"org.varlink.service.InvalidParameter","parameters":{"parameter":"topics"}}"#)
      }
      return .text(#"{"parameters":{"topic":"policy","generation":1,"digest":"d"},"continues":true}"#)
    }
    defer { daemon.stop() }
    let problems = Problems()
    let guardian = GuardClient.at(place, problems)
    #expect(await guardian.start())
    let heard = Collected<String>()
    var handlers = NewsHandlers()
    handlers.on(.policy) { heard.note($0.topic) }
    handlers.on(topic: "moon") { heard.note($0.topic) }
    let listening = Task { [handlers] in await guardian.listen(handlers) }
    try await eventually("it hears the policy") { heard.all == ["policy"] }
    #expect(problems.all == [.topicsUnknown(["moon", "policy"])])
    listening.cancel()
    await listening.value
  }

  /// The replies of one connection, or the error.
  private static func bytes(of connection: GuardValue) -> [UInt8] {
    if let error = connection["error"]?.string {
      return GuardValue.object(["error": .string(error), "parameters": [:]]).frame
    }
    let replies = connection["replies"]?.array ?? []
    return replies.flatMap { GuardValue.object(["parameters": $0, "continues": true]).frame }
  }

  /// Handlers that write down what they hear, as far as the vector speaks of it.
  private static func handlers(
    _ names: [String], _ wanted: [GuardValue], _ told: Collected<GuardValue>
  ) -> NewsHandlers {
    var handlers = NewsHandlers()
    for name in names {
      let hear: NewsHandlers.Handler = { news in
        let place = told.all.count
        told.note(view(news, name, like: place < wanted.count ? wanted[place] : ["to": .null, "topic": .null]))
      }
      switch name {
      case "missed": handlers.onMissed(hear)
      case "other": handlers.onOther(hear)
      default: handlers.on(topic: name, hear)
      }
    }
    return handlers
  }

  private static func view(_ news: HeardNews, _ handler: String, like wanted: GuardValue) -> GuardValue {
    var members = news.members
    members["to"] = .string(handler)
    members["topic"] = .string(news.topic)
    members["missed"] = .integer(news.missed)
    let names = wanted.object.map { Array($0.keys) } ?? []
    return .object(Dictionary(uniqueKeysWithValues: names.map { ($0, members[$0] ?? .null) }))
  }

  /// The parameters of `Subscribe`, with `all` for all the topics that there are.
  private static func whole(_ parameters: GuardValue, _ topics: [String]) -> GuardValue {
    guard parameters["topics"] == "all" else { return parameters }
    #expect(topics == Topic.allCases.map(\.rawValue).sorted())
    return ["topics": .array(topics.map { .string($0) })]
  }
}

extension GuardValue {
  /// A message as bytes.
  fileprivate var frame: [UInt8] { Array(text.utf8) + [0] }
}
