import GuardModel
import GuardProtocol
import Testing

/// A reply of one method, as it goes over the wire.
struct ReplySample: CustomTestStringConvertible {
  let method: Method
  let frame: String

  init(_ method: Method, _ reply: some Reply) {
    self.method = method
    frame = written { $0.answer(reply) }
  }

  var testDescription: String { method.qualifiedName }

  /// Everything that can be there is there.
  static var full: [ReplySample] {
    let register = StateReply.viewer(policy: .unmanaged, source: .viewerClass, ruleSet: "contoso-documents")
    var refused = IdentityReply(
      previous: "", effectiveUI: "a@contoso.com", effectiveFile: "", level: .window, result: .failed)
    refused.reason = .locked
    let identity = StateReply.identity(refused)
    return common + [
      ReplySample(.guard(.attach), AttachReply.sample(missing: [MissingFeature("warn", "people get a block")])),
      ReplySample(
        .guard(.whoAmI),
        WhoAmIReply(
          uid: 1000, groups: ["staff"], unit: "a.service", label: "b", app: "c", socket: "d")),
      ReplySample(.guard(.ownPrograms), OwnProgramsReply.full),
      ReplySample(
        .guard(.exportRules), ExportRulesReply(generation: .sample, part: .init(text: "[]", bytes: 2, gaps: 0))),
      ReplySample(.guard(.registerViewer), register),
      ReplySample(.guard(.setIdentity), identity),
      ReplySample(.guard(.subscribe), NewsReply.full),
      ReplySample(.accounts(.list), ListReply([.full])),
      ReplySample(.accounts(.deviceAccount), DeviceAccountReply("work@contoso.com")),
      ReplySample(
        .accounts(.maySignIn),
        SignInReply(AccountAnswer(account: "a@b", state: .notAllowed, reason: .accountNotAllowed), text: "no")),
      ReplySample(.accounts(.remediate), RemediateReply("look-2a-7")),
      ReplySample(.accounts(.allowedAccounts), AllowedAccountsReply(["*@contoso.com"], mustSignOut: ["a@b"])),
      ReplySample(.accounts(.config), ConfigReply.full),
      ReplySample(.accounts(.notices), NoticesReply([PersonNotice(id: "wipe/w-1-1", title: "Contoso", text: "soon")])),
      ReplySample(.accounts(.dataKey), DataKeyReply(key: "0a0b", keyID: "0c", accountID: "0d")),
      ReplySample(.accounts(.openDirectory), OpenDirectoryReply(.failed, path: "/x", problem: "no")),
      ReplySample(.accounts(.fileCreated), LabelReply(.full, label: "57", mustSeal: true)),
      ReplySample(.accounts(.readLabel), FileOwner.full),
      ReplySample(.accounts(.setOwner), LabelReply(.full, label: "57", mustSeal: true)),
      ReplySample(.rules(.classify), ClassifyReply.full),
      ReplySample(.admin(.status), StatusReply.full),
      ReplySample(.admin(.addException), ExceptionReply(.full, generation: 8)),
      ReplySample(.guard(.identities), ShownIdentities.full),
      ReplySample(.admin(.listExceptions), ExceptionsReply([.full, .smallest])),
      ReplySample(.admin(.removeException), ExceptionReply(.full, generation: 8)),
      ReplySample(.admin(.reload), ReloadReply.full),
      ReplySample(.admin(.monitor), MonitorReply.full),
      ReplySample(
        .admin(.deregisterAccount), AccountAnswer(account: "a@b", state: .suspended, result: .unenrolled)),
      ReplySample(.admin(.health), HealthReply.full),
      ReplySample(.admin(.accounts), AccountsReply([.administered], signIns: [.full])),
      ReplySample(.admin(.wipeAccount), WipeAccountReply.full),
      ReplySample(.admin(.approveWipe), ApproveWipeReply(.full)),
      ReplySample(.admin(.wipes), WipesReply([.full])), ReplySample(.admin(.escrow), EscrowReply.full),
    ]
  }

