internal import GuardProtocol
internal import JSONText

/// What the daemon says by itself, on a connection of its own: another policy is in force, an account's standing changed.
final class PolicyNews {
  private let connection: Connection

  /// Joins the instance and subscribes; nil when the daemon does not let it.
  ///
  /// - Parameter app: that of the instance. Without it a caller that matches several apps is refused.
  init?(place: DaemonPlace, app: String?, instance: String, until deadline: Deadline) {
    do throws(ClientError) {
      let patience = max(1, Int(deadline.remainingMilliseconds))
      connection = Connection(
        try VarlinkClient(connectingTo: place.guardSocket, patience: patience, believing: place.believed))
      let hello: JSONTree = ["instance": .string(instance), "app": app.map(JSONTree.string) ?? .null]
      let reply = try connection.call("Attach", hello, until: deadline)
      guard reply.error == nil else { return nil }
      try connection.send("Subscribe", ["topics": ["policy", "account"]], replies: .more)
    } catch {
      return nil
    }
  }

  var watched: Int32 { connection.client.watched }

  /// The news that came; nil when the connection has ended.
  func take() -> [JSONTree]? {
    var news: [JSONTree] = []
    do throws(ClientError) {
      try connection.client.fill()
      while let reply = try connection.client.received() {
        guard reply.error == nil else { return nil }
        news.append(reply.parameters)
      }
    } catch {
      return nil
    }
    return news
  }
}
