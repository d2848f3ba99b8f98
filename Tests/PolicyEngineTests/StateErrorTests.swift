import GuardModel
import PolicyEngine
import Testing
import URLRules

/// Every reason for which a call is refused; what is refused changes nothing.
struct StateErrorTests {
  @Test
  func whatIsNotThereIsNamed() throws {
    var example = try Example()
    #expect(throws: StateError.unknownClass("nonsense")) { try example.register(ViewerCall("V", class: "nonsense")) }
    #expect(throws: StateError.unknownParent("nobody")) { try example.register(ViewerCall("V", parent: "nobody")) }
    #expect(throws: StateError.unknownParent("V")) { try example.register(ViewerCall("V", parent: "V")) }
    #expect(throws: StateError.unknownOpener("nobody")) { try example.register(ViewerCall("V", opener: "nobody")) }
    #expect(throws: StateError.unknownViewer("V")) { try example.tag("V", .unmanaged) }
    #expect(throws: StateError.unknownViewer("V")) { try example.setRules("everything", "V") }
    #expect(throws: StateError.unknownViewer("V")) { try example.setDocument("https://contoso.com/", "V") }
    #expect(throws: StateError.unknownViewer("V")) {
      try example.state.forget(viewer: "V", in: example.portal, example.snapshot)
    }
    #expect(throws: StateError.unknownRuleSet("nonsense")) { try example.setRules("nonsense", "C") }
    #expect(throws: StateError.unknownAccount("who@else.example")) { try example.set("who@else.example") }
    #expect(example.state.instance(example.portal)?.viewers.count == 3)
  }

  @Test
  func whatTheConfigurationStatesIsFixed() throws {
    var example = try Example()
    for policy in [WebViewPolicy.unset, .unmanaged] {
      #expect(throws: StateError.policyLocked(viewer: "D", policy: .currentIdentity)) { try example.tag("D", policy) }
    }
    #expect(throws: StateError.policyLocked(viewer: "P", policy: .unmanaged)) {
      try example.tag("P", .currentIdentityBlockUpload)
    }
    try example.tag("D", .currentIdentity)
    try example.tag("D", .currentIdentityBlockUpload)
    #expect(throws: StateError.rulesLocked(viewer: "D", ruleSet: "contoso-documents")) {
      try example.setRules("everything", "D")
    }
    #expect(throws: StateError.rulesLocked(viewer: "D", ruleSet: "contoso-documents")) {
      try example.setRules(nil, "D")
    }
    try example.setRules("contoso-documents", "D")
    #expect(throws: StateError.classLocked(viewer: "D")) { try example.register(ViewerCall("D", class: "public")) }
    try example.register(ViewerCall("D", class: "documents"))
  }

  /// WV-27: the tag and the rule set come with the registration, and what is refused changes nothing.
  @Test
  func aRegistrationMayBringItsTagAndItsRules() throws {
    var example = try Example()
    #expect(throws: StateError.policyLocked(viewer: "D", policy: .currentIdentity)) {
      try example.register(ViewerCall("D", window: "w", policy: .unmanaged))
    }
    #expect(throws: StateError.rulesLocked(viewer: "D", ruleSet: "contoso-documents")) {
      try example.register(ViewerCall("D", policy: .currentIdentityBlockUpload, ruleSet: "everything"))
    }
    #expect(throws: StateError.unknownRuleSet("nonsense")) {
      try example.register(ViewerCall("C", policy: .currentIdentityBlockUpload, ruleSet: "nonsense"))
    }
    #expect(throws: StateError.rulesOnContainer("box")) {
      try example.register(ViewerCall("box", kind: .container, ruleSet: "everything"))
    }
    for viewer in ["D", "C"] {
      #expect(example.state.resolution(of: viewer, in: example.portal, example.snapshot)?.policy == .currentIdentity)
    }
    try example.register(ViewerCall("C", policy: .currentIdentityBlockUpload, ruleSet: "contoso-documents"))
    #expect(Answer(example.navigate("https://news.example/", in: "C")) == Answer(.redirect, .external))
    // The rules that come along judge the document that comes along.
    #expect(throws: StateError.documentIsExternal("new")) {
      try example.register(ViewerCall("new", document: "https://evil.example/", ruleSet: "contoso-documents"))
    }
    try example.register(ViewerCall("C", window: "w"))
    let resolved = example.state.resolution(of: "C", in: example.portal, example.snapshot)
    #expect(resolved?.policy == .currentIdentityBlockUpload && resolved?.rules == .ruleSet(0))
  }

  @Test
  func rulesBelongOnViewers() throws {
    var example = try Example()
    for kind in [ViewerKind.container, .window] {
      try example.register(ViewerCall(kind.rawValue, kind: kind))
      #expect(throws: StateError.rulesOnContainer(kind.rawValue)) { try example.setRules("everything", kind.rawValue) }
      #expect(throws: StateError.rulesOnContainer("X")) {
        try example.register(ViewerCall("X", class: "documents", kind: kind))
      }
      #expect(throws: StateError.rulesOnContainer("D")) { try example.register(ViewerCall("D", kind: kind)) }
    }
    try example.setRules("everything", "C")
    #expect(throws: StateError.rulesOnContainer("C")) { try example.register(ViewerCall("C", kind: .container)) }
  }

  @Test
  func whatIsNoURLIsNoDocument() throws {
    let same = Rule(id: "same", verdict: .external, condition: .same(.document), then: .block)
    var example = try Example(ExamplePolicy().with { $0.rules = [same] })
    try example.setDocument("https://a.example/", "D")
    #expect(throws: StateError.invalidDocument) { try example.setDocument("not a url", "D") }
    #expect(Answer(example.navigate("https://b.example/")) == Answer(.redirect, .external))
    // Unknown documents match the external rule.
    for unknown in [nil, "about:blank", "data:,x", "https://user@a.example/"] {
      try example.setDocument("https://a.example/", "D")
      try example.setDocument(unknown, "D")
      #expect(Answer(example.navigate("https://c.example/")) == Answer(.block, .blockedByRule))
    }
  }

  @Test
  func inSingleModeOnlyTheProcessHasAnIdentity() throws {
    var example = try Example(ExamplePolicy().with { $0.app.identityMode = .single })
    #expect(throws: StateError.identityModeSingle) { try example.set("work@contoso.com", window: "w") }
    #expect(throws: StateError.identityModeSingle) {
      try example.state.requireMultiMode(example.portal, example.snapshot)
    }
    try example.set("")
  }

  @Test
  func aFixedAccountIsFixed() throws {
    var example = try Example(ExamplePolicy().with { $0.app.account = "6D5C" })
    #expect(throws: StateError.accountLocked("6D5C")) { try example.set("") }
    #expect(throws: StateError.accountLocked("6D5C")) { try example.set("private@home.example") }
    try example.set("work@contoso.com")
  }

  @Test
  func capsRefuseTheNew() throws {
    var limits = StateLimits()
    limits.windowsPerInstance = 1
    limits.accountsPerUser = 1
    limits.instancesPerUser = 1
    limits.nameBytes = 9
    var example = try Example(limits: limits)
    try example.set("", window: "one")
    #expect(throws: StateError.limitReached(.windows, maximum: 1)) { try example.set("", window: "two") }
    try example.set("work@contoso.com", window: "one")
    try example.set(nil, window: "one")
    try example.set("", window: "two")
    try example.set("private@home.example")
    try example.set("second@contoso.com")
    #expect(throws: StateError.limitReached(.accounts, maximum: 1)) { try example.set("third@contoso.com") }
    try example.set("SECOND@contoso.com")
    try example.set("6d5c")
    #expect(throws: StateError.limitReached(.instances, maximum: 1)) { try example.attach("com.contoso.notes", as: "") }
    _ = try example.attach("com.contoso.notes", uid: 1001, as: "")
    for call in [
      ViewerCall(""), ViewerCall("1234567890"), ViewerCall("x", class: "1234567890"), ViewerCall("x", window: ""),
    ] {
      #expect(throws: StateError.limitReached(.nameBytes, maximum: 9)) { try example.register(call) }
    }
    #expect(throws: StateError.limitReached(.nameBytes, maximum: 9)) { try example.set("", window: "") }
  }

  /// Names of accounts that the policy does not know leave no trace, however many are tried.
  @Test
  func unknownAccountsTakeNoRoom() throws {
    var limits = StateLimits()
    limits.accountsPerUser = 1
    var example = try Example(limits: limits)
    for number in 0..<10 {
      #expect(throws: StateError.unknownAccount("\(number)@else.example")) { try example.set("\(number)@else.example") }
    }
    try example.set("second@contoso.com")
  }

  @Test
  func anEndedInstanceTakesNoCalls() throws {
    var example = try Example()
    example.state.end(example.portal)
    #expect(throws: StateError.unknownApp) { try example.register(ViewerCall("V")) }
    #expect(throws: StateError.unknownApp) { try example.set("work@contoso.com") }
    #expect(throws: StateError.unknownApp) { try example.state.requireMultiMode(example.portal, example.snapshot) }
    #expect(throws: StateError.unknownViewer("D")) { try example.tag("D", .unmanaged) }
  }
}