  /// Everything that can be left out is left out.
  static var smallest: [ReplySample] {
    let envelope = DecisionEnvelope(id: DecisionID(number: 1))
    let decision = DecisionReply(DecisionReport(), envelope)
    let monitor = MonitorReply(time: 0, app: "", viewer: nil, event: .navigate, url: nil, decision: decision)
    return common + [
      ReplySample(.guard(.attach), AttachReply.sample(missing: [])),
      ReplySample(.guard(.whoAmI), WhoAmIReply(uid: 0, groups: [])),
      ReplySample(.guard(.ownPrograms), OwnProgramsReply()),
      ReplySample(.guard(.exportRules), ExportRulesReply(generation: .sample, part: nil)),
      ReplySample(.guard(.registerViewer), StateReply.viewer(policy: .unmanaged, source: .flag, ruleSet: nil)),
      ReplySample(.guard(.setIdentity), StateReply.identity(IdentityReply(level: .none))),
      ReplySample(.guard(.identities), ShownIdentities()),
      ReplySample(.guard(.subscribe), NewsReply(.policy, .sample)),
      ReplySample(.accounts(.list), ListReply([])),
      ReplySample(.accounts(.deviceAccount), DeviceAccountReply(nil)),
      ReplySample(.accounts(.maySignIn), SignInReply(AccountAnswer(account: "a@b", state: .enrolled), text: nil)),
      ReplySample(.accounts(.remediate), RemediateReply(nil)),
      ReplySample(.accounts(.allowedAccounts), AllowedAccountsReply(nil, mustSignOut: [])),
      ReplySample(.accounts(.config), ConfigReply([])),
      ReplySample(.accounts(.notices), NoticesReply([PersonNotice(id: "wipe/w-1-1", title: nil, text: "soon")])),
      ReplySample(.accounts(.dataKey), DataKeyReply(key: "0a0b", keyID: "0c", accountID: "0d")),
      ReplySample(.accounts(.openDirectory), OpenDirectoryReply(.none)),
      ReplySample(.accounts(.fileCreated), LabelReply(FileOwner())),
      ReplySample(.accounts(.readLabel), FileOwner()),
      ReplySample(.accounts(.setOwner), LabelReply(FileOwner())),
      ReplySample(.rules(.classify), ClassifyReply()),
      ReplySample(.admin(.status), StatusReply()),
      ReplySample(.admin(.addException), ExceptionReply(.smallest, generation: 0)),
      ReplySample(.admin(.listExceptions), ExceptionsReply([])),
      ReplySample(.admin(.removeException), ExceptionReply(.smallest, generation: 0)),
      ReplySample(.admin(.reload), ReloadReply(generation: .sample, diagnostics: [], isChanged: false)),
      ReplySample(.admin(.monitor), monitor),
      ReplySample(.admin(.deregisterAccount), AccountAnswer(account: "a@b", state: .suspended)),
      ReplySample(.admin(.health), HealthReply()),
      ReplySample(.admin(.accounts), AccountsReply([.stranger], signIns: [])),
      ReplySample(.admin(.wipeAccount), WipeAccountReply(account: "a@b", apps: [])),
      ReplySample(.admin(.approveWipe), ApproveWipeReply(.smallest)),
      ReplySample(.admin(.wipes), WipesReply([])), ReplySample(.admin(.escrow), EscrowReply(keys: 0)),
    ]
  }

