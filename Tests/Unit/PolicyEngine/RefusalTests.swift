import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// Every reason for which a call is refused; what is refused changes nothing.
struct StateErrorTests {
  @Test
  func whatIsNotThereIsNamed() throws {
    var example = try Example()
    #expect(throws: Refusal.unknownClass("nonsense")) {
      try example.register(ViewerDescription("V", class: "nonsense"))
    }
    #expect(throws: Refusal.unknownParent("nobody")) { try example.register(ViewerDescription("V", parent: "nobody")) }
    #expect(throws: Refusal.unknownParent("V")) { try example.register(ViewerDescription("V", parent: "V")) }
    #expect(throws: Refusal.unknownOpener("nobody")) { try example.register(ViewerDescription("V", opener: "nobody")) }
    #expect(throws: Refusal.unknownViewer("V")) { try example.tag("V", .unmanaged) }
    #expect(throws: Refusal.unknownViewer("V")) { try example.setRules("everything", "V") }
    #expect(throws: Refusal.unknownViewer("V")) { try example.setDocument("https://contoso.com/", "V") }
    #expect(throws: Refusal.unknownViewer("V")) {
      try example.state.forget(viewer: "V", in: example.portal, example.snapshot)
    }
    #expect(throws: Refusal.unknownRuleSet("nonsense")) { try example.setRules("nonsense", "C") }
    #expect(throws: Refusal.unknownAccount("who@else.example")) { try example.set("who@else.example") }
    #expect(example.state.instance(example.portal)?.viewers.count == 3)
  }

  @Test
  func whatTheConfigurationStatesIsFixed() throws {
    var example = try Example()
    for policy in [WebViewPolicy.unset, .unmanaged] {
      #expect(throws: Refusal.policyLocked(viewer: "D", policy: .currentIdentity)) { try example.tag("D", policy) }
    }
    #expect(throws: Refusal.policyLocked(viewer: "P", policy: .unmanaged)) {
      try example.tag("P", .currentIdentityBlockUpload)
    }
    try example.tag("D", .currentIdentity)
    try example.tag("D", .currentIdentityBlockUpload)
    #expect(throws: Refusal.policyLocked(viewer: "D", ruleSet: "contoso-documents")) {
      try example.setRules("everything", "D")
    }
    #expect(throws: Refusal.policyLocked(viewer: "D", ruleSet: "contoso-documents")) {
      try example.setRules(nil, "D")
    }
    try example.setRules("contoso-documents", "D")
    #expect(throws: Refusal.classLocked(viewer: "D")) { try example.register(ViewerDescription("D", class: "public")) }
    try example.register(ViewerDescription("D", class: "documents"))
  }

  /// WV-27: the tag and the rule set come with the registration, and what is refused changes nothing.
  @Test
  func aRegistrationMayBringItsTagAndItsRules() throws {
    var example = try Example()
    #expect(throws: Refusal.policyLocked(viewer: "D", policy: .currentIdentity)) {
      try example.register(ViewerDescription("D", window: "w", policy: .unmanaged))
    }
    #expect(throws: Refusal.policyLocked(viewer: "D", ruleSet: "contoso-documents")) {
      try example.register(ViewerDescription("D", policy: .currentIdentityBlockUpload, ruleSet: "everything"))
    }
    #expect(throws: Refusal.unknownRuleSet("nonsense")) {
      try example.register(ViewerDescription("C", policy: .currentIdentityBlockUpload, ruleSet: "nonsense"))
    }
    #expect(throws: Refusal.rulesOnContainer(viewer: "box")) {
      try example.register(ViewerDescription("box", kind: .container, ruleSet: "everything"))
    }
    for viewer in ["D", "C"] {
      #expect(example.state.resolution(of: viewer, in: example.portal, example.snapshot)?.policy == .currentIdentity)
    }
    try example.register(ViewerDescription("C", policy: .currentIdentityBlockUpload, ruleSet: "contoso-documents"))
    #expect(Answer(example.navigate("https://news.example/", in: "C")) == Answer(.redirect, .external))
    // The rules that come along judge the document that comes along.
    #expect(throws: Refusal.documentIsExternal(viewer: "new")) {
      try example.register(ViewerDescription("new", document: "https://evil.example/", ruleSet: "contoso-documents"))
    }
    try example.register(ViewerDescription("C", window: "w"))
    let resolved = example.state.resolution(of: "C", in: example.portal, example.snapshot)
    #expect(resolved?.policy == .currentIdentityBlockUpload && resolved?.rules == .ruleSet(0))
  }

  @Test
  func rulesBelongOnViewers() throws {
    var example = try Example()
    for kind in [ViewerKind.container, .window] {
      try example.register(ViewerDescription(kind.rawValue, kind: kind))
      #expect(throws: Refusal.rulesOnContainer(viewer: kind.rawValue)) {
        try example.setRules("everything", kind.rawValue)
      }
      #expect(throws: Refusal.rulesOnContainer(viewer: "X")) {
        try example.register(ViewerDescription("X", class: "documents", kind: kind))
      }
      #expect(throws: Refusal.rulesOnContainer(viewer: "D")) {
        try example.register(ViewerDescription("D", kind: kind))
      }
    }
    try example.setRules("everything", "C")
    #expect(throws: Refusal.rulesOnContainer(viewer: "C")) {
      try example.register(ViewerDescription("C", kind: .container))
    }
  }

  @Test
  func whatIsNoURLIsNoDocument() throws {
    let same = Rule(id: "same", verdict: .external, condition: .same(.document), then: .block)
    var example = try Example(ExamplePolicy().with { $0.rules = [same] })
    try example.setDocument("https://a.example/", "D")
    #expect(throws: Refusal.invalidDocument) { try example.setDocument("not a url", "D") }
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
    #expect(throws: Refusal.identityModeSingle) { try example.set("work@contoso.com", window: "w") }
    #expect(throws: Refusal.identityModeSingle) {
      try example.state.requireMultiMode(example.portal, example.snapshot)
    }
    try example.set("")
  }

  @Test
  func aFixedAccountIsFixed() throws {
    var example = try Example(ExamplePolicy().with { $0.app.account = "6D5C" })
    #expect(throws: Refusal.accountLocked("6D5C")) { try example.set("") }
    #expect(throws: Refusal.accountLocked("6D5C")) { try example.set("private@home.example") }
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
    #expect(throws: Refusal.limitReached(.windows, maximum: 1)) { try example.set("", window: "two") }
    try example.set("work@contoso.com", window: "one")
    try example.set(nil, window: "one")
    try example.set("", window: "two")
    try example.set("private@home.example")
    try example.set("second@contoso.com")
    #expect(throws: Refusal.limitReached(.accounts, maximum: 1)) { try example.set("third@contoso.com") }
    try example.set("SECOND@contoso.com")
    try example.set("6d5c")
    #expect(throws: Refusal.limitReached(.instances, maximum: 1)) { try example.attach("com.contoso.notes", as: "") }
    _ = try example.attach("com.contoso.notes", uid: 1001, as: "")
    for call in [
      ViewerDescription(""), ViewerDescription("1234567890"), ViewerDescription("x", class: "1234567890"),
      ViewerDescription("x", window: ""),
    ] {
      #expect(throws: Refusal.limitReached(.nameBytes, maximum: 9)) { try example.register(call) }
    }
    #expect(throws: Refusal.limitReached(.nameBytes, maximum: 9)) { try example.set("", window: "") }
  }

  /// Names of accounts that the policy does not know leave no trace, however many are tried.
  @Test
  func unknownAccountsTakeNoRoom() throws {
    var limits = StateLimits()
    limits.accountsPerUser = 1
    var example = try Example(limits: limits)
    for number in 0..<10 {
      #expect(throws: Refusal.unknownAccount("\(number)@else.example")) { try example.set("\(number)@else.example") }
    }
    try example.set("second@contoso.com")
  }

  @Test
  func anEndedInstanceTakesNoCalls() throws {
    var example = try Example()
    example.state.end(example.portal)
    #expect(throws: Refusal.noApp) { try example.register(ViewerDescription("V")) }
    #expect(throws: Refusal.noApp) { try example.set("work@contoso.com") }
    #expect(throws: Refusal.noApp) { try example.state.requireMultiMode(example.portal, example.snapshot) }
    #expect(throws: Refusal.unknownViewer("D")) { try example.tag("D", .unmanaged) }
  }
}
