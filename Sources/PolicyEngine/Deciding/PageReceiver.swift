internal import GuardModel
internal import URLRules
internal import URLStandard

/// The owner of a page that receives a paste, a drop or an upload (ledger WV-31, D-08; amendments, pasting into pages).
///
/// It affects only the receiver's side. The owner of the data, the gates, viewers that block uploads and the lock-down
/// of mixed views stay as they are.
struct PageReceiver: Sendable {
  enum Standing: Sendable {
    /// The page belongs to the viewer's account.
    case account
    /// The page shown is external: unmanaged for the protections that say `externalInPlace: unmanaged`. Each of several
    /// protections judges for itself.
    case external
    /// A rule for pastes calls it external: unmanaged for all protections.
    case outside
  }

  var standing = Standing.account
  /// The final answer, where a rule lets nothing into the page.
  var refusal: Decision?
  /// The rules' answer for the page, where they decided.
  var rules: AskedRules?

  func isNobodys(for protection: borrowing Protection) -> Bool {
    switch standing {
    case .account: false
    case .external: protection.externalInPlace == .unmanaged
    case .outside: true
    }
  }

  /// The clipboard level for data that leaves to the page: an unmanaged page gets everything or nothing.
  func leavingLevel(of protection: borrowing Protection) -> ClipboardLevel {
    let level = protection.clipboard.level
    return isNobodys(for: protection) && level != .any ? .blocked : level
  }

  /// The viewer's account, as far as the page is its: bound by those of its protections that do not call the page
  /// unmanaged.
  func party(_ party: Party, _ snapshot: Snapshot) -> Party {
    guard standing != .account, let account = party.account else { return party }
    let asking = snapshot.those(of: party.protections) { !isNobodys(for: $0) }
    return asking.isEmpty ? .unmanaged : .managed(account, asking)
  }

  /// The data's owner, bound only by those of its protections that call the page unmanaged.
  func owner(_ owner: Party, _ snapshot: Snapshot) -> Party {
    guard standing != .account, let account = owner.account else { return .unmanaged }
    let asking = snapshot.those(of: owner.protections, where: isNobodys)
    return asking.isEmpty ? .unmanaged : .managed(account, asking)
  }

  /// The decision with a note about the page, where some protection calls it unmanaged.
  func told(_ decision: Decision, _ protections: ProtectionSet, _ snapshot: Snapshot) -> Decision {
    guard standing != .account, !snapshot.those(of: protections, where: isNobodys).isEmpty else { return decision }
    var told = decision.noting(.externalReceiver)
    if let rules, told.ruleSet == nil { told = told.decided(by: rules) }
    return told
  }
}