  /// The replies in which nothing can be left out.
  private static var common: [ReplySample] {
    let info = GetInfoReply(
      vendor: "webviewguard", product: "webviewguard", version: "1", url: "https://example.org/",
      interfaces: .guardSocket)
    let rollback = ReloadReply(generation: .sample, diagnostics: ["a", "b"], isChanged: true)
    let events = GuardMethod.allCases.filter { $0.event != nil }
    let silent: [GuardMethod] = [.setDocument, .forgetViewer, .setExternalURLRules, .answer, .acknowledge]
    var call = GetInterfaceDescriptionCall()
    call.interface = "org.varlink.service"
    let description = try? GetInterfaceDescriptionReply(call, in: .guardSocket)
    return events.map { ReplySample(.guard($0), DecisionReply.full) }
      + silent.map { ReplySample(.guard($0), EmptyReply()) }
      + (description.map { [ReplySample(.service(.getInterfaceDescription), $0)] } ?? [])
      + [
        ReplySample(.service(.getInfo), info),
        ReplySample(.accounts(.register), AccountAnswer(account: "", state: .unknown, result: .noAccount)),
        ReplySample(.accounts(.deregister), AccountAnswer(account: "a@b", state: .suspended, result: .unenrolled)),
        ReplySample(.accounts(.signedIn), EmptyReply()), ReplySample(.accounts(.filesRemoved), EmptyReply()),
        ReplySample(.accounts(.complete), AccountAnswer(account: "a@b", state: .wiped, result: .wipeReceived)),
        ReplySample(.guard(.decideMany), DecisionsReply([.full, .full])),
        ReplySample(.guard(.decideLocations), LocationsReply([Hint("box", .block, .saveLocationNotListed)])),
        ReplySample(.guard(.decidePeers), PeersReply([Hint("a.desktop", .allow, .transferAllowed)])),
        ReplySample(.guard(.setWebViewPolicy), StateReply.policy(.currentIdentity, source: .ownTag)),
        ReplySample(.rules(.explain), ExplainReply(steps: ["one", "two"], decision: .full)),
        ReplySample(.admin(.rollback), rollback),
        ReplySample(.admin(.noteFailedCheckIn), EmptyReply()), ReplySample(.admin(.forgetCheckIns), EmptyReply()),
        ReplySample(.admin(.restoreAccount), EmptyReply()),
        ReplySample(.admin(.rotateAccountKey), RotateKeyReply(account: "a@b", keyID: "0c")),
        ReplySample(.admin(.recoverAccountKey), RecoverKeyReply(account: "a@b", keyID: "0c", isNew: true)),
        ReplySample(.admin(.directoryKey), DataKeyReply(key: "0a0b", keyID: "0c", accountID: "0d")),
        ReplySample(.admin(.noteDirectory), EmptyReply()),
        ReplySample(
          .admin(.keepDirectories),
          KeepDirectoriesReply([.init(uid: 7, accountID: "0d", formerIDs: ["0e"], way: .fscrypt)])),
        ReplySample(.admin(.metrics), MetricsReply(text: Array("webviewguard_up 1\n".utf8))),
      ]
  }
}

extension Generation {
  static let sample = Generation(number: 7, digest: String(repeating: "ab", count: 32))
}

extension DecisionReply {
  /// A decision in which every member is there, whether they can meet or not.
  static var full: DecisionReply {
    var report = DecisionReport()
    report.outcome = .redirect
    report.reason = .external
    report.flags[.viewerIsUnknown] = true
    report.policy = .currentIdentityBlockUpload
    report.policySource = .unknownViewer
    report.viewerClass = "documents"
    report.identity = "work@contoso.com"
    report.identityLevel = .window
    report.protection = "contoso-standard"
    report.verdict = .external
    report.ruleSet = "contoso-documents"
    report.rule = "file-sharing"
    report.ruleLocation = "rules/contoso.yaml:12:5"
    report.exception = ExceptionReport(
      id: "k7m2q9xw", site: "host `files.example`", grantor: "alice (uid 1000)", cause: "a tender",
      until: 1_795_000_000_000)
    report.message = "files.example is a personal file-sharing site"
    let fallback = OpenOffer(
      target: "managedBrowser", argv: ["edge", "--", "https://a.example/"], url: "https://a.example/")
    report.open = OpenOffer(
      target: "managedLink", desktopID: "a.desktop", argv: ["a"], url: "https://a.example/", fallback: [fallback])
    report.offered = .redirect
    report.flags[.bodyDropped] = true
    report.flags[.signIn] = true
    report.clip = "clip-000000000000002a-7"
    report.proposal = "proposal-000000000000002a-8"
    report.clipOwner = "other@contoso.com"
    report.limit = 50
    report.flags[.onlyPlainText] = true
    report.flags[.mimeWrap] = true
    report.replacement = "The organisation's data cannot be pasted here."
    report.programs = ["com.contoso.notes", "word.desktop"]
    report.flags[.blurPreview] = true
    report.setOwner = "work@contoso.com"
    report.flags[.mustEncrypt] = true
    report.tagAs = "work@contoso.com"
    report.switchTo = ""
    report.switchRequest = "switch-000000000000002a-7"
    report.location = .sharePoint
    report.notes = DecisionNotes(DecisionNotes.names.map(\.note))
    var advice = AdviceReport(.block, .blockedByRule, .rule)
    advice.ruleSet = "contoso-documents"
    advice.rule = "file-sharing"
    advice.ruleLocation = "rules/contoso.yaml:12:5"
    report.advice = advice
    report.generation = .sample
    return DecisionReply(report, DecisionEnvelope(id: DecisionID(number: 42), isRepeated: true))
  }
}

