import GuardModel
import PolicyEngine
import Testing
import URLRules

/// The ledger's systems on places, SL and OL; each case names its row.
struct LocationTests {
  @Test(arguments: saving + opening + files)
  func rows(_ row: DataCase) throws { try row.check() }

  @Test
  func everyRowOfTheSystemsIsHere() {
    let found = Set([Self.saving, Self.opening, Self.files].flatMap(\.self).flatMap(\.rows))
    var expected = Set(DataCase.rows("SL", 1...17) + DataCase.rows("OL", 1...8))
    expected.insert("DT-17")
    // SL-14 and SL-17 are the matrix below, SL-16 is in `UserTextTests`.
    expected.subtract(["SL-14", "SL-16", "SL-17"])
    #expect(expected.subtracting(found).isEmpty)
  }

  private static let blockedSave: @Sendable (inout ExamplePolicy) -> Void = { policy in
    policy.protection.save = LocationSettings(
      allowed: false, exceptions: LocationSet([.oneDriveForBusiness, .localStorage, .photoLibrary]))
  }

  static let saving: [DataCase] = [
    DataCase(
      "SL-01 in place nothing moves", Answer(.allow, .inPlace),
      .data(.save, at: .oneDriveForBusiness, of: Name.work) { $0.isInPlace = true },
      policy: { $0.protection.save.allowed = false }),
    DataCase(
      "SL-12 SL-01 allowed", Answer(.allow, .transferAllowed), .data(.save, at: .oneDriveForBusiness, of: Name.work)),
    DataCase(
      "SL-13 listed", Answer(.allow, .locationAllowed), .data(.save, at: .oneDriveForBusiness, of: Name.work),
      policy: blockedSave),
    DataCase(
      "SL-13 not listed, though the account is the owner's", Answer(.block, .saveLocationNotListed),
      .data(.save, at: .box, of: Name.work), policy: blockedSave),
    DataCase(
      "SL-13 default none", Answer(.block, .saveLocationNotListed), .data(.save, at: .sharePoint, of: Name.work),
      policy: { $0.protection.save.allowed = false }),
    DataCase(
      "SL-02 data that is nobody's may be kept out of a managed place", Answer(.block, .incomingRestricted),
      .data(.save, owner: Name.home, at: .accountDocument, of: Name.work)),
    DataCase(
      "SL-02 a managed place of another account", Answer(.block, .wrongAccount),
      .data(.save, at: .sharePoint, of: Name.second)),
    DataCase(
      "SL-03 an owner without identity", Answer(.allow, .noManagedIdentity), .data(.save, owner: "", at: .other),
      policy: { $0.protection.save.allowed = false }),
    DataCase(
      "SL-03 SL-04 no account is nobody's place", Answer(.allow, .transferAllowed), .data(.save, at: .localStorage),
      policy: { $0.protection.receive = .none }, also: { decision, _ in decision.notes == .localWithoutAccount }),
    DataCase(
      "SL-04 with the account it is a managed place", Answer(.block, .incomingDisallowed),
      .data(.save, at: .localStorage, of: Name.work), policy: { $0.protection.receive = .none }),
    DataCase(
      "SL-05 what is not a place to save to is other", Answer(.block, .saveLocationNotListed),
      .data(.save, at: .camera), policy: blockedSave,
      also: { decision, _ in decision.location == .other && decision.notes == .otherLocation }),
    DataCase(
      "SL-06 without its account SharePoint is nobody's", Answer(.allow, .unmanaged),
      .data(.save, owner: Name.home, at: .sharePoint), policy: { $0.protection.receive = .none }),
    DataCase(
      "SL-07 the app's own storage", Answer(.allow, .locationAllowed), .data(.save, at: .localStorage, of: Name.work),
      policy: blockedSave),
    DataCase(
      "SL-07 a path that leaves it is other", Answer(.block, .saveLocationNotListed),
      .data(.save, at: .localStorage, of: Name.work, path: "/app/data/../../home/ada/x"), policy: blockedSave,
      also: { decision, _ in decision.location == .other && decision.notes == .unreadablePath }),
    DataCase(
      "SL-08 pictures belong to no account", Answer(.allow, .locationAllowed),
      .data(.save, at: .photoLibrary, of: Name.second), policy: blockedSave,
      also: { decision, _ in decision.notes == .accountIgnored }),
    DataCase(
      "SL-09 an unlisted place of the organisation", Answer(.allow, .transferAllowed),
      .data(.save, at: .accountDocument, of: Name.work)),
    DataCase(
      "SL-09 SL-13 cannot be excepted", Answer(.block, .saveLocationNotListed),
      .data(.save, at: .accountDocument, of: Name.work),
      policy: { $0.protection.save = LocationSettings(allowed: false, exceptions: LocationSet(Location.allCases)) }),
    DataCase(
      "SL-10 nobody said where", Answer(.block, .saveLocationNotListed), .data(.save), policy: blockedSave,
      also: { decision, _ in decision.location == .other }),
    DataCase(
      "SL-11 the same name at a foreign service is other", Answer(.block, .saveLocationNotListed),
      .data(.save, at: .other, of: Name.work), policy: blockedSave),
    DataCase(
      "SL-11 an account nobody knows", Answer(.block, .unknownAccount),
      .data(.save, at: .dropbox, of: "work@dropbox.example"),
      also: { decision, _ in decision.notes == .unknownLocationAccount }),
    DataCase(
      "SL-12 send any forces allow", Answer(.allow, .transferAllowed), .data(.save),
      policy: {
        $0.protection.save.allowed = false; $0.protection.send = .any
      }),
    DataCase(
      "SL-12 send none forces block without exceptions", Answer(.block, .outgoingDisallowed),
      .data(.save, at: .oneDriveForBusiness, of: Name.work),
      policy: {
        blockedSave(&$0); $0.protection.send = .none
      }),
    DataCase(
      "SL-15 the owner stays, and the file is encrypted", Answer(.allow, .transferAllowed), .data(.save),
      also: { decision, example in
        decision.flags[.mustEncrypt] && decision.setOwner.map { example.state.accounts.displayName($0) } == Name.work
      }),
    DataCase(
      "SL-15 not what is nobody's", Answer(.allow, .unmanaged), .data(.save, owner: Name.home),
      also: { decision, _ in !decision.flags[.mustEncrypt] && decision.setOwner == nil }),
  ]

