import GuardModel
import GuardProtocol
import JSONText
import Testing

/// The outermost members of a call, and frames that are no calls.
@Suite struct RequestDecoderTests {
  static let navigate = #"{"method":"org.webviewguard.Guard.Navigate","parameters":{"event":{"viewer":"E"}}}"#

  @Test func goldenCalls() {
    var wire = Wire()
    #expect(wire.decode(RequestDecoderTests.navigate) == .call(.decide(.navigate)))
    #expect(wire.decode(#"{"method":"org.webviewguard.Guard.WhoAmI"}"#) == .call(.whoAmI))
    #expect(wire.decode(#" {"parameters" : null, "method":"org.webviewguard.Guard.WhoAmI"} "#) == .call(.whoAmI))
    #expect(wire.decode(#"{"method":"org.varlink.service.GetInfo","parameters":{}}"#) == .service(.getInfo))

    var identity = IdentityStatement()
    identity.level = .window
    identity.window = "w1"
    identity.account = ""
    let call = #"{"level":"window","window":"w1","account":""}"#
    #expect(wire.decode(GuardProtocolTests.call(.guard(.setIdentity), call)) == .call(.state(.setIdentity(identity))))
    identity.account = nil
    let inherit = #"{"level":"window","window":"w1","account":null}"#
    #expect(
      wire.decode(GuardProtocolTests.call(.guard(.setIdentity), inherit)) == .call(.state(.setIdentity(identity))))

