import FuzzSupport
import JSONText

/// What the reply to one call may be: names that nobody else gives tell whose reply it is.
enum Expected {
  case whoAmI
  case ownPrograms
  case rules
  /// The token, when an instance is taken up again.
  case attach(token: String?)
  case event(viewer: String)
  case questions(Int)
  case locations
  case peers(String)
  case register(String)
  case forget(String)
  /// Whatever else changes the state of this viewer.
  case change(String)
  case acknowledge(String)
  case unknownMethod(String)
  case subscribe
  /// A reply about accounts with these members, and perhaps others.
  case accounts([String], needsInstance: Bool)
  /// Bytes of the input's own: any reply.
  case anything
}

/// A reply, as the client reads it.
struct Answer {
  let tree: JSONTree

  init(_ frame: [UInt8]) {
    let tree = try? JSONTree(parsing: frame.span, maximumLength: 1 << 22)
    require(tree?["parameters"] != nil, "`\(String(decoding: frame, as: UTF8.self))` is a reply")
    self.tree = tree ?? .null
  }

  var parameters: JSONTree { tree["parameters"] ?? .null }
  var continues: Bool { tree["continues"]?.bool ?? false }
  /// The error's name without its interface.
  var error: String? { tree["error"]?.string?.split(separator: ".").last.map(String.init) }

  var decisions: [JSONTree] {
    // An error may repeat the id that the caller gave, under the same name.
    guard error == nil else { return [] }
    return parameters["decisions"]?.array ?? (parameters["decision"].map { [$0] } ?? [])
  }
}

/// One instance as its clients know it.
final class ClientInstance {
  let token: String
  let uid: UInt32
  var viewers: Set<String> = []
  /// Several connections, or calls of which nobody knows whether they were read: then the viewers are not known.
  var isSure = true
  /// Its connections.
  var users = 0

  init(token: String, uid: UInt32) { (self.token, self.uid) = (token, uid) }
}
