import GuardModel
import PolicyEngine
import Testing

/// Views for signing in, where the policy leaves them unprotected: ledger SE-03, HS-02, HS-03.
struct AuthViewerTests {
  private func example(_ change: (inout ExamplePolicy) -> Void = { _ in }) throws -> Example {
    var policy = ExamplePolicy()
    policy.app.authViewersUnprotected = true
    change(&policy)
    return try Example(policy)
  }

  private func decision(_ kind: EventKind, in viewer: String, _ example: inout Example) -> Decision {
    decide(
      .data(kind, in: viewer, url: "https://news.example/"), of: example.portal, &example.state, under: example.snapshot
    )
  }

  /// HS-02: nothing is asked there, and every record says so.
  @Test(arguments: [EventKind.navigate, .copy, .save, .print, .share, .openURL, .download])
  func aViewForSigningInIsNobodys(_ kind: EventKind) throws {
    var example = try example()
    try example.register(ViewerDescription("A", kind: .auth))
    let decision = decision(kind, in: "A", &example)
    #expect(Answer(decision) == Answer(.allow, .noManagedIdentity))
    #expect(decision.policySource == .kind && decision.notes.contains(.unprotectedViewer))
    #expect(example.state.report(decision, example.snapshot).notes.words.last == "unprotectedViewer")
  }

  /// Without the key, and for what is only near such a view, nothing changes.
  @Test
  func theKeyIsForThoseViewsAlone() throws {
    var plain = try example { $0.app.authViewersUnprotected = false }
    try plain.register(ViewerDescription("A", kind: .auth))
    #expect(decision(.print, in: "A", &plain).identity != .nobody)

    var example = try example { $0.protection.printing = .block }
    try example.register(ViewerDescription("A", kind: .auth))
    try example.register(ViewerDescription("inside", parent: "A", kind: .embedded))
    try example.register(ViewerDescription("popup", opener: "A", kind: .popup))
    for viewer in ["inside", "popup", "D", "never registered"] {
      let decision = decision(.print, in: viewer, &example)
      #expect(Answer(decision) == Answer(.block, .printBlocked), "\(viewer)")
      #expect(decision.notes.isEmpty)
    }
  }

  /// What is stated on the view itself stands: by its class, or by the app.
  @Test
  func whatIsStatedStands() throws {
    var example = try example { $0.protection.printing = .block }
    try example.register(ViewerDescription("classed", class: "documents", kind: .auth))
    try example.register(ViewerDescription("tagged", kind: .auth))
    try example.tag("tagged", .currentIdentityBlockUpload)
    for viewer in ["classed", "tagged"] {
      let decision = decision(.print, in: viewer, &example)
      #expect(Answer(decision) == Answer(.block, .printBlocked) && decision.notes.isEmpty, "\(viewer)")
    }
  }

  /// HS-02: the organisation's data may not be pasted there all the same; the owner's settings stop it.
  @Test
  func managedDataIsNotPastedThere() throws {
    var example = try example()
    try example.register(ViewerDescription("A", kind: .auth))
    _ = example.clip(.copy, length: 5)
    let pasted = example.clip(.paste, in: "A", length: 5)
    #expect(Answer(pasted) == Answer(.block, .orgData) && pasted.notes.contains(.unprotectedViewer))
  }
}
