import DecisionLog
import GuardModel

/// One record, and what its line holds behind `"type":`.
struct GoldenRecord {
  let rest: String
  let encode: (inout LogEncoder, inout [UInt8]) -> Void
}

/// One of every type but decisions; state changes of every kind.
func goldenRecords() -> [GoldenRecord] {
  stateRecords() + refusedRecords() + serviceRecords() + exceptionRecords() + accountRecords() + conditionRecords()
    + keyRecords()
}

private func keyRecords() -> [GoldenRecord] {
  var issued = DataKeyEntry(.issued, person: 1000)
  (issued.id, issued.app, issued.instance) = ("17", "com.contoso.portal", "a1b2")
  (issued.account, issued.use, issued.keyID) = ("work@contoso.com", .read, "0c")
  (issued.object, issued.peer) = ("00112233", LoggedPeer(uid: 1000, pid: 4242))
  issued.generation = Generation(number: 3, digest: "ab12")
  var withheld = DataKeyEntry(.withheld, person: 1000)
  (withheld.account, withheld.use, withheld.reason) = ("work@contoso.com", .write, .accountBlocked)
  var refused = DataKeyEntry(.refused, person: 1000)
  refused.refusal = .unknownKey
  var destroyed = DataKeyEntry(.destroyed, person: 1000)
  destroyed.count = 2
  var rotated = DataKeyEntry(.rotated, person: 1000)
  (rotated.account, rotated.keyID, rotated.peer) = ("work@contoso.com", "0c", LoggedPeer(uid: 0, pid: 4242))
  (rotated.user, rotated.login, rotated.cause) = ("root", 1001, "as every year")
  var labelled = DataKeyEntry(.labelled, person: 1000)
  (labelled.id, labelled.app, labelled.account) = ("18", "com.contoso.portal", "work@contoso.com")
  var unlabelled = DataKeyEntry(.unlabelled, person: 1000)
  (unlabelled.app, unlabelled.refusal) = ("com.contoso.portal", .ownerStays)
  return [
    GoldenRecord(
      rest: #"""
        "key","act":"issued","id":"17","app":"com.contoso.portal","instance":"a1b2",\#
        "account":"acct:ba73f6075026d25eadf5","person":1000,"use":"read","keyId":"0c","object":"00112233",\#
        "uid":1000,"pid":4242,"generation":3,"digest":"ab12"
        """#
    ) { $0.encode(issued, at: testTime, into: &$1) },
    GoldenRecord(
      rest: #"""
        "key","act":"withheld","account":"acct:ba73f6075026d25eadf5","person":1000,"use":"write",\#
        "reason":"accountBlocked","generation":0
        """#
    ) { $0.encode(withheld, at: testTime, into: &$1) },
    GoldenRecord(
      rest: #"""
        "key","act":"refused","person":1000,"refusal":"UnknownKey","generation":0
        """#
    ) { $0.encode(refused, at: testTime, into: &$1) },
    GoldenRecord(
      rest: #"""
        "key","act":"destroyed","person":1000,"count":2,"generation":0
        """#
    ) { $0.encode(destroyed, at: testTime, into: &$1) },
    GoldenRecord(
      rest: #"""
        "key","act":"rotated","account":"acct:ba73f6075026d25eadf5","person":1000,"keyId":"0c",\#
        "reason":"as every year","uid":0,"pid":4242,"user":"root","login":1001,"generation":0
        """#
    ) { $0.encode(rotated, at: testTime, into: &$1) },
    GoldenRecord(
      rest: #"""
        "key","act":"labelled","id":"18","app":"com.contoso.portal",\#
        "account":"acct:ba73f6075026d25eadf5","person":1000,"generation":0
        """#
    ) { $0.encode(labelled, at: testTime, into: &$1) },
    GoldenRecord(
      rest: #"""
        "key","act":"unlabelled","app":"com.contoso.portal","person":1000,"refusal":"OwnerStays","generation":0
        """#
    ) { $0.encode(unlabelled, at: testTime, into: &$1) },
  ]
}

private func conditionRecords() -> [GoldenRecord] {
  var blocks = ConditionEntry("DiskEncrypted", in: "contoso", "blocks")
  (blocks.value, blocks.generation) = ("false", Generation(number: 3, digest: "ab12"))
  let unknown = ConditionEntry("DiskEncrypted", in: "contoso", "unknown")
  return [
    GoldenRecord(
      rest: #"""
        "condition","check":"DiskEncrypted","protection":"contoso","standing":"blocks","value":"false","generation":3,\#
        "digest":"ab12"
        """#
    ) { $0.encode(blocks, at: testTime, into: &$1) },
    GoldenRecord(
      rest: #"""
        "condition","check":"DiskEncrypted","protection":"contoso","standing":"unknown","generation":0
        """#
    ) { $0.encode(unknown, at: testTime, into: &$1) },
  ]
}

private func accountRecords() -> [GoldenRecord] {
  var enrolled = AccountStepEntry("enrolled", account: "work@contoso.com", person: 1000)
  (enrolled.app, enrolled.state, enrolled.result) = ("com.contoso.portal", .enrolled, .newPolicies)
  enrolled.peer = LoggedPeer(uid: 1000, pid: 4242)
  enrolled.generation = Generation(number: 3, digest: "ab12")
  var signedOut = AccountStepEntry("signedOut", account: "work@contoso.com", person: 1000)
  signedOut.source = .broker
  var listed = AccountStepEntry("listed", account: nil, person: nil)
  (listed.peer, listed.user) = (LoggedPeer(uid: 0, pid: 7), "root")
  var ended = AccountStepEntry("deregistered", account: "work@contoso.com", person: 1000)
  (ended.app, ended.state, ended.cause) = ("com.contoso.portal", .suspended, "left the project")
  (ended.peer, ended.user, ended.login) = (LoggedPeer(uid: 0, pid: 7), "root", 1000)
  return [
    GoldenRecord(
      rest: #"""
        "account","act":"enrolled","app":"com.contoso.portal","account":"acct:ba73f6075026d25eadf5","person":1000,\#
        "state":"enrolled","result":"newPolicies","uid":1000,"pid":4242,"generation":3,"digest":"ab12"
        """#
    ) { $0.encode(enrolled, at: testTime, into: &$1) },
    GoldenRecord(
      rest: #"""
        "account","act":"signedOut","account":"acct:ba73f6075026d25eadf5","person":1000,"source":"broker","generation":0
        """#
    ) { $0.encode(signedOut, at: testTime, into: &$1) },
    GoldenRecord(
      rest: #"""
        "account","act":"listed","uid":0,"pid":7,"user":"root","generation":0
        """#
    ) { $0.encode(listed, at: testTime, into: &$1) },
    GoldenRecord(
      rest: #"""
        "account","act":"deregistered","app":"com.contoso.portal","account":"acct:ba73f6075026d25eadf5","person":1000,\#
        "state":"suspended","reason":"left the project","uid":0,"pid":7,"user":"root","login":1000,"generation":0
        """#
    ) { $0.encode(ended, at: testTime, into: &$1) },
  ]
}

private func exceptionRecords() -> [GoldenRecord] {
  var added = ExceptionEntry(.added)
  (added.id, added.host, added.isDomain) = ("k7m2q9xw", "files.example", true)
  (added.app, added.account) = ("com.contoso.portal", "work@contoso.com")
  added.subjects = ["page", "download"]
  (added.until, added.endsWithDaemon) = (testTime + 1, true)
  (added.grantor, added.cause) = ("alice (uid 1000)", "a tender")
  (added.peer, added.user) = (LoggedPeer(uid: 1000, pid: 4242), "alice")
  added.generation = Generation(number: 3, digest: "ab12")
  var lost = ExceptionEntry(.lost)
  lost.cause = "it is damaged"
  return [
    GoldenRecord(
      rest: #"""
        "exception","act":"added","id":"k7m2q9xw","domain":"files.example","app":"com.contoso.portal",\#
        "account":"acct:ba73f6075026d25eadf5","subjects":["page","download"],"until":"2026-11-21T02:39:29.124Z",\#
        "untilRestart":true,"grantedBy":"alice (uid 1000)","reason":"a tender","uid":1000,"pid":4242,"user":"alice",\#
        "generation":3,"digest":"ab12"
        """#
    ) { $0.encode(added, at: testTime, into: &$1) },
    GoldenRecord(rest: #""exception","act":"lost","reason":"it is damaged","generation":0"#) {
      $0.encode(lost, at: testTime, into: &$1)
    },
  ]
}

private func stateRecords() -> [GoldenRecord] {
  var registration = StateChange(.registerViewer)
  registration.app = "com.contoso.portal"
  registration.instance = "i-3"
  registration.peer = LoggedPeer(uid: 1000, pid: 4242)
  registration.viewer = "documents"
  registration.viewerClass = "documents"
  registration.viewerKind = .embedded
  registration.parent = "pane"
  registration.window = "main"
  registration.opener = "start"
  registration.document = .valid(URLText("https://", host: "docs.contoso.com", path: "/d/42", query: "?s=1"))
  var identity = StateChange(.setIdentity)
  identity.identityLevel = .window
  identity.window = "main"
  identity.account = "work@contoso.com"
  var policy = StateChange(.setWebViewPolicy)
  policy.policy = .currentIdentityBlockUpload
  var rules = StateChange(.setExternalURLRules)
  rules.ruleSet = "contoso-documents"
  var document = StateChange(.setDocument)
  document.document = .invalid(byteCount: 9)
  let changes: [(StateChange, String)] = [
    (
      registration,
      #"""
      "registerViewer","app":"com.contoso.portal","instance":"i-3","uid":1000,"pid":4242,"viewer":"documents",\#
      "class":"documents","kind":"embedded","parent":"pane","window":"main","opener":"start",\#
      "document":"https://docs.contoso.com/d/42","documentRedacted":["query"]
      """#
    ),
    (identity, #""setIdentity","window":"main","identityLevel":"window","account":"acct:ba73f6075026d25eadf5""#),
    (policy, #""setWebViewPolicy","policy":"currentIdentityBlockUpload""#),
    (rules, #""setExternalURLRules","ruleSet":"contoso-documents""#),
    (document, #""setDocument","documentInvalid":true,"documentBytes":9"#),
    (StateChange(.attach), #""attach""#), (StateChange(.forgetViewer), #""forgetViewer""#),
    (StateChange(.instanceEnd), #""instanceEnd""#),
  ]
  return changes.map { change, rest in
    GoldenRecord(rest: #""state","change":"# + rest) { $0.encode(change, at: testTime, into: &$1) }
  } + [
    GoldenRecord(rest: #""recovered","change":"forgetViewer""#) {
      $0.encode(StateChange(.forgetViewer), at: testTime, isRecovered: true, into: &$1)
    }
  ]
}

private func refusedRecords() -> [GoldenRecord] {
  var change = StateChange(.setIdentity)
  (change.app, change.instance, change.peer) = ("com.contoso.portal", "i-3", LoggedPeer(uid: 1000, pid: 4242))
  (change.identityLevel, change.account) = (.process, "work@contoso.com")
  var locked = RefusedChange(change, .accountLocked)
  locked.stated = "work@contoso.com"
  var second = RefusedChange(StateChange(.answer), .secondManagedAccount)
  (second.shown, second.count) = ("work@contoso.com", 7)
  return [
    GoldenRecord(
      rest: #"""
        "refused","change":"setIdentity","app":"com.contoso.portal","instance":"i-3","uid":1000,"pid":4242,\#
        "identityLevel":"process","account":"acct:ba73f6075026d25eadf5","reason":"accountLocked",\#
        "stated":"acct:ba73f6075026d25eadf5"
        """#
    ) { $0.encode(locked, at: testTime, into: &$1) },
    GoldenRecord(
      rest: #"""
        "refused","change":"answer","reason":"secondManagedAccount","shown":"acct:ba73f6075026d25eadf5","count":7
        """#
    ) { $0.encode(second, at: testTime, into: &$1) },
  ]
}

private func serviceRecords() -> [GoldenRecord] {
  var load = PolicyLoad()
  load.isLoaded = true
  load.generation = Generation(number: 3, digest: "ab12")
  load.roots = ["/usr/share/webviewguard", "/etc/webviewguard"]
  var failed = PolicyLoad()
  failed.errors = 4
  var lastGood = load
  lastGood.source = "lastGood"
  var rolledBack = load
  (rolledBack.source, rolledBack.rolledBackFrom) = ("rolledBack", "cd34")
  var asked = failed
  (asked.order, asked.isForced, asked.refusal) = (.reload, true, "tooManyChanges")
  asked.isCheckIn = true
  asked.askers = [
    Asker(peer: LoggedPeer(uid: 1000, pid: 4242), user: "alice"), Asker(peer: LoggedPeer(uid: 0, pid: 7), user: "root"),
    Asker(peer: LoggedPeer(uid: 1001, pid: 8), user: nil),
  ]
  let service = ServiceIdentity(version: "1.0.0", pid: 77, bootID: "b00t")
  let count = DecisionCount(app: "com.contoso.portal", outcome: .allow, reason: .internal, count: 1200)
  let hash = LineHash(of: [UInt8]("abc".utf8).span)
  let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
  return [
    GoldenRecord(
      rest: #"""
        "policy","loaded":true,"generation":3,"digest":"ab12",\#
        "roots":["/usr/share/webviewguard","/etc/webviewguard"],"errors":0
        """#
    ) { $0.encode(load, at: testTime, into: &$1) },
    GoldenRecord(
      rest: #"""
        "policy","loaded":true,"generation":3,"digest":"ab12",\#
        "roots":["/usr/share/webviewguard","/etc/webviewguard"],"errors":0,"source":"lastGood"
        """#
    ) { $0.encode(lastGood, at: testTime, into: &$1) },
    GoldenRecord(
      rest: #"""
        "policy","loaded":true,"generation":3,"digest":"ab12",\#
        "roots":["/usr/share/webviewguard","/etc/webviewguard"],"errors":0,\#
        "source":"rolledBack","rolledBackFrom":"cd34"
        """#
    ) { $0.encode(rolledBack, at: testTime, into: &$1) },
    GoldenRecord(
      rest: #"""
        "policy","loaded":false,"generation":0,"roots":[],"errors":4,"order":"reload","forced":true,\#
        "checkedIn":true,"refusal":"tooManyChanges","uid":1000,"pid":4242,"user":"alice","alsoAsked":["root (uid 0)","uid 1001"]
        """#
    ) { $0.encode(asked, at: testTime, into: &$1) },
    GoldenRecord(rest: #""policy","loaded":false,"generation":0,"roots":[],"errors":4"#) {
      $0.encode(failed, at: testTime, into: &$1)
    },
    GoldenRecord(rest: #""start","version":"1.0.0","pid":77,"bootID":"b00t""#) {
      $0.encodeStart(of: service, at: testTime, into: &$1)
    },
    GoldenRecord(rest: #""stop","version":"1.0.0","pid":77,"bootID":"b00t""#) {
      $0.encodeStop(of: service, at: testTime, into: &$1)
    },
    GoldenRecord(rest: #""repeats","id":"d-7","count":12"#) {
      $0.encodeRepeats(of: "d-7", count: 12, at: testTime, into: &$1)
    },
    GoldenRecord(rest: #""withdrawn","id":"d-7""#) {
      $0.encodeWithdrawal(of: "d-7", at: testTime, into: &$1)
    },
    GoldenRecord(
      rest: #""counts","app":"com.contoso.portal","outcome":"allow","reason":"internal","count":1200"#
    ) { $0.encode(count, at: testTime, into: &$1) },
    GoldenRecord(rest: #""sealed","bytes":3,"sha256":""# + abc + "\"") {
      $0.encode(TornBytes(count: 3, hash: hash), at: testTime, into: &$1)
    },
    GoldenRecord(rest: #""pruned","files":2,"firstSeq":1,"lastSeq":900,"lastHash":""# + abc + "\"") {
      $0.encode(PrunedRecords(files: 2, firstSeq: 1, last: LogHead(seq: 900, hash: hash)), at: testTime, into: &$1)
    },
    GoldenRecord(
      rest: #""pruned","files":1,"firstSeq":7,"lastSeq":900,"lastHash":""# + abc + #"","cause":"size""#
    ) {
      let pruned = PrunedRecords(files: 1, firstSeq: 7, last: LogHead(seq: 900, hash: hash), cause: .size)
      $0.encode(pruned, at: testTime, into: &$1)
    },
    GoldenRecord(
      rest: #""closed","firstSeq":7,"firstTime":"2026-11-21T02:39:29.122Z","users":["#
        + #"{"uid":0,"bytes":9},{"uid":1000,"bytes":1200}]"#
    ) {
      let file = ClosedFile(firstSeq: 7, firstTime: testTime - 1, users: [1000: 1200, 0: 9])
      $0.encode(file, at: testTime, into: &$1)
    },
    GoldenRecord(rest: #""limited","uid":1000,"refused":3,"restricted":2,"changes":1"#) {
      var limited = LimitedDecisions(uid: 1000)
      (limited.refused, limited.restricted, limited.changes) = (3, 2, 1)
      $0.encode(limited, at: testTime, into: &$1)
    },
    GoldenRecord(
      rest: #""failure","cause":"no space left on device","since":"2026-11-21T02:39:29.122Z","lost":5"#
    ) {
      $0.encode(
        LogFailure(cause: "no space left on device", since: testTime - 1, lost: 5), at: testTime, into: &$1)
    },
  ]
}
