import GuardModel
import PolicyEngine
import Testing

/// What is asked before something is shown: probes for menus, choosers for dialogues, and the program's own fields around
/// a page. Ledger DT-14, DT-15, PR-02, SC-04, SC-06, CB-14.
struct HintTests {
  private func answer(_ event: Event, _ example: inout Example) -> Decision {
    decide(event, of: example.portal, &example.state, under: example.snapshot)
  }

  // MARK: Choosers

  /// DT-14: the programs may be shown unless nothing may be sent; also where none of them may have the data. Without the
  /// word that it is a chooser, a program that nobody names is a stranger.
  @Test(arguments: [
    (SendLevel.any, Answer(.allow, .transferAllowed)), (.managed, Answer(.allow, .transferAllowed)),
    (.managedOsSharing, Answer(.allow, .transferAllowed)), (.managedFiltered, Answer(.allow, .transferAllowed)),
    (.none, Answer(.block, .outgoingDisallowed)),
  ])
  func theProgramsMayBeShown(_ send: SendLevel, _ answer: Answer) throws {
    for apps in [[], [Array(Name.word.utf8)]] {
      var example = try Example(
        ExamplePolicy().with { ($0.protection.send, $0.protection.managedApps) = (send, apps) })
      let decision = self.answer(.data(.share) { $0.isChooser = true }, &example)
      #expect(Answer(decision) == answer && decision.notes == [])
      let programs = example.state.report(decision, example.snapshot, for: example.portal).programs
      let managed = ["com.contoso.portal", Name.notes, "com.contoso.browser"] + (apps.isEmpty ? [] : [Name.word])
      #expect(programs == (send.isManaged ? managed : nil))
      let unnamed: Answer = send.isManaged ? Answer(.block, .shareBlocked) : answer
      #expect(Answer(self.answer(.data(.share), &example)) == unnamed)
      // Who is chosen is asked about as ever.
      let stranger = self.answer(.data(.share, with: Name.editor) { $0.isChooser = true }, &example)
      #expect(Answer(stranger) == (send.isManaged ? Answer(.block, .outgoingRestricted) : answer))
    }
  }

  /// Each program of the list may have the data of the account, and no other that the policy knows.
  @Test
  func theListIsWhatSharingAllows() throws {
    var second = Protection(name: "second")
    (second.accountPatterns, second.send) = ([Name.work], .managedFiltered)
    second.managedApps = [Name.word, "only-second.desktop"].map { Array($0.utf8) }
    let policy = ExamplePolicy().with {
      $0.protection.managedApps = [Name.word, "only-first.desktop"].map { Array($0.utf8) }
      $0.otherProtections = [second]
    }
    var example = try Example(policy)
    let decision = answer(.data(.share) { $0.isChooser = true }, &example)
    let programs = try #require(example.state.report(decision, example.snapshot, for: example.portal).programs)
    for program in programs + ["only-first.desktop", "only-second.desktop", Name.editor] {
      let asked = answer(.data(.share, with: program, as: Name.work), &example)
      #expect((asked.outcome == .allow) == programs.contains(program), "\(program)")
    }
  }

  /// The data that a program names decides, and two owners agree on nothing.
  @Test
  func whoseDataIsChosenFor() throws {
    var example = try Example(
      ExamplePolicy().with { $0.otherAccounts.append(AccountEntry(upn: Name.second, objectID: nil)) })
    func asked(_ owner: String?, in viewer: String = "D") -> Answer {
      Answer(answer(.data(.share, in: viewer, owner: owner) { $0.isChooser = true }, &example))
    }
    #expect(asked(Name.home) == Answer(.allow, .unmanaged))
    #expect(asked("") == Answer(.allow, .noManagedIdentity))
    #expect(asked("who@else.example") == Answer(.block, .unknownAccount))
    #expect(asked(Name.second) == Answer(.block, .wrongAccount))
    #expect(asked(nil, in: "P") == Answer(.allow, .noManagedIdentity))
    #expect(asked(Name.work, in: "P") == Answer(.allow, .transferAllowed))
  }

  /// DT-15: a dialogue may be shown where some place could be chosen in it: to save in (export, move) and to open from
  /// (import, open).
  @Test(arguments: [
    (LocationSettings(), Answer(.allow, .transferAllowed)),
    (LocationSettings(allowed: false, exceptions: LocationSet([.box])), Answer(.allow, .locationAllowed)),
    (LocationSettings(allowed: false), Answer(.block, .openLocationNotListed)),
  ])
  func theDialogueMayBeShownWhereAPlaceIs(_ settings: LocationSettings, _ opening: Answer) throws {
    let policy = ExamplePolicy().with {
      ($0.protection.save, $0.protection.open, $0.protection.receive) = (settings, settings, .managed)
    }
    var example = try Example(policy)
    let saving = opening.outcome == .block ? Answer(.block, .saveLocationNotListed) : opening
    for (kind, expected) in [(EventKind.open, opening), (.save, saving)] {
      let event = Event.data(kind) { $0.isChooser = true }
      #expect(Answer(answer(event, &example)) == expected)
      let isSomePlaceAllowed = Location.allCases.contains { location in
        answer(.data(kind, at: location), &example).outcome == .allow
      }
      #expect(isSomePlaceAllowed == (expected.outcome == .allow))
      #expect(answer(.data(kind, in: "P") { $0.isChooser = true }, &example).outcome == .allow)
    }
    example.reload(policy.with { ($0.protection.send, $0.protection.receive) = (.none, .none) })
    #expect(Answer(answer(.data(.save) { $0.isChooser = true }, &example)) == Answer(.block, .outgoingDisallowed))
    #expect(Answer(answer(.data(.open) { $0.isChooser = true }, &example)) == Answer(.block, .incomingDisallowed))
  }

