import Foundation
import JSONText

/// What an administrator of a test does about exceptions.
struct ExceptionGrants {
  let peer: VarlinkPeer

  init(_ daemon: DaemonProcess) throws { peer = try daemon.connectAsAdministrator() }

  /// A grant for `files.example`, or for what `more` says; for an hour.
  static func parameters(_ more: [String: JSONTree] = [:]) -> JSONTree {
    var members: [String: JSONTree] = ["seconds": 3600, "reason": "a tender"]
    if more["domain"] == nil { members["host"] = "files.example" }
    members.merge(more) { $1 }
    return .object(members.sorted { $0.key < $1.key }.map { JSONTree.Member($0.key, $0.value) })
  }

  @discardableResult
  func add(_ more: [String: JSONTree] = [:]) throws -> JSONTree {
    let reply = try peer.call("org.webviewguard.Admin.AddException", Self.parameters(more))
    return reply["exception"] ?? .null
  }

  /// Why a grant is refused; nil when it is not.
  func refusal(_ parameters: JSONTree) throws -> String? {
    let reply = try peer.reply("org.webviewguard.Admin.AddException", parameters)
    guard reply["error"] != nil else { return nil }
    return reply["parameters"]?["why"]?.string ?? reply["parameters"]?["parameter"]?.string ?? reply["error"]?.string
  }

  @discardableResult
  func remove(_ id: String) throws -> JSONTree {
    try peer.call("org.webviewguard.Admin.RemoveException", ["id": .string(id)])["exception"] ?? .null
  }

  func list(all: Bool = false) throws -> [JSONTree] {
    try peer.call("org.webviewguard.Admin.ListExceptions", ["all": .bool(all)])["exceptions"]?.array ?? []
  }

  func status() throws -> JSONTree { try peer.call("org.webviewguard.Admin.Status") }
}

extension Viewers {
  /// A page of a host in the viewer `E`.
  func open(_ host: String, frame: String = "main", in viewer: String = "E") throws -> JSONTree {
    try peer.decide(
      "Navigate", ["viewer": .string(viewer), "url": .string("https://\(host)/x"), "frame": .string(frame)])
  }

  /// The first answer that names no exception; after four minutes, whatever it is.
  func openOnceOver(_ host: String) throws -> JSONTree {
    let deadline = Date(timeIntervalSinceNow: 240)
    while true {
      let found = try open(host)
      guard found["exception"] != nil, Date() < deadline else { return found }
      usleep(50_000)
    }
  }
}

extension DaemonProcess {
  /// What the log says of exceptions, in its order.
  func exceptionRecords() throws -> [JSONTree] { try records().filter { $0["type"] == "exception" } }
}