    var viewer = ViewerDescription("E")
    viewer.className = "documents"
    viewer.parent = "main"
    viewer.window = "w1"
    viewer.opener = "D"
    viewer.kind = .popup
    viewer.document = "https://docs.contoso.com/d/42"
    let register = """
      {"viewer":"E","class":"documents","parent":"main","window":"w1","opener":"D","kind":"popup",\
      "document":"https://docs.contoso.com/d/42"}
      """
    #expect(
      wire.decode(GuardProtocolTests.call(.guard(.registerViewer), register)) == .call(.state(.registerViewer(viewer))))

    var attach = AttachCall()
    attach.app = "com.contoso.portal"
    attach.features = ["a", "é"]
    let features = #"{"app":"com.contoso.portal","features":["a","\u00e9"]}"#
    #expect(wire.decode(GuardProtocolTests.call(.guard(.attach), features)) == .call(.attach(attach)))
  }

  @Test func callsOfTheAdminSocket() {
    var classify = ClassifyCall()
    classify.ruleSet = "contoso-documents"
    classify.url = "https://a.example/"
    classify.hop = false
    classify.subject = .download
    let parameters = #"{"ruleSet":"contoso-documents","url":"https://a.example/","hop":false,"for":"download"}"#
    var decoder = RequestDecoder(serving: .adminSocket)
    let frame = Array(call(.rules(.classify), parameters).utf8)
    guard case .request(let request) = decoder.decode(frame.span), case .rules(let method) = request.method else {
      Issue.record("not taken")
      return
    }
    #expect((try? request.rulesCall(method)) == .classify(classify))
  }

  @Test func flags() {
    var decoder = RequestDecoder(serving: .adminSocket)
    let frame = Array(#"{"method":"org.webviewguard.Admin.Monitor","more":true,"oneway":false,"upgrade":null}"#.utf8)
    guard case .request(let request) = decoder.decode(frame.span) else {
      Issue.record("not taken")
      return
    }
    #expect(request.method == .admin(.monitor))
    #expect(request.wantsMore == true)
    #expect(request.isOneway == false)
  }

  static let refused: [(String, Answer)] = [
    (#"{}"#, .refused(.invalidParameter("method"))),
    (#"{"method":null}"#, .refused(.invalidParameter("method"))),
    (#"{"method":5,"oneway":true}"#, .refused(.invalidParameter("method"), isOneway: true)),
    (#"{"method":""}"#, .refused(.invalidParameter("method"))),
    (#"{"method":"Navigate"}"#, .refused(.invalidParameter("method"))),
    (#"{"method":".Navigate"}"#, .refused(.interfaceNotFound(""))),
    (#"{"method":"org.webviewguard.Guard."}"#, .refused(.methodNotFound("org.webviewguard.Guard."))),
    (#"{"method":"org.webviewguard.Guard.navigate"}"#, .refused(.methodNotFound("org.webviewguard.Guard.navigate"))),
    (#"{"method":"org.webviewguard.Guardian.X"}"#, .refused(.interfaceNotFound("org.webviewguard.Guardian"))),
    (#"{"method":"org.webviewguard.Admin.Reload"}"#, .refused(.interfaceNotFound("org.webviewguard.Admin"))),
    (#"{"method":"org.webviewguard.Rules.Explain"}"#, .refused(.interfaceNotFound("org.webviewguard.Rules"))),
    (#"{"method":"org.webviewguard.Guard.Print","parameters":{"event":{}}}"#, .call(.decide(.print))),
    (#"{"method":"org.webviewguard.Guard.Subscribe"}"#, .refused(.expectedMore)),
    (#"{"method":"org.webviewguard.Guard.WhoAmI","parameters":[]}"#, .refused(.invalidParameter("parameters"))),
    (#"{"method":"org.webviewguard.Guard.WhoAmI","more":1}"#, .refused(.invalidParameter("more"))),
    (#"{"method":"org.webviewguard.Guard.WhoAmI","oneway":"yes"}"#, .refused(.invalidParameter("oneway"))),
    (#"{"method":"org.webviewguard.Guard.WhoAmI","upgrade":true}"#, .refused(.invalidParameter("upgrade"))),
    (#"{"method":"org.webviewguard.Guard.WhoAmI","id":1}"#, .refused(.invalidParameter("id"))),
    (
      #"{"id":1,"method":"org.webviewguard.Guard.WhoAmI","oneway":true}"#,
      .refused(.invalidParameter("id"), isOneway: true)
    ),
    (
      #"{"method":"org.webviewguard.Guard.WhoAmI","more":true,"oneway":true}"#,
      .refused(.invalidParameter("more"), isOneway: true)
    ),
    (
      #"{"method":"org.webviewguard.Guard.Navigate","parameters":{},"oneway":true}"#,
      .refused(.invalidParameter("event"), isOneway: true)
    ),
  ]

  @Test(arguments: refused)
  func wrongCallsAreRefused(_ frame: String, _ expected: Answer) {
    var wire = Wire()
    #expect(wire.decode(frame) == expected)
  }

  @Test func streamsNeedMore() {
    var decoder = RequestDecoder(serving: .adminSocket)
    let frame = Array(#"{"method":"org.webviewguard.Admin.Monitor"}"#.utf8)
    guard case .refused(.expectedMore, isOneway: false) = decoder.decode(frame.span) else {
      Issue.record("taken without `more`")
      return
    }
  }

  static let unreadable: [(String, FrameFault)] = [
    ("", .notJSON(.empty)),
    (String(repeating: " ", count: 65536), .notJSON(.empty)),
    ("nonsense", .notJSON(.syntax)),
    ("[]", .notAMessage),
    ("5", .notAMessage),
    (#""method""#, .notAMessage),
    ("null", .notAMessage),
    (navigate + navigate, .notJSON(.trailingContent)),
    (#"{"method":"a.B","method":"a.B"}"#, .notJSON(.duplicateKey)),
    (
      #"{"method":"org.webviewguard.Guard.Navigate","parameters":{"event":{"hop":true,"\u0068op":true}}}"#,
      .notJSON(.duplicateKey)
    ),
    (deep(10_000), .notJSON(.tooDeep)),
    (deep(JSONParser.maximumDepth), .notJSON(.tooDeep)),
    (#"{"method":"a.B","parameters":{"x":1e400}}"#, .notJSON(.invalidNumber)),
    (#"{"method":"a.B","parameters":{"x":18446744073709551616}}"#, .notJSON(.invalidNumber)),
  ]

  /// A call within which so many arrays lie within each other.
  private static func deep(_ depth: Int) -> String {
    #"{"method":"a.B","parameters":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      + "}"
  }

  @Test(arguments: unreadable)
  func whatIsNoMessageIsToldApart(_ frame: String, _ fault: FrameFault) {
    var wire = Wire()
    #expect(wire.decode(frame) == .unreadable(fault))
  }

  @Test func invalidUTF8IsNoMessage() {
    var wire = Wire()
    for byte in [0x80, 0xC0, 0xE2, 0xFF] as [UInt8] {
      let frame = Array(#"{"method":"org.webviewguard.Guard.Navigate","parameters":{"event":{"url":""#.utf8) + [byte]
      #expect(wire.decode(frame + Array(#""}}}"#.utf8)) == .unreadable(.notJSON(.notUTF8)))
    }
  }

  /// A good call that is cut anywhere is no call; and the decoder reads the next one.
  @Test func truncatedFramesAreNoMessages() {
    let members =
      #"{"viewer":"E","url":"https://a.example/é?\u00e9","frame":"main","hop":true,"length":12,"formats":["a"]}"#
    let frame = Array(call(.guard(.navigate), #"{"event":\#(members)}"#).utf8)
    var wire = Wire()
    for count in 0..<frame.count {
      guard case .unreadable = wire.decode(Array(frame[..<count])) else {
        Issue.record("taken: \(count) bytes")
        continue
      }
    }
    #expect(wire.decode(frame) == .call(.decide(.navigate)))
  }

  /// A good call with any one byte changed crashes nothing, and is answered in one of the four ways.
  @Test func changedBytesAreSurvived() {
    let members =
      #"{"viewer":"E","url":"https://a.example/","frame":"main","hop":true,"length":12,"formats":["a","b"]}"#
    let frame = Array(call(.guard(.paste), #"{"event":\#(members)}"#).utf8)
    var wire = Wire()
    var taken = 0
    for index in frame.indices {
      for byte in [0x00, 0x20, 0x22, 0x2C, 0x30, 0x5B, 0x5C, 0x5D, 0x65, 0x7B, 0x7D, 0xC3, 0xFF] as [UInt8] {
        var changed = frame
        changed[index] = byte
        if case .call = wire.decode(changed) { taken += 1 }
      }
    }
    #expect(taken > 0 && taken < frame.count * 13 / 2)
  }

  @Test func framesOverTheMaximumAreNotRead() {
    var wire = Wire(maximumLength: RequestDecoderTests.navigate.utf8.count)
    #expect(wire.decode(RequestDecoderTests.navigate) == .call(.decide(.navigate)))
    #expect(wire.decode(RequestDecoderTests.navigate + " ") == .unreadable(.notJSON(.tooLong)))
  }
}
