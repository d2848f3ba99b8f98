import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// The ledger's systems on what an app does with what it shows: PR, NT, SC, FC, SI, CL, US and the rest of CB and DT; each
/// case names its row.
struct ViewingTests {
  @Test(arguments: printing + capturing + notifying + channels + copying + schemes)
  func rows(_ row: DataCase) throws { try row.check() }

  @Test
  func everyRowOfTheSystemsIsHere() {
    let tables = [Self.printing, Self.capturing, Self.notifying, Self.channels, Self.copying, Self.schemes]
    let found = Set(tables.flatMap(\.self).flatMap(\.rows))
    var expected = Set(DataCase.rows("PR", 1...3) + DataCase.rows("SC", 1...6) + DataCase.rows("US", 1...10))
    expected.formUnion(DataCase.rows("NT", 1...3) + DataCase.rows("FC", 1...3) + DataCase.rows("SI", 1...2))
    expected.formUnion(["CL-01", "CB-13", "CB-16", "CB-17", "DT-06", "DT-16"])
    // US-04 works around a list of Apple's.
    expected.remove("US-04")
    #expect(expected.subtracting(found).isEmpty)
  }

  static let printing: [DataCase] = [
    DataCase("PR-01 PR-02 allowed", Answer(.allow, .printAllowed), .data(.print)),
    DataCase(
      "PR-01 PR-02 PR-03 blocked", Answer(.block, .printBlocked), .data(.print),
      policy: { $0.protection.printing = .block }),
    DataCase(
      "PR-01 personal data is free", Answer(.allow, .noManagedIdentity), .data(.print, in: "P"),
      policy: { $0.protection.printing = .block }),
    DataCase(
      "PR-03 into a file is saving as well", Answer(.block, .saveLocationNotListed), .data(.print, path: "/home/a.pdf"),
      policy: { $0.protection.save.allowed = false }),
    DataCase(
      "PR-03 into a file that may be saved", Answer(.allow, .printAllowed), .data(.print, path: "/home/a.pdf"),
      also: { decision, _ in decision.flags[.mustEncrypt] && decision.setOwner != nil && decision.location == .other }),
  ]

  private static let noCapture: @Sendable (inout ExamplePolicy) -> Void = { $0.protection.screenCapture = .block }

  static let capturing: [DataCase] = [
    DataCase("SC-01 allowed", Answer(.allow, .captureAllowed), .data(.capture) { $0.capture = .screenshot }),
    DataCase(
      "SC-01 SC-06 blocked", Answer(.block, .captureBlocked), .data(.capture) { $0.capture = .screenshot },
      policy: noCapture),
    DataCase(
      "SC-05 SC-01 recording and sharing the screen", Answer(.block, .captureBlocked),
      .data(.capture) { $0.capture = .recording }, policy: noCapture),
    DataCase(
      "SC-04 a preview of nobody knows what", Answer(.block, .captureBlocked), .data(.capture), policy: noCapture,
      also: { decision, _ in decision.notes == .unknownCapture }),
    DataCase(
      "SC-02 the app's own image", Answer(.allow, .captureOwnImage), .data(.capture) { $0.capture = .ownImage },
      policy: noCapture),
    DataCase(
      "SC-01 an unmanaged viewer", Answer(.allow, .noManagedIdentity), .data(.capture, in: "P"), policy: noCapture),
    DataCase(
      "SC-03 writing tools", Answer(.allow, .channelAllowed), .data(.exchange) { $0.channel = .writingTools }),
    DataCase(
      "SC-03 no writing tools", Answer(.block, .channelBlocked), .data(.exchange) { $0.channel = .writingTools },
      policy: { $0.protection.writingTools = .block }),
  ]

  static let notifying: [DataCase] = [
    DataCase("NT-01 allowed", Answer(.allow, .notificationAllowed), .data(.notify)),
    DataCase(
      "NT-01 blocked", Answer(.block, .notificationBlocked), .data(.notify),
      policy: { $0.protection.notifications = .block }),
    DataCase(
      "NT-03 NT-02 an app that cannot redact", Answer(.block, .notificationBlocked), .data(.notify),
      policy: { $0.protection.notifications = .blockOrgData },
      also: { decision, _ in decision.notes == .cannotRedact }),
    DataCase(
      "NT-01 of a personal account", Answer(.allow, .unmanaged), .data(.notify),
      policy: { $0.protection.notifications = .block }, state: { try $0.set(Name.home) }),
  ]

  private static func channel(_ channel: Channel, in viewer: String = "D") -> Event {
    .data(.exchange, in: viewer, with: Name.word, as: Name.work) { $0.channel = channel }
  }

  private static let sendAny: @Sendable (inout ExamplePolicy) -> Void = { $0.protection.send = .any }

  private static let guest: @Sendable (inout Example) throws -> Void = {
    try $0.register(ViewerDescription("guest", kind: .ephemeral))
    try $0.tag("guest", .currentIdentity)
  }