  // MARK: Probes

  /// PR-02, SC-06: the answer is that of the event, and nothing comes of it, however often it is asked.
  @Test(arguments: Situation.dataPaths)
  func aProbeIsAnsweredAsTheEvent(_ situation: Situation) throws {
    var policy = ExamplePolicy()
    situation.policy(&policy)
    var example = try Example(policy, features: situation.features)
    try situation.state(&example)
    var plain = example
    var event = situation.event
    event.isProbe = true
    for _ in 0..<3 { #expect(Answer(answer(event, &example)) == situation.answer) }
    #expect(Answer(answer(situation.event, &plain)) == situation.answer)
  }

  /// A copy that is only thought of is no copy, and a page that is only asked about is not shown.
  @Test
  func nothingComesOfAProbe() throws {
    var example = try Example(features: [.wrap])
    _ = example.clip(.clipboardChanged, length: 3) { $0.selfOwned = .no }
    #expect(Answer(example.clip(.copy, length: 9) { $0.isProbe = true }) == Answer(.allow, .clipRecorded))
    #expect(Answer(example.clip(.paste, in: "P", length: 3)) == Answer(.allow, .noManagedIdentity))
    _ = example.navigate("https://news.example/") { $0.isProbe = true }
    #expect(throws: Never.self) { try example.setDocument("https://news.example/", "D") }
    #expect(!example.state.hasOpenSwitches(of: example.portal))
  }

  /// DT-10: a probe asks nobody to switch.
  @Test
  func aProbeAsksForNoSwitch() throws {
    var example = try Example(
      ExamplePolicy().with { $0.protection.receive = .managed }, features: [.switchIdentity])
    try example.register(ViewerDescription("W", class: "company", window: "w"))
    try example.set(Name.work, window: "w")
    var event = Event.data(.receive, in: "W", with: Name.editor) { $0.isProbe = true }
    let probed = answer(event, &example)
    #expect(Answer(probed) == Answer(.switchIdentity, .identitySwitchNeeded) && probed.switchRequest == nil)
    #expect(!example.state.hasOpenSwitches(of: example.portal))
    event.isProbe = false
    #expect(answer(event, &example).switchRequest != nil)
    #expect(example.state.hasOpenSwitches(of: example.portal))
  }

  // MARK: Previews

  /// SC-04: where pictures are blocked, or nothing passes, previews show nothing; of nobody's data they do.
  @Test
  func previewsAreBlurredWherePicturesAreBlocked() throws {
    for kind in [EventKind.capture, .notify] {
      var example = try Example(ExamplePolicy().with { $0.protection.screenCapture = .block })
      #expect(answer(.data(kind) { $0.capture = .screenshot }, &example).flags[.blurPreview])
      #expect(answer(.data(kind) { $0.capture = .ownImage }, &example).flags[.blurPreview])
      #expect(!answer(.data(kind, in: "P"), &example).flags[.blurPreview])
      try example.set(Name.home)
      #expect(!answer(.data(kind), &example).flags[.blurPreview])
      var free = try Example()
      #expect(!answer(.data(kind), &free).flags[.blurPreview])
      var blocked = try Example(ExamplePolicy().with { $0.work.state = .blocked })
      #expect(answer(.data(kind), &blocked).flags[.blurPreview])
    }
  }

  // MARK: The program's own fields

  /// CB-14: what restricts a page does not restrict the address bar; what leaves its owner is judged as ever.
  @Test
  func theProgramsOwnFieldsAreNoPage() throws {
    let policy = ExamplePolicy().with { $0.protection.clipboard.level = .blocked }
    var example = try Example(policy, features: [.wrap])
    let notes = try example.attach(Name.notes, as: Name.work)
    // Data from outside may be pasted there, also where the page takes none.
    _ = example.clip(.clipboardChanged, length: 3) { $0.selfOwned = .no }
    #expect(Answer(example.clip(.paste, length: 3)) == Answer(.block, .incomingRestricted))
    #expect(Answer(example.clip(.paste, length: 3) { $0.surface = .chrome }) == Answer(.allow, .clipboardAllowed))
    try example.tag("D", .currentIdentityBlockUpload)
    #expect(Answer(example.clip(.paste, length: 3)) == Answer(.block, .uploadBlockedViewer))
    #expect(Answer(example.clip(.paste, length: 3) { $0.surface = .chrome }) == Answer(.allow, .clipboardAllowed))
    // The organisation's data stays in the app that it was copied in.
    _ = example.clip(.copy, in: "V", of: notes, length: 9)
    #expect(example.clip(.paste, length: 9) { $0.surface = .chrome }.outcome == .block)
    #expect(example.clip(.paste, in: "P", length: 9) { $0.surface = .chrome }.outcome == .block)
  }
}

extension GuardState {
  fileprivate func hasOpenSwitches(of id: InstanceID) -> Bool { !openRequests(of: id, at: 0).isEmpty }
}