extension ListedWipe {
  static var full: ListedWipe {
    ListedWipe(
      id: "w-1-2", person: 1000, app: "com.contoso.portal", account: "work@contoso.com", cause: .admin, phase: .pending,
      beganAt: 1_795_000_000_000, remaining: 3_600_000, approvals: 1, neededApprovals: 2,
      apps: [Part(app: "com.contoso.portal", step: .asked)])
  }

  static var smallest: ListedWipe {
    ListedWipe(
      id: "w-1-3", person: 0, app: nil, account: "a@b", cause: .marker, phase: .locked, beganAt: 0, remaining: nil,
      approvals: 0, neededApprovals: 0, apps: [])
  }
}

extension EscrowReply {
  static var full: EscrowReply {
    var reply = EscrowReply(keys: 3)
    (reply.publicKey, reply.importKey, reply.machine, reply.copied) = ("wvg-escrow-public-1.0a.0b", "c", "0d", 2)
    return reply
  }
}

extension WipeAccountReply {
  static var full: WipeAccountReply {
    var reply = WipeAccountReply(account: "work@contoso.com", apps: ["com.contoso.portal"])
    (reply.keys, reply.copies) = (1, 2)
    reply.directories = ["com.contoso.portal: /home/ada/.local/share/contoso/work@contoso.com"]
    reply.refused = ["com.contoso.portal: ~/.cache/{objectId}: noObjectID"]
    (reply.destroys, reply.delay, reply.needed) = (true, 259_200_000, 2)
    (reply.code, reply.wipe) = ("k7m2q9", .full)
    return reply
  }
}

extension NewsReply {
  static var full: NewsReply {
    var news = NewsReply(.identity, .sample)
    news.account = ""
    news.state = .blocked
    news.window = "main"
    news.request = "switch-000000000000002a-7"
    news.cause = .documentImport
    news.unlock = .noAgent
    news.life = .enrolled
    news.result = .newPolicies
    news.compliance = ComplianceNews(.notCompliant, title: "a", text: "b")
    news.accounts = ["*@contoso.com"]
    news.restart = .staticRules
    news.deadline = 1_795_000_000_004
    (news.encryption, news.keyID) = (.fscrypt, "0c")
    news.organization = Organization(name: "Contoso", contactLink: "tel:+4312345")
    news.missed = 2
    return news
  }
}

extension ListedAccount {
  static var full: ListedAccount {
    var listed = ListedAccount(
      person: 1000, app: "com.contoso.portal", account: "work@contoso.com", state: .enrolled, isManaged: true)
    listed.protection = "contoso-standard"
    listed.sources = AccountSource.allCases
    listed.result = .unchanged
    listed.registeredAt = 1_795_000_000_000
    listed.enrolledAt = 1_795_000_000_001
    listed.checkedInAt = 1_795_000_000_002
    listed.retryAt = 1_795_000_000_003
    (listed.remediation, listed.compliance, listed.encryption) = ("look-2a-7", .networkFailure, .volume)
    return listed
  }
}

extension ClassifyReply {
  static var full: ClassifyReply {
    var reply = ClassifyReply()
    reply.verdict = .internal
    reply.rule = "tenant"
    reply.ruleLocation = "rules/a.yaml:3:5"
    reply.reason = .matched
    reply.url = "https://contoso.com/"
    return reply
  }
}

extension MonitorReply {
  static var full: MonitorReply {
    MonitorReply(
      time: 1_795_000_000_000, app: "com.contoso.portal", viewer: "E", event: .paste, url: "https://a.example/",
      decision: .full, skipped: 3)
  }
}

