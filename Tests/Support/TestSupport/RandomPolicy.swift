internal import GuardModel
package import PolicyEngine
internal import URLRules

/// Random policies over a small world of names, with everything that may be stated stated sometimes.
package struct RandomPolicy {
  package static let ruleSetNames = ["documents", "intranet", "kiosk"]
  package static let classNames = ["documents", "company", "help"]
  package static let appNames = ["com.contoso.portal", "com.contoso.browser"]
  /// Names of accounts that a policy may name: two names of one account among them.
  package static let accountNames = [
    "work@contoso.com", "OID-1", "other@contoso.com", "boss@fabrikam.example", "private@home.example",
    "Work@Contoso.com",
  ]
  package static let schemes = ["contoso-portal", "mailto", "tel", "skype", "onedrive", "sip", "snap"].map {
    Array($0.utf8)
  }

  private static let schemeClassSettings: [SchemeClassSetting] = [
    .any, .none, .program(Program(desktopID: "org.gnome.Calls.desktop")), .program(Program(desktopID: "word.desktop")),
    .program(Program(command: ["mail", "{url}"])),
  ]

  private let rules: RandomRules

  package init(_ rules: RandomRules) { self.rules = rules }

  package func snapshot(_ random: inout SeededGenerator) -> Snapshot {
    let ruleSets = Self.ruleSetNames.map { rules.ruleSet(named: $0, &random) }
    let protections = (0..<random.below(4)).map { protection($0, &random) }
    let isLoaded = !random.oneIn(40)
    return Snapshot(
      generation: isLoaded ? Generation(number: 7, digest: "abc") : Generation(), policyRequired: random.oneIn(2),
      apps: Self.appNames.map { app($0, &random) }, accounts: accounts(protections.count, &random),
      protections: protections, ruleSets: ruleSets, browsers: browsers(&random), links: links(&random))
  }

  /// A loaded policy with one protection, which does not restrict what comes in, and no links.
  package func plainSnapshot(_ random: inout SeededGenerator) -> Snapshot {
    var only = protection(0, &random)
    only.accountPatterns = ["*@contoso.com"]
    only.groups = []
    only.clipboard.level = random.one(of: [.any, .managedWithPasteIn])
    only.requiresInspection = false
    only.unlock = .none
    let apps = Self.appNames.map { name in
      var app = app(name, &random)
      app.identityMode = .multi
      return app
    }
    return Snapshot(
      generation: Generation(number: 7, digest: "abc"), apps: apps,
      accounts: accounts(1, &random), protections: [only],
      ruleSets: Self.ruleSetNames.map { rules.ruleSet(named: $0, &random) }, browsers: browsers(&random))
  }

  private func app(_ name: String, _ random: inout SeededGenerator) -> App {
    var app = App(name: name)
    app.identityMode = random.oneIn(4) ? .single : .multi
    app.unlocks = random.oneIn(2)
    app.account = random.oneIn(10) ? random.one(of: ["work@contoso.com", "private@home.example", ""]) : nil
    app.untilIdentity = random.one(of: [.allow, .allow, .block])
    app.managedAccounts = random.one(of: [.several, .several, .several, .one])
    app.treatAllWebViewsAsUnmanaged = random.oneIn(4)
    app.authViewersUnprotected = random.oneIn(4)
    app.handledSchemes = Self.schemes.filter { _ in random.oneIn(4) }
    app.popups = random.one(of: [.inherit, .inherit, .block])
    for name in Self.classNames where !random.oneIn(4) { app.classes.append(viewerClass(name, &random)) }
    return app
  }

  private func viewerClass(_ name: String, _ random: inout SeededGenerator) -> ViewerClass {
    var viewerClass = ViewerClass(name: name)
    viewerClass.policy = random.one(of: WebViewPolicy.allCases, orNilOneIn: 2)
    viewerClass.ruleSet = random.oneIn(2) ? nil : RuleSetIndex(random.below(Self.ruleSetNames.count))
    viewerClass.rulesApply = random.one(of: [.managed, .managed, .managed, .always])
    viewerClass.subFrames = random.oneIn(2)
    return viewerClass
  }

  private func protection(_ number: Int, _ random: inout SeededGenerator) -> Protection {
    var protection = Protection(name: "protection-\(number)")
    protection.encryptBy = FileEncryption.ways[number % FileEncryption.ways.count]
    protection.accountPatterns = random.one(of: [["*@contoso.com"], ["other@contoso.com"], ["*@fabrikam.example"], []])
    protection.groups = random.oneIn(4) ? [UInt32(100 + random.below(2))] : []
    protection.webTransfer = random.one(of: WebTransfer.allCases)
    protection.externalInPlace = random.one(of: ExternalInPlace.allCases)
    protection.clipboard.level = random.one(of: ClipboardLevel.allCases)
    protection.clipboard.exceptionLength = random.one(of: [0, 0, 5, 20])
    protection.clipboard.exceptionPerMinute = random.one(of: [0, 12, 40], orNilOneIn: 2)
    protection.requiresInspection = random.oneIn(4)
    restrictData(&protection, &random)
    protection.send = random.one(of: SendLevel.allCases)
    protection.telecommunication = random.one(of: Self.schemeClassSettings)
    protection.messaging = random.one(of: Self.schemeClassSettings)
    protection.exemptSchemes = Self.schemes.filter { _ in random.oneIn(3) }
    protection.managedSchemes = Self.schemes.filter { _ in random.oneIn(3) }
    return protection
  }

  private func restrictData(_ protection: inout Protection, _ random: inout SeededGenerator) {
    protection.receive = random.one(of: ReceiveLevel.allCases)
    protection.save = places(&random)
    protection.open = places(&random)
    protection.managedApps = random.oneIn(2) ? [Array("word.desktop".utf8)] : []
    protection.printing = random.one(of: Permission.allCases)
    protection.screenCapture = random.one(of: Permission.allCases)
    protection.notifications = random.one(of: NotificationLevel.allCases)
    protection.indexing = random.one(of: Permission.allCases)
    protection.contacts = random.one(of: [.allow, .allow, .block])
    protection.widgets = random.one(of: [.allow, .allow, .block])
    protection.backup = random.one(of: [.allow, .allow, .block])
    protection.assistants = random.one(of: [.allow, .allow, .block])
    protection.automation = random.one(of: Permission.allCases, orNilOneIn: 2)
    protection.writingTools = random.one(of: [.allow, .allow, .block])
    protection.inputMethods = random.one(of: [.allow, .allow, .allow, .block])
    protection.encrypt = random.oneIn(2)
    protection.unlock = random.one(of: [.none, .none, .none, .app])
  }

  private func places(_ random: inout SeededGenerator) -> LocationSettings {
    LocationSettings(
      allowed: random.oneIn(2), exceptions: LocationSet(Location.allCases.filter { _ in random.oneIn(3) }))
  }

  private func accounts(_ protections: Int, _ random: inout SeededGenerator) -> AccountDirectory {
    var work = AccountEntry(upn: "work@contoso.com", objectID: "oid-1")
    if protections > 0, random.oneIn(2) { work.protection = ProtectionIndex(random.below(protections)) }
    var boss = AccountEntry(upn: "boss@fabrikam.example", objectID: nil)
    let free = AccountEntry(upn: "private@home.example", objectID: "oid-9")
    let all: [AccountState] = [.active, .active, .active, .active, .active, .blocked, .nonCompliant, .wiped]
    work.state = random.one(of: all)
    boss.state = random.one(of: all)
    return AccountDirectory(entries: [work, boss, free])
  }

  private func browsers(_ random: inout SeededGenerator) -> Browsers {
    var browsers = Browsers()
    let program = Program(desktopID: "com.microsoft.Edge.desktop")
    if !random.oneIn(4) {
      var managed = ManagedBrowser(program: program, app: random.one(of: Self.appNames, orNilOneIn: 2))
      if random.oneIn(3) { managed.apps = [random.one(of: Self.appNames)] }
      if random.oneIn(3) {
        managed.alternatives = [ManagedBrowser(program: program, app: random.one(of: Self.appNames, orNilOneIn: 2))]
      }
      browsers.managed = managed
    }
    if !random.oneIn(4) { browsers.unmanaged = UnmanagedBrowser(program: program, scheme: "browser") }
    return browsers
  }

  private func links(_ random: inout SeededGenerator) -> Links {
    Links(exempt: linkList(&random), managed: linkList(&random))
  }

  private func linkList(_ random: inout SeededGenerator) -> LinkList {
    let entries = random.oneIn(2) ? [] : (0..<random.below(3)).map { rules.rule("link\($0)", &random) }
    return LinkList(rules: entries, programs: entries.map { _ in Program() })
  }
}

