internal import GuardModel
internal import URLRules
internal import URLStandard

/// The pages of viewers outlive the daemon: otherwise an external page would become the document after a restart, when
/// clients repeat all their statements.
extension GuardState {
  /// Notes the current pages of a viewer, so that `takeChanges` has them.
  mutating func keepPages(of viewer: Int32, in id: InstanceID, _ snapshot: Snapshot) {
    guard keepsPages, let instance = instance(id) else { return }
    let (name, pages) = (instance.viewers[viewer].name, instance.viewers[viewer].pages)
    let knowsDocument = pages.shown.known != nil && showsManaged(viewer, of: instance, snapshot)
    note(pages.areExternal || knowsDocument ? KeptPage(pages, withDocument: knowsDocument) : nil, name, in: id)
  }

  /// The app forgets a viewer, which may come back under its name.
  mutating func leavePages(of viewer: Int32, in id: InstanceID) {
    guard let left = instances[Int(id.index)]?.viewers[viewer], let instance = instance(id) else { return }
    guard left.pages.areExternal else { return note(nil, left.name, in: id) }
    let hasRoom = instances[Int(id.index)]?.left.insert(left.pages, left.name, limit: limits.leftPagesPerInstance)
    guard hasRoom == false else { return }
    note(nil, left.name, in: id)
    if !instance.left.isFull { note(.unknown, KeptPage.everyName, in: id) }
  }

  /// A program comes back to a restarted daemon, or a program starts that may be one without saying so: then the pages
  /// of the missing programs count.
  mutating func recallPages(_ id: InstanceID, isReturning: Bool) {
    guard let instance = instance(id) else { return }
    var left = LeftPages()
    if pagesAreLost { left.fill() }
    if isReturning {
      left.merge(missingPages.removeValue(forKey: id.serial)?.left ?? LeftPages())
    } else {
      for missing in missingPages.values where missing.uid == instance.peer.uid && missing.app == instance.appName {
        left.merge(missing.left)
      }
      left.forEach { note(KeptPage($1, withDocument: true), $0, in: id) }
      if left.isFull { note(.unknown, KeptPage.everyName, in: id) }
    }
    instances[Int(id.index)]?.left = left
  }

  /// The pages of an instance's viewers no longer matter.
  mutating func dropPages(ofInstance serial: UInt64) {
    missingPages[serial] = nil
    guard keepsPages else { return }
    pageChanges.ended.insert(serial)
    hasChanges = true
  }

  mutating func restore(_ page: KeptPage, _ place: PagePlace) {
    var missing = missingPages[place.instance] ?? MissingPages(uid: place.uid, app: place.app)
    if place.viewer == KeptPage.everyName {
      missing.left.fill()
    } else {
      _ = missing.left.insert(page.pages, place.viewer, limit: .max)
    }
    missingPages[place.instance] = missing
  }

  private mutating func note(_ page: KeptPage?, _ name: [UInt8], in id: InstanceID) {
    guard keepsPages, let instance = instance(id) else { return }
    let place = PagePlace(uid: instance.peer.uid, app: instance.appName, instance: id.serial, viewer: name)
    pageChanges.pages[place] = .some(page)
    hasChanges = true
  }

  /// An unmanaged user's pages are private, and do not belong on the disk.
  private func showsManaged(_ viewer: Int32, of instance: Instance, _ snapshot: Snapshot) -> Bool {
    guard let app = instance.app else { return false }
    let resolved = instance.resolve(viewer, in: snapshot.apps[Int(app)])
    return instance.isManaged(instance.identity(of: resolved, scope: .absent, accounts).identity, accounts)
  }
}

/// The pages of a program that has not come back to this daemon.
struct MissingPages: Sendable {
  let uid: UInt32
  let app: String
  var left = LeftPages()
}

extension KeptPage {
  init(_ pages: ViewerPages, withDocument: Bool) {
    showsExternal = pages.shown.showsExternal
    opensExternal = pages.opened.showsExternal
    let document = withDocument ? pages.shown.known?.bytes : nil
    self.document = document.flatMap { $0.count <= LeftPages.longestDocument ? $0 : nil }
  }

  var pages: ViewerPages {
    var subject = URLSubject()
    if let document { subject.read(document.span) }
    let known = subject.kind == .url && !subject.hadCredentials ? subject.judged : nil
    var pages = ViewerPages()
    pages.shown = ShownPage(accepted: known, showsExternal: showsExternal)
    if opensExternal { pages.opened.loadExternal() }
    return pages
  }
}
