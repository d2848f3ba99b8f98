import GuardModel
import GuardProtocol
import Testing

/// Every error that the code can make is in its file, with these parameters; every error of the files can be made.
@Suite struct ErrorTests {
  static let serviceErrors: [ServiceError] = [
    .interfaceNotFound("a.b"), .methodNotFound("a.b.C"), .methodNotImplemented("a.b.C"), .invalidParameter("x"),
    .permissionDenied, .expectedMore,
  ]

  static let guardErrors: [Refusal] = [
    .noApp, .appAmbiguous(["a", "b"]), .appMismatch("a"), .notAttached, .alreadyAttached, .unknownInstance,
    .unknownViewer("E"), .unknownClass("c"), .unknownParent("p"), .unknownOpener("o"), .unknownWindow("w"),
    .unknownRuleSet("r"), .unknownAccount("a"),
    .policyLocked(viewer: "E", policy: .currentIdentity, ruleSet: "r"), .classLocked(viewer: "E"),
    .rulesOnContainer(viewer: "E"), .documentIsExternal(viewer: "E"), .invalidDocument, .identityModeSingle,
    .viewerCycle(viewer: "E"), .limitReached(.viewers, maximum: 1000), .noPolicy, .accountLocked("a"),
    .secondManagedAccount("a"), .unknownRequest("r"), .requestIsOver("r"), .unknownDecision("1"), .logUnavailable,
    .stateUnavailable, .notManaged("a"), .keyWithheld(account: "a", reason: .accountBlocked), .unknownKey("0a"),
    .keyDestroyed("0a"), .keysUnavailable, .ownerStays("a"),
  ]

  static let rulesErrors: [RulesError] = [.unknownRuleSet("r"), .unknownDecision("1"), .noPolicy]
  static let adminErrors: [AdminError] = [
    .loadFailed(["a.yaml:1:1: error: x [y]"]), .exceptionRefused(.publicSuffix, "anybody can register a name below it"),
    .unknownException("k7m2q9xw"), .exceptionNotKept("k7m2q9xw", cause: "disk full"),
    .accountRefused(.unknownApp, "the policy has no such app"), .tooManyChanges(.full, maximum: 2), .rolledBack("ab"),
    .unknownPolicy("ab"), .nothingToRollBackTo,
  ]

  @Test func errorsAreThoseOfTheFiles() throws {
    try check(ErrorTests.serviceErrors, .service)
    try check(ErrorTests.guardErrors, .guard)
    try check(ErrorTests.rulesErrors, .rules)
    try check(ErrorTests.adminErrors, .admin)
  }

  private func check(_ errors: [some CallError], _ interface: Interface) throws {
    let file = try interfaceFile(interface)
    let known = file.members(.error)
    #expect(errors.map { "\($0.qualifiedName)" } == known.map { "\(interface.rawValue).\($0.name)" })
    for (error, member) in zip(errors, known) {
      let judgement = try file.judge(written { $0.answer(error) }, member.input)
      #expect(judgement.error == "\(interface.rawValue).\(member.name)")
      #expect(judgement.complaints == [], "\(member.name)")
      #expect(judgement.keys == member.input.fields.map(\.name), "\(member.name)")
    }
  }

  @Test func whatTheConfigurationDoesNotStateIsLeftOut() throws {
    let frame = written { $0.answer(Refusal.policyLocked(viewer: "E", policy: nil, ruleSet: nil)) }
    #expect(frame == #"{"error":"org.webviewguard.Guard.PolicyLocked","parameters":{"viewer":"E"}}"#)
  }

  @Test(arguments: Limit.allCases)
  func everyLimitConforms(_ limit: Limit) throws {
    let file = try interfaceFile(.guard)
    let type = file.members(.error).first { $0.name == "LimitReached" }?.input
    let frame = written { $0.answer(Refusal.limitReached(limit, maximum: 1)) }
    #expect(try file.judge(frame, type).complaints == [])
  }
}
