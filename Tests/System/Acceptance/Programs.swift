import JSONText

/// A program of the example policy with the viewers `E` (the account's) and `P` (nobody's), and the clipboard calls that
/// tests of the state make.
final class Programs {
  let peer: VarlinkPeer
  let token: String

  private init(_ peer: VarlinkPeer, _ token: String) {
    self.peer = peer
    self.token = token
  }

  /// Attaches, under the token of an earlier attachment if there was one, and registers everything (again).
  static func attach(
    _ daemon: DaemonProcess, as account: String? = "work@contoso.com", token: String? = nil
  ) throws -> Programs {
    let peer = try daemon.connect()
    let known = token.map { [JSONTree.Member("instance", .string($0))] } ?? []
    let attached = try peer.ask(
      "Attach", .object([.init("app", "com.contoso.viewers"), .init("features", ["wrap", "plainText"])] + known))
    guard let token = attached["instance"]?.string else { throw DaemonFailure(text: "no token") }
    guard let account else { return Programs(peer, token) }
    try peer.ask("SetIdentity", ["level": "process", "account": .string(account)])
    try peer.ask("RegisterViewer", ["viewer": "E", "class": "documents"])
    try peer.ask("RegisterViewer", ["viewer": "P", "class": "public"])
    return Programs(peer, token)
  }

  func copy(_ viewer: String) throws -> JSONTree {
    try peer.decide(
      "Copy", ["viewer": .string(viewer), "selection": "clipboard", "formats": ["text/plain"], "length": 7])
  }

  /// A copy that is seen: the program reports that the selection changed.
  func fill(_ viewer: String) throws -> JSONTree {
    let copied = try copy(viewer)
    let proposal = copied["proposal"]?.string ?? ""
    _ = try peer.decide(
      "ClipboardChanged",
      [
        "viewer": .string(viewer), "selection": "clipboard", "formats": ["text/plain"], "length": 7, "selfOwned": true,
        "proposal": .string(proposal),
      ])
    return copied
  }

  func paste(_ selection: String, in viewer: String = "E", clip: String? = nil) throws -> JSONTree {
    var event: [JSONTree.Member] = [
      .init("viewer", .string(viewer)), .init("selection", .string(selection)), .init("formats", ["text/plain"]),
      .init("length", 7),
    ]
    if let clip { event.append(.init("clip", .string(clip))) }
    return try peer.decide("Paste", .object(event))
  }
}