  static let channels: [DataCase] = [
    DataCase("DT-06 FC-03 the index, unless all may be sent", Answer(.block, .indexBlocked), .data(.index)),
    DataCase("FC-03 the index", Answer(.allow, .indexAllowed), .data(.index), policy: sendAny),
    DataCase(
      "FC-03 the index is blocked", Answer(.block, .indexBlocked), .data(.index),
      policy: { policy in
        sendAny(&policy)
        policy.protection.indexing = .block
      }),
    DataCase("DT-06 SI-01 assistants, unless all may be sent", Answer(.block, .channelBlocked), channel(.assistant)),
    DataCase("SI-01 assistants", Answer(.allow, .channelAllowed), channel(.assistant), policy: sendAny),
    DataCase("SI-02 automation follows assistants", Answer(.block, .channelBlocked), channel(.automation)),
    DataCase(
      "SI-02 automation of its own", Answer(.allow, .channelAllowed), channel(.automation),
      policy: { $0.protection.automation = .allow }),
    DataCase("DT-16 backup", Answer(.allow, .channelAllowed), channel(.backup)),
    DataCase(
      "DT-16 no backup", Answer(.block, .channelBlocked), channel(.backup), policy: { $0.protection.backup = .block }),
    DataCase("FC-01 contacts", Answer(.allow, .channelAllowed), channel(.contacts)),
    DataCase("FC-02 widgets", Answer(.allow, .channelAllowed), channel(.widgets)),
    DataCase("CB-16 keyboards", Answer(.allow, .channelAllowed), channel(.inputMethod)),
    DataCase(
      "FC-01 no contacts", Answer(.block, .channelBlocked), channel(.contacts),
      policy: { $0.protection.contacts = .block }),
    DataCase(
      "FC-02 no widgets", Answer(.block, .channelBlocked), channel(.widgets), policy: { $0.protection.widgets = .block }
    ),
    DataCase(
      "CB-16 no keyboards", Answer(.block, .channelBlocked), channel(.inputMethod),
      policy: { $0.protection.inputMethods = .block }),
    DataCase(
      "CB-16 of the app's personal viewers too", Answer(.block, .channelBlocked), channel(.inputMethod, in: "P"),
      policy: { $0.protection.inputMethods = .block },
      also: { decision, _ in decision.protection == 0 && decision.identity == .nobody }),
    DataCase(
      "CB-16 not where nobody is managed", Answer(.allow, .unmanaged), channel(.inputMethod),
      policy: { $0.protection.inputMethods = .block }, state: { try $0.set(Name.home) }),
    DataCase(
      "SI-01 a channel that nobody named", Answer(.block, .channelBlocked), channel(.unknown),
      policy: { policy in
        sendAny(&policy)
        policy.protection.widgets = .block
      }, also: { decision, _ in decision.notes == .unknownChannel }),
    DataCase("SI-01 and may do what all may", Answer(.allow, .transferAllowed), channel(.unknown), policy: sendAny),
    DataCase(
      "CL-01 an ephemeral viewer is nobody's", Answer(.allow, .noManagedIdentity), .data(.print, in: "guest"),
      policy: { $0.protection.printing = .block },
      state: guest, also: { decision, _ in decision.policySource == .kind }),
    DataCase(
      "CL-01 the organisation's data is not shared there", Answer(.block, .outgoingRestricted),
      .data(.share, in: "guest", owner: Name.work, with: Name.editor), state: guest),
    DataCase(
      "CL-01 nor pasted", Answer(.block, .orgData),
      .data(.paste, in: "guest") { $0.selection = .clipboard },
      state: { example in
        try guest(&example)
        _ = example.clip(.copy)
      }),
  ]

  private static func copy(_ inspection: Inspection, in viewer: String = "D") -> Event {
    .data(.copy, in: viewer) { $0.inspection = inspection }
  }

  private static let inspected: @Sendable (inout ExamplePolicy) -> Void = { $0.protection.requiresInspection = true }

  static let copying: [DataCase] = [
    DataCase("CB-13 passed", Answer(.allow, .clipRecorded), copy(.passed), policy: inspected),
    DataCase("CB-13 not scanned", Answer(.block, .scanRequired), copy(.none), policy: inspected),
    DataCase("CB-13 refused", Answer(.block, .scanBlocked), copy(.blocked), policy: inspected),
    DataCase("CB-13 too large", Answer(.block, .scanTooLarge), copy(.tooLarge), policy: inspected),
    DataCase("CB-13 offline", Answer(.block, .scanOffline), copy(.offline), policy: inspected),
    DataCase("CB-13 cancelled", Answer(.block, .scanCancelled), copy(.cancelled), policy: inspected),
    DataCase("CB-13 not asked for", Answer(.allow, .clipRecorded), copy(.none)),
    DataCase("CB-13 personal data", Answer(.allow, .noManagedIdentity), copy(.blocked, in: "P"), policy: inspected),
    DataCase(
      "CB-17 an id to wrap the clip in", Answer(.allow, .clipRecorded), copy(.none),
      also: { decision, _ in decision.clip != nil }),
  ]