extension GuardState {
  /// The page that takes a paste. Its URL is `from`; an app that does not say it still lets the daemon know whether the
  /// viewer shows an external page.
  ///
  /// Rules with `for: paste` come first. A rule that blocks uploads to the page blocks pastes as well (ledger WT-18).
  mutating func pageOfPaste(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> PageReceiver {
    guard question.isManaged || question.rulesAlwaysApply else { return PageReceiver() }
    guard readPage(event, question, of: id) else { return question.pageShown }
    guard input.url.kind == .url else { return PageReceiver(standing: .external) }
    if let refusal = refusal(byRulesFor: .upload, question) { return refusal }
    if let refusal = refusal(byRulesFor: .paste, question) { return refusal }
    if let said = verdictOrException(question), said.verdict.rule != nil || said.exception != nil {
      let isOutside = said.standing == .external && question.snapshot.lifting != .everything
      return PageReceiver(standing: isOutside ? .outside : .account, rules: said)
    }
    return pageByItsURL(question)
  }

  /// The page that takes a file. The page's author reads the file, wherever it is sent then.
  mutating func pageOfUpload(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> PageReceiver {
    guard question.isManaged, readPage(event, question, of: id) else { return question.pageShown }
    guard input.url.kind == .url else { return PageReceiver(standing: .external) }
    return pageByItsURL(question)
  }

  /// Reads the page that the event names into the matcher's input; false if it names none, or if there are no rules to
  /// ask.
  private mutating func readPage(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> Bool {
    guard let page = event.from, page.lower < page.upper, question.viewer.rules != .none else { return false }
    readsPage = true
    readInput(event, question, of: id)
    input.url.read(event.bytes(page))
    runner.beginDecision(subjectBytes: input.subjectBytes)
    return true
  }

  private mutating func refusal(byRulesFor purpose: Purposes, _ question: Question) -> PageReceiver? {
    input.purposes = purpose
    guard let rules = verdictOrException(question), rules.standing == .external, question.action(of: rules) == .block
    else { return nil }
    return PageReceiver(refusal: question.answer(.block, .blockedByRule).decided(by: rules))
  }

  /// The answer of the rules for pages. The way to the page is no longer known.
  private mutating func pageByItsURL(_ question: Question) -> PageReceiver {
    if question.handlesScheme(of: input.url) { return PageReceiver() }
    input.from.clear()
    input.hop = .unknown
    input.purposes = .page
    guard let rules = verdictOrException(question), rules.standing == .external else { return PageReceiver() }
    return PageReceiver(standing: .external, rules: rules)
  }

  /// Keeps the page where the log looks for it, even after questions to rules that must not see it.
  mutating func keepPageRead(_ event: borrowing Event) {
    guard readsPage, input.from.kind == .absent, let page = event.from else { return }
    input.from.read(event.bytes(page))
  }

  // MARK: Pasting where it was copied

  /// The place of a copy, for pastes into the same page.
  mutating func copyPlace(_ event: borrowing Event, _ question: Question, of id: InstanceID) -> CopyPlace? {
    guard !isTrial, let viewer = question.viewer.index else { return nil }
    var number = instances[id.place]?.viewers[viewer].pages.shown.number ?? 0
    if number == 0 {
      pageCount += 1
      number = pageCount
      instances[id.place]?.viewers[viewer].pages.shown.number = number
    }
    let isSaid = event.from.map { $0.lower < $0.upper } ?? false
    if !isSaid { return CopyPlace(page: number, origin: question.showsExternal ? .anyOfPage : .unsaid) }
    return origin(event).map { CopyPlace(page: number, origin: $0) }
  }

  /// Whether a paste goes back to the place of the copy: into the same viewer, with no navigation in between, and into
  /// the same frame as far as the app tells.
  mutating func isCopiedThere(
    _ clip: ClipRecord, _ event: borrowing Event, _ question: Question, of id: InstanceID
  ) -> Bool {
    guard let place = clip.place, let viewer = question.viewer.index,
      instances[id.place]?.viewers[viewer].pages.shown.number == place.page
    else { return false }
    if place.origin == .anyOfPage { return true }
    let isSaid = event.from.map { $0.lower < $0.upper } ?? false
    return isSaid ? origin(event) == place.origin : place.origin == .unsaid
  }

  /// The origin of the event's frame; nil for an event without a frame.
  private mutating func origin(_ event: borrowing Event) -> CopyPlace.Origin? {
    guard let from = event.from else { return nil }
    readsPage = true
    input.url.read(event.bytes(from))
    return input.url.kind == .url ? .said(input.url.judged.originHash) : nil
  }
}

/// The page in which a clip was copied. It is kept only in memory: after a restart it is unknown for every clip.
struct CopyPlace: Sendable, Hashable {
  enum Origin: Sendable, Hashable {
    /// The app did not name the frame, and the viewer showed no external page.
    case unsaid
    /// The same for a viewer that showed an external page: any part of that page.
    case anyOfPage
    /// The origin of the frame, by its hash.
    case said(Int)
  }

  /// The number of the page that the viewer showed (`ShownPage.number`).
  var page: UInt64
  var origin: Origin
}

extension URLRecord {
  /// The hash of scheme, host and port. A page cannot forge another page with the same hash: the key is drawn at the
  /// daemon's start.
  fileprivate var originHash: Int {
    var hasher = Hasher()
    schemeBytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    hasher.combine(0 as UInt8)
    hostBytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    hasher.combine(effectivePort)
    return hasher.finalize()
  }
}

extension Question {
  /// The receiver for a page that the app does not name.
  fileprivate var pageShown: PageReceiver { PageReceiver(standing: showsExternal ? .external : .account) }
}
