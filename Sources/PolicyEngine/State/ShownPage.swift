internal import URLRules
internal import URLStandard

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
    accepted.map { equal($0.bytes.span, record.bytes.span) } ?? false
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
