import DecisionLog
import GuardModel
import Testing

/// Records of data that enters or leaves: every fact of the event, every duty of the decision, and nothing that the
/// settings leave out.
@Suite struct DataRecordTests {
  private static let secrets = ["/home/ada/plan.odt", "plan.odt", "ada", "work@contoso.com", "who@else.example"]

  /// Everything that an app can say of data.
  private func event() -> Event {
    var event = Event(.save)
    event.time = testTime
    event.viewer = event.append("documents")
    event.owner = event.append("Work@Contoso.com")
    event.location = .sharePoint
    event.locationAccount = event.append("who@else.example")
    event.path = event.append("/home/ada/plan.odt")
    event.isInPlace = true
    event.peer = event.append("word.desktop")
    event.peerAccount = event.append("")
    event.channel = .assistant
    event.capture = .recording
    event.inspection = .tooLarge
    return event
  }

  private func report() -> DecisionReport {
    var report = DecisionReport()
    (report.outcome, report.reason) = (.switchIdentity, .identitySwitchNeeded)
    (report.setOwner, report.tagAs, report.switchTo) = ("work@contoso.com", "work@contoso.com", "")
    report.flags[.mustEncrypt] = true
    report.switchRequest = "switch-000000000000002a-7"
    report.location = .other
    report.notes = [.unknownLocationAccount, .otherLocation]
    return report
  }

  private func line(
    _ redaction: RedactionSettings = RedactionSettings(), _ accounts: AccountNaming = .pseudonym
  ) throws -> String {
    var entry = DecisionEntry(id: "d-1")
    entry.owner = "work@contoso.com"
    var encoder = try LogEncoder.test(redaction: redaction, accounts: accounts)
    var bytes: [UInt8] = []
    encoder.encode(entry, of: event(), as: report(), into: &bytes)
    return try text(bytes)
  }

