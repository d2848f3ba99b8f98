package import GuardModel
package import URLRules
internal import URLStandard

/// The number of an app's name, which outlives reloads; unlike `AppIndex`, it means the same under every policy.
struct AppNumber: Sendable, Hashable {
  let place: Int32
}

/// The daemon's knowledge of running apps: instances with their viewers and identities, and users with their clips.
///
/// Owned by one event loop; only the calls in `GuardState+…` and `decide` change it.
package struct GuardState {
  package internal(set) var accounts = AccountTable()
  var instances: [Instance?] = []
  /// The same by person.
  private(set) var running = RunningInstances()
  private var freeInstances: [Int32] = []
  var serials: UInt64 = 0
  var users: [UserClips] = []
  /// The places of persons among them.
  private var userPlaces: [UInt32: Int] = [:]
  private var appNumbers: [String: AppNumber] = [:]
  /// The apps by their number.
  private var appNames: [String] = []
  /// A part changed that has to outlive the daemon.
  package internal(set) var hasChanges = false
  /// An instance named a new account; the memory accounting reads and resets it.
  package var hasNewNames = false
  package let limits: StateLimits
  /// Differs at every start of the daemon; part of every clip id.
  let epoch: UInt64
  var clipCount: UInt64 = 0
  var proposalCount: UInt64 = 0
  var clipOrder: UInt64 = 0
  /// Milliseconds since 1970, as the shell said last: calls that are no events carry no time.
  package var time: UInt64 = 0
  var requestCount: UInt64 = 0
  /// The accounts that apps registered, and who is signed in.
  package var life = AccountLife()
  package var book = ConditionBook()
  package var wipeBook = WipeBook()
  /// The looks at accounts that apps asked for.
  package var remediations = RemediationBook()
  /// The programs that have to start anew.
  package var restarts = RestartBook()
  /// The policy was fetched and checked since this daemon started.
  package var isCheckedInSinceBoot = false
  /// The persons who unlocked their accounts.
  package var unlocks = Unlocks()
  /// Number of pages that got a number because a copy was made in them.
  var pageCount: UInt64 = 0
  /// The pages of viewers are noted for `takeChanges`. Off if no caller takes them: they would grow without end.
  package var keepsPages = false
  var pageChanges = KeptPages()
  /// By serial, the pages of programs that have not come back to this daemon.
  var missingPages: [UInt64: MissingPages] = [:]
  var pagesAreLost = false

  // Buffers for running decisions, kept so that nothing is allocated.
  package internal(set) var input = MatchInput()
  private(set) var runner = RegexRunner()
  /// An account's name in lower case.
  var foldedName: [UInt8] = []
  /// The identities that an action may count as.
  var possible: [Identity] = []
  /// The event was judged by the page in its `from`, so that the log must name it.
  var readsPage = false
  /// A question is decided on trial, without any effect (`decideEach`).
  var isTrial = false

  package init(epoch: UInt64, limits: StateLimits = StateLimits()) {
    self.epoch = epoch
    self.limits = limits
  }

  /// A copy with memory of its own for matching, whose changes no caller takes.
  var forTrial: GuardState {
    var copy = self
    copy.runner = RegexRunner()
    copy.keepsPages = false
    return copy
  }

  /// Number of living instances.
  package var instanceCount: Int { instances.count - freeInstances.count }

  package func instance(_ id: InstanceID) -> Instance? {
    isLive(id) ? instances[id.place] : nil
  }

  /// Whether the instance has not ended. Inlined: the whole state would be copied for the call.
  @inline(__always)
  func isLive(_ id: InstanceID) -> Bool {
    instances.indices.contains(Int(id.index)) && instances[id.place]?.serial == id.serial
  }

  /// Starts a new instance of an app, with no viewers; under `serial` when its program comes back to a restarted daemon.
  package mutating func attach(
    app: AppIndex, peer: Peer, features: ClientFeatures = [], serial: UInt64? = nil, _ snapshot: Snapshot
  ) throws(Refusal) -> InstanceID {
    let appOfPolicy = snapshot[app]
    guard running[peer.person].count < limits.instancesPerUser else {
      throw .limitReached(.instances, maximum: limits.instancesPerUser)
    }
    if serial == nil { serials += 1 }
    var instance = Instance(
      serial: serial ?? serials, appName: appOfPolicy.name, peer: peer, app: app, user: userIndex(peer.person),
      appNumber: number(ofApp: appOfPolicy.name))
    instance.features = features
    instance.groupProtections = snapshot.protections(ofGroups: peer.groups)
    start(&instance, as: appOfPolicy, snapshot)
    let id = insert(instance)
    beginLife(of: id, snapshot)
    if !instance.groupProtections.isEmpty {
      bindClips(ofUsers: instance.user..<instance.user + 1)
      wipeBook.isStale = true
    }
    recallPages(id, isReturning: serial != nil)
    return id
  }

  /// Ends an instance: its viewers and identities are gone; its user's copies stay recorded.
  ///
  /// - Returns: how many bytes stay, for names that a clip may still have.
  @discardableResult
  package mutating func end(_ id: InstanceID) -> Int {
    guard let instance = instance(id) else { return 0 }
    dropPages(ofInstance: id.serial)
    endClips(of: id)
    restarts.set(nil, of: id.serial)
    instances[id.place] = nil
    running.remove(id, of: instance.peer.person)
    if !instance.groupProtections.isEmpty { wipeBook.isStale = true }
    freeInstances.append(id.index)
    forgetToldRemediations(of: instance.holder)
    return releaseNames(of: instance)
  }

  /// Goes over to a new policy: names that apps chose are looked up again, and missing ones count as unknown.
  package mutating func adopt(_ snapshot: Snapshot) {
    accounts.adopt(snapshot)
    for index in instances.indices where instances[index] != nil {
      instances[index]?.adopt(snapshot)
      guard let app = instances[index]?.app.map({ snapshot[$0] }) else { continue }
      if app.identityMode == .single {
        instances[index]?.windows = ByteTable()
        instances[index]?.mixedWindows = ByteTable()
      }
      instances[index]?.rankMixedWindows(accounts)
      if var instance = instances[index].take() {
        restart(&instance, as: app, snapshot)
        instances[index] = instance
      }
    }
    bindClips(ofUsers: users.indices)
    unlocks.adopt(snapshot.protections, at: time)
    adoptLife(snapshot)
  }

  private mutating func insert(_ instance: Instance) -> InstanceID {
    let index = freeInstances.popLast() ?? Int32(instances.count)
    if index == instances.count { instances.append(nil) }
    instances[Int(index)] = instance
    let id = InstanceID(index: index, serial: instance.serial)
    running.add(id, of: instance.peer.person)
    return id
  }

  mutating func userIndex(_ uid: UInt32) -> Int {
    if let known = userPlaces[uid] { return known }
    userPlaces[uid] = users.count
    users.append(UserClips(uid: uid))
    return users.count - 1
  }

  mutating func number(ofApp name: String) -> AppNumber {
    if let known = appNumbers[name] { return known }
    let number = AppNumber(place: Int32(appNames.count))
    appNames.append(name)
    appNumbers[name] = number
    return number
  }

  func number(ofKnownApp name: String) -> AppNumber? { appNumbers[name] }

  func name(of app: AppNumber) -> String { appNames[Int(app.place)] }
}

