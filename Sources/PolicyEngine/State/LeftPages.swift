internal import URLRules

/// The pages of viewers that are gone, by name: a name that is registered again starts with them.
///
/// Only external pages are remembered: a viewer that showed none begins as any other does. Nothing is forgotten. Once
/// there is no more room, every newly registered name counts as one that showed an external page; that ends as it does
/// anywhere, with the next page of the organisation.
struct LeftPages: Sendable {
  private var pages: [[UInt8]: ViewerPages] = [:]
  /// The pages of a missing name are unknown.
  private(set) var isFull = false
  private(set) var byteCount = 0

  /// A longer document is not remembered: it is unknown afterwards.
  static let longestDocument = 2048
  private static let entryBytes = 256

  /// The initial pages of a viewer of this name.
  func pages(of name: [UInt8]) -> ViewerPages {
    if let known = pages[name] { return known }
    var begun = ViewerPages()
    if isFull { begun.shown.loadExternal() }
    return begun
  }

  /// Remembers a viewer's pages; false if there is no room, and every name is unknown from now on.
  mutating func insert(_ left: ViewerPages, _ name: [UInt8], limit: Int) -> Bool {
    guard pages.count < limit else {
      isFull = true
      return false
    }
    var left = left
    left.shown.leave(keeping: Self.longestDocument)
    byteCount += Self.byteCount(of: left, name)
    pages[name] = left
    return true
  }

  /// The pages of missing names are unknown.
  mutating func fill() { isFull = true }

  /// The name is registered again: its viewer knows.
  mutating func take(_ name: [UInt8]) {
    if let left = pages.removeValue(forKey: name) { byteCount -= Self.byteCount(of: left, name) }
  }

  /// Takes over the possible pages of another copy of the program; the stricter holds for names that both know.
  mutating func merge(_ other: LeftPages) {
    isFull = isFull || other.isFull
    for (name, left) in other.pages {
      let both = pages[name].map { $0.stricter(left) } ?? left
      take(name)
      byteCount += Self.byteCount(of: both, name)
      pages[name] = both
    }
  }

  func forEach(_ body: (_ name: [UInt8], _ left: ViewerPages) -> Void) {
    for (name, left) in pages { body(name, left) }
  }

  private static func byteCount(of left: ViewerPages, _ name: [UInt8]) -> Int {
    entryBytes + name.count + left.shown.byteCount
  }
}

/// The pages of a viewer, and those of the windows that it opened.
struct ViewerPages: Sendable {
  var shown = ShownPage()
  var opened = ShownPage()

  /// They have to be known for a viewer that comes back under its name.
  var areExternal: Bool { shown.showsExternal || opened.showsExternal }

  func stricter(_ other: ViewerPages) -> ViewerPages {
    var strictest = shown.showsExternal ? self : other
    if shown.showsExternal || other.shown.showsExternal { strictest.shown.loadExternal() }
    if opened.showsExternal || other.opened.showsExternal { strictest.opened.loadExternal() }
    return strictest
  }
}
