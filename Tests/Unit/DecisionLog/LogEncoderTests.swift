import Bytes
import DecisionLog
import Foundation
import GuardModel
import Testing

/// One literal line for every type of record: the format is final, so a change here breaks readers.
@Suite struct LogEncoderTests {
  @Test func aNavigationHoldsEverythingThatIsKnown() throws {
    var event = Event(.navigate)
    event.time = testTime
    event.viewer = event.append("documents")
    event.action = event.append("a-17")
    event.method = event.append("POST")
    event.frame = .main
    event.hop = .no
    event.gesture = .yes
    event.opensWindow = true
    var entry = DecisionEntry(id: "d-7")
    entry.app = "com.contoso.portal"
    entry.instance = "i-3"
    entry.peer = LoggedPeer(uid: 1000, pid: 4242)
    entry.url = .valid(
      URLText("https://", credentials: "u:p@", host: "example.com", path: "/a", query: "?token=1", fragment: "#top"))
    entry.from = .valid(URLText("https://", host: "docs.contoso.com:8443", path: "/d/42"))
    entry.durationMicroseconds = 12
    entry.repeats = 2
    var encoder = try LogEncoder.test()
    var bytes: [UInt8] = []
    encoder.encode(entry, of: event, as: navigationReport(), into: &bytes)
    #expect(
      try text(bytes) == #"""
        {"v":1,"seq":1,"time":"2026-11-21T02:39:29.123Z","type":"decision","id":"d-7","event":"navigate",\#
        "app":"com.contoso.portal","class":"documents","instance":"i-3","uid":1000,"pid":4242,"viewer":"documents",\#
        "action":"a-17","frame":"main","hop":false,"gesture":"yes","newWindow":true,"method":"POST",\#
        "url":"https://example.com/a","redacted":["credentials","query","fragment"],\#
        "from":"https://docs.contoso.com:8443/d/42","outcome":"allow","reason":"external",\#
        "mode":"monitored","advised":{"outcome":"redirect","reason":"external","cause":"rule",\#
        "ruleSet":"contoso-documents","rule":"sites","ruleLocation":"rules/contoso-documents.yaml:9:5"},\#
        "viewerIsUnknown":true,"notes":["afterAdvised"],"policy":"currentIdentity","policySource":"class",\#
        "identityLevel":"window","account":"acct:ba73f6075026d25eadf5","protection":"contoso-standard","source":"pattern",\#
        "verdict":"external","ruleSet":"contoso-documents","rule":"default",\#
        "ruleLocation":"rules/contoso-documents.yaml:2:1","target":"managedBrowser","offered":"redirect",\#
        "bodyDropped":true,"generation":3,"digest":"ab12","durationMicros":12,"repeats":2,"replayable":"no"
        """# + "\n")
  }

  @Test func anAnswerThatWasWrittenBeforeMakesTheSameRecord() throws {
    var event = Event(.navigate)
    event.time = testTime
    event.viewer = event.append("documents")
    var entry = DecisionEntry(number: DecimalCounter(4_321_000_000_000_000_001))
    entry.app = "com.contoso.portal"
    entry.url = .valid(URLText("https://", host: "example.com", path: "/a", query: "?token=1"))
    var fresh = try LogEncoder.test()
    var copying = try LogEncoder.test()
    let answer = copying.written(navigationReport(), for: entry)
    let written = try #require(answer)
    var (expected, copied): ([UInt8], [UInt8]) = ([], [])
    // The second process of an instance has its own number.
    for peer in [entry.peer, LoggedPeer(uid: 1000, pid: 4242), entry.peer] {
      entry.peer = peer
      fresh.encode(entry, of: event, as: navigationReport(), into: &expected)
      copying.encode(entry, of: event, as: written, into: &copied)
    }
    #expect(try text(copied) == text(expected))
    #expect(copying.judgedURL.string == "https://example.com/a")
    #expect(try text(copied).contains(#""id":"4321000000000000001""#))
    #expect(try text(copied).contains(#""uid":1000,"pid":4242"#))
  }

  /// The words of a navigation are written once and then copied: for each of their combinations.
  @Test func allWordsOfANavigationStandInItsRecord() throws {
    var encoder = try LogEncoder.test()
    let answers = [Ternary.unknown, .no, .yes]
    for frame in Frame.allCases {
      for (hop, gesture) in answers.flatMap({ hop in answers.map { (hop, $0) } }) {
        for (isSame, isNew) in [(false, false), (false, true), (true, false), (true, true)] {
          var event = Event(.navigate)
          (event.frame, event.hop, event.gesture) = (frame, hop, gesture)
          (event.isSameDocument, event.opensWindow) = (isSame, isNew)
          var words = frame == .unknown ? [] : [#""frame":"\#(frame.name)""#]
          if hop != .unknown { words.append(#""hop":\#(hop == .yes)"#) }
          if gesture != .unknown { words.append(#""gesture":"\#(gesture == .yes ? "yes" : "no")""#) }
          if isSame { words.append(#""sameDocument":true"#) }
          if isNew { words.append(#""newWindow":true"#) }
          var bytes: [UInt8] = []
          encoder.encode(DecisionEntry(id: "d"), of: event, as: DecisionReport(), into: &bytes)
          let expected = ([#""event":"navigate""#] + words + [#""outcome":"#]).joined(separator: ",")
          #expect(try text(bytes).contains(expected))
        }
      }
    }
  }

  /// Only the milliseconds are renewed within a second.
  @Test func eachRecordHasItsOwnTime() throws {
    var encoder = try LogEncoder.test()
    let second = testTime / 1000 * 1000
    let times = [second + 999, second + 1000, second + 1007, second + 1, second + 60_001, RFC3339.latest, .max, second]
    for time in times + [RFC3339.latest - 1, RFC3339.latest + 1, RFC3339.latest] {
      var event = Event(.navigate)
      event.time = time
      var bytes: [UInt8] = []
      encoder.encode(DecisionEntry(id: "d"), of: event, as: DecisionReport(), into: &bytes)
      #expect(try text(bytes).contains(#","time":"\#(RFC3339.text(time))","type":"#))
    }
  }

  @Test func anAnswerWithATextTooLongForARecordIsWrittenAnew() throws {
    var report = navigationReport()
    report.ruleLocation = String(repeating: "x", count: 2000)
    var encoder = try LogEncoder.test()
    let written = encoder.written(report, for: DecisionEntry(id: "d"))
    #expect(written == nil)
  }

  private func navigationReport() -> DecisionReport {
    var report = DecisionReport()
    report.outcome = .allow
    report.reason = .external
    report.flags[.viewerIsUnknown] = true
    report.policy = .currentIdentity
    report.policySource = .viewerClass
    report.viewerClass = "documents"
    report.identity = "work@contoso.com"
    report.identityLevel = .window
    report.protection = "contoso-standard"
    report.protectionSource = .pattern
    report.verdict = .external
    report.ruleSet = "contoso-documents"
    report.rule = "default"
    report.ruleLocation = "rules/contoso-documents.yaml:2:1"
    report.open = OpenOffer(target: "managedBrowser", url: "https://example.com/a?token=1")
    report.offered = .redirect
    report.flags[.bodyDropped] = true
    report.message = "not for the log"
    report.notes = .afterAdvised
    var advice = AdviceReport(.redirect, .external, .rule)
    (advice.ruleSet, advice.rule) = ("contoso-documents", "sites")
    advice.ruleLocation = "rules/contoso-documents.yaml:9:5"
    report.advice = advice
    report.generation = Generation(number: 3, digest: "ab12")
    return report
  }

  @Test func aPasteNamesItsClipAndItsOwner() throws {
    var event = Event(.paste)
    event.time = testTime
    event.viewer = event.append("mail")
    event.selection = .primary
    event.isCut = true
    event.length = 99
    event.formats = event.append("text/html,text/plain;charset=utf-8")
    event.selfOwned = .yes
    event.display = event.append(":0")
    event.clip = .id(ClipID(epoch: 42, number: 7))
    event.proposal = ProposalID(epoch: 42, number: 8)
    var report = DecisionReport()
    report.outcome = .redact
    report.reason = .orgDataOverLimit
    report.identity = ""
    report.identityLevel = .process
    report.clip = "clip-000000000000002a-8"
    report.proposal = "proposal-000000000000002a-9"
    report.clipOwner = "work@contoso.com"
    report.limit = 20
    report.flags[.onlyPlainText] = true
    report.flags[.mimeWrap] = true
    report.replacement = "not for the log"
    var encoder = try LogEncoder.test(accounts: .plain)
    var bytes: [UInt8] = []
    encoder.encode(DecisionEntry(id: "d-8"), of: event, as: report, into: &bytes)
    #expect(
      try text(bytes) == #"""
        {"v":1,"seq":1,"time":"2026-11-21T02:39:29.123Z","type":"decision","id":"d-8","event":"paste","viewer":"mail",\#
        "selection":"primary","cut":true,"length":99,"formats":["text/html","text/plain;charset=utf-8"],\#
        "selfOwned":true,"clip":"clip-000000000000002a-7","proposal":"proposal-000000000000002a-8",\#
        "display":":0","outcome":"redact",\#
        "reason":"orgDataOverLimit","identityLevel":"process","account":"","newClip":"clip-000000000000002a-8",\#
        "newProposal":"proposal-000000000000002a-9","clipOwner":"work@contoso.com","limit":20,"onlyPlainText":true,"mimeWrap":true,"generation":0,"replayable":"full"
        """# + "\n")
  }

  @Test func anInvalidURLLeavesOnlyItsLength() throws {
    var event = Event(.navigate)
    event.isSameDocument = true
    event.clip = .unreadable
    event.offersPlainText = false
    var entry = DecisionEntry(id: "d-9")
    entry.url = .invalid(byteCount: 31)
    var encoder = try LogEncoder.test()
    var bytes: [UInt8] = []
    encoder.encode(entry, of: event, as: DecisionReport(), into: &bytes)
    #expect(
      try text(bytes) == #"""
        {"v":1,"seq":1,"time":"1970-01-01T00:00:00.000Z","type":"decision","id":"d-9","event":"navigate",\#
        "sameDocument":true,"formats":[],"clip":"unreadable","urlInvalid":true,"urlBytes":31,"outcome":"block",\#
        "reason":"unknownEvent","identityLevel":"none","generation":0,"replayable":"no"
        """# + "\n")
  }

  @Test func everyOtherTypeHasItsLine() throws {
    for golden in goldenRecords() {
      var encoder = try LogEncoder.test()
      var bytes: [UInt8] = []
      golden.encode(&encoder, &bytes)
      let head = #"{"v":1,"seq":1,"time":"2026-11-21T02:39:29.123Z","type":"#
      #expect(try text(bytes) == head + golden.rest + "\n")
    }
  }

  @Test func everyLineParsesAsJSON() throws {
    var encoder = try LogEncoder.test()
    var unsealed: [UInt8] = []
    let goldens = goldenRecords()
    for golden in goldens { golden.encode(&encoder, &unsealed) }
    var event = Event(.navigate)
    event.viewer = event.append("a\u{0}\u{1B}[2J\u{202E}\"\\\u{2028}é")
    event.method = event.append([0xFF, 0xC0, 0x80, 0xED, 0xA0, 0x80].span)
    encoder.encode(DecisionEntry(id: "d"), of: event, as: navigationReport(), into: &unsealed)
    let lines = sealed(unsealed).bytes.split(separator: UInt8(ascii: "\n"))
    #expect(lines.count == goldens.count + 1)
    for (index, line) in lines.enumerated() {
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
      #expect(object["seq"] as? Int == index + 1)
      #expect((object["prev"] as? String)?.count == 64)
    }
    let last = try text(Array(lines[lines.count - 1]))
    #expect(last.contains(#""viewer":"a\u0000\u001b[2J\u202e\"\\\u2028é""#))
    #expect(!last.contains("not for the log"))
  }

  @Test func longTextsAreCutBetweenScalarsAndTheRecordSaysSo() throws {
    var event = Event(.navigate)
    event.viewer = event.append(String(repeating: "é", count: 5000))
    event.action = event.append("a" + String(repeating: "é", count: 5000))
    var encoder = try LogEncoder.test()
    var unsealed: [UInt8] = []
    encoder.encode(DecisionEntry(id: "d"), of: event, as: DecisionReport(), into: &unsealed)
    let line = try text(unsealed)
    #expect(line.contains("\"viewer\":\"" + String(repeating: "é", count: 512) + "\""))
    #expect(line.contains("\"action\":\"a" + String(repeating: "é", count: 511) + "\""))
    #expect(line.hasSuffix("\"replayable\":\"no\",\"shortened\":true\n"))
  }

  @Test func theLargestRecordIsShorterThanTheLimit() throws {
    var event = Event(.navigate)
    let text = String(repeating: "\u{1}", count: 5000)
    let slot = event.append(text)
    (event.viewer, event.action, event.method, event.display, event.formats) = (slot, slot, slot, slot, slot)
    var entry = DecisionEntry(id: text)
    (entry.app, entry.instance) = (text, text)
    let url = URLText("x:", path: String(repeating: "\\", count: 200 * 1024 - 2))
    (entry.url, entry.from) = (.valid(url), .valid(url))
    var report = DecisionReport()
    (report.viewerClass, report.identity, report.protection, report.ruleSet) = (text, text, text, text)
    (report.rule, report.ruleLocation, report.clip, report.clipOwner) = (text, text, text, text)
    (event.owner, event.locationAccount, event.peer, event.peerAccount, event.path) = (slot, slot, slot, slot, slot)
    (report.setOwner, report.tagAs, report.switchTo, report.switchRequest) = (text, text, text, text)
    report.notes = DecisionNotes(rawValue: .max)
    var advice = AdviceReport(.block, .blockedByRule, .protection)
    (advice.ruleSet, advice.rule, advice.ruleLocation) = (text, text, text)
    report.advice = advice
    report.open = OpenOffer(target: text, url: "")
    report.generation.digest = text
    var redaction = RedactionSettings()
    redaction.filePath = .keep
    var encoder = try LogEncoder.test(redaction: redaction, accounts: .plain)
    var unsealed: [UInt8] = []
    encoder.encode(entry, of: event, as: report, into: &unsealed)
    #expect((180_000..<(256 << 10)).contains(unsealed.count))
    #expect(unsealed.count + 75 <= LogLimits.recordBytes)
  }

  @Test func numbersGoOnBehindTheHead() throws {
    let hash = LineHash(of: [UInt8]("x".utf8).span)
    var encoder = try LogEncoder.test(continuing: LogHead(seq: 41, hash: hash))
    var bytes = Array("kept".utf8)
    encoder.encodeRepeats(of: "d", count: 1, at: 0, into: &bytes)
    encoder.encodeRepeats(of: "d", count: 1, at: 0, into: &bytes)
    #expect(try text(bytes).hasPrefix(#"kept{"v":1,"seq":42,"#))
    #expect(try text(bytes).contains("\n{\"v\":1,\"seq\":43,"))
    #expect(encoder.nextSeq == 44)
  }

  /// A buffer that is copied for each record makes a burst of them quadratic.
  @Test func recordsAreWrittenWhereTheBytesLie() throws {
    var encoder = try LogEncoder.test()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(1 << 16)
    let before = bytes.withUnsafeBufferPointer { $0.baseAddress }
    for _ in 0..<100 { encoder.encodeRepeats(of: "d", count: 1, at: 0, into: &bytes) }
    #expect(bytes.withUnsafeBufferPointer { $0.baseAddress } == before)
  }
}
