internal import GuardModel
internal import PolicyEngine
internal import URLRules

/// Looks up the names that the policy's files use of one another, and makes one policy of them.
struct PolicyAssembler {
  private let draft: PolicyDraft
  private let ruleSets: [RuleSet]
  private let lists: LoadedLists
  /// False when some file could not be read: names that it may define are then not reported as unknown.
  private let isComplete: Bool

  init(_ draft: PolicyDraft, ruleSets: [RuleSet], lists: LoadedLists, isComplete: Bool) {
    self.draft = draft
    self.lists = lists
    self.ruleSets = ruleSets
    self.isComplete = isComplete
  }

  func assemble(into diagnostics: inout Diagnostics) -> LoadedPolicy {
    checkDuplicateAccounts(into: &diagnostics)
    checkSockets(into: &diagnostics)
    checkDataDirectories(into: &diagnostics)
    checkNumberOfProtections(into: &diagnostics)
    for protection in draft.protections {
      SettingConflicts(protection, draft.places).report(into: &diagnostics)
    }
    var policy = LoadedPolicy()
    policy.ruleSets = ruleSets
    policy.lists = lists.files
    policy.places = draft.places
    policy.protections = draft.protections.map(\.protection)
    policy.accounts = AccountDirectory(entries: accounts(into: &diagnostics))
    policy.apps = apps(into: &diagnostics)
    policy.browsers = browsers(into: &diagnostics)
    policy.links = Links(exempt: list(draft.exemptLinks), managed: list(draft.managedLinks))
    policy.texts = texts
    policy.wipe = draft.wipe?.value ?? WipeSettings()
    policy.escrow = draft.escrow?.value
    policy.enrollment = draft.enrollment?.value ?? EnrollmentTimes()
    let configs = AppConfigAssembler(
      apps: policy.apps.map(\.name), accounts: policy.accounts, protections: policy.protections,
      isComplete: isComplete)
    policy.appConfig = configs.assemble(draft.appConfig, scrubKeys: draft.scrubKeys, into: &diagnostics)
    let tests = PolicyTestAssembler(apps: policy.apps.map(\.name), isComplete: isComplete)
    policy.tests = draft.tests.compactMap { tests.assemble($0, into: &diagnostics) }
    warn(about: policy, into: &diagnostics)
    return policy
  }

  private var texts: UserTexts {
    var texts = UserTexts()
    for language in draft.texts {
      if let tag = language.tag { texts.localized[tag] = language.texts } else { texts.standard = language.texts }
    }
    return texts
  }

  private func list(_ draft: LinkListDraft?) -> LinkList {
    let rules = (draft?.rules ?? []).map { rule in
      var rule = rule
      rule.condition = lists.resolve(rule.condition, draft?.lists ?? [])
      return rule
    }
    return LinkList(rules: rules, programs: draft?.programs ?? [], lists: lists.hosts)
  }

  private func apps(into diagnostics: inout Diagnostics) -> [App] {
    let names = ruleSets.map(\.name)
    return draft.apps.map { draft in
      var app = draft.app
      app.classes = draft.classes.map { draft in
        var viewerClass = draft.viewerClass
        viewerClass.ruleSet = index(
          of: draft.ruleSet, "rule set", among: names, none: "there is no rule set in `rules`", &diagnostics
        ).map(RuleSetIndex.init)
        return viewerClass
      }
      return app
    }
  }

  private func accounts(into diagnostics: inout Diagnostics) -> [AccountEntry] {
    let names = draft.protections.map(\.name.value)
    return draft.accounts.map { draft in
      var entry = draft.entry
      entry.protection = index(
        of: draft.protection, "protection", among: names, none: "there is no protection in `policy.d`", &diagnostics
      ).map(ProtectionIndex.init)
      return entry
    }
  }

  private func browsers(into diagnostics: inout Diagnostics) -> Browsers {
    var browsers = Browsers()
    browsers.managed = draft.managedBrowser.map { browser($0, into: &diagnostics) }
    browsers.unmanaged = draft.unmanagedBrowser?.browser
    return browsers
  }

  private func browser(_ draft: ManagedBrowserDraft, into diagnostics: inout Diagnostics) -> ManagedBrowser {
    for name in draft.apps + [draft.app].compactMap(\.self) {
      _ = index(
        of: name, "app", among: self.draft.apps.map(\.name.value), none: "there is no app in `policy.d`", &diagnostics)
    }
    var browser = ManagedBrowser(program: draft.program, app: draft.app?.value)
    browser.apps = draft.apps.map(\.value)
    browser.alternatives = draft.alternatives.map { self.browser($0, into: &diagnostics) }
    return browser
  }

  /// The position of a name; nil when none is given, or when it is not there, which is reported.
  private func index(
    of name: Located<String>?, _ what: String, among names: [String], none: String, _ diagnostics: inout Diagnostics
  ) -> Int? {
    guard let name else { return nil }
    if let index = names.firstIndex(of: name.value) { return index }
    if isComplete { diagnostics.unknownReference(what, name, among: names, none: none) }
    return nil
  }

  /// One account under two entries could be bound by two protections.
  private func checkDuplicateAccounts(into diagnostics: inout Diagnostics) {
    var places: [String: (entry: Int, location: SourceLocation)] = [:]
    for (number, account) in draft.accounts.enumerated() {
      for name in [account.upn, account.objectID].compactMap(\.self) {
        let folded = AccountName.fold(name.value)
        if let first = places[folded], first.entry != number {
          diagnostics.definedTwice("account", name, first: first.location)
        } else {
          places[folded] = (number, name.location)
        }
      }
    }
  }

