import GuardModel
import PolicyEngine
import TestSupport
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

  // MARK: Content

  private static let silent = [
    "mailto:a@b", "mailto:", "mailto:a@b?", "mailto:a@b?to=c@d&cc=e@f;bcc=g@h", "MAILTO:a@b?CC=e@f",
    "mailto:a@b?subject",
    "mailto:a@b?subject=&body=", "mailto:a@b,c@d", "sms:+1", "sms:+1,+2", "sms:+1;phone-context=x", "smsto:+1",
    "smsto:+1:",
    "xmpp:a@b?message;type=chat", "im:a@b", "mailto:a@b#",
  ]
  private static let spoken = [
    "mailto:a@b?subject=x", "mailto:a@b?body=x", "mailto:?body=x", "mailto:a@b?cc=c@d&body=x",
    "mailto:a@b?cc=c@d;body=x",
    "mailto:a@b&body=x", "mailto:a@b?SUBJECT=x", "mailto:a@b?%62ody=x", "mailto:a@b?attach=/etc/passwd",
    "mailto:a@b?attachment=x", "mailto:a@b?html-body=x", "mailto:a@b?x-secret=x", "mailto:a@b%0D%0ASubject:x",
    "mailto:a@b?cc=c@d%0abody", "mailto:a@b?cc=c@d?body=x", "mailto:a@b#body=x", "mailto:a@b#?subject=x",
    "sms:+1?body=x",
    "sms:+1;body=x", "sms:+1&body=x", "smsto:+1?body=x", "smsto:+1:x", "SMSTO:+1:x", "xmpp:a@b?message;body=x",
    "xmpp:a@b?message;subject=x", "im:a@b?body=x", "view-source:mailto:a@b?body=x",
  ]

  /// US-08: a message that is written already is shared with the program that opens it; one that only says to whom is not.
  @Test(arguments: [SendLevel.any, .managed, .managedOsSharing, .managedFiltered, .none])
  func whatAMessageSaysIsShared(_ send: SendLevel) throws {
    var example = try Example(ExamplePolicy().with { $0.protection.send = send })
    let allowed = Answer(.handOff, send == .any ? .sendAny : .schemeClassAllowed)
    let refused = Answer(.block, send == .none ? .outgoingDisallowed : .shareBlocked)
    for url in Self.silent {
      #expect(Answer(example.navigate(url)) == allowed, "\(url)")
      #expect(Answer(example.opened(url)) == allowed, "\(url)")
    }
    for url in Self.spoken {
      let answer = send == .any ? allowed : refused
      #expect(Answer(example.navigate(url)) == answer, "\(url)")
      #expect(Answer(example.opened(url)) == answer, "\(url)")
    }
    // A call is none, and what a page makes of itself is not for others.
    #expect(Answer(example.navigate("sip:a@b?subject=x")) == allowed)
  }

  /// US-08: the handler that the policy names may have it where it is managed; so may every handler of a scheme that is
  /// exempt or of managed programs, but where nothing may be sent.
  @Test(
    arguments: [
      ("a listed program", Answer(.handOff, .schemeClassAllowed), Name.word, ""),
      ("an app of the policy", Answer(.handOff, .schemeClassAllowed), Name.notes, ""),
      ("a program of somebody", Answer(.block, .outgoingRestricted), Name.editor, ""),
      ("an exempt scheme", Answer(.handOff, .schemeClassAllowed), Name.editor, "mailto"),
      ("whoever opens it", Answer(.block, .shareBlocked), nil, ""),
      ("whoever opens an exempt scheme", Answer(.handOff, .schemeClassAllowed), nil, "mailto"),
    ] as [(String, Answer, String?, String)])
  func theHandlerIsTheReceiver(_ name: String, _ answer: Answer, _ handler: String?, _ exempt: String) throws {
    for isManagedScheme in [false, true] where !exempt.isEmpty || !isManagedScheme {
      var policy = ExamplePolicy().with {
        $0.protection.managedApps = [Array(Name.word.utf8)]
        $0.protection.messaging = handler.map { .program(Program(desktopID: $0)) } ?? .any
        let lists: WritableKeyPath<Protection, [[UInt8]]> = isManagedScheme ? \.managedSchemes : \.exemptSchemes
        $0.protection[keyPath: lists].append(Array(exempt.utf8))
      }
      var example = try Example(policy)
      #expect(Answer(example.navigate("mailto:a@b?body=x")) == answer)
      #expect(Answer(example.navigate("mailto:a@b")) == Answer(.handOff, .schemeClassAllowed))
      policy.protection.send = .none
      example.reload(policy)
      #expect(Answer(example.navigate("mailto:a@b?body=x")) == Answer(.block, .outgoingDisallowed))
    }
  }

  /// PM-01: of two protections, the handler has to be managed for both, and named by both: to one that names none, nobody
  /// knows who opens the message.
  @Test(
    arguments: [
      (nil, false, Answer(.block, .shareBlocked)), (nil, true, Answer(.block, .shareBlocked)),
      (Name.word, false, Answer(.block, .outgoingRestricted)), (Name.word, true, Answer(.handOff, .schemeClassAllowed)),
    ] as [(String?, Bool, Answer)])
  func bothProtectionsHaveToNameItAndCallItManaged(_ handler: String?, _ isManaged: Bool, _ answer: Answer) throws {
    for isSwapped in [false, true] {
      var example = try Example(
        Self.twoProtections(isSwapped: isSwapped) { second in
          second.messaging = handler.map { .program(Program(desktopID: $0)) } ?? .any
          second.managedApps = isManaged ? [Array(Name.word.utf8)] : []
        })
      let decision = example.navigate("mailto:a@b?body=x")
      #expect(Answer(decision) == answer)
      if answer.outcome == .block { #expect(decision.decider == (isSwapped ? 0 : 1)) }
      let silent = example.navigate("mailto:a@b")
      #expect(Answer(silent) == Answer(.handOff, .schemeClassAllowed))
      #expect(silent.target == .schemeClassProgram(.messaging), "it goes to the program that one of them names")
    }
  }

  /// A protection that only monitors names no program for one that is enforced, and one that is enforced names none for it.
  @Test(arguments: [false, true])
  func whoOnlyMonitorsNamesNoProgramForOthers(_ isSwapped: Bool) throws {
    let apps = [Array(Name.word.utf8)]
    var policy = Self.twoProtections(isSwapped: isSwapped) { $0.managedApps = apps }
    let naming = { (policy: inout ExamplePolicy, change: (inout Protection) -> Void) in
      if isSwapped { change(&policy.otherProtections[0]) } else { change(&policy.protection) }
    }
    naming(&policy) { $0.monitoredUntil = 100 }
    var example = try Example(policy)
    let refused = example.navigate("mailto:a@b?body=x")
    #expect(Answer(refused) == Answer(.block, .shareBlocked) && refused.advice == nil)
    naming(&policy) { $0.monitoredUntil = nil }
    if isSwapped { policy.protection.monitoredUntil = 100 } else { policy.otherProtections[0].monitoredUntil = 100 }
    example.reload(policy)
    let passed = example.navigate("mailto:a@b?body=x")
    #expect(Answer(passed) == Answer(.handOff, .monitored) && passed.target == .schemeClassProgram(.messaging))
    #expect(passed.advice.map { Answer($0.outcome, $0.reason) } == Answer(.block, .shareBlocked))
  }

  /// A policy with one protection that names a managed program, and a second one that restricts as well.
  private static func twoProtections(isSwapped: Bool, _ change: (inout Protection) -> Void) -> ExamplePolicy {
    ExamplePolicy().with {
      $0.protection.managedApps = [Array(Name.word.utf8)]
      $0.protection.messaging = .program(Program(desktopID: Name.word))
      var second = Protection(name: "second")
      (second.accountPatterns, second.send) = ($0.protection.accountPatterns, .managed)
      change(&second)
      if isSwapped { swap(&$0.protection, &second) }
      $0.otherProtections = [second]
    }
  }

  @Test
  func theFreeAreNotAsked() throws {
    var example = try Example(as: "private@home.example")
    #expect(Answer(example.navigate("tel:1")) == Answer(.allow, .unmanaged))
    #expect(Answer(example.navigate("mailto:a@b?body=x")) == Answer(.allow, .unmanaged))
  }
}

extension Example {
  /// The app itself opens a URL.
  fileprivate mutating func opened(_ url: String) -> Decision {
    decide(.data(.openURL, url: url), of: portal, &state, under: snapshot)
  }
}
