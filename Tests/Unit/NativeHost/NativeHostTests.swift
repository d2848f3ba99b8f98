import Glibc
import GuardModel
import NativeHost
import Testing
import WebViewGuardClient

/// The browsers' framing, byte by byte.
@Suite struct NativeMessageTests {
  /// A script of bytes, and what is found in it however it is cut.
  struct Script: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: [UInt8]
    var found: [NativeMessageInput.Step]
  }

  private static let most = NativeMessageInput.maximumLength
  private static func frame(_ text: [UInt8]) -> [UInt8] { NativeMessageOutput.frame(text) }
  private static func filled(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }
  private static func header(_ length: UInt32) -> [UInt8] { withUnsafeBytes(of: length) { Array($0) } }

  static let scripts: [Script] = [
    Script(testDescription: "nothing", bytes: [], found: []),
    Script(testDescription: "half a header", bytes: [2, 0, 0], found: []),
    Script(testDescription: "half a message", bytes: header(2) + [0x7B], found: []),
    Script(testDescription: "one", bytes: header(2) + [0x7B, 0x7D], found: [.message([0x7B, 0x7D])]),
    Script(
      testDescription: "zero length, between others", bytes: frame([1]) + frame([]) + frame([]) + frame([2, 3]),
      found: [.message([1]), .message([]), .message([]), .message([2, 3])]),
    Script(
      testDescription: "a flood", bytes: (0..<2_000).flatMap { frame(filled($0 % 5)) },
      found: (0..<2_000).map { .message(filled($0 % 5)) }),
    Script(
      testDescription: "the longest", bytes: frame(filled(most)) + frame([9]),
      found: [.message(filled(most)), .message([9])]),
    Script(
      testDescription: "too long, twice", bytes: frame(filled(most + 1)) + frame(filled(most + 2)) + frame([9]),
      found: [.tooLong(UInt32(most + 1)), .tooLong(UInt32(most + 2)), .message([9])]),
    Script(
      testDescription: "as long as can be said, and never there", bytes: header(.max) + filled(3 * most),
      found: [.tooLong(.max)]),
    Script(
      testDescription: "too long, ended inside", bytes: header(UInt32(most + 1)) + frame([9]),
      found: [.tooLong(UInt32(most + 1))]),
  ]

  @Test(arguments: scripts, [1, 3, 4_096, 1 << 22])
  func messagesAreFoundHoweverTheyAreCut(_ script: Script, _ piece: Int) {
    // Byte by byte for all but the large, which only take long that way.
    let piece = script.bytes.count > 1 << 16 ? max(piece, 1_021) : piece
    var input = NativeMessageInput()
    var found: [NativeMessageInput.Step] = []
    for start in stride(from: 0, to: script.bytes.count, by: piece) {
      input.append(script.bytes[start..<min(start + piece, script.bytes.count)].span)
      while true {
        let step = input.next()
        guard step != .incomplete else { break }
        found.append(step)
      }
    }
    #expect(found == script.found)
    #expect(input.next() == .incomplete)
  }

  @Test func aReplyThatNoBrowserTakesIsAnErrorWithItsID() throws {
    var ends: [Int32] = [-1, -1]
    #expect(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let output = NativeMessageOutput(descriptor: ends[1])
    let text = String(repeating: "x", count: NativeMessageOutput.maximumLength)
    try output.send(["id": 7, "reply": .string(text)])
    try output.send(["id": 8])
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(ends[0], &bytes, bytes.count)
    let expected = [#"{"error":"replyTooLong","id":7}"#, #"{"id":8}"#].flatMap { Self.frame(Array($0.utf8)) }
    #expect(Array(bytes[..<max(count, 0)]) == expected)
  }

  @Test func aBrowserThatIsGoneIsAnError() {
    let unwritable = open("/dev/null", O_RDONLY)
    defer { close(unwritable) }
    let output = NativeMessageOutput(descriptor: unwritable)
    #expect(throws: GuardProblem.system(call: "write", code: EBADF)) { try output.send(["id": 1]) }
  }
}