  /// The engine keeps the protections of an account in a set of fixed size; one more would bind no account.
  private func checkNumberOfProtections(into diagnostics: inout Diagnostics) {
    guard draft.protections.count > ProtectionSet.capacity else { return }
    diagnostics.error(
      .tooManyProtections, at: draft.protections[ProtectionSet.capacity].name.location,
      "a policy has at most \(ProtectionSet.capacity) protections",
      hint: "name several accounts, patterns or groups in one protection")
  }

  /// A wipe that one app asks for would remove the data that another one keeps in the same directory.
  private func checkDataDirectories(into diagnostics: inout Diagnostics) {
    var owners: [(directory: DataDirectory, app: Located<String>)] = []
    for app in draft.apps {
      for directory in app.app.dataDirectories {
        guard let first = owners.first(where: { $0.directory.overlaps(directory) }) else { continue }
        diagnostics.error(
          .dataDirectory, at: app.name.location,
          "\(directory.text.quoted) lies in a directory of the app \(first.app.value.quoted), or has one in it",
          hint: "give each app a directory of its own: a wipe of one app removes the whole directory")
      }
      owners += app.app.dataDirectories.map { ($0, app.name) }
    }
  }

  /// A peer that connects through an app's own socket is that app, so a socket of two apps would identify neither.
  private func checkSockets(into diagnostics: inout Diagnostics) {
    var owners: [String: Located<String>] = [:]
    for app in draft.apps {
      for socket in Set(app.app.peers.compactMap(\.socket)).sorted() {
        guard let first = owners[socket] else {
          owners[socket] = app.name
          continue
        }
        diagnostics.error(
          .sharedSocket, at: app.name.location,
          "the socket \(socket.quoted) is app \(first.value.quoted)'s own already, at \(first.location)",
          hint: "give each app a socket of its own")
      }
    }
  }

  private func warn(about policy: LoadedPolicy, into diagnostics: inout Diagnostics) {
    if let first = draft.protections.dropFirst(ProtectionSet.capacity).first {
      diagnostics.error(
        .tooManyProtections, at: first.name.location,
        "a policy has at most \(ProtectionSet.capacity) protections, and this one has \(draft.protections.count)",
        hint: "give accounts that are protected alike one protection")
    }
    guard isComplete else { return }
    let starting = StartingAccounts(policy.accounts, policy.protections)
    guard starting.bound.count != 1 else { return }
    let several = starting.bound.count > 1
    guard several || starting.hasPattern || policy.protections.contains(where: { !$0.groups.isEmpty }) else { return }
    for draft in draft.apps where draft.app.identityMode == .single && draft.app.account == nil {
      let what = several ? "more than one managed account" : "no managed account by itself"
      diagnostics.info(
        .noSingleAccount, at: draft.name.location,
        "app \(draft.name.value.quoted) has to say whose data it shows (`SetIdentity`) before anything passes: it runs as "
          + "one account, and the policy names \(what)",
        hint: "for an app that does not say so, state its `account`, or name exactly one managed account")
    }
  }
}

/// Finds the apps that tests name.
struct PolicyTestAssembler {
  /// The apps of the whole policy.
  let apps: [String]
  /// False when some file could not be read: an app that it may define is then not reported as unknown.
  let isComplete: Bool

  /// Nil when an app is not there, which has been reported.
  func assemble(_ draft: PolicyTestDraft, into diagnostics: inout Diagnostics) -> PolicyTest? {
    var names: [String?] = []
    let ownApp = draft.app.map { name(of: $0, into: &diagnostics) }
    for step in draft.steps {
      names.append(step.app.map { name(of: $0, into: &diagnostics) } ?? ownApp ?? onlyApp)
    }
    if draft.app == nil, onlyApp == nil, draft.steps.contains(where: { $0.app == nil }) {
      reportNoApp(draft, into: &diagnostics)
    }
    var steps: [PolicyTestStep] = []
    for (name, step) in zip(names, draft.steps) {
      guard let name else { return nil }
      steps.append(
        PolicyTestStep(app: name, step.action, expect: step.expect, after: step.after, location: step.location))
    }
    var test = PolicyTest(name: draft.name, steps: steps, at: draft.at, location: draft.location)
    (test.features, test.groups) = (draft.features, draft.groups)
    return test
  }

  private var onlyApp: String? { apps.count == 1 ? apps.first : nil }

  private func name(of app: Located<String>, into diagnostics: inout Diagnostics) -> String? {
    if apps.contains(app.value) { return app.value }
    if isComplete {
      diagnostics.unknownReference("app", app, among: apps, none: "there is no app in `policy.d`")
    }
    return nil
  }

  private func reportNoApp(_ draft: PolicyTestDraft, into diagnostics: inout Diagnostics) {
    guard isComplete else { return }
    let count = apps.isEmpty ? "no app" : "\(apps.count) apps"
    diagnostics.error(
      .noAppToTest, at: draft.location, "the test does not say which app acts, and the policy has \(count)",
      hint: apps.isEmpty ? "describe an app under `apps`" : "name one with `app`, beside `steps` or in each step")
  }
}