  private static let blockedOpen: @Sendable (inout ExamplePolicy) -> Void = { $0.protection.open.allowed = false }

  static let opening: [DataCase] = [
    DataCase(
      "OL-01 in place nothing moves", Answer(.allow, .inPlace), .data(.open, at: .box) { $0.isInPlace = true },
      policy: blockedOpen),
    DataCase(
      "OL-01 OL-07 allowed", Answer(.allow, .transferAllowed), .data(.open, at: .oneDriveForBusiness, of: Name.work)),
    DataCase(
      "OL-02 the owner of the data is asked", Answer(.block, .wrongAccount),
      .data(.open, at: .oneDriveForBusiness, of: Name.second)),
    DataCase(
      "OL-02 even into nobody's viewer", Answer(.block, .outgoingRestricted),
      .data(.open, in: "P", at: .oneDriveForBusiness, of: Name.work)),
    DataCase(
      "OL-03 what is not a place to open from is other", Answer(.block, .openLocationNotListed),
      .data(.open, at: .dropbox), policy: blockedOpen,
      also: { decision, _ in decision.location == .other && decision.notes == .otherLocation }),
    DataCase(
      "OL-04 the camera belongs to no account", Answer(.allow, .locationAllowed),
      .data(.open, at: .camera, of: Name.second), policy: blockedOpen,
      also: { decision, _ in decision.notes == .accountIgnored }),
    DataCase(
      "OL-04 nor do pictures", Answer(.allow, .locationAllowed), .data(.open, at: .photoLibrary), policy: blockedOpen),
    DataCase(
      "OL-05 the app's own storage", Answer(.block, .openLocationNotListed),
      .data(.open, at: .localStorage, of: Name.work), policy: blockedOpen),
    DataCase(
      "OL-05 where it is excepted", Answer(.allow, .locationAllowed), .data(.open, at: .localStorage, of: Name.work),
      policy: { $0.protection.open = LocationSettings(allowed: false, exceptions: LocationSet([.localStorage])) }),
    DataCase(
      "OL-06 an unlisted place of the organisation", Answer(.block, .openLocationNotListed),
      .data(.open, at: .accountDocument, of: Name.work),
      policy: { $0.protection.open = LocationSettings(allowed: false, exceptions: LocationSet(Location.allCases)) }),
    DataCase(
      "OL-07 receive any forces allow", Answer(.allow, .transferAllowed), .data(.open),
      policy: {
        blockedOpen(&$0); $0.protection.receive = .any
      }),
    DataCase(
      "OL-07 so does tagging, which tags", Answer(.allow, .transferAllowed), .data(.open),
      policy: {
        blockedOpen(&$0); $0.protection.receive = .anyTagOrg
      }, also: { decision, _ in decision.tagAs != nil }),
    DataCase(
      "OL-07 receive none forces block without exceptions", Answer(.block, .incomingDisallowed),
      .data(.open, at: .camera), policy: { $0.protection.receive = .none }),
    DataCase(
      "OL-08 four services are listed from the start", Answer(.allow, .locationAllowed),
      .data(.open, at: .sharePoint, of: Name.work), policy: blockedOpen),
    DataCase(
      "OL-08 none selected", Answer(.block, .openLocationNotListed), .data(.open, at: .sharePoint, of: Name.work),
      policy: { $0.protection.open = LocationSettings(allowed: false) }),
  ]

