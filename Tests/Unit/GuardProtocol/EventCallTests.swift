import GuardModel
import GuardProtocol
import Testing

/// What an event holds after reading.
@Suite struct EventCallTests {
  static let everything = #"""
    {"viewer":"E","url":"https://a.example/\u00e9","from":"https://b.example/","frame":"sub","hop":true,"method":"POST",
    "gesture":"no","sameDocument":true,"newWindow":true,"selection":"primary","cut":true,"length":12,
    "formats":["text/html","text/plain;charset=utf-8"],"selfOwned":false,"clip":"clip-000000000000002a-7",
    "proposal":"proposal-000000000000002a-8","display":":0","owner":"work@contoso.com","location":"sharePoint","locationAccount":"","path":"/srv/a/b",
    "inPlace":true,"peer":"org.example.App.desktop","peerAccount":"me@example.org","channel":"assistant",
    "capture":"ownImage","inspection":"passed","action":"a1","deadline":250,
    "label":"57","file":"u:1:0:0.0","origin":"https://o.example/"}
    """#

  @Test func everyMemberArrives() {
    var wire = Wire()
    #expect(wire.decode(.paste, event: EventCallTests.everything) == .call(.decide(.paste)))
    let event = wire.event.event
    #expect(event.kind == .paste)
    #expect(event.string(event.viewer) == "E")
    #expect(event.string(event.url) == "https://a.example/é")
    #expect(event.string(event.from) == "https://b.example/")
    #expect(event.string(event.method) == "POST")
    #expect(event.string(event.display) == ":0")
    #expect(event.string(event.action) == "a1")
    #expect(event.string(event.formats) == "text/html,text/plain;charset=utf-8")
    #expect(event.frame == .sub && event.hop == .yes && event.gesture == .no)
    #expect(event.isSameDocument && event.opensWindow && event.isCut)
    #expect(event.selection == .primary && event.length == 12)
    #expect(event.offersPlainText && event.selfOwned == .no)
    #expect(event.clip == .id(ClipID(epoch: 42, number: 7)))
    #expect(event.proposal == ProposalID(epoch: 42, number: 8))
    #expect(wire.event.deadline == 250)
    #expect(event.string(event.owner) == "work@contoso.com")
    #expect(event.location == .sharePoint && event.isInPlace && event.notes.isEmpty)
    #expect(event.string(event.locationAccount) == "")
    #expect(event.string(event.path) == "/srv/a/b")
    #expect(event.string(event.origin) == "https://o.example/")
    if case .unread(let label) = event.labelOwner, case .unread(let file) = event.keptOwner {
      #expect(event.string(label) == "57" && event.string(file) == "u:1:0:0.0")
    } else {
      Issue.record("label and facts are not there")
    }
    #expect(event.string(event.peer) == "org.example.App.desktop")
    #expect(event.string(event.peerAccount) == "me@example.org")
    #expect(event.channel == .assistant && event.capture == .ownImage && event.inspection == .passed)
  }

  /// No label is so long: nothing of it is kept, and it is no genuine one.
  @Test func aLongLabelIsABrokenOne() {
    var wire = Wire()
    let long = String(repeating: "a", count: 257)
    #expect(wire.decode(.open, event: #"{"label":"\#(long)","file":"\#(long)"}"#) == .call(.decide(.open)))
    #expect(wire.event.event.labelOwner == .unknown && wire.event.event.keptOwner == .unknown)
    #expect(wire.event.event.textCount == 0)
    #expect(wire.decode(.open, event: #"{"label":"","file":null}"#) == .call(.decide(.open)))
    #expect(!wire.event.event.labelOwner.isNone && wire.event.event.keptOwner.isNone)
  }

  /// A place, channel or kind of recording that only a newer app knows is the strictest one, and never an error.
  @Test func wordsOfNewerAppsAreReadStrictly() {
    var wire = Wire()
    let members = #"{"location":"moonBase","channel":"telepathy","capture":"hologram"}"#
    #expect(wire.decode(.save, event: members) == .call(.decide(.save)))
    let event = wire.event.event
    #expect(event.location == .other && event.notes == .unknownLocation)
    #expect(event.channel == .unknown && event.capture == .unknown)
    #expect(wire.decode(.copy, event: #"{"inspection":"hypnosis"}"#) == .refused(.invalidParameter("inspection")))
  }

  /// Nothing of an earlier event is left in the next one.
  @Test func eventsDoNotLeakIntoEachOther() {
    var wire = Wire()
    var decoder = RequestDecoder(serving: .guardSocket)
    var event = EventCall()
    for members in [EventCallTests.everything, "{}"] {
      let frame = Array(call(.guard(.copy), #"{"event":\#(members)}"#).utf8)
      guard case .request(let request) = decoder.decode(frame.span), case .guard(let method) = request.method else {
        Issue.record("not taken")
        return
      }
      #expect((try? request.guardCall(method, event: &event)) == .decide(.copy))
    }
    #expect(wire.decode(.copy, event: "{}") == .call(.decide(.copy)))
    let fresh = wire.event.event
    #expect(event.event.textCount == 0 && event.deadline == nil)
    #expect(event.event.viewer == nil && event.event.url == nil && event.event.formats == nil)
    #expect(event.event.frame == fresh.frame && event.event.hop == fresh.hop && event.event.clip == fresh.clip)
    #expect(event.event.length == nil && event.event.offersPlainText == fresh.offersPlainText && !event.event.isCut)
    #expect(event.event == fresh)
    #expect(event.event.selection == .unknown && event.event.selfOwned == .unknown && event.event.gesture == .unknown)
  }

  @Test(arguments: GuardMethod.allCases.filter { $0.event != nil })
  func methodsAreEvents(_ method: GuardMethod) throws {
    var wire = Wire()
    let kind = try #require(method.event)
    #expect(wire.decode(method, event: "{}") == .call(.decide(kind)))
    #expect(wire.event.event.kind == kind)
    #expect(kind.name.lowercased() == method.rawValue.lowercased())
  }

  @Test func everyKindHasItsMethod() {
    #expect(Set(GuardMethod.allCases.compactMap(\.event)) == Set(EventKind.allCases).subtracting([.unknown]))
  }

  /// Texts are kept as they are: no trimming, no case, no Unicode equivalence; an empty one is not a missing one.
  @Test func textsAreKeptByteForByte() {
    var wire = Wire()
    let members = #"{"viewer":"","url":" HTTP://\u0000A\ud83d\ude00e\u0301 "}"#
    #expect(wire.decode(.navigate, event: members) == .call(.decide(.navigate)))
    let event = wire.event.event
    #expect(event.string(event.viewer) == "")
    #expect(event.string(event.url)?.unicodeScalars.map(\.value) == " HTTP://\0A😀e\u{301} ".unicodeScalars.map(\.value))
  }

  @Test(
    arguments: [
      ("[]", nil, false),
      (#"["text/plain"]"#, "text/plain", true),
      (#"["TEXT/Plain; charset=utf-8"]"#, "TEXT/Plain; charset=utf-8", true),
      (#"["text/plainer","image/png"]"#, "text/plainer,image/png", false),
      (#"["text/plai"]"#, "text/plai", false),
      (#"["","text/plain"]"#, ",text/plain", true),
      (#"["UTF8_STRING"]"#, "UTF8_STRING", false),
    ] as [(String, String?, Bool)])
  func formatsTellOfPlainText(_ formats: String, _ kept: String?, _ offersPlainText: Bool) {
    var wire = Wire()
    #expect(wire.decode(.paste, event: #"{"formats":\#(formats)}"#) == .call(.decide(.paste)))
    let event = wire.event.event
    #expect(event.string(event.formats) == kept)
    #expect(event.offersPlainText == offersPlainText)
  }

  /// The reader of bytes and the model's reader of text agree.
  @Test(arguments: [
    "clip-000000000000002a-7", "clip-000000000000002a-0", "clip-ffffffffffffffff-18446744073709551615",
    "clip-000000000000002a-18446744073709551616", "clip-000000000000002A-7", "clip-000000000000002a-07",
    "clip-000000000000002a-", "clip-000000000000002a", "clip-2a-7", "CLIP-000000000000002a-7", "",
    "clip-000000000000002a-7 ", "clip-000000000000002a--7", "clip-000000000000002a-+7", "clip-+00000000000002a-7",
    "clip-000000000000002g-7", "clip-000000000000002a-99999999999999999999999",
  ])
  func clipIDsAreReadAsTheModelReadsThem(_ text: String) {
    var wire = Wire()
    #expect(wire.decode(.paste, event: #"{"clip":"\#(text)"}"#) == .call(.decide(.paste)))
    #expect(wire.event.event.clip == (ClipID(text).map(ClipClaim.id) ?? .unreadable))
  }

  /// What is no proposal of ours names none: the report then counts as any other.
  @Test(
    arguments: [
      ("proposal-000000000000002a-7", 7), ("proposal-000000000000002a-0", 0), ("clip-000000000000002a-7", nil),
      ("proposal-000000000000002A-7", nil), ("proposal-000000000000002a-07", nil), ("proposal", nil), ("", nil),
      ("proposal-000000000000002a-", nil), ("proposal-2a-7", nil), ("proposal-000000000000002a-7 ", nil),
    ] as [(String, UInt64?)])
  func proposalsAreRead(_ text: String, _ number: UInt64?) {
    var wire = Wire()
    #expect(wire.decode(.clipboardChanged, event: #"{"proposal":"\#(text)"}"#) == .call(.decide(.clipboardChanged)))
    #expect(wire.event.event.proposal == number.map { ProposalID(epoch: 42, number: $0) })
    #expect(ProposalID(text) == wire.event.event.proposal)
  }

  @Test func aMissingClipIsNoClaim() {
    var wire = Wire()
    #expect(wire.decode(.paste, event: #"{"clip":null}"#) == .call(.decide(.paste)))
    #expect(wire.event.event.clip == .none)
  }

  @Test(arguments: ["0", "7", "18446744073709551615"])
  func decisionIDsReadBack(_ text: String) {
    #expect(DecisionID(text)?.text == text)
  }

  @Test(arguments: ["", "00", "042", "-1", "+1", "1 ", "x", "18446744073709551616"])
  func otherTextsAreNoDecisionIDs(_ text: String) {
    #expect(DecisionID(text) == nil)
  }
}
