import DecisionLog
import GuardModel
import Testing

@Suite struct LogRecordTests {
  private func record(_ line: String) throws -> LogRecord {
    try #require(readRecord(line))
  }

  private static let navigation = #"""
    {"v":1,"seq":7,"time":"2026-11-21T02:39:29.000Z","type":"decision","id":"d-7","event":"navigate",\#
    "app":"com.contoso.portal","viewer":"documents","url":"https://example.com/a","redacted":["query","fragment"],\#
    "outcome":"allow","advised":"redirect","reason":"external","account":"acct:ba73f6075026d25eadf5",\#
    "ruleSet":"contoso-documents","rule":"default","ruleLocation":"rules/c.yaml:2:1","generation":3,\#
    "future":{"a":1},"ratio":0.5,"prev":"00"}
    """#

  @Test func aDecisionIsOneLineForPeople() throws {
    let record = try record(Self.navigation)
    #expect(
      record.line == """
        2026-11-21T02:39:29.000Z allow external documents@com.contoso.portal https://example.com/a advised=redirect \
        rule=contoso-documents/default at=rules/c.yaml:2:1 account=acct:ba73f6075026d25eadf5 generation=3 #d-7
        """)
    #expect(record.seq == 7 && record.type == "decision" && record.milliseconds == 1_795_228_769_000)
    #expect(record["redacted"] == "query,fragment")
    #expect(record["future"] == "{…}" && record["ratio"] == "0.5")
    #expect(record["prev"] == nil && record["absent"] == nil)
  }

  @Test(arguments: [
    (
      #""type":"decision","event":"paste","outcome":"block","reason":"orgData","id":"d-8""#,
      "block orgData paste #d-8"
    ),
    (
      #""type":"decision","event":"navigate","urlInvalid":true,"urlBytes":31,"outcome":"block","reason":"invalidURL""#,
      "block invalidURL (invalid URL of 31 bytes)"
    ),
    (
      #""type":"state","change":"setIdentity","app":"a","viewer":"v","identityLevel":"window","account":"""#,
      "setIdentity v@a identityLevel=window account=\"\""
    ),
    (#""type":"recovered","change":"forgetViewer","app":"a""#, "forgetViewer a recovered"),
    (
      #""type":"policy","loaded":false,"errors":4,"roots":["/a b","/c"]"#,
      #"policy loaded=false errors=4 roots="/a b,/c""#
    ),
    (#""type":"holiday","days":-3,"nothing":null"#, "holiday days=-3 nothing=null"),
  ])
  func everyRecordIsOneLineForPeople(_ members: String, _ line: String) throws {
    let record = try record(#"{"v":1,"seq":7,"time":"2026-11-21T02:39:29.000Z","# + members + "}")
    #expect(record.line == "2026-11-21T02:39:29.000Z " + line)
  }

  @Test(arguments: [
    ("plain", "plain"), ("josé", "josé"), ("", "\"\""), ("a b", "\"a b\""), ("a\"b", #""a\"b""#), ("a\\b", #"a\\b"#),
    ("a\u{202E}b", #"a\u{202E}b"#), ("\u{1B}[2J", #"\u{1B}[2J"#), ("a\nb\r\t\0", #"a\u{A}b\u{D}\u{9}\u{0}"#),
    ("\u{7F}\u{9B}", #"\u{7F}\u{9B}"#), ("\u{2066}\u{2069}\u{200E}\u{061C}", #"\u{2066}\u{2069}\u{200E}\u{61C}"#),
    ("\u{2028}\u{2029}\u{FEFF}\u{200B}", #"\u{2028}\u{2029}\u{FEFF}\u{200B}"#), ("\u{E0041}", #"\u{E0041}"#),
    ("a\u{AD}b", #"a\u{AD}b"#),
  ])
  func whatSteersATerminalIsEscaped(_ text: String, _ shown: String) {
    #expect(visible(text) == shown)
  }

  @Test func nothingInARecordReachesTheTerminalRaw() throws {
    let hostile = #"\u001b[2J\u202e\u0007\u009b"#
    for type in ["decision", "state"] {
      let names = ["app", "viewer", "url", "event", "outcome", "advised", "reason", "rule", "ruleSet", "id", "change"]
      let members = (names + ["ruleLocation", "account", "x\(hostile)"]).map { "\"\($0)\":\"\(hostile)\"" }
      let line = try record(
        #"{"v":1,"seq":7,"time":"2026-11-21T02:39:29.000Z","type":"\#(type)",\#(members.joined(separator: ","))}"#
      ).line
      let isClean = line.unicodeScalars.allSatisfy { $0.isASCII && $0.value >= 0x20 && $0.value != 0x7F }
      #expect(isClean, "\(line.debugDescription)")
    }
  }

  @Test(arguments: [
    "", "{", "[]", "1", #"{"v":1}"#, #"{"v":2,"seq":7,"time":"2026-11-21T02:39:29.000Z","type":"stop"}"#,
    #"{"v":1,"seq":"7","time":"2026-11-21T02:39:29.000Z","type":"stop"}"#,
    #"{"v":1,"seq":7,"time":"now","type":"stop"}"#,
  ])
  func whatIsNoRecordIsNil(_ line: String) {
    #expect(readRecord(line) == nil)
  }

  @Test func everyFilterAloneLetsThroughAndHoldsBack() throws {
    let record = try record(Self.navigation)
    let matching: [(inout LogFilter) -> Void] = [
      { _ in }, { $0.since = record.milliseconds }, { $0.until = record.milliseconds + 1 },
      { $0["app"] = "com.contoso.portal" }, { $0["outcome"] = "allow" }, { $0["reason"] = "external" },
      { $0["viewer"] = "documents" }, { $0.account = ["work@contoso.com", "acct:ba73f6075026d25eadf5"] },
      { $0["id"] = "d-7" }, { $0.type = "decision" },
    ]
    let failing: [(inout LogFilter) -> Void] = [
      { $0.since = record.milliseconds + 1 }, { $0.until = record.milliseconds }, { $0["app"] = "com.contoso" },
      { $0["outcome"] = "redirect" }, { $0["reason"] = "" }, { $0["viewer"] = "d" },
      { $0.account = ["work@contoso.com"] },
      { $0.account = [] }, { $0["id"] = "d-8" }, { $0.type = "state" }, { $0["uid"] = "4" }, { $0.rule = "nothing" },
      { $0["exception"] = "x-1" },
    ]
    for (changes, expected) in [(matching, true), (failing, false)] {
      for change in changes {
        var filter = LogFilter()
        change(&filter)
        #expect(filter.matches(record) == expected, "\(filter)")
      }
    }
  }

  @Test func rulesUsersAndExceptionsAreFound() throws {
    let record = try #require(
      readRecord(
        #"{"v":1,"seq":1,"time":"2026-11-21T02:39:29.123Z","type":"decision","uid":1000,"ruleSet":"sites","#
          + #""rule":"7","exception":"x-1","advised":{"ruleSet":"more","rule":"9"}}"#))
    let cases: [(Bool, (inout LogFilter) -> Void)] = [
      (true, { $0.rule = "7" }), (true, { $0.rule = "sites/7" }), (true, { $0.rule = "more/9" }),
      (false, { $0.rule = "sites/9" }), (false, { $0.rule = "sites" }), (true, { $0["uid"] = "1000" }),
      (false, { $0["uid"] = "100" }), (true, { $0["exception"] = "x-1" }), (false, { $0["exception"] = "x" }),
    ]
    for (expected, change) in cases {
      var filter = LogFilter()
      change(&filter)
      #expect(filter.matches(record) == expected, "\(filter)")
    }
  }

  @Test func whatWasEncodedIsFoundByPseudonym() throws {
    var change = StateChange(.setIdentity)
    change.account = "work@contoso.com"
    var encoder = try LogEncoder.test()
    var unsealed: [UInt8] = []
    encoder.encode(change, at: testTime, into: &unsealed)
    let record = try record(text(sealed(unsealed).bytes.dropLast()))
    var pseudonyms = try #require(AccountPseudonyms(key: testKey))
    var filter = LogFilter()
    filter.account = [pseudonyms.name(of: "work@contoso.com")]
    #expect(filter.matches(record))
    filter.account = [pseudonyms.name(of: "other@contoso.com")]
    #expect(!filter.matches(record))
  }
}