/// Which messages are calls, and what they may say.
@Suite struct NativeCallTests {
  private func call(_ text: String) throws -> NativeCall {
    try NativeCall(try #require(ValueReader.read(Array(text.utf8)[...])))
  }

  private static let everything = ViewerDescription(
    "v", class: "c", parent: "p", window: "w", opener: "o", kind: .popup, document: "https://x/",
    policy: .unmanaged, ruleSet: "r")

  static let calls: [(String, NativeCall)] = [
    (#""call":"identity","account":"""#, .tell(.identity(.process, .one(""), gates: nil))),
    (#""call":"registerViewer","viewer":"v""#, .tell(.viewer(ViewerDescription("v")))),
    (
      #""call":"registerViewer","viewer":"v","class":"c","parent":"p","window":"w","opener":"o","kind":"popup","#
        + #""document":"https://x/","policy":"unmanaged","ruleSet":"r""#, .tell(.viewer(everything))
    ),
    (#""call":"registerViewer","viewer":"v","kind":null"#, .tell(.viewer(ViewerDescription("v")))),
    (#""call":"setDocument","viewer":"v","document":"https://x/""#, .tell(.document(viewer: "v", url: "https://x/"))),
    (#""call":"setDocument","viewer":"v""#, .tell(.document(viewer: "v", url: nil))),
    (#""call":"forgetViewer","viewer":"v""#, .tell(.forget(viewer: "v"))),
    (#""call":"open","decision":"7""#, .open(decision: "7")),
    (#""call":"accounts""#, .relay(method: "org.webviewguard.Accounts.List", [:])),
    (#""call":"config","account":"a""#, .relay(method: "org.webviewguard.Accounts.Config", ["accounts": ["a"]])),
    (
      #""call":"complete","request":"wipe-1","result":"done""#,
      .relay(method: "org.webviewguard.Accounts.Complete", ["request": "wipe-1", "result": "done"])
    ),
    (#""call":"register","account":"a""#, .relay(method: "org.webviewguard.Accounts.Register", ["account": "a"])),
    (#""call":"deregister","account":"a""#, .relay(method: "org.webviewguard.Accounts.Deregister", ["account": "a"])),
    (#""call":"maySignIn","account":"a""#, .relay(method: "org.webviewguard.Accounts.MaySignIn", ["account": "a"])),
    (#""call":"allowedAccounts""#, .relay(method: "org.webviewguard.Accounts.AllowedAccounts", [:])),
    (
      #""call":"answer","request":"switch-1","result":"failed""#,
      .relay(method: "Answer", ["request": "switch-1", "result": "failed"])
    ),
    (#""call":"rules""#, .rules(viewerClass: nil)), (#""call":"rules","class":"c""#, .rules(viewerClass: "c")),
    (
      #""call":"navigate","viewer":"v","url":"https://x/","hop":true,"frame":"new word","from":null"#,
      .ask(.navigate, ["viewer": "v", "url": "https://x/", "hop": true, "frame": "new word"])
    ),
    (#""call":"copy","length":0,"formats":["a"]"#, .ask(.copy, ["length": 0, "formats": ["a"]])),
  ]

  @Test(arguments: calls) func aCallSaysWhatItIs(_ text: String, _ expected: NativeCall) throws {
    #expect(try call(#"{"id":1,\#(text)}"#) == expected)
  }

  @Test func aGreetingKeepsTheFeaturesThatAreKnown() throws {
    var greeting = NativeGreeting()
    #expect(try call(#"{"id":1,"call":"hello"}"#) == .hello(greeting))
    (greeting.app, greeting.languages, greeting.features) = ("a", ["de-AT", "en"], [.wrap])
    greeting.version = "0.5.0"
    let text =
      #"{"id":1,"call":"hello","app":"a","languages":["de-AT","en"],"#
      + #""features":["wrap","teleport"],"version":"0.5.0"}"#
    #expect(try call(text) == .hello(greeting))
  }

  @Test func theQuestionsAreThese() throws {
    let asked = EventKind.allCases.filter { (try? call(#"{"id":1,"call":"\#($0.name)"}"#)) == .ask($0, [:]) }
    #expect(Set(asked) == [.navigate, .download, .upload, .copy, .paste, .clipboardChanged, .dragEnd, .print])
  }

  static let refused: [(String, NativeRefusal)] = [
    (#"[]"#, .notAMessage), (#"7"#, .notAMessage), (#"{"id":1}"#, .notAMessage),
    (#"{"id":1,"call":7}"#, .notAMessage),
    (#"{"id":1,"call":"Attach"}"#, .unknownCall), (#"{"id":1,"call":"reload"}"#, .unknownCall),
    (#"{"id":1,"call":"openURL"}"#, .unknownCall), (#"{"id":1,"call":"unknown"}"#, .unknownCall),
    (#"{"id":1,"call":"identity"}"#, .wrongMember("account")),
    (#"{"id":1,"call":"identity","account":null}"#, .wrongMember("account")),
    (#"{"id":1,"call":"registerViewer","viewer":1}"#, .wrongMember("viewer")),
    (#"{"id":1,"call":"registerViewer","viewer":"v","kind":"wind"}"#, .wrongMember("kind")),
    (#"{"id":1,"call":"complete","request":"wipe-1"}"#, .wrongMember("result")),
    (#"{"id":1,"call":"complete","request":"wipe-1","result":"later"}"#, .wrongMember("result")),
    (#"{"id":1,"call":"complete","result":"done"}"#, .wrongMember("request")),
    (#"{"id":1,"call":"answer","request":"switch-1","result":"done"}"#, .wrongMember("result")),
    (#"{"id":1,"call":"register"}"#, .wrongMember("account")),
    (#"{"id":1,"call":"register","account":null}"#, .wrongMember("account")),
    (#"{"id":1,"call":"deregister","account":"a","data":"remove"}"#, .unknownMember("data")),
    (#"{"id":1,"call":"allowedAccounts","account":"a"}"#, .unknownMember("account")),
    (#"{"id":1,"call":"accounts","account":"a"}"#, .unknownMember("account")),
    (#"{"id":1,"call":"registerViewer","viewer":"v","policy":"looser"}"#, .wrongMember("policy")),
    (#"{"id":1,"call":"copy","text":"secret"}"#, .unknownMember("text")),
    (#"{"id":1,"call":"copy","text":null}"#, .unknownMember("text")),
    (#"{"id":1,"call":"copy","owner":"x"}"#, .unknownMember("owner")),
    (#"{"id":1,"call":"copy","length":-1}"#, .wrongMember("length")),
    (#"{"id":1,"call":"copy","length":1.5}"#, .wrongMember("length")),
    (#"{"id":1,"call":"copy","cut":1}"#, .wrongMember("cut")),
    (#"{"id":1,"call":"copy","formats":[7]}"#, .wrongMember("formats")),
    (#"{"id":1,"call":"navigate","deadline":1}"#, .unknownMember("deadline")),
    (#"{"id":1,"call":"open","decision":"1","argv":["/bin/true"]}"#, .unknownMember("argv")),
  ]

  @Test(arguments: refused) func whatIsNoCallIsRefused(_ text: String, _ refusal: NativeRefusal) {
    #expect(throws: refusal) { try call(text) }
  }

  /// The longest that each may be, and one byte or element more.
  @Test(arguments: [("viewer", 256), ("url", 262_144)])
  func textsHaveALimit(_ member: String, _ most: Int) throws {
    for (length, isTaken) in [(most, true), (most + 1, false)] {
      let text = GuardValue.string(String(repeating: "x", count: length))
      let message = GuardValue.object(["id": 1, "call": "navigate", member: text])
      #expect((try? NativeCall(message)) == (isTaken ? .ask(.navigate, [member: text]) : nil))
    }
  }
}

/// The exported rules, cut into messages.
@Suite struct RuleRepliesTests {
  @Test(arguments: [nil, "", "{", "7", #"{"rules":7}"#] as [String?])
  func whatIsNoListOfRulesIsAnError(_ text: String?) {
    let replies = RuleReplies.make(3, text.map { Array($0.utf8) })
    #expect(replies.map { $0["error"] } == ["rulesUnavailable"])
    #expect(replies.map { $0["id"] } == [3])
  }

  @Test(arguments: [0, 1, 3, 60_000]) func allRulesComeInTheirOrder(_ count: Int) {
    let rules = (0..<count).map { GuardValue.object(["id": .integer($0), "action": ["type": "block"]]) }
    let replies = RuleReplies.make(3, Array(GuardValue.array(rules).text.utf8))
    #expect(replies.flatMap { $0["rules"]?.array ?? [] } == rules)
    #expect(replies.map { $0["part"]?.integer } == Array(0..<replies.count))
    #expect(replies.allSatisfy { $0["parts"]?.integer == replies.count && $0["id"] == 3 })
    #expect(replies.allSatisfy { $0.text.utf8.count < NativeMessageOutput.maximumLength })
    #expect((replies.count > 1) == (count == 60_000))
  }
}
