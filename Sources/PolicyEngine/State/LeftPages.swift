internal import URLRules

/// What viewers showed that are gone, by their names: a name that is registered again shows what it showed.
///
/// Only what was external is remembered: a viewer that showed nothing of that begins as any other does. Nothing is
/// forgotten. With more names than there is room for, every name that is registered anew counts as one that showed an
/// external page; that ends as it does anywhere, with the next page of the organisation.
struct LeftPages: Sendable {
  private var pages: [[UInt8]: ViewerPages] = [:]
  /// What a name showed that is not here is not known.
  private(set) var isFull = false
  private(set) var byteCount = 0

  /// A longer document is not remembered: it is unknown afterwards.
  static let longestDocument = 2048
  private static let entryBytes = 256

  /// What a viewer of this name begins with.
  func pages(of name: [UInt8]) -> ViewerPages {
    if let known = pages[name] { return known }
    var begun = ViewerPages()
    if isFull { begun.shown.loadExternal() }
    return begun
  }

  /// Remembers what a viewer showed; false where there is no room, and every name is one that nobody knows from now on.
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

  /// Nobody knows what names showed that are not here.
  mutating func fill() { isFull = true }

  /// The name is registered again: its viewer knows.
  mutating func take(_ name: [UInt8]) {
    if let left = pages.removeValue(forKey: name) { byteCount -= Self.byteCount(of: left, name) }
  }

  /// Takes over what another copy of the program may have shown; of what both know, the stricter holds.
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

/// What a viewer shows, and what the windows show that it opened.
struct ViewerPages: Sendable {
  var shown = ShownPage()
  var opened = ShownPage()

  /// It has to be known of a viewer that comes back under its name.
  var areExternal: Bool { shown.showsExternal || opened.showsExternal }

  func stricter(_ other: ViewerPages) -> ViewerPages {
    var strictest = shown.showsExternal ? self : other
    if shown.showsExternal || other.shown.showsExternal { strictest.shown.loadExternal() }
    if opened.showsExternal || other.opened.showsExternal { strictest.opened.loadExternal() }
    return strictest
  }
}
