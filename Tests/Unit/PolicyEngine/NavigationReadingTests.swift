import GuardModel
import PolicyEngine
import Testing
import URLRules

/// The amendments' navigation, steps 6 and 7: what the URL is, and what becomes of it without asking rules.
struct NavigationReadingTests {
  // MARK: 6. Reading

  @Test(arguments: [
    nil, "", "contoso.com", "https://exa mple.com/",
    "view-source:view-source:view-source:view-source:view-source:https://contoso.com/",
  ])
  func whatIsNoURLIsBlocked(_ url: String?) throws {
    var example = try Example()
    #expect(Answer(example.navigate(url)) == Answer(.block, .invalidURL))
  }

  @Test(arguments: ["javascript:void(0)", "JAVASCRIPT:x", "view-source:javascript:1"])
  func scriptsMoveNoDocument(_ url: String) throws {
    var example = try Example()
    #expect(Answer(example.navigate(url)) == Answer(.allow, .sameDocument))
  }

  @Test(
    arguments: [
      ("https://news.example/#b", "https://news.example/#a", Answer(.allow, .sameDocument)),
      ("https://news.example/other", "https://news.example./a", Answer(.allow, .sameDocument)),
      ("https://news.example/", nil, Answer(.redirect, .external)),
      ("https://news.example/", "https://contoso.com/", Answer(.redirect, .external)),
      ("https://news.example:8443/", "https://news.example/", Answer(.redirect, .external)),
      ("http://news.example/", "https://news.example/", Answer(.redirect, .external)),
      ("file:///etc/passwd", "file:///home/x", Answer(.redirect, .external)),
      ("skype:a", "skype:b", Answer(.handOff, .exemptScheme)),
      ("data:,a", "data:,a", Answer(.redirect, .external)),
      ("about:blank", "https://news.example/", Answer(.redirect, .external)),
    ] as [(String, String?, Answer)])
  func theEnginesWordForAMoveHoldsWithinAnOrigin(_ url: String, _ from: String?, _ answer: Answer) throws {
    var example = try Example()
    #expect(Answer(example.navigate(url, from: from) { $0.isSameDocument = true }) == answer)
  }

