package import GuardModel
internal import PolicyEngine

/// Whose a clip is.
package enum ModelOwner: Hashable, Sendable {
  case unmanaged
  case account(String)
  case unknownManaged
}

/// One question of an app about a selection, in plain words.
package struct ModelClipEvent: Sendable {
  package var kind: EventKind
  package var instance = 0
  package var viewer: String?
  package var selection = Selection.clipboard
  /// The page, where the app says which.
  package var from: String?
  /// Empty: the app did not say.
  package var display = ""
  package var length: Int?
  package var offersPlainText = true
  package var selfOwned: Bool?
  package var claim = ClipClaim.none
  package var inspection = Inspection.none
  /// In the program's own fields, not in the page.
  package var isInFields = false
  package var scope = ModelIdentity.absent
  /// Milliseconds since 1970.
  package var time: UInt64 = 0
  /// The copy that a report names: the number of the question by which it was asked for.
  package var echoOf: Int?

  package init(_ kind: EventKind) { self.kind = kind }
}

/// Cut, copy and paste, straight from ledger E.2 and the amendments' section on the clipboard.
package struct ClipboardModel {
  package var world: ModelWorld
  private var books: [UInt32: ClipBook] = [:]
  private let epoch: UInt64
  private var clips: UInt64 = 0
  private var order = 0
  /// How many questions were asked; the number of a copy.
  package var asked = 0

  package init(_ world: ModelWorld, epoch: UInt64) {
    self.world = world
    self.epoch = epoch
  }

  package mutating func decide(_ event: ModelClipEvent) -> ModelDecision {
    let instance = world.instances[event.instance]
    guard world.policy.generation.number > 0 else {
      return ModelDecision(world.policy.policyRequired ? .block : .allow, .noPolicy)
    }
    guard let app = world.app(instance), !instance.hasEnded else { return ModelDecision(.block, .unknownApp) }
    var event = event
    if app.identityMode == .single { event.scope = .absent }
    let asked = ModelCase(world, event.viewer, event.scope, instance, app)
    switch event.kind {
    case .copy: return asked.dataGate ?? scanned(event, asked) ?? copy(event, asked, instance, app)
    case .paste: return asked.dataGate ?? paste(event, asked, instance, app)
    case .clipboardChanged: return changed(event, asked, instance, app)
    case .dragEnd:
      books[instance.uid, default: ClipBook()].changeAll([.drag]) { Self.endDrag(of: event.instance, &$0) }
      return asked.answer(.allow, .changeRecorded)
    default: return ModelDecision(.block, .unknownEvent)
    }
  }

  /// What an app that cannot wrap a clip, or leave nothing but its text, must not fill a selection with (CB-17).
  package func able(_ decision: ModelDecision, _ event: ModelClipEvent) -> ModelDecision {
    let instance = world.instances[event.instance]
    guard [.copy, .clipboardChanged].contains(event.kind) else { return decision }
    let cannot: String
    if decision.flags[.onlyPlainText], !instance.canStrip {
      cannot = "cannotStrip"
    } else if decision.flags[.mimeWrap], !instance.canWrap {
      cannot = "cannotWrap"
    } else {
      return decision
    }
    var blocked = decision
    (blocked.outcome, blocked.reason) = (.block, .orgData)
    blocked.flags.subtract([.mimeWrap, .onlyPlainText])
    blocked.limit = nil
    blocked.notes.insert(cannot)
    return blocked
  }

  // MARK: Copy

  /// Where the protection wants content scanned, only what passed is copied (CB-13).
  private func scanned(_ event: ModelClipEvent, _ asked: ModelCase) -> ModelDecision? {
    guard let demanding = asked.protections.one(where: \.requiresInspection) else { return nil }
    let refused: [Inspection: Reason] = [
      .none: .scanRequired, .blocked: .scanBlocked, .tooLarge: .scanTooLarge, .offline: .scanOffline,
      .cancelled: .scanCancelled,
    ]
    return refused[event.inspection].map { asked.answer(.block, $0, by: demanding) }
  }

  /// The copy itself succeeds; that it was asked for is written down. Only managed data gets an id.
  private mutating func copy(
    _ event: ModelClipEvent, _ asked: ModelCase, _ instance: ModelInstance, _ app: App
  ) -> ModelDecision {
    var clip = ModelClip(owner: .unmanaged, holders: [event.instance], app: instance.app, length: event.length)
    clip.awaitsEcho = true
    clip.place = ModelCopyPlace(page(event, asked, instance, app))
    var decision = asked.answer(.allow, asked.freeReason)
    if case .account(let name) = asked.whose.identity { clip.account = name }
    if asked.isManaged, case .account(let name) = asked.whose.identity {
      if !world.isTrial { clips += 1 }
      clip.owner = .account(name)
      clip.id = ClipID(epoch: epoch, number: clips)
      decision.reason = .clipRecorded
      wrap(&decision, asked.protections, event, instance)
    }
    decision.clipOwner = clip.owner
    decision.clip = clip.id
    if !world.isTrial { ask(clip, event, instance) }
    return decision
  }

  private mutating func ask(_ clip: ModelClip, _ event: ModelClipEvent, _ instance: ModelInstance) {
    order += 1
    var clip = clip
    clip.order = order
    let copy = ModelCopy(clip: clip, number: asked, time: event.time, tells: instance.tellsCopies)
    let isDrag = event.selection == .drag
    var book = books[instance.uid] ?? ClipBook()
    if let id = clip.id { book.issued[id] = clip }
    book.change(event.selection, event.display) { selection, canLower in
      if isDrag { Self.drag(copy, &selection) } else { selection.ask(copy, canLower: canLower) }
    }
    books[instance.uid] = book
  }

  private static func drag(_ copy: ModelCopy, _ selection: inout ModelSelection) {
    var copy = copy
    copy.clip.since = selection.since(isDrag: true)
    selection.asked.removeAll { copy.time >= $0.time + 300_000 }
    selection.seen = nil
    // One app's drags of one owner's data count as one.
    let again = selection.asked.firstIndex { $0.clip.holders == copy.clip.holders && $0.clip.isOfOwner(of: copy.clip) }
    if let again { copy.takeOver(selection.asked.remove(at: again)) }
    selection.add(copy, isDrag: true)
  }

  /// Only the app's own drags end; whose the next is nobody knows.
  private static func endDrag(of instance: Int, _ selection: inout ModelSelection) {
    let left = selection.asked.filter { $0.clip.firstHolder != instance }
    guard left.count < selection.asked.count else { return }
    selection.asked = left
    if left.isEmpty { selection.seen = ModelClip() }
  }

  /// Programs that do not ask may read what may go anywhere, and short texts where nobody counts them (CB-17).
  private func wrap(
    _ decision: inout ModelDecision, _ source: [Protection], _ event: ModelClipEvent, _ instance: ModelInstance
  ) {
    let speaking = source.isEmpty ? world.policy.protections : source
    if world.app(instance)?.isMonitored == true || speaking.allSatisfy(\.isMonitored) { return }
    let shutting = source.filter { !$0.isMonitored && $0.clipboard.level != .any }
    if !source.isEmpty, shutting.isEmpty { return }
    let limits = shutting.map { $0.clipboard.exceptionPerMinute == nil ? $0.clipboard.exceptionLength : 0 }
    let limit = limits.min() ?? 0
    if event.offersPlainText, let length = event.length, length >= 1, length <= limit {
      (decision.limit, decision.flags[.onlyPlainText]) = (limit, true)
    } else {
      decision.flags[.mimeWrap] = true
    }
  }

  // MARK: Paste

  private func page(
    _ event: ModelClipEvent, _ asked: ModelCase, _ instance: ModelInstance, _ app: App
  ) -> PageReceiverModel {
    PageReceiverModel(
      world: world, asked: asked, instance: instance, app: app, viewer: event.viewer, from: event.from)
  }

  private mutating func paste(
    _ event: ModelClipEvent, _ asked: ModelCase, _ instance: ModelInstance, _ app: App
  ) -> ModelDecision {
    let page = page(event, asked, instance, app)
    let always =
      asked.resolved.isUnknown
      ? app.classes.contains { $0.rulesApply == .always } : asked.resolved.viewerClass?.rulesApply == .always
    let receiver = page.ofPaste(isAlwaysJudged: always)
    if let refusal = receiver.refusal { return refusal }
    var book = books[instance.uid] ?? ClipBook()
    order += 1
    see(event, order, instance, &book)
    if !world.isTrial { books[instance.uid] = book }
    // Owner at paste: the stricter of the record and of the clip id handed back.
    var clip = book.content(event.selection, event.display) { owner(of: $0, instance) } ?? ModelClip()
    if isOfAnotherPerson(event, instance, book) { clip = .stricter(clip, ModelClip()) }
    switch event.claim {
    case .none: break
    case .unreadable: clip = .stricter(clip, ModelClip())
    case .id(let id):
      let issued = book.issued[id].map { $0.of(owner(of: $0, instance)) }
      clip = .stricter(clip, issued ?? ModelClip())
    }
    let isInPage = !event.isInFields || asked.resolved.isUnknown
    let isThere = clip.place?.takes(page) ?? false
    var decision = judge(clip, event, asked, instance, isInPage && !isThere ? receiver : ModelReceiver())
    decision.clipOwner = clip.owner
    return decision
  }

  private mutating func judge(
    _ clip: ModelClip, _ event: ModelClipEvent, _ asked: ModelCase, _ instance: ModelInstance, _ page: ModelReceiver
  ) -> ModelDecision {
    // Nothing goes into a viewer that blocks uploads, where the identity is managed.
    let isInFields = event.isInFields && !asked.resolved.isUnknown
    if asked.isManaged, !isInFields, asked.resolved.policy == .currentIdentityBlockUpload,
      world.taken != .everything
    {
      return asked.answer(.block, .uploadBlockedViewer)
    }
    if clip.owner == .unmanaged, !asked.isManaged { return asked.answer(.allow, asked.freeReason) }
    // Source and destination the same account in the same app.
    let isSame = asked.isManaged && clip.owner == owner(asked.whose.identity)
    let source = sourceProtections(clip, instance)
    let decision = judge(clip, event, asked, instance, page, source, isSame: isSame)
    return page.told(decision, source + asked.protections)
  }

  private mutating func judge(
    _ clip: ModelClip, _ event: ModelClipEvent, _ asked: ModelCase, _ instance: ModelInstance, _ page: ModelReceiver,
    _ all: [Protection], isSame: Bool
  ) -> ModelDecision {
    let isInFields = event.isInFields && !asked.resolved.isUnknown
    let isOwn = isSame && clip.app == instance.app
    // Only those ask of one account in one app that call the page nobody's.
    let source = all.filter { !isOwn || page.isNobodys(for: $0) }
    if isOwn, source.isEmpty { return asked.answer(.allow, .sameAccount) }
    // Nobody knows whose it is: it may leave for nowhere.
    if clip.owner == .unknownManaged {
      // Whoever it is, nothing restricts it, and nothing restricts who takes it.
      guard world.taken.reachesTheUnknown else { return asked.answer(.block, .ownerUnknown) }
      return asked.answer(.allow, .clipboardAllowed)
    }
    // Out-check by the source, in-check by the destination; a managed counterpart is the same account.
    let keeping = source.filter { !mayLeave($0, isSame && !page.isNobodys(for: $0)) }
    let isKept = clip.owner != .unmanaged && (source.isEmpty || !keeping.isEmpty)
    let taking = isOwn ? [] : asked.protections.filter { !page.isNobodys(for: $0) }
    let refusing = isInFields ? [] : taking.filter { !mayEnter($0, isSame) }
    if !isKept, refusing.isEmpty { return asked.answer(.allow, .clipboardAllowed) }
    // Each check that fails needs an exception of its own; nobody excepts for an owner that nothing binds.
    let all: [Protection?] = isKept && source.isEmpty ? [nil] : keeping
    // A page that is nobody's is as far away as can be for who lets out to some only.
    let first = (isKept ? source : taking).strictest(Protection.levels) { protection in
      let level = protection.clipboard.level
      return isKept && page.isNobodys(for: protection) && level != .any ? .blocked : level
    }?.protection
    return except(all + refusing, first, outgoing: isKept, clip, event, asked, instance)
  }

  private func mayLeave(_ source: Protection, _ isSame: Bool) -> Bool {
    switch source.clipboard.level {
    case .any: true
    case .managedWithPasteIn, .managed: isSame
    case .blocked: false
    }
  }

  private func mayEnter(_ destination: Protection, _ isSame: Bool) -> Bool {
    switch destination.clipboard.level {
    case .any, .managedWithPasteIn: true
    case .managed: isSame
    case .blocked: false
    }
  }

  /// 1 <= the longer of both lengths <= limit; a missing length never qualifies; only plain text; within the budget.
  private mutating func except(
    _ refusing: [Protection?], _ first: Protection?, outgoing: Bool, _ clip: ModelClip, _ event: ModelClipEvent,
    _ asked: ModelCase,
    _ instance: ModelInstance
  ) -> ModelDecision {
    var decision = asked.answer(.block, outgoing ? .orgData : .incomingRestricted)
    decision.protection = first?.name
    let limit = refusing.map { $0?.clipboard.exceptionLength ?? 0 }.min() ?? 0
    guard limit >= 1 else { return decision }
    decision.limit = limit
    guard event.offersPlainText, let copied = clip.length, let offered = event.length else { return decision }
    let length = max(copied, offered)
    if length >= 1, length <= limit, !instance.canStrip {
      decision.notes.insert("cannotStrip")
      return decision
    }
    let budget = refusing.compactMap { $0?.clipboard.exceptionPerMinute }.min()
    var book = books[instance.uid, default: ClipBook()]
    let isExcepted = length >= 1 && length <= limit && book.spend(length, budget, event.time / 60_000)
    if !world.isTrial { books[instance.uid] = book }
    guard isExcepted else {
      decision.reason = outgoing ? .orgDataOverLimit : .personalDataOverLimit
      return decision
    }
    decision.outcome = .allow
    decision.reason = .withinLimit
    decision.flags[.onlyPlainText] = true
    return decision
  }

  private func sourceProtections(_ clip: ModelClip, _ instance: ModelInstance) -> [Protection] {
    guard case .account(let name) = clip.owner else { return [] }
    return protections(of: name, clip, instance)
  }

  /// The groups are those of the instance that copied; of the asking one, the same user's, when that has ended.
  private func protections(of name: String, _ clip: ModelClip, _ instance: ModelInstance) -> [Protection] {
    let holder = clip.firstHolder.map { world.instances[$0] }
    return world.protections(of: name, in: holder.map { $0.hasEnded ? instance : $0 } ?? instance)
  }

  /// Whose a clip is now: what binds its account may have changed.
  private func owner(of clip: ModelClip, _ instance: ModelInstance) -> ModelOwner {
    if clip.isDoubted { return .unknownManaged }
    guard let account = clip.account, clip.owner != .unknownManaged else { return clip.owner }
    if !protections(of: account, clip, instance).isEmpty { return .account(account) }
    return clip.owner == .unmanaged ? .unmanaged : .unknownManaged
  }

  /// An X display is everybody's who has it: another person's clip that fits the paste may be what is pasted.
  private func isOfAnotherPerson(_ event: ModelClipEvent, _ instance: ModelInstance, _ book: ClipBook) -> Bool {
    guard event.display.hasPrefix(":") else { return false }
    let own = book.told(event.selection, event.display)?.seen
    let since = own.map { $0.firstHolder != nil && !$0.awaitsEcho ? $0.order : 0 } ?? 0
    for (uid, other) in books where uid != instance.uid {
      for selection in event.selection == .unknown ? [Selection.clipboard, .primary] : [event.selection] {
        let clips = other.told(selection, event.display)?.all ?? []
        let fits = clips.contains {
          $0.order >= since && $0.length == event.length && owner(of: $0, instance) != .unmanaged
        }
        if fits { return true }
      }
    }
    return false
  }

  private func owner(_ identity: ModelIdentity) -> ModelOwner? {
    if case .account(let name) = identity { .account(name) } else { nil }
  }

  // MARK: ClipboardChanged

  private mutating func changed(
    _ event: ModelClipEvent, _ asked: ModelCase, _ instance: ModelInstance, _ app: App
  ) -> ModelDecision {
    var book = books[instance.uid] ?? ClipBook()
    order += 1
    switch event.selfOwned {
    case true: noteOwn(event, instance, app, &book)
    case false: noteForeign(event, instance, &book)
    case nil:
      // Not known: the stricter of what was, and of what the app itself could have put there.
      var own = own(event, instance, app)
      own.order = order
      book.change(event.selection, event.display) { selection, _ in selection.raise(own) }
    }
    books[instance.uid] = book
    var decision = asked.answer(.allow, .changeRecorded)
    let held = book.content(event.selection, event.display) { owner(of: $0, instance) } ?? ModelClip()
    decision.clipOwner = held.owner
    if event.selfOwned == true, held.owner != .unmanaged {
      wrap(&decision, sourceProtections(held, instance), event, instance)
    }
    return decision
  }

  // MARK: The app's own changes

  private func noteOwn(_ event: ModelClipEvent, _ instance: ModelInstance, _ app: App, _ book: inout ClipBook) {
    book.changeAll([.clipboard, .primary]) { $0.wait(until: event.time) }
    let echo = echo(event, book)
    if event.selection == .drag {
      guard echo == nil else { return }
      var own = named(event, book) ?? own(event, instance, app)
      (own.holders, own.isContested, own.order) = ([event.instance], own.isContested, order)
      let drag = ModelCopy(clip: own, number: -1, time: event.time, tells: false)
      return book.change(.drag, event.display) { selection, _ in Self.drag(drag, &selection) }
    }
    if let echo {
      return book.change(event.selection, event.display) { selection, canLower in
        guard canLower else { return selection.raise(echo.clip) }
        if let index = selection.asked.firstIndex(where: { $0.number == echo.number }) {
          selection.happen(index, length: event.length, order: order)
        } else {
          var clip = echo.clip
          clip.length = event.length ?? clip.length
          selection.see(clip, order: order)
        }
      }
    }
    let named = named(event, book)
    var own = named ?? own(event, instance, app)
    (own.app, own.holders, own.isContested, own.isLost, own.isDoubted) =
      (instance.app, [event.instance], false, false, false)
    (own.length, own.order) = (event.length ?? (named == nil ? nil : own.length), order)
    own.since = order
    if named != nil { own.awaitsEcho = false }
    book.change(event.selection, event.display) { selection, canLower in
      guard canLower else { return selection.raise(own) }
      guard named == nil else { return selection.seen = own }
      // What it asked for before may be what it did.
      var strictest = own
      for copy in selection.asked where copy.clip.firstHolder == event.instance {
        strictest = .stricter(strictest, copy.clip)
      }
      (strictest.holders, strictest.since) = ([event.instance], strictest.order)
      (strictest.length, strictest.isContested) = (own.length, false)
      selection.asked.removeAll {
        $0.clip.firstHolder == event.instance || !$0.clip.isStricter(than: strictest) && $0.tells
      }
      selection.seen = strictest
    }
  }

  /// The copy that a report is the echo of: the one that it names, or one of its length.
  private func echo(_ event: ModelClipEvent, _ book: ClipBook) -> ModelCopy? {
    if event.echoOf != nil || event.claim != .none {
      return book.asked(event.selection).first { copy in
        guard copy.clip.firstHolder == event.instance else { return false }
        if let number = event.echoOf { return copy.number == number }
        if case .id(let id) = event.claim { return copy.clip.id == id }
        return false
      }
    }
    for selection in [book.told(event.selection, event.display), book.unnamed(event.selection, event.display)] {
      if let selection, let index = selection.echo(of: event.length, by: event.instance) {
        return selection.asked[index]
      }
    }
    return nil
  }

  private func named(_ event: ModelClipEvent, _ book: ClipBook) -> ModelClip? {
    switch event.claim {
    case .none: nil
    case .id(let id): book.issued[id] ?? ModelClip(isContested: true, length: event.length)
    case .unreadable: ModelClip(isContested: true, length: event.length)
    }
  }

  // MARK: Others' changes

  /// A copy that only its length tells of.
  private func see(_ event: ModelClipEvent, _ order: Int, _ instance: ModelInstance, _ book: inout ClipBook) {
    guard let clip = book.shown(event.selection, event.display, by: event.length) else { return }
    let held = book.content(event.selection, event.display) { owner(of: $0, instance) }
    if held?.owner == owner(of: clip, instance) { return }
    book.change(event.selection, event.display) { selection, _ in
      let index = selection.asked.lastIndex { !$0.tells && $0.clip.order == clip.order }
      if let index {
        selection.happen(index, length: event.length, order: order)
      } else {
        selection.see(clip, order: order)
      }
      selection.seen?.since = clip.order
    }
  }

  private mutating func noteForeign(_ event: ModelClipEvent, _ instance: ModelInstance, _ book: inout ClipBook) {
    book.changeAll([.clipboard, .primary]) { $0.wait(until: event.time) }
    if var named = named(event, book) {
      (named.order, named.since) = (order, order)
      return book.change(event.selection, event.display) { selection, canLower in
        if canLower { selection.seen = named } else { selection.raise(named) }
      }
    }
    guard event.selection != .unknown else { return }
    let report = order
    order += 1
    see(event, order, instance, &book)
    if let unnamed = book.unnamed(event.selection, event.display),
      unnamed.all.contains(where: { left(of: $0, event, report).owner != .unmanaged })
    {
      return
    }
    let mayBeElsewhere = book.mayBeElsewhere(event.selection, event.display, event.length)
    book.change(event.selection, event.display) { selection, _ in
      let since = selection.since(isDrag: event.selection == .drag)
      defer { if mayBeElsewhere { selection.seen?.since = since } }
      if event.selection == .drag {
        guard !selection.asked.contains(where: { event.time < $0.time + 300_000 }) else { return }
        return selection.see(ModelClip(owner: .unmanaged, length: event.length), order: report)
      }
      selection.seen = left(of: selection.seen, event, report)
      for index in selection.asked.indices where !selection.asked[index].tells {
        selection.asked[index].clip = left(of: selection.asked[index].clip, event, report)
      }
      selection.asked.removeAll { !$0.tells && $0.clip.holders.isEmpty }
    }
  }

  /// Another text is there when its length is another, and its app lost the selection or ended, in either order.
  private func left(of old: ModelClip?, _ event: ModelClipEvent, _ order: Int) -> ModelClip {
    let free = ModelClip(owner: .unmanaged, length: event.length, order: order, since: order)
    guard var clip = old else { return free }
    if clip.isContested || clip.holders.count > 1 { return clip }
    guard let holder = clip.firstHolder else { return free }
    let isHolder = holder == event.instance
    if isHolder, clip.awaitsEcho {
      clip.awaitsEcho = false
      return clip
    }
    let isOther = clip.differs(from: event.length)
    if isOther || isHolder && clip.isDoubted && event.length == nil {
      if clip.owner == .unmanaged || isHolder || clip.isLost || world.instances[holder].hasEnded { return free }
      clip.isDoubted = true
      return clip
    }
    if event.length != nil { clip.isDoubted = false }
    if isHolder { clip.isLost = true }
    return clip
  }

  /// An app has ended: it holds nothing, and drags nothing.
  package mutating func end(_ instance: Int) {
    for uid in books.keys {
      books[uid]?.changeAll([.clipboard, .primary]) { selection in
        guard selection.seen?.firstHolder == instance, selection.seen?.isContested == false else { return }
        if selection.seen?.isLost == true { return }
        selection.seen?.isLost = true
        guard selection.seen?.isDoubted == true else { return }
        selection.seen = ModelClip(
          owner: .unmanaged, order: selection.seen?.order ?? 0, since: selection.seen?.since ?? 0)
      }
      books[uid]?.changeAll([.drag]) { Self.endDrag(of: instance, &$0) }
    }
  }

  /// What the app itself could have put there: its strictest identity's; of two accounts', an unknown one's.
  private func own(_ event: ModelClipEvent, _ instance: ModelInstance, _ app: App) -> ModelClip {
    var clip = ModelClip(owner: .unmanaged, holders: [event.instance], app: instance.app, length: event.length)
    var shown = instance.registered.map { name in
      world.identity(name, world.resolve(name, in: instance, app), scope: event.scope, in: instance).identity
    }
    for name in instance.registered where world.resolve(name, in: instance, app).policy != .unmanaged {
      if let window = world.window(of: name, in: instance) { shown += instance.mixed[window] ?? [] }
    }
    if shown.isEmpty { shown = [event.scope == .absent ? instance.process : event.scope] }
    clip.account = shown.compactMap { if case .account(let name) = $0 { name } else { nil } }.min()
    // Another connection's scope may have put it there as well.
    shown += instance.scopes.values
    if instance.mustSay {
      (clip.owner, clip.awaitsEcho) = (.unknownManaged, true)
      return clip
    }
    var accounts: Set<String> = []
    for case .account(let name) in shown where !world.protections(of: name, in: instance).isEmpty {
      accounts.insert(name)
    }
    if accounts.count > 1 {
      clip.owner = .unknownManaged
    } else if let name = accounts.first {
      (clip.owner, clip.account) = (.account(name), name)
    }
    return clip
  }
}
