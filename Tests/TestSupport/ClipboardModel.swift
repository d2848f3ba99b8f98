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
  package var minute: UInt64 = 0

  package init(_ kind: EventKind) { self.kind = kind }
}

/// Cut, copy and paste, straight from ledger E.2 and the amendments' section on the clipboard.
package struct ClipboardModel {
  package var world: ModelWorld
  private var books: [UInt32: ClipBook] = [:]
  private let epoch: UInt64
  private var clips: UInt64 = 0

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
      books[instance.uid, default: ClipBook()].endDrag(event.display)
      return asked.answer(.allow, .changeRecorded)
    default: return ModelDecision(.block, .unknownEvent)
    }
  }

  /// What an app that cannot wrap a clip, or leave nothing but its text, must not fill a selection with (CB-17).
  package func able(_ decision: ModelDecision, _ event: ModelClipEvent) -> ModelDecision {
    let instance = world.instances[event.instance]
    guard [.copy, .clipboardChanged].contains(event.kind) else { return decision }
    let cannot: String
    if decision.onlyPlainText, !instance.canStrip {
      cannot = "cannotStrip"
    } else if decision.mimeWrap, !instance.canWrap {
      cannot = "cannotWrap"
    } else {
      return decision
    }
    var blocked = decision
    (blocked.outcome, blocked.reason) = (.block, .orgData)
    (blocked.mimeWrap, blocked.onlyPlainText, blocked.limit) = (false, false, nil)
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

  /// The copy itself succeeds; the owner is written down. Only managed data gets an id.
  private mutating func copy(
    _ event: ModelClipEvent, _ asked: ModelCase, _ instance: ModelInstance, _ app: App
  ) -> ModelDecision {
    var clip = ModelClip(owner: .unmanaged, holders: [event.instance], app: instance.app, length: event.length)
    clip.awaitsEcho = true
    clip.place = ModelCopyPlace(page(event, asked, instance, app))
    var decision = asked.answer(.allow, asked.freeReason)
    if asked.isManaged, case .account(let name) = asked.whose.identity {
      if !world.isTrial { clips += 1 }
      clip.owner = .account(name)
      clip.id = ClipID(epoch: epoch, number: clips)
      decision.reason = .clipRecorded
      wrap(&decision, asked.protections, event, instance)
    }
    decision.clipOwner = clip.owner
    decision.clip = clip.id
    if !world.isTrial { books[instance.uid, default: ClipBook()].write(clip, event.selection, event.display) }
    return decision
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
      (decision.limit, decision.onlyPlainText) = (limit, true)
    } else {
      decision.mimeWrap = true
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
    let book = books[instance.uid] ?? ClipBook()
    // Owner at paste: the stricter of the record and of the clip id handed back.
    var clip = book.content(event.selection, event.display) ?? ModelClip()
    switch event.claim {
    case .none: break
    case .unreadable: clip = .stricter(clip, ModelClip())
    case .id(let id): clip = .stricter(clip, book.issued[id] ?? ModelClip())
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
    let isExcepted = length >= 1 && length <= limit && book.spend(length, budget, event.minute)
    if !world.isTrial { books[instance.uid] = book }
    guard isExcepted else {
      decision.reason = outgoing ? .orgDataOverLimit : .personalDataOverLimit
      return decision
    }
    decision.outcome = .allow
    decision.reason = .withinLimit
    decision.onlyPlainText = true
    return decision
  }

  private func sourceProtections(_ clip: ModelClip, _ instance: ModelInstance) -> [Protection] {
    guard case .account(let name) = clip.owner else { return [] }
    // The groups are those of the instance that copied; of the asking one, the same user's, when that has ended.
    let holder = clip.firstHolder.map { world.instances[$0] }
    return world.protections(of: name, in: holder.map { $0.hasEnded ? instance : $0 } ?? instance)
  }

  private func owner(_ identity: ModelIdentity) -> ModelOwner? {
    if case .account(let name) = identity { .account(name) } else { nil }
  }

  // MARK: ClipboardChanged

  private mutating func changed(
    _ event: ModelClipEvent, _ asked: ModelCase, _ instance: ModelInstance, _ app: App
  ) -> ModelDecision {
    var book = books[instance.uid] ?? ClipBook()
    let told = book.told(event.selection, event.display)
    switch event.selfOwned {
    case true: book.write(echo(told.last, event, instance, app), event.selection, event.display)
    case false: foreign(told, event, &book)
    case nil:
      // Not known: the stricter of what was, and of what the app itself could have put there.
      let before = told.isEmpty ? ModelClip() : told.dropFirst().reduce(told[0]) { .stricter($0, $1) }
      book.write(.stricter(own(event, instance, app), before), event.selection, event.display)
    }
    books[instance.uid] = book
    var decision = asked.answer(.allow, .changeRecorded)
    let held = book.content(event.selection, event.display) ?? ModelClip()
    decision.clipOwner = held.owner
    if event.selfOwned == true, held.owner != .unmanaged {
      wrap(&decision, sourceProtections(held, instance), event, instance)
    }
    return decision
  }

  /// Self-owned right after the app's own copy tells nothing new; without one it is its strictest identity's.
  private func echo(
    _ last: ModelClip?, _ event: ModelClipEvent, _ instance: ModelInstance, _ app: App
  ) -> ModelClip {
    guard var clip = last, clip.firstHolder == event.instance, clip.awaitsEcho else { return own(event, instance, app) }
    clip.awaitsEcho = false
    clip.length = clip.length ?? event.length
    return clip
  }

  /// Not self-owned: unmanaged, unless a guarded app's record stands against it.
  private func foreign(_ told: [ModelClip], _ event: ModelClipEvent, _ book: inout ClipBook) {
    let unmanaged = ModelClip(owner: .unmanaged, length: event.length)
    if event.selection == .unknown, told.isEmpty { return }
    var left: [ModelClip] = []
    for clip in told {
      if clip.holders.count > 1 || clip.isContested { return }
      guard let holder = clip.firstHolder else {
        if event.selection == .unknown { return }
        left.append(unmanaged)
        continue
      }
      if holder == event.instance {
        // A report that is older than the app's own copy is swallowed once.
        var late = clip
        late.awaitsEcho = false
        left.append(clip.awaitsEcho ? late : unmanaged)
        continue
      }
      // Another app's record stands, until another length shows that the clip is another. Whose that is nobody knows
      // while the holder can still tell; when the holder has ended it is nobody's.
      guard let old = clip.length, let new = event.length, old != new else { return }
      var doubted = clip
      doubted.owner = .unknownManaged
      left.append(world.instances[holder].hasEnded ? unmanaged : doubted)
    }
    let result = left.reversed().reduce(nil as ModelClip?) { before, next in before.map { .stricter($0, next) } ?? next
    }
    book.write(result ?? unmanaged, event.selection, event.display)
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
      clip.owner = .account(name)
    }
    return clip
  }
}
