import GuardModel
import PolicyEngine
import Testing

/// Ledger E.4: may a URL of another scheme leave?
struct SchemeHandOffTests {
  @Test(arguments: [
    (SendLevel.any, "tel:1", Answer(.handOff, .sendAny)), (.any, "unheard-of:x", Answer(.handOff, .sendAny)),
    (.none, "unheard-of:x", Answer(.block, .handOffBlocked)), (.none, "skype:x", Answer(.block, .handOffBlocked)),
    (.none, "onedrive:x", Answer(.block, .handOffBlocked)), (.none, "tel:1", Answer(.handOff, .schemeClassAllowed)),
    (.managed, "skype:x", Answer(.handOff, .exemptScheme)),
    (.managed, "onedrive://x", Answer(.handOff, .managedScheme)),
    (.managed, "unheard-of:x", Answer(.block, .handOffBlocked)),
    (.managed, "ftp://x.example/", Answer(.block, .handOffBlocked)),
    (.managed, "about:config", Answer(.block, .handOffBlocked)), (.managed, "SKYPE:x", Answer(.handOff, .exemptScheme)),
    (.managedOsSharing, "skype:x", Answer(.handOff, .exemptScheme)),
    (.managedFiltered, "onedrive:x", Answer(.handOff, .managedScheme)),
    (.managed, "view-source:skype:x", Answer(.handOff, .exemptScheme)),
  ])
  func theSendLevelAndItsListsDecide(_ send: SendLevel, _ url: String, _ answer: Answer) throws {
    var example = try Example(ExamplePolicy().with { $0.protection.send = send })
    let decision = example.navigate(url)
    #expect(Answer(decision) == answer)
    #expect(decision.target == (answer.outcome == .handOff ? .schemeHandler : .none))
  }

  @Test(arguments: [
    ("tel:1", true), ("telprompt:1", true), ("callto:x", true), ("sip:a@b", true), ("sips:a@b", true), ("sms:1", false),
    ("smsto:1", false), ("mailto:a@b", false), ("xmpp:a@b", false), ("im:a", false),
  ])
  func callsAndMessagesHaveTheirOwnSetting(_ url: String, _ isCall: Bool) throws {
    let dialer = Program(desktopID: "org.gnome.Calls.desktop", template: "calls:{url}")
    for setting in [SchemeClassSetting.any, .none, .program(dialer)] {
      var example = try Example(
        ExamplePolicy().with {
          $0.protection.telecommunication = isCall ? setting : .any
          $0.protection.messaging = isCall ? .any : setting
          $0.protection.exemptSchemes = [Array(url.utf8.prefix { $0 != UInt8(ascii: ":") })]
        })
      let expected = setting == .none ? Answer(.block, .schemeClassBlocked) : Answer(.handOff, .schemeClassAllowed)
      let decision = example.navigate(url)
      #expect(Answer(decision) == expected)
      let offer = example.state.report(decision, example.snapshot).open
      switch setting {
      case .none: #expect(offer == nil)
      case .any: #expect(offer == OpenOffer(target: "schemeHandler", url: url))
      case .program:
        let named = OpenOffer(target: "schemeHandler", desktopID: "org.gnome.Calls.desktop", url: "calls:\(url)")
        #expect(offer == named)
      }
    }
  }

  @Test
  func theFreeAreNotAsked() throws {
    var example = try Example(as: "private@home.example")
    #expect(Answer(example.navigate("tel:1")) == Answer(.allow, .unmanaged))
  }
}
