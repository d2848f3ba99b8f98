/// One name for what is one thing to the user: a browser may ask about one click as a request and as a navigation.
///
/// Questions about the same viewer and URL within a second of the first share a name.
package struct ActionNames {
  private struct Key: Hashable {
    let viewer: String
    let url: String
  }

  private var open: [Key: (name: String, end: Deadline)] = [:]
  private var count = 0
  /// Tells the actions of this host from those of one before it in the same instance.
  private let prefix = String(UInt64.random(in: 0...UInt64.max), radix: 36)

  private static let milliseconds = 1000
  private static let most = 1024

  /// No question was asked yet.
  package init() {}

  /// The name for a question that is asked now.
  package mutating func name(viewer: String, url: String) -> String {
    let key = Key(viewer: viewer, url: url)
    if let known = open[key], !known.end.isOver { return known.name }
    if open.count >= Self.most { open = open.filter { !$0.value.end.isOver } }
    if open.count >= Self.most { open = [:] }
    count += 1
    let name = "\(prefix)-\(count)"
    open[key] = (name, Deadline(after: Self.milliseconds))
    return name
  }
}
