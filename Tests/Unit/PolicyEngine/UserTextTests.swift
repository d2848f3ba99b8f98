import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLStandard
import URLRules

/// What people are told, in which language: ledger SL-16, CB-08, NT-02, DT-20.
struct UserTextTests {
  private static let german = "Drucken ist in {app} nicht erlaubt."

  private static func texts() throws -> UserTexts {
    var texts = UserTexts()
    texts.standard = LanguageTexts(
      replacement: "not in {app}", reasons: [.printBlocked: "no printing", .captureBlocked: "no pictures"])
    texts.localized[try #require(LanguageTag("de"))] = LanguageTexts(
      replacement: "nicht in {app}", notification: "Neue Nachricht", reasons: [.printBlocked: german])
    texts.localized[try #require(LanguageTag("de-AT"))] = LanguageTexts(reasons: [.captureBlocked: "Heast, na."])
    texts.localized[try #require(LanguageTag("fr"))] = LanguageTexts(reasons: [.indexBlocked: "Pas d'index."])
    return texts
  }

  private func report(
    _ event: Event, in languages: [String]?, texts: UserTexts, features: ClientFeatures = [],
    _ change: (inout ExamplePolicy) -> Void = { _ in }
  ) throws -> DecisionReport {
    var policy = ExamplePolicy()
    policy.texts = texts
    policy.protection.printing = .block
    policy.protection.screenCapture = .block
    policy.protection.notifications = .blockOrgData
    change(&policy)
    var example = try Example(policy)
    let id = try example.state.attach(app: 0, peer: Peer(uid: 1000), features: features, example.snapshot)
    try example.set(Name.work, in: id)
    for (viewer, name) in [("D", "documents"), ("P", "public")] {
      try example.state.register(ViewerDescription(viewer, class: name), in: id, example.snapshot)
    }
    if let languages { example.state.setLanguages(languages, of: id) }
    let decision = decide(event, of: id, &example.state, under: example.snapshot)
    return example.state.report(decision, example.snapshot, for: id)
  }

  /// SL-16: each text for itself goes from the language to the wider one, to the next language, to `default`, to English.
  @Test(arguments: [
    (EventKind.print, ["de-AT"], "Drucken ist in com.contoso.portal nicht erlaubt."),
    (.print, ["DE"], "Drucken ist in com.contoso.portal nicht erlaubt."), (.print, ["fr", "de"], german),
    (.capture, ["de-AT"], "Heast, na."), (.capture, ["de-CH"], "no pictures"), (.capture, [], "no pictures"),
    (.capture, ["fr", "de-AT", "de"], "Heast, na."), (.index, ["fr-CA"], "Pas d'index."),
    (.index, ["de"], "Your organization's data does not appear in searches."), (.print, ["de_AT", "x"], "no printing"),
  ])
  func theLanguageChoosesTheText(_ kind: EventKind, _ languages: [String], _ text: String) throws {
    let expected = text.replacing("{app}", with: "com.contoso.portal")
    #expect(try report(.data(kind), in: languages, texts: Self.texts()).message == expected)
  }

  /// The program named it and may not show it: the message names it all the same.
  @Test func anAccountThatMayNotBeShownIsNamed() throws {
    var example = try Example(ExamplePolicy().with { $0.work.state = .blocked }, as: nil)
    try example.register(ViewerDescription("W", class: "company", window: "w"))
    try example.set(Name.work)
    let decision = decide(.data(.print), of: example.portal, &example.state, under: example.snapshot)
    let report = example.state.report(decision, example.snapshot, for: example.portal)
    #expect(report.reason == .accountBlocked)
    #expect(report.message == "The account \(Name.work) is blocked here. Ask your help desk.")
  }

  @Test
  func withoutTextsEnglishSpeaks() throws {
    #expect(
      try report(.data(.print), in: ["de"], texts: UserTexts()).message
        == "Your organization does not allow printing here.")
    #expect(try report(.data(.print), in: nil, texts: Self.texts()).message == "no printing")
  }

  /// What happens needs no text; a page that opens elsewhere has one only where the policy states it.
  @Test
  func whatHappensNeedsNoText() throws {
    #expect(try report(.data(.print, in: "P"), in: ["de"], texts: Self.texts()).message == nil)
    let page = Event.data(.openURL, url: "https://contoso.com/")
    #expect(try report(page, in: ["de"], texts: Self.texts()).message == nil)
    var texts = UserTexts()
    texts.standard.reasons[.external] = "{host} opens in the browser of {account}"
    #expect(
      try report(page, in: ["de"], texts: texts).message == "contoso.com opens in the browser of work@contoso.com")
  }