extension Snapshot {
  /// The protections that bind accounts of members of these groups.
  package func protections(ofGroups groups: [UInt32]) -> ProtectionSet {
    protections { $0.groups.contains { groups.contains($0) } }
  }

  /// The protections with a pattern that takes one of the names.
  package func protections(taking names: [String]) -> ProtectionSet {
    protections { protection in
      protection.accountPatterns.contains { pattern in names.contains { AccountName.pattern(pattern, takes: $0) } }
    }
  }

  /// All protections that bind an account of the policy, for any user.
  package func protections(of entry: AccountEntry) -> ProtectionSet {
    var found = protections(taking: entry.foldedNames)
    if let stated = entry.protection { found.insert(stated) }
    return found
  }

  /// All protections that bind an account by its name, folded.
  package func protections(ofAccount folded: String) -> ProtectionSet {
    accounts.entry(named: folded).map { protections(of: accounts.entries[$0]) } ?? protections(taking: [folded])
  }

  private func protections(where binds: (Protection) -> Bool) -> ProtectionSet {
    var found = ProtectionSet()
    for index in protections.indices.prefix(ProtectionSet.capacity) where binds(protections[index]) {
      found.insert(ProtectionIndex(index))
    }
    return found
  }
}

extension Instance {
  fileprivate mutating func adopt(_ snapshot: Snapshot) {
    app = snapshot.app(named: appName)
    groupProtections = snapshot.protections(ofGroups: peer.groups)
    let classes = app.map { snapshot[$0] }
    viewers.updateAll { viewer in
      if let name = viewer.className {
        viewer.viewerClass = classes?.viewerClass(named: name).map(Choice.index) ?? .missing
      }
      if let name = viewer.ruleSetName {
        viewer.ruleSet = snapshot.ruleSet(named: name).map(Choice.index) ?? .missing
      }
    }
  }
}