  static let files: [DataCase] = [
    DataCase(
      "DT-17 DT-18 send none stops downloads", Answer(.block, .downloadBlocked),
      .data(.download, url: "https://contoso.com/a.pdf"), policy: { $0.protection.send = .none }),
    DataCase(
      "SL-01 a download is a save", Answer(.block, .saveLocationNotListed),
      .data(.download, url: "https://contoso.com/a.pdf"), policy: blockedSave),
    DataCase(
      "SL-01 into a listed place", Answer(.allow, .locationAllowed),
      .data(.download, at: .localStorage, of: Name.work, url: "https://contoso.com/a.pdf"), policy: blockedSave,
      also: { decision, _ in decision.flags[.mustEncrypt] && decision.verdict == .external }),
    DataCase(
      "DT-17 a rule stops it", Answer(.block, .blockedByRule), .data(.download, url: "https://evil.example/a"),
      policy: { $0.rules[1].purposes = .download }),
    DataCase("DT-17 not without a URL where there are rules", Answer(.block, .invalidURL), .data(.download)),
    DataCase(
      "DT-17 receive none stops uploads", Answer(.block, .incomingDisallowed),
      .data(.upload, url: "https://contoso.com/"), policy: { $0.protection.receive = .none }),
    DataCase(
      "OL-01 an upload opens the file", Answer(.block, .openLocationNotListed),
      .data(.upload, url: "https://contoso.com/"), policy: blockedOpen),
    DataCase(
      "DT-17 a file of the account to the organisation", Answer(.allow, .transferAllowed),
      .data(.upload, owner: Name.work, url: "https://contoso.com/"), policy: { $0.rules[0].purposes = .upload }),
    DataCase(
      "DT-17 and not to anybody else", Answer(.block, .outgoingRestricted),
      .data(.upload, owner: Name.work, url: "https://news.example/")),
    DataCase(
      "DT-17 a personal file may go there", Answer(.allow, .transferAllowed),
      .data(.upload, owner: Name.home, url: "https://news.example/")),
    DataCase(
      "DT-17 a rule stops it", Answer(.block, .blockedByRule), .data(.upload, url: "https://evil.example/a"),
      policy: { $0.rules[1].purposes = .upload }),
    DataCase(
      "DT-17 a viewer that takes no uploads", Answer(.block, .uploadBlockedViewer),
      .data(.upload, url: "https://contoso.com/"), state: { try $0.tag("D", .currentIdentityBlockUpload) }),
    DataCase(
      "WV-05 nor files from a place", Answer(.block, .uploadBlockedViewer),
      .data(.open, at: .sharePoint, of: Name.work),
      state: { try $0.tag("D", .currentIdentityBlockUpload) }),
    DataCase(
      "WV-05 in place nothing comes in", Answer(.allow, .inPlace), .data(.open, at: .box) { $0.isInPlace = true },
      state: { try $0.tag("D", .currentIdentityBlockUpload) }),
    DataCase(
      "WV-05 nor what another program sends", Answer(.block, .uploadBlockedViewer),
      .data(.receive, with: Name.notes, as: Name.work), state: { try $0.tag("D", .currentIdentityBlockUpload) }),
    DataCase(
      "WV-05 a viewer that nobody registered", Answer(.block, .uploadBlockedViewer),
      .data(.receive, in: "who knows", with: Name.notes, as: Name.work)),
    DataCase(
      "WV-05 what leaves it is judged as ever", Answer(.allow, .transferAllowed),
      .data(.save, at: .sharePoint, of: Name.work), state: { try $0.tag("D", .currentIdentityBlockUpload) }),
    DataCase(
      "WV-05 nobody's viewer takes everything of nobody's", Answer(.allow, .noManagedIdentity),
      .data(.open, at: .other),
      state: {
        try $0.tag("D", .currentIdentityBlockUpload)
        try $0.set("")
      }),
    DataCase(
      "DT-17 the data of an account in nobody's viewer", Answer(.block, .outgoingRestricted),
      .data(.upload, in: "P", owner: Name.work, url: "https://contoso.com/")),
    DataCase(
      "DT-12 a personal file in nobody's viewer", Answer(.allow, .noManagedIdentity),
      .data(.upload, in: "P", owner: Name.home, url: "https://evil.example/")),
  ]