  @Test
  func theSameURLWithoutTheEnginesWordIsNoMove() throws {
    var example = try Example()
    #expect(
      Answer(example.navigate("https://news.example/#b", from: "https://news.example/#a"))
        == Answer(.redirect, .external))
  }

  @Test(arguments: ["about:blank", "about:srcdoc", "data:text/html,x", "blob:null/7", "view-source:about:blank"])
  func whatAPageMadeIsJudgedAsThatPage(_ url: String) throws {
    var example = try Example()
    #expect(Answer(example.navigate(url, from: "https://docs.contoso.com/")) == Answer(.allow, .internal))
    #expect(Answer(example.navigate(url, from: "https://cloud.evil.example/")) == Answer(.block, .blockedByRule))
    #expect(Answer(example.navigate(url, from: "https://user@contoso.com/")) == Answer(.redirect, .external))
    for unknown in [nil, "data:,x", "not a url", "about:blank"] {
      #expect(Answer(example.navigate(url, from: unknown)) == Answer(.redirect, .external))
    }
    #expect(Answer(example.navigate(url, in: "C")) == Answer(.allow, .noRules))
  }

  @Test(arguments: [
    "view-source:https://contoso.com/", "blob:https://contoso.com/1", "filesystem:https://contoso.com/temporary/",
    "wss://contoso.com/",
    "ws://mail.contoso.com./",
  ])
  func wrappedURLsAreJudgedAsTheOneInside(_ url: String) throws {
    var example = try Example()
    #expect(Answer(example.navigate(url)) == Answer(.allow, .internal))
    let other = url.replacing("contoso.com", with: "news.example")
    #expect(Answer(example.navigate(other)) == Answer(.redirect, .external))
  }

  // MARK: 7. Schemes

  /// HS-01: they are no hand-off to another program, whatever `send` says.
  @Test(arguments: [SendLevel.any, .none, .managed])
  func theAppsOwnSchemesLoadInPlace(_ send: SendLevel) throws {
    var example = try Example(ExamplePolicy().with { $0.protection.send = send })
    #expect(Answer(example.navigate("contoso-portal://app/x")) == Answer(.allow, .handledInViewer))
    #expect(Answer(example.navigate("CONTOSO-PORTAL:x", frame: .sub)) == Answer(.allow, .handledInViewer))
  }

  /// HS-03: the sign-in comes back to the app by such a scheme, from a page of whoever signs in; without it the way back
  /// is a hand-off.
  @Test
  func aSignInComesBackByTheAppsOwnScheme() throws {
    let back = "msauth.com.contoso.portal://auth?code=x"
    let hop: (inout Event) -> Void = { $0.hop = .yes }
    var example = try Example()
    let lost = example.navigate(back, from: "https://login.example/", with: hop)
    #expect(Answer(lost) == Answer(.block, .handOffBlocked))
    example.reload(ExamplePolicy().with { $0.app.handledSchemes.append(Array("msauth.com.contoso.portal".utf8)) })
    #expect(
      Answer(example.navigate(back, from: "https://login.example/", with: hop)) == Answer(.allow, .handledInViewer))
  }

  @Test
  func filesAreExternalUnlessARuleSaysOtherwise() throws {
    var example = try Example()
    #expect(Answer(example.navigate("file:///d/42")) == Answer(.redirect, .external))
    #expect(Answer(example.navigate("file:///d/42", in: "C")) == Answer(.redirect, .external))
    #expect(example.navigate("file:///d/42", in: "C").ruleSet == nil)
    let files = Rule(id: "files", verdict: .internal, condition: .scheme(Array("file".utf8)))
    var lenient = try Example(ExamplePolicy().with { $0.rules.append(files) })
    #expect(Answer(lenient.navigate("file:///d/42")) == Answer(.allow, .internal))
  }

  /// DT-17: a local page is nobody's data that comes in, so `receive` decides; a page made by one is one.
  @Test(arguments: [
    (ReceiveLevel.none, Answer(.block, .incomingDisallowed)), (.managed, Answer(.block, .incomingRestricted)),
    (.any, Answer(.allow, .externalInPlace)), (.anyTagOrg, Answer(.allow, .externalInPlace)),
  ])
  func localPagesAreReceivedFromNobody(_ receive: ReceiveLevel, _ answer: Answer) throws {
    let policy = ExamplePolicy().with { ($0.protection.receive, $0.protection.webTransfer) = (receive, .any) }
    var example = try Example(policy)
    for viewer in ["D", "C"] {
      #expect(Answer(example.navigate("file:///d/42", in: viewer)) == answer)
      #expect(Answer(example.navigate("view-source:file:///d/42", in: viewer)) == answer)
    }
    #expect(Answer(example.navigate("about:blank", in: "D", from: "file:///d/42")) == answer)
    #expect(Answer(example.navigate("file:///d/42", in: "P")) == Answer(.allow, .noManagedIdentity))
    #expect(Answer(example.navigate("https://news.example/")) == Answer(.allow, .externalInPlace), "no local page")
    var blocking = try Example(policy.with { $0.protection.webTransfer = .block })
    let isRefused = answer.outcome == .block
    #expect(Answer(blocking.navigate("file:///d/42")) == (isRefused ? answer : Answer(.block, .externalBlocked)))
    let files = Condition.scheme(Array("file".utf8))
    var lenient = try Example(policy.with { $0.rules.append(Rule(id: "ours", verdict: .internal, condition: files)) })
    #expect(Answer(lenient.navigate("file:///d/42")) == Answer(.allow, .internal))
    let never = Rule(id: "never", verdict: .external, condition: files, then: .block)
    var strict = try Example(policy.with { $0.rules.append(never) })
    #expect(Answer(strict.navigate("file:///d/42")) == Answer(.block, .blockedByRule))
  }

  // MARK: Sub-frames

  @Test
  func subFramesAreAskedWhereTheClassSaysSo() throws {
    var example = try Example()
    #expect(Answer(example.navigate("https://cloud.evil.example/", frame: .sub)) == Answer(.allow, .subFrame))
    #expect(Answer(example.navigate("not a url", frame: .sub)) == Answer(.block, .invalidURL))
    #expect(Answer(example.navigate("tel:1", frame: .sub)) == Answer(.block, .schemeClassAllowed))
    #expect(
      Answer(example.navigate("https://news.example/", in: "unheard-of", frame: .sub)) == Answer(.block, .external))
    let frames = ExamplePolicy().with {
      $0.app.classes[0].subFrames = true
      $0.rules[0].purposes = [.page, .frame]
    }
    var asked = try Example(frames)
    #expect(Answer(asked.navigate("https://contoso.com/", frame: .sub)) == Answer(.allow, .internal))
    #expect(Answer(asked.navigate("https://news.example/", frame: .sub)) == Answer(.block, .external))
  }

  // MARK: Unread

  @Test
  func aStepThatEndsBeforeTheURLLeavesItUnread() throws {
    var example = try Example()
    _ = example.navigate("https://contoso.com/", from: "https://www.contoso.com/")
    #expect(example.state.readURLs.url != nil && example.state.readURLs.from != nil)
    _ = example.navigate("https://contoso.com/", in: "P", from: "https://www.contoso.com/")
    #expect(example.state.readURLs == (nil, nil, isInvalid: false))
    _ = example.navigate("not a url")
    #expect(example.state.readURLs == (nil, nil, isInvalid: true))
    _ = example.clip(.copy)
    #expect(!example.state.readURLs.isInvalid)
  }
}
