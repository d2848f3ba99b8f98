internal import Bytes
package import GuardModel
internal import URLRules
internal import URLStandard

/// Which pages may be documents (amendments, documents).
extension GuardState {
  /// Sets the page that a viewer shows now; nil for unknown.
  ///
  /// A page that some rule calls external is refused; while an external page is shown, every page that no rule calls
  /// internal is refused as well. Rules with `same` are not asked, since they would compare the page with the one that
  /// it replaces. The document that was accepted last is always accepted again: a client that lost its connection says
  /// everything once more.
  package mutating func setDocument(
    _ url: String?, of name: String, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) {
    let index = try viewerIndex(name, in: id)
    guard var viewer = instances[id.place]?.viewers[index] else { return }
    if let url {
      try judgeDocument(url, of: &viewer, isRegistered: false, in: id, snapshot)
    } else {
      viewer.pages.shown.forgetDocument()
    }
    instances[id.place]?.viewers.replace(index, with: viewer)
    keepPages(of: index, in: id, snapshot)
  }

  /// Makes a URL the document of a viewer, or throws.
  ///
  /// - Parameter isRegistered: the viewer was registered before and is registered again. A document that was accepted
  ///   then is only repeated, which says nothing about the current page.
  func judgeDocument(
    _ url: String, of viewer: inout Viewer, isRegistered: Bool, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) {
    var input = MatchInput()
    input.url.read(url)
    guard input.url.kind != .invalid else { throw .invalidDocument }
    guard input.url.kind == .url, !input.url.hadCredentials else { return viewer.pages.shown.forgetDocument() }
    let isRepeated = viewer.pages.shown.isAccepted(input.url.judged)
    if !isRepeated {
      let said = try verdict(onDocument: input, of: viewer, in: id, snapshot)
      guard said != .external, said == .internal || !viewer.pages.shown.showsExternal else {
        throw .documentIsExternal(viewer: String(decoding: viewer.name, as: UTF8.self))
      }
    }
    viewer.pages.shown.accept(input.url.judged)
    viewer.isAdvised = false
    if viewer.pages.shown.awaits(input.url.judged), !(isRegistered && isRepeated) { viewer.pages.shown.endExternal() }
  }

  /// The answer of the viewer's rules for a page that is to become its document: all of several rule sets have to say
  /// internal, and one suffices for external. Nil if only a default would answer.
  private func verdict(
    onDocument input: borrowing MatchInput, of viewer: Viewer, in id: InstanceID, _ snapshot: Snapshot
  ) throws(Refusal) -> Verdict? {
    guard let instance = instance(id), let app = instance.app else { throw .noApp }
    let above = [viewer.parent, viewer.opener].compactMap(\.self)
    let rules = instance.rules(ofDocumentIn: viewer, below: above, in: snapshot.viewerPolicies(of: app))
    runner.beginDecision(subjectBytes: input.subjectBytes)
    switch rules {
    case .none: return nil
    case .ruleSet(let index): return verdict(onDocument: input, snapshot[index])
    case .strictest:
      var said: [Verdict?] = []
      for index in snapshot[app].strictestRuleSets { said.append(verdict(onDocument: input, snapshot[index])) }
      if said.contains(.external) { return .external }
      return said.isEmpty || said.contains(nil) ? nil : .internal
    }
  }

  private func verdict(onDocument input: borrowing MatchInput, _ ruleSet: RuleSet) -> Verdict? {
    let verdict = ruleSet.withoutSame.verdict(on: input, runner)
    return verdict.rule == nil ? nil : verdict.verdict
  }

