internal import GuardModel
internal import GuardProtocol
internal import JSONText

/// An exception of the daemon's in words.
struct ShownException {
  private let tree: JSONTree

  init(_ tree: JSONTree) { self.tree = tree }

  var id: String { text("id") ?? "unknown" }

  /// `host files.example`
  var site: String { text("host").map { "host \($0)" } ?? text("domain").map { "domain \($0)" } ?? "unknown" }

  var until: String {
    let end = time("until") + (tree["untilRestart"]?.bool == true ? " or the restart" : "")
    guard let ended = text("ended") else { return end }
    let words = ended == ExceptionEnd.removed.rawValue ? "taken back" : ended
    return "\(words) \(time("endedAt"))"
  }

  /// The cells of `exception list`.
  var row: [String] { [id, site, scope, until, grantor, text("reason") ?? ""] }

  /// The app, the account and the uses that it is for.
  private var scope: String {
    let whom = [text("app"), text("account")].compactMap(\.self)
    let subjects = tree["subjects"]?.array?.compactMap(\.string) ?? []
    let usual = subjects == ["page", "frame", "resource"]
    return ((whom.isEmpty ? ["all"] : whom) + (usual ? [] : [subjects.joined(separator: "+")])).joined(separator: ", ")
  }

  private var grantor: String { text("user") ?? tree["uid"]?.int.map { "uid \($0)" } ?? "unknown" }

  private func text(_ name: String) -> String? { tree[name]?.string }

  private func time(_ name: String) -> String {
    tree[name]?.int.map { RFC3339.text(UInt64(clamping: $0)) } ?? "unknown"
  }
}