  @Test func everyFactAndEveryDutyIsThere() throws {
    #expect(
      try line() == #"""
        {"v":1,"seq":1,"time":"2026-11-21T02:39:29.123Z","type":"decision","id":"d-1","event":"save",\#
        "viewer":"documents","inspection":"tooLarge","owner":"acct:ba73f6075026d25eadf5","location":"sharePoint",\#
        "locationAccount":"acct:WHO","inPlace":true,"peer":"word.desktop","peerAccount":"",\#
        "channel":"assistant","capture":"recording","pathForm":"plain","outcome":"switchIdentity",\#
        "reason":"identitySwitchNeeded","judgedLocation":"other","notes":["unknownLocationAccount","otherLocation"],\#
        "identityLevel":"none","setOwner":"acct:ba73f6075026d25eadf5","mustEncrypt":true,\#
        "tagAs":"acct:ba73f6075026d25eadf5","switchTo":"","switchRequest":"switch-000000000000002a-7","generation":0,\#
        "replayable":"full"
        """#.replacing("acct:WHO", with: try pseudonym("who@else.example")) + "\n")
  }

  /// One account has one pseudonym, however a label spells it.
  @Test func theOwnerOfTheFileIsSpelledAsThePolicyDoes() throws {
    var event = Event(.open)
    event.labelOwner = .account(event.append("work@contoso.com"))
    var entry = DecisionEntry(id: "d-1")
    entry.fileOwner = "Work@Contoso.com"
    var encoder = try LogEncoder.test()
    var bytes: [UInt8] = []
    encoder.encode(entry, of: event, as: report(), into: &bytes)
    #expect(try text(bytes).contains(#""fileOwner":"\#(try pseudonym("Work@Contoso.com"))""#))
  }

  private func pseudonym(_ account: String) throws -> String {
    var pseudonyms = try #require(AccountPseudonyms(key: testKey))
    return pseudonyms.name(of: account)
  }

  @Test func nothingThatTheSettingsLeaveOutIsThere() throws {
    let line = try line().lowercased()
    for secret in Self.secrets { #expect(!line.contains(secret), "\(secret)") }
  }

  @Test func pathAndAccountsAreKeptWhereTheSettingsSaySo() throws {
    var redaction = RedactionSettings()
    redaction.filePath = .keep
    let line = try line(redaction, .plain)
    #expect(line.contains(#""pathForm":"plain","path":"/home/ada/plan.odt""#))
    #expect(line.contains(#""owner":"work@contoso.com""#) && line.contains(#""locationAccount":"who@else.example""#))
  }

  @Test(arguments: ["../x", "/a//b", "x", "/a/..", "/a\u{1}"])
  func aPathThatCannotBeTrustedIsSaidToBeSo(_ path: String) throws {
    var event = Event(.open)
    event.path = event.append(path)
    var encoder = try LogEncoder.test()
    var bytes: [UInt8] = []
    encoder.encode(DecisionEntry(id: "d"), of: event, as: DecisionReport(), into: &bytes)
    #expect(try text(bytes).contains(#""pathForm":"unreadable","outcome""#))
  }

  @Test func theReaderGivesAllOfItBack() throws {
    let record = try #require(readRecord(try line().trimmed + #","prev":"00"}"#))
    let expected = [
      "event": "save", "owner": "acct:ba73f6075026d25eadf5", "location": "sharePoint", "inPlace": "true",
      "peer": "word.desktop", "peerAccount": "", "channel": "assistant", "capture": "recording",
      "inspection": "tooLarge", "pathForm": "plain", "judgedLocation": "other",
      "setOwner": "acct:ba73f6075026d25eadf5", "mustEncrypt": "true", "switchTo": "",
      "switchRequest": "switch-000000000000002a-7",
    ]
    for (name, value) in expected { #expect(record[name] == value, "\(name)") }
    #expect(record.words("notes") == ["unknownLocationAccount", "otherLocation"])
    #expect(!record.hasAdvice)
    #expect(
      record.line == """
        2026-11-21T02:39:29.123Z switchIdentity identitySwitchNeeded save location=sharePoint peer=word.desktop \
        channel=assistant capture=recording inspection=tooLarge owner=acct:ba73f6075026d25eadf5 \
        locationAccount=\(try pseudonym("who@else.example")) peerAccount="" setOwner=acct:ba73f6075026d25eadf5 \
        tagAs=acct:ba73f6075026d25eadf5 switchTo="" mustEncrypt=true judgedLocation=other \
        notes=unknownLocationAccount,otherLocation generation=0 #d-1
        """)
    for name in ["owner", "locationAccount", "setOwner", "tagAs"] {
      var filter = LogFilter()
      filter.account = [try #require(record[name])]
      #expect(filter.matches(record), "\(name)")
    }
  }

  @Test func adviceIsReadFlatAndFiltered() throws {
    var report = report()
    var advice = AdviceReport(.block, .blockedByRule, .app)
    (advice.ruleSet, advice.rule) = ("sites", "file-sharing")
    report.advice = advice
    var encoder = try LogEncoder.test()
    var bytes: [UInt8] = []
    encoder.encode(DecisionEntry(id: "d"), of: event(), as: report, into: &bytes)
    let line = try text(bytes).trimmed
    let record = try #require(readRecord(line + #","prev":"00"}"#))
    #expect(record.hasAdvice && record["advised"] == "block" && record["advisedReason"] == "blockedByRule")
    #expect(record["advisedBy"] == "app" && record["advisedRule"] == "file-sharing" && record["mode"] == "monitored")
    var filter = LogFilter()
    filter.isAdvised = true
    #expect(filter.matches(record))
    #expect(!filter.matches(try #require(readRecord(try self.line().trimmed + #","prev":"00"}"#))))
    let words = line.replacing(#""cause":"app","#, with: #""cause":"app","later":{"x":[1]},"#)
    #expect(try #require(readRecord(words + "}"))["advised"] == "block", "words of later versions")
  }
}

extension String {
  /// The text without what ends it.
  fileprivate var trimmed: String { String(dropLast()) }
}
