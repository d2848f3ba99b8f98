internal import GuardModel
internal import URLRules

/// A name that an app chose from the configuration, and its current index.
enum Choice: Sendable, Hashable {
  case none
  case index(Int32)
  /// Named once, gone since a reload: judged as strictly as an unregistered viewer.
  case missing
}

/// One web view, or a container of some, as its app registered it.
struct Viewer: Sendable {
  var name: [UInt8]
  var className: String?
  var viewerClass = Choice.none
  var kind = ViewerKind.embedded
  var parent: Int32?
  /// The viewer that opened this one; counts as its parent when there is none.
  var opener: Int32?
  /// The window it is in; nil takes its parent's.
  var window: [UInt8]?
  var tag = WebViewPolicy.unset
  var ruleSetName: String?
  var ruleSet = Choice.none
  /// The pages that it shows, and its app's statements about them.
  var pages = ViewerPages()
  /// It shows a page that enforcing would not have opened.
  var isAdvised = false
  /// The window that it opened last does, too.
  var opensAdvised = false
  /// Number of viewers that have it as parent or opener.
  var dependents = 0
  /// Forgotten by its app, kept for those that inherit from it.
  var isGhost = false

  /// No viewer at all: room for the next.
  var isVacant = false

  static let vacant = {
    var viewer = Viewer(name: [])
    viewer.isVacant = true
    return viewer
  }()

  /// Approximate bytes that it takes: never far less than the truth.
  var byteCount: Int { Self.emptyBytes + 2 * name.count + (window?.count ?? 0) + pages.shown.byteCount }

  /// The memory of a viewer without its texts: its place, its name's, the names of the policy.
  static let emptyBytes = 1024

  var holdsOnly: Bool { kind == .container || kind == .window }
}