extension StatusReply {
  static var full: StatusReply {
    var reply = StatusReply()
    reply.version = "1.0"
    reply.pid = 17
    reply.since = 1_795_000_000_000
    reply.state = .ok
    reply.generation = .sample
    reply.loadedAt = 1_795_000_000_001
    reply.lastError = "a.yaml:1:1: error: x [y]"
    reply.nextExpiry = 1_801_440_000_000
    reply.lists = [
      RuleListStatus(
        file: "rules/lists/a.txt", format: "domains", entries: 2, badLines: 1, modified: 1_794_000_000_000)
    ]
    reply.apps = 1
    reply.instances = 2
    reply.viewers = 3
    reply.connections = 4
    reply.decisions = DecisionCounters(repeated: 1) { $0 == .allow ? 1 : 0 }
    reply.logHead = ReportedLogHead(sequence: 9, hash: String(repeating: "0f", count: 32))
    reply.logFile = "decisions.jsonl"
    (reply.stateFile, reply.stateError) = ("state.db", "disk full")
    reply.socketError = "the socket is gone"
    var log = LogStatus()
    (log.durability, log.files, log.bytes, log.written, log.synced) = ("synced", 3, 4096, 9, 8)
    (log.failure, log.prunedEarly, log.fullShares) = ("no space left on device", 1_795_000_000_000, [1000])
    reply.log = log
    (reply.exceptions, reply.nextExceptionEnd) = (2, 1_795_000_000_000)
    reply.policy = .full
    reply.health = .full
    return reply
  }
}

extension ListedException {
  /// One that ended, for a domain.
  static var full: ListedException {
    var exception = smallest
    exception.isDomain = true
    exception.app = "com.contoso.portal"
    exception.account = "work@contoso.com"
    exception.subjects = ClassifySubject.allCases
    exception.endsWithDaemon = true
    exception.user = "alice"
    exception.end = .removed
    exception.endedAt = 1_795_000_060_000
    exception.endedBy = 1001
    return exception
  }

  static var smallest: ListedException {
    var exception = ListedException()
    exception.id = "k7m2q9xw"
    exception.host = "files.example"
    exception.subjects = [.page]
    exception.cause = "a tender"
    exception.since = 1_795_000_000_000
    exception.until = 1_795_000_120_000
    exception.uid = 1000
    return exception
  }
}

extension PolicyStatus {
  static var full: PolicyStatus {
    var status = PolicyStatus()
    status.origin = .lastGood
    status.lastLoad = LoadAttempt(
      time: 1_795_000_000_002, succeeded: false, digest: Generation.sample.digest, error: "a.yaml:1:1: error: x [y]")
    status.kept = [KeptPolicyStatus(digest: Generation.sample.digest, since: 1_795_000_000_000)]
    status.keepError = "disk full"
    status.rolledBackFrom = [Generation.sample.digest]
    status.checkIn = CheckInStatus(time: 1_795_000_000_000, digest: Generation.sample.digest)
    status.checkInFailure = CheckInFailure(time: 1_795_000_000_001, cause: "no route to host")
    return status
  }
}

extension ReloadReply {
  static var full: ReloadReply {
    ReloadReply(generation: .sample, diagnostics: ["a"], isChanged: true, preview: .full)
  }
}

extension PolicyPreview {
  static var full: PolicyPreview {
    var preview = PolicyPreview()
    preview.generation = .sample
    preview.since = 1_795_000_000_000
    preview.judged = 3
    preview.notJudged = 2
    preview.notRemembered = 1
    preview.changed = 1
    preview.loosened = 1
    preview.weighed = 3
    var change = PolicyChange()
    change.app = "com.contoso.portal"
    change.viewerClass = "documents"
    change.event = .navigate
    change.url = "https://a.example/"
    change.seen = 7
    change.lastSeen = 1_795_000_000_001
    change.before.target = "managedBrowser"
    change.before.advised = .block
    change.before.duties = ["mustEncrypt"]
    change.before.ruleSet = "documents"
    change.before.rule = "default"
    change.before.ruleLocation = "rules/a.yaml:2:3"
    change.after = change.before
    preview.changes = [change]
    return preview
  }
}