/// The memory that instances take: it bounds the registrations of a user's programs.
extension GuardState {
  /// Approximate bytes that an instance takes: never far less than the truth; 0 when it is gone.
  package func byteCount(of id: InstanceID) -> Int {
    guard let instance = instance(id) else { return 0 }
    let windows = instance.windows.count * (Self.windowBytes + limits.nameBytes)
    let left = instance.left.byteCount
    let mixed = instance.mixedWindows.count * limits.accountsPerWindow * MemoryLayout<Identity>.stride
    return Self.emptyBytes + instance.viewers.byteCount + instance.nameBytes + windows + mixed + left + instance.scopes
      .count
      * Self.scopeBytes
  }

  /// Bytes that registering a viewer would add; negative when it becomes smaller.
  ///
  /// A document counts as its text in the call; the URL read from it is about as long.
  package func growth(by call: ViewerDescription, in id: InstanceID) -> Int {
    guard let viewers = instance(id)?.viewers else { return 0 }
    let existing = viewers.index(of: call.name).map { viewers[$0] }
    let old = existing?.byteCount ?? 0
    let window = call.window?.utf8.count ?? existing?.window?.count ?? 0
    let document = call.document?.utf8.count ?? existing?.pages.shown.byteCount ?? 0
    return Viewer.emptyBytes + 2 * call.name.utf8.count + window + document - old
  }

  /// Bytes that another document of a viewer would add. A document that is merely unknown by now is still accepted
  /// again.
  package func growth(bySetting document: String?, of viewer: String, in id: InstanceID) -> Int {
    guard let viewers = instance(id)?.viewers, let index = viewers.index(of: viewer) else { return 0 }
    guard let document else { return 0 }
    return document.utf8.count - viewers[index].pages.shown.byteCount
  }

  /// The memory of an instance with no registrations, including the service's part.
  package static let emptyBytes = 16_384
  private static let windowBytes = 256
  private static let scopeBytes = 64
}

/// An exception may overrule an external answer of the rules.
extension GuardState {
  /// The answer of the viewer's rules, and the exception that lifts it. Nil as `verdict`.
  mutating func verdictOrException(_ question: Question) -> AskedRules? {
    verdict(question).map { excepted($0, question) }
  }

  /// The same answer of the rules, with the exception that takes the URL.
  ///
  /// No exception takes a URL that no rule set called external: a file, an unregistered viewer, a URL with credentials.
  /// If a window shows several accounts, the permission of one says nothing of the others. It changes nothing, and is
  /// `mutating` since the whole state would be copied for it otherwise.
  mutating func excepted(_ rules: AskedRules, _ question: Question) -> AskedRules {
    let exceptions = question.snapshot.exceptions
    guard !exceptions.isEmpty, rules.verdict.verdict == .external, rules.ruleSet != nil, !question.viewer.isUnknown,
      input.url.kind == .url, input.url.judged.isWeb, !input.url.hadCredentials
    else { return rules }
    var excepted = rules
    excepted.exception = exceptions.first(for: input.url.judged.hostBytes) { index in
      let exception = exceptions[index]
      return exception.subjects.isSuperset(of: input.purposes)
        && exception.app ?? question.app.name == question.app.name
        && (exception.account == nil || !question.isLockedDown)
        && exceptions.isFor(question.identity.identity, index, accounts)
    }
    return excepted
  }

  /// Whether the policy names the account, or a pattern of it takes it.
  package func knowsAccount(_ name: String, _ snapshot: Snapshot) -> Bool { accounts.isKnown(name, snapshot) }
}

extension AskedRules {
  /// The URL's standing.
  var standing: Verdict { exception == nil ? verdict.verdict : .internal }

  /// The reason why it counts as internal.
  var internalReason: Reason { exception == nil ? .internal : .exception }
}