  /// The rule knows best why it is there.
  @Test
  func aRulesOwnMessageGoesFirst() throws {
    var texts = UserTexts()
    texts.standard.reasons[.blockedByRule] = "blocked"
    let event = Event.data(.openURL, url: "https://evil.example/")
    #expect(
      try report(event, in: [], texts: texts).message == "evil.example is a file-sharing site: https://evil.example/")
    let untold = try report(event, in: [], texts: texts) { $0.rules[1].message = nil }
    #expect(untold.message == "blocked")
  }

  /// NT-02: the text without details.
  @Test(arguments: [(["de"], "Neue Nachricht"), (["fr"], "You have a new notification.")])
  func aNotificationHasANeutralText(_ languages: [String], _ text: String) throws {
    let report = try report(.data(.notify), in: languages, texts: Self.texts(), features: .redact)
    #expect(report.outcome == .redact && report.replacement == text && report.message == nil)
  }

  /// CB-08: the protection's own text stands before those that are in no language of the client's.
  @Test(arguments: [
    ("own", ["de"], "nicht in com.contoso.portal"), ("own", ["fr"], "own"), (nil, ["fr"], "not in com.contoso.portal"),
    ("", [], ""),
  ])
  func aRefusedPasteHasItsText(_ own: String?, _ languages: [String], _ text: String) throws {
    let paste = Event.data(.paste, in: "P")
    let report = try report(paste, in: languages, texts: Self.texts()) { $0.protection.clipboard.replacement = own }
    #expect(report.reason == .ownerUnknown)
    // Whose the clip is nobody knows, and so no protection has a text of its own.
    let expected = languages == ["de"] ? "nicht in com.contoso.portal" : "not in com.contoso.portal"
    #expect(report.replacement == expected)
    var example = try Example(
      ExamplePolicy().with {
        $0.texts = (try? Self.texts()) ?? UserTexts()
        $0.protection.clipboard.replacement = own
      })
    example.state.setLanguages(languages, of: example.portal)
    _ = example.clip(.copy, length: 5)
    let refused = example.clip(.paste, in: "P", length: 5)
    #expect(example.state.report(refused, example.snapshot, for: example.portal).replacement == text)
  }

  /// DT-20: what is refused since it is another account's names that account.
  @Test
  func theOwnerIsNamed() throws {
    var texts = UserTexts()
    texts.standard.reasons[.wrongAccount] = "{owner}, not {account}"
    let second: (inout ExamplePolicy) -> Void = {
      $0.otherAccounts.append(AccountEntry(upn: Name.second, objectID: nil))
      $0.protection.receive = .managed
    }
    let received = try report(.data(.receive, owner: Name.second), in: nil, texts: texts, second)
    #expect(received.message == "second@contoso.com, not work@contoso.com")
    let shared = try report(.data(.share, with: Name.notes, as: Name.second), in: nil, texts: texts, second)
    #expect(shared.message == "work@contoso.com, not work@contoso.com")
    // So does the text that is built in.
    let plain = try report(.data(.receive, owner: Name.second), in: nil, texts: UserTexts(), second)
    #expect(plain.message == "This data belongs to another account of your organization: second@contoso.com.")
  }

  @Test(arguments: [
    ("{host}{url}{app}{account}{owner}", "huapo"), ("{organization}{contact}{date}", "CE1"),
    ("{host", "{host"), ("{hosts} {HOST}", "{hosts} {HOST}"),
    ("{{url}}", "{u}"), ("}{", "}{"), ("{", "{"), ("", ""),
  ])
  func placeholdersAreFilledOnce(_ text: String, _ filled: String) {
    var values = TextValues()
    (values.host, values.url, values.app, values.account, values.owner) = ("h", "u", "a", "p", "o")
    (values.organization, values.contact, values.date) = ("C", "E", "1")
    #expect(values.filling(text) == filled)
  }

  /// The attack: a value that says what the sentence around it does not, or that fills the screen.
  @Test
  func valuesStayValues() {
    var values = TextValues()
    values.host = "{url}"
    values.url = "no"
    #expect(values.filling("{host}") == "{url}")
    values.account = "a\u{202E}b\u{200B}c\nd\u{7}\u{2028}e\u{FEFF}"
    #expect(values.filling("{account}") == "abcde")
    values.url = String(repeating: "x", count: TextValues.maximumScalars + 1)
    #expect(values.filling("{url}") == String(repeating: "x", count: TextValues.maximumScalars) + "…")
    values.url.removeLast()
    #expect(values.filling("{url}").unicodeScalars.count == TextValues.maximumScalars)
  }

  /// The attack: the sentence names another host than the one that was asked about, or none that can be seen.
  @Test(arguments: [
    (
      "https://contoso.com:x%20\(String(repeating: "a", count: 600))@evil.example:8443/a?b#c", "evil.example",
      ":8443/a?b#c"
    ),
    ("https://contoso.com@evil.example", "evil.example", "/"),
    ("https://contoso.com\(manyLabels(300)).evil.example/b", "…\(manyLabels(120)).evil.example", "/b"),
    ("https://evil.example\u{202E}/", "", ""), ("https://evil.example/\u{202E}moc", "evil.example", "/%E2%80%AEmoc"),
    ("https://\u{441}ontoso.com/", "xn--ontoso-hrf.com", "/"), ("https://con\u{AD}toso.com/", "contoso.com", "/"),
    ("https:\\\\evil.example\\@contoso.com", "evil.example", "/@contoso.com"), ("https://[::1]:443/", "[::1]", "/"),
  ])
  func theHostIsSeen(_ text: String, _ host: String, _ rest: String) {
    var values = TextValues()
    guard let record = URLRecord(text) else {
      #expect(host.isEmpty)
      return
    }
    values.show(record, asRead: record)
    #expect((values.filling("{host}"), values.filling("{url}")) == (host, "https://\(host)\(rest)"))
  }

  private static func manyLabels(_ count: Int) -> String { String(repeating: ".a", count: count) }

  @Test(arguments: ["mailto:a@b.example", "file:///a@b", "x-app:a"])
  func urlsWithoutAHostStayAsTheyAre(_ text: String) throws {
    let record = try #require(URLRecord(text))
    var values = TextValues()
    values.show(record, asRead: record)
    #expect((values.filling("{host}"), values.filling("{url}")) == ("", text))
  }

  @Test
  func onlySomeLanguagesAreKept() throws {
    var example = try Example()
    example.state.setLanguages(["x", "de_AT"] + (0..<20).map { "aa-\($0)" }, of: example.portal)
    let kept = example.state.instance(example.portal)?.languages.map(\.description)
    #expect(kept == (0..<8).map { "aa-\($0)" })
    example.state.setLanguages([], of: example.portal)
    #expect(example.state.instance(example.portal)?.languages == [])
  }

  /// Whatever is refused in whatever world, somebody is told something, and no placeholder is left in it.
  @Test
  func everythingThatIsRefusedIsTold() throws {
    var random = SeededGenerator(seed: SeededGenerator.chosenSeed &+ 31)
    let worlds = RandomWorld(try RandomRules())
    var told: Set<Reason> = []
    for _ in 0..<Effort.scaled(2_000) {
      var world = worlds.world(&random)
      for _ in 0..<30 {
        let instance: Int
        let event: Event
        switch random.below(3) {
        case 0:
          let asked = worlds.navigation(world, &random)
          (instance, event) = (asked.instance, world.engineEvent(asked))
        case 1:
          let asked = worlds.clipEvent(world, [], time: 119_999, &random)
          (instance, event) = (asked.instance, world.engineEvent(asked))
        default:
          let asked = worlds.dataEvent(world, time: 1_000, &random)
          (instance, event) = (asked.instance, world.engineEvent(asked))
        }
        let decision = world.decide(event, in: instance)
        let report = world.state.report(decision, world.snapshot, for: world.ids[instance])
        switch report.outcome {
        case .block, .switchIdentity:
          told.insert(report.reason)
          #expect(report.message?.isEmpty == false, "\(report.reason); \(random.note)")
          #expect(report.message?.contains("{account}") != true, "\(report.reason); \(random.note)")
        case .redact: #expect(report.replacement != nil)
        default: break
        }
      }
    }
    #expect(told.count > 30)
  }
}