  /// The pages of a viewer that is new to its app: those that one of its name showed before, and those of the window
  /// that it is. A popup was asked about under its opener's name.
  func begin(_ viewer: inout Viewer, openedBy opener: ViewerIndex?, in id: InstanceID) {
    guard let instance = instance(id) else { return }
    viewer.pages = instance.left.pages(of: viewer.name)
    guard let opener else { return }
    let pages = instance.viewers[opener].pages
    viewer.pages.shown.inherit(pages.opened)
    if pages.shown.showsExternal, !viewer.pages.shown.showsExternal { viewer.pages.shown.loadExternal() }
    viewer.isAdvised = instance.viewers[opener].opensAdvised || instance.showsAdvised(opener)
  }
}

/// The page that a viewer shows, as far as its app's word can be trusted: rules with `same` compare with the document,
/// so an external page must not become it (amendments, documents).
///
/// The attack: a page that was loaded in place is reported as the document, by an app that reports each page, or that says
/// everything again after a reconnect. From then on `same: origin` would call all that page's links the organisation's own.
struct ShownPage: Sendable {
  /// The document that was accepted last, reduced as rules see it. It is always accepted again.
  private(set) var accepted: URLRecord?
  /// The app said since that it does not know the shown page.
  private(set) var isUnknown = false
  /// A page that is external, or that was not judged, was loaded in place, and no page of the organisation took its
  /// place.
  private(set) var showsExternal = false
  /// The page of the last main-frame navigation that was answered internal since, by its hash; 0 for none. Its report
  /// ends `showsExternal`: the answer alone may have ended in a download.
  private var awaited = 0

  /// A number that no other page of any viewer has; 0 while no copy was made in it. A navigation takes it away.
  var number: UInt64 = 0

  init() {}

  /// An earlier daemon's knowledge.
  init(accepted: URLRecord?, showsExternal: Bool) {
    self.accepted = accepted
    self.showsExternal = showsExternal
    isUnknown = accepted == nil
  }

  /// The document, where the app says that it is shown.
  var known: URLRecord? { isUnknown ? nil : accepted }

  var byteCount: Int { accepted?.bytes.count ?? 0 }

  /// The document that `same` compares with. While an external page is shown only main-frame navigations compare: their
  /// targets replace it.
  func document(forMainFrame isMainFrame: Bool) -> URLRecord? {
    isUnknown || showsExternal && !isMainFrame ? nil : accepted
  }

  /// Whether the document that was accepted last is this one.
  func isAccepted(_ record: borrowing URLRecord) -> Bool {
    accepted.map { $0.bytes.span.matches(record.bytes.span) } ?? false
  }

  /// A main-frame page was loaded in place that is external, or was not judged.
  mutating func loadExternal() {
    (showsExternal, awaited) = (true, 0)
  }

  /// A main-frame navigation was answered internal.
  mutating func await(_ record: borrowing URLRecord) {
    if showsExternal { awaited = Self.hash(record) }
  }

  /// A window was opened that may show one of several pages: it takes on the properties of each.
  mutating func inherit(_ opened: ShownPage) {
    if opened.showsExternal { (showsExternal, awaited) = (true, opened.awaited) }
  }

  /// Its viewer is gone: an awaited report no longer comes. A longer document is unknown from now on.
  mutating func leave(keeping longestDocument: Int) {
    (awaited, number) = (0, 0)
    if byteCount > longestDocument { (accepted, isUnknown) = (nil, true) }
  }

  /// Whether the app's report of this page would end the state of showing an external one.
  func awaits(_ record: borrowing URLRecord) -> Bool { awaited != 0 && awaited == Self.hash(record) }

  var awaitsSomething: Bool { awaited != 0 }

  /// The app said that the awaited page is shown.
  mutating func endExternal() {
    (showsExternal, awaited) = (false, 0)
  }

  mutating func accept(_ record: URLRecord) {
    if !isAccepted(record) { number = 0 }
    (accepted, isUnknown) = (record, false)
  }

  mutating func forgetDocument() { isUnknown = true }

  /// A page cannot forge another page with the same hash: the key is drawn at the daemon's start.
  private static func hash(_ record: borrowing URLRecord) -> Int {
    var hasher = Hasher()
    record.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize() | 1
  }
}

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