  private static func open(_ url: String, in viewer: String = "D") -> Event { .data(.openURL, in: viewer, url: url) }

  private static let telephone: @Sendable (inout ExamplePolicy) -> Void = { policy in
    policy.protection.telecommunication = .none
    policy.protection.messaging = .none
  }

  private static let named: @Sendable (inout ExamplePolicy) -> Void = { policy in
    policy.protection.telecommunication = .program(
      Program(desktopID: "com.contoso.Dialer.desktop", template: "contoso-dial:{url}"))
    policy.protection.messaging = .program(Program(command: ["mail", "--to", "{url}"]))
  }

  static let schemes: [DataCase] = [
    DataCase("US-01 a scheme of nobody's", Answer(.block, .handOffBlocked), open("zoommtg:join")),
    DataCase("US-01 send any", Answer(.handOff, .sendAny), open("zoommtg:join"), policy: sendAny),
    DataCase(
      "US-01 send none", Answer(.block, .handOffBlocked), open("skype:x"), policy: { $0.protection.send = .none }),
    DataCase("US-02 US-03 a managed program's", Answer(.handOff, .managedScheme), open("onedrive:x")),
    DataCase("US-05 exempt", Answer(.handOff, .exemptScheme), open("skype:echo123")),
    DataCase("US-06 any dialer", Answer(.handOff, .schemeClassAllowed), open("tel:123")),
    DataCase("US-06 no dialer", Answer(.block, .schemeClassBlocked), open("tel:123"), policy: telephone),
    DataCase(
      "US-06 one dialer", Answer(.handOff, .schemeClassAllowed), open("tel:123"), policy: named,
      also: { decision, example in
        example.state.report(decision, example.snapshot).open
          == OpenOffer(
            target: "schemeHandler", desktopID: "com.contoso.Dialer.desktop", url: "contoso-dial:tel:123")
      }),
    DataCase(
      "US-07 US-08 one messaging app", Answer(.handOff, .schemeClassAllowed), open("mailto:a@b.c"), policy: named,
      also: { decision, example in
        example.state.report(decision, example.snapshot).open
          == OpenOffer(target: "schemeHandler", argv: ["mail", "--to", "mailto:a@b.c"], url: "mailto:a@b.c")
      }),
    DataCase(
      "US-06 one dialer, and any where all may be sent", Answer(.handOff, .sendAny), open("tel:123"),
      policy: { policy in
        named(&policy)
        sendAny(&policy)
      }, also: { decision, _ in decision.target == .schemeHandler }),
    DataCase("US-07 any messages", Answer(.handOff, .schemeClassAllowed), open("sms:123")),
    DataCase(
      "US-07 US-08 no messages", Answer(.block, .schemeClassBlocked), open("mailto:a@b.c?body=x"), policy: telephone),
    DataCase("US-09 a store", Answer(.block, .storeLinkBlocked), open("appstream://org.gnome.Maps")),
    DataCase(
      "US-09 that is exempt", Answer(.handOff, .exemptScheme), open("snap://code"),
      policy: { $0.protection.exemptSchemes = [Array("snap".utf8)] }),
    DataCase(
      "US-10 the sender's account", Answer(.handOff, .exemptScheme), open("skype:x"),
      also: { decision, example in example.state.name(of: decision.identity) == Name.work }),
    DataCase("US-01 in nobody's viewer", Answer(.allow, .noManagedIdentity), open("zoommtg:join", in: "P")),
    DataCase("US-01 handled by the app itself", Answer(.allow, .handledInViewer), open("contoso-portal:x")),
    DataCase("US-01 a web page, in the managed browser", Answer(.redirect, .external), open("https://contoso.com/")),
    DataCase(
      "US-01 a web page, in any browser", Answer(.handOff, .webTransferAny), open("https://news.example/"),
      policy: { $0.protection.webTransfer = .any }),
    DataCase(
      "US-01 no web page", Answer(.block, .externalBlocked), open("https://news.example/"),
      policy: { $0.protection.webTransfer = .block }),
    DataCase("US-01 not against a rule", Answer(.block, .blockedByRule), open("https://evil.example/")),
    DataCase("US-01 no URL", Answer(.block, .invalidURL), open("https://exa mple/")),
    DataCase("US-01 what a page made", Answer(.block, .invalidURL), open("data:text/html,x")),
  ]

  /// NT-02: a program that can show a neutral text does so.
  @Test
  func aProgramThatCanRedactIsToldTo() throws {
    var example = try Example(ExamplePolicy().with { $0.protection.notifications = .blockOrgData })
    let id = try example.state.attach(app: 0, peer: Peer(uid: 1000), features: .redact, example.snapshot)
    try example.set(Name.work, in: id)
    let decision = decide(.data(.notify), of: id, &example.state, under: example.snapshot)
    #expect(Answer(decision) == Answer(.redact, .notificationRedacted))
  }
}