extension Snapshot {
  /// The same policy after a change of every app.
  package func with(_ change: (inout App) -> Void) -> Snapshot {
    let changed = apps.map { app in
      var app = app
      change(&app)
      return app
    }
    return Snapshot(
      generation: generation, policyRequired: policyRequired, apps: changed, accounts: accounts,
      protections: protections, ruleSets: ruleSets, browsers: browsers, links: links, exceptions: exceptions)
  }
}

extension Snapshot {
  fileprivate func changed(apps: [App], protections: [Protection], ruleSets: [RuleSet]) -> Snapshot {
    Snapshot(
      generation: generation, policyRequired: policyRequired, apps: apps, accounts: accounts,
      protections: protections, ruleSets: ruleSets, browsers: browsers, links: links, exceptions: exceptions)
  }

  /// The same policy with some apps and protections that only monitor, and some that warn.
  package func monitored(_ random: inout SeededGenerator) -> Snapshot {
    let monitorsProtections = random.oneIn(2)
    let monitorsApps = random.oneIn(3)
    let apps = apps.map { app in
      var app = app
      app.monitoredUntil = monitorsApps && random.oneIn(2) ? 100 : nil
      return app
    }
    let protections = protections.map { protection in
      var protection = protection
      protection.monitoredUntil = monitorsProtections && random.oneIn(2) ? 100 : nil
      if random.oneIn(2) { protection.warn = EventSet(EventSet.warnable.kinds.filter { _ in random.oneIn(3) }) }
      return protection
    }
    return changed(apps: apps, protections: protections, ruleSets: ruleSets)
  }

  /// The same policy with nothing that only monitors.
  package var enforced: Snapshot {
    let apps = apps.map { app in
      var app = app
      app.monitoredUntil = nil
      return app
    }
    let protections = protections.map { protection in
      var protection = protection
      protection.monitoredUntil = nil
      return protection
    }
    return changed(apps: apps, protections: protections, ruleSets: ruleSets.map(\.enforced))
  }
}
