public import GuardModel

extension GuardClient {
  /// News, from now on: over a connection of its own, which comes back by itself. Without topics, all of them.
  ///
  /// The first say which policy is in force and what switches are asked for; after a reconnect another policy is news, the
  /// same one is not. An app that does not read loses the oldest of more than 64. They end with the client, or when
  /// the task that reads them is cancelled.
  ///
  ///     for await news in guardian.news(.policy) { reload(news.generation) }
  public func news(_ topics: Topic...) -> AsyncStream<GuardNews> {
    let topics = topics.isEmpty ? Topic.allCases : topics
    let (stream, listener) = AsyncStream.makeStream(of: GuardNews.self, bufferingPolicy: .bufferingNewest(64))
    let name = courier.change { core, _ in core.subscribe(topics, listener) }
    listener.onTermination = { [courier] _ in courier.change { core, _ in core.unsubscribe(name) } }
    return stream
  }
}