extension HealthReply {
  static var full: HealthReply {
    HealthReply([HealthProblem(.loadFailed, "a.yaml:1:1: error: x [y]"), HealthProblem(.noPolicy, "no policy")])
  }
}

extension ShownIdentities {
  /// With everything that it can say.
  fileprivate static var full: ShownIdentities {
    var reply = ShownIdentities()
    (reply.process, reply.scope, reply.effectiveFile) = ("work@contoso.com", "", "")
    reply.windows = [Window(name: "w", accounts: ["work@contoso.com", "me@example.org"])]
    (reply.mustState, reply.managementEnabled, reply.managedAccount) = (false, true, "work@contoso.com")
    reply.accounts = [Standing(account: "work@contoso.com", isKnown: true, isManaged: true, state: .blocked)]
    return reply
  }
}

extension OwnProgramsReply {
  fileprivate static var full: OwnProgramsReply {
    let resolved = StateReply.viewer(policy: .unmanaged, source: .flag, ruleSet: "r")
    let viewer = Viewer(name: "v", viewerClass: "c", resolved: resolved)
    var reply = OwnProgramsReply()
    (reply.generation, reply.problems, reply.programCount) = (.sample, [.noPolicy], 1)
    (reply.isEnforced, reply.policyAge) = (true, 3600)
    reply.checkIn = CheckInStatus(time: 1_795_000_000_000, digest: Generation.sample.digest)
    reply.accounts = [.administered, .stranger]
    reply.programs = [
      Program(
        app: "a", instance: "i", connections: 1, mustState: false, accounts: ["work@contoso.com"], protections: ["p"],
        viewerCount: 1, viewers: [viewer])
    ]
    return reply
  }
}

extension ListedAccount {
  /// An account as administrators see it, with everything that can be known of it.
  static var administered: ListedAccount {
    var listed = stranger
    (listed.protection, listed.sources) = ("contoso-standard", AccountSource.allCases)
    (listed.result, listed.reason, listed.instances) = (.notSignedIn, .policyRequired, 2)
    listed.registeredAt = 1_795_000_000_000
    listed.enrolledAt = 1_795_000_000_001
    listed.checkedInAt = 1_795_000_000_002
    listed.retryAt = 1_795_000_000_003
    (listed.remediation, listed.compliance, listed.encryption) = ("look-2a-7", .networkFailure, .volume)
    listed.triedAt = 1_795_000_000_004
    listed.forgottenAt = 1_795_000_000_005
    return listed
  }

  /// One of which only the name is known.
  static var stranger: ListedAccount {
    ListedAccount(
      person: 1000, app: "com.contoso.portal", account: "work@contoso.com", state: .policyRequired, isManaged: true)
  }
}

extension ListedSignIn {
  static var full: ListedSignIn {
    ListedSignIn(
      person: 1000, source: .broker, accounts: ["work@contoso.com"], time: 1_795_000_000_000, until: 1_795_000_000_001)
  }
}

extension ConfigReply {
  static var full: ConfigReply {
    var configuration = AppConfiguration()
    let values: [AppConfigValue] = [.bool(true), .number(-2), .number(0.5), .string("text")]
    for (number, value) in values.enumerated() {
      configuration.add(AppConfigLayer(entry: "e\(number)", value: value, isDefault: number == 3), to: "key")
    }
    return ConfigReply([
      AccountConfiguration(account: "work@contoso.com", state: .enrolled, configuration: configuration)
    ])
  }
}

extension FileOwner {
  static var full: FileOwner {
    var owner = FileOwner(.mine)
    (owner.account, owner.mustEncrypt) = ("a@b", true)
    return owner
  }
}

extension AttachReply {
  static func sample(missing: [MissingFeature]) -> AttachReply {
    AttachReply(
      instance: "t", app: "com.contoso.portal", features: ["x"], missing: missing, contract: FailureContract(),
      organization: missing.isEmpty ? nil : Organization(name: "Contoso", color: "#0f6cbd"), generation: .sample)
  }
}
