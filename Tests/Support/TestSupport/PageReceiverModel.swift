internal import GuardModel
internal import PolicyEngine
internal import URLRules

/// Whose a page is for what comes in. Source: amendments, pasting into pages; ledger WV-31, WT-18.
struct ModelReceiver {
  enum Standing {
    case account
    /// Nobody's for the protections that say so of external pages.
    case external
    /// Nobody's.
    case outside
  }

  var standing = Standing.account
  var refusal: ModelDecision?
  var said: NavigationModel.Said?

  func isNobodys(for protection: Protection) -> Bool {
    standing == .outside || standing == .external && protection.externalInPlace == .unmanaged
  }

  /// What is told beside the answer, where some protection calls the page nobody's.
  func told(_ decision: ModelDecision, _ protections: [Protection]) -> ModelDecision {
    guard protections.contains(where: isNobodys) else { return decision }
    var told = decision
    told.notes.insert("externalReceiver")
    return told.ruleSet == nil ? told.with(said) : told
  }
}

/// Finds it out.
struct PageReceiverModel {
  let world: ModelWorld
  let asked: ModelCase
  let instance: ModelInstance
  let app: App
  let viewer: String?
  let from: String?

  private var model: NavigationModel { NavigationModel(world) }

  /// Rules of uploads block first, then rules of pastes say what they say; else the page is what it is as a page.
  func ofPaste(isAlwaysJudged: Bool) -> ModelReceiver {
    guard asked.isManaged || isAlwaysJudged else { return ModelReceiver() }
    guard let page else { return shown }
    guard page.parts != nil else { return ModelReceiver(standing: .external) }
    for purpose in [Purposes.upload, .paste] {
      guard let said = ask(purpose, page, from: page), said.standing == .external, said.then == "block",
        world.taken != .everything
      else { continue }
      return ModelReceiver(refusal: asked.answer(.block, .blockedByRule).with(said))
    }
    if let said = ask(.paste, page, from: page), said.rule != nil || said.exception != nil {
      let isOutside = said.standing == .external && world.taken != .everything
      return ModelReceiver(standing: isOutside ? .outside : .account, said: said)
    }
    return asPage(page)
  }

  func ofUpload() -> ModelReceiver {
    guard asked.isManaged, let page else { return shown }
    return page.parts == nil ? ModelReceiver(standing: .external) : asPage(page)
  }

  /// The page that the app names; nil where it names none, or where no rules judge it.
  private var page: ReferenceURL? {
    guard let from, !from.isEmpty, asked.resolved.rules != .none else { return nil }
    return ReferenceURL(from)
  }

  private var shown: ModelReceiver { ModelReceiver(standing: showsExternal ? .external : .account) }

  var showsExternal: Bool {
    guard var page = viewer.flatMap({ instance.viewers[$0]?.page }) else { return false }
    page.report(ReferenceURL(from).parts?.href)
    return page.showsExternal
  }

  private func asPage(_ page: ReferenceURL) -> ModelReceiver {
    if let scheme = page.parts?.scheme, app.handledSchemes.contains(Array(scheme.utf8)) { return ModelReceiver() }
    guard let said = ask(.page, page, from: .absent), said.standing == .external else { return ModelReceiver() }
    return ModelReceiver(standing: .external, said: said)
  }

  private func ask(_ purpose: Purposes, _ page: ReferenceURL, from: ReferenceURL) -> NavigationModel.Said? {
    let document = instance.document(viewer, isMainFrame: false, from: self.from)
    let question = ReferenceQuestion(
      url: page, from: from, document: ReferenceURL(document), hop: nil, purposes: [purpose])
    return model.ask(question, asked, app).map { model.excepted($0, question, asked, app) }
  }
}

/// Which page a viewer shows: each navigation begins another.
final class ModelVisit: Sendable {}

/// Where something was copied.
struct ModelCopyPlace: Equatable {
  enum Frame: Equatable {
    case unsaid
    case wholePage
    case of(scheme: String, host: String, port: String)
  }

  var visit: ModelVisit
  var frame: Frame

  /// Nil where the frame has no origin, or where nobody knows the viewer.
  init?(_ page: PageReceiverModel) {
    guard let visit = page.viewer.flatMap({ page.instance.viewers[$0]?.page.visit }) else { return nil }
    self.visit = visit
    if page.from ?? "" == "" {
      frame = page.showsExternal ? .wholePage : .unsaid
    } else {
      guard let parts = ReferenceURL(page.from).parts else { return nil }
      frame = .of(scheme: parts.scheme, host: parts.host, port: "\(parts.port.map { "\($0)" } ?? "")")
    }
  }

  /// Whether a paste goes there.
  func takes(_ page: PageReceiverModel) -> Bool {
    guard let shown = page.viewer.flatMap({ page.instance.viewers[$0]?.page.visit }), shown === visit else {
      return false
    }
    if frame == .wholePage { return true }
    if page.from ?? "" == "" { return frame == .unsaid }
    return ModelCopyPlace(page)?.frame == frame
  }

  static func == (left: Self, right: Self) -> Bool { left.visit === right.visit && left.frame == right.frame }
}