  /// SL-14, OL-09: the matrix is the single calls. SL-17: and nothing remains of it.
  @Test(arguments: [EventKind.save, .open], [SendLevel.any, .none, .managed])
  func theMatrixIsTheSingleCalls(_ kind: EventKind, _ send: SendLevel) throws {
    var policy = ExamplePolicy()
    policy.protection.send = send
    policy.protection.receive = .managed
    Self.blockedSave(&policy)
    Self.blockedOpen(&policy)
    var example = try Example(policy)
    let event = Event.data(kind, of: Name.work)
    let matrix = decideLocations(event, of: example.portal, &example.state, under: example.snapshot)
    let singles = Location.allCases.map { location in
      let event = Event.data(kind, at: location, of: Name.work)
      return decide(event, of: example.portal, &example.state, under: example.snapshot)
    }
    #expect(matrix == singles)
    #expect(matrix.count == Location.allCases.count)
  }

  /// SL-05, OL-03: the places by name, one list for both directions. Some are for one direction only, and `other` in the
  /// other one.
  @Test(arguments: [(EventKind.save, ["dropbox", "googleDrive"]), (.open, ["camera"])])
  func thePlacesAreThoseOfTheSDK(_ kind: EventKind, _ ownPlaces: [String]) throws {
    let shared = [
      "other", "oneDriveForBusiness", "sharePoint", "box", "iManage", "egnyte", "accountDocument", "localStorage",
      "photoLibrary",
    ]
    var example = try Example()
    let judged = Location.allCases.map { location in
      decide(.data(kind, at: location), of: example.portal, &example.state, under: example.snapshot).location?.name
        ?? ""
    }
    #expect(Set(judged) == Set(shared + ownPlaces))
  }

  /// Paths that mean one file only, and those that do not.
  @Test(arguments: [
    ("/home/ada/a.txt", true), ("/", true), ("/a/", true), ("/a/b.c..d/...x", true), ("/ä", true), ("", false),
    ("a", false), ("./a", false), ("/a/../b", false), ("/..", false), ("/a/./b", false), ("/a/.", false),
    ("//a", false), ("/a//b", false), ("/a\n", false), ("/a\u{0}b", false), ("/a\u{7f}", false),
  ])
  func pathsAreReadAsText(_ path: String, _ isPlain: Bool) throws {
    var example = try Example()
    let event = Event.data(.save, at: .localStorage, path: path)
    let decision = decide(event, of: example.portal, &example.state, under: example.snapshot)
    #expect(decision.notes.contains(.unreadablePath) == !isPlain)
    #expect(decision.location == (isPlain ? .localStorage : .other))
  }
}
