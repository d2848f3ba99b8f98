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
    guard var viewer = instances[Int(id.index)]?.viewers[index] else { return }
    if let url {
      try judgeDocument(url, of: &viewer, isRegistered: false, in: id, snapshot)
    } else {
      viewer.pages.shown.forgetDocument()
    }
    instances[Int(id.index)]?.viewers.replace(index, with: viewer)
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
    let app = try app(of: id, snapshot)
    let above = [viewer.parent, viewer.opener].compactMap(\.self)
    guard let rules = instance(id)?.rules(ofDocumentIn: viewer, below: above, in: app) else { return nil }
    runner.beginDecision(subjectBytes: input.subjectBytes)
    switch rules {
    case .none: return nil
    case .ruleSet(let index): return verdict(onDocument: input, snapshot.ruleSets[Int(index)])
    case .strictest:
      var said: [Verdict?] = []
      for index in app.strictestRuleSets { said.append(verdict(onDocument: input, snapshot.ruleSets[Int(index)])) }
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
  func begin(_ viewer: inout Viewer, openedBy opener: Int32?, in id: InstanceID) {
    guard let instance = instance(id) else { return }
    viewer.pages = instance.left.pages(of: viewer.name)
    guard let opener else { return }
    let pages = instance.viewers[opener].pages
    viewer.pages.shown.inherit(pages.opened)
    if pages.shown.showsExternal, !viewer.pages.shown.showsExternal { viewer.pages.shown.loadExternal() }
    viewer.isAdvised = instance.viewers[opener].opensAdvised || instance.showsAdvised(opener)
  }
}
