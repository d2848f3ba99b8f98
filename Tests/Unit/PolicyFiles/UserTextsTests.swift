import GuardModel
import PolicyEngine
import PolicyFiles
internal import PolicyTools
import Testing

/// `texts` of a policy, and every mistake in them with the text it is told by.
@Suite struct UserTextsTests {
  private static func problems(_ text: String) -> String {
    load(["policy.d/a.yaml": "apps: { x: {} }\ntexts: { \(text) }"]).diagnostics.description
      .replacing("c/policy.d/a.yaml", with: "f")
  }

  @Test func languagesOfSeveralFilesAreOnePolicy() throws {
    let result = load([
      "policy.d/a.yaml": """
      apps: { x: {} }
      texts:
        default: { replacement: "in {app}: no", reasons: { printBlocked: "no {account}" }, contact: Eve }
      """,
      "policy.d/b.yaml": """
      texts:
        de-AT:
          notification: Neues
          organization: die Contoso AG
          reasons: { external: "{host} {url}", wrongAccount: "{owner}", orgData: "{x", locked: "{contact}!" }
      """,
    ])
    #expect(result.diagnostics.description == "")
    let texts = try #require(result.policy).snapshot(generation: 1, at: 0).texts
    var standard = LanguageTexts(replacement: "in {app}: no", reasons: [.printBlocked: "no {account}"])
    standard.contact = "Eve"
    #expect(texts.standard == standard)
    let austrian = try #require(LanguageTag("de-AT"))
    let reasons: [Reason: String] = [
      .external: "{host} {url}", .wrongAccount: "{owner}", .orgData: "{x", .locked: "{contact}!",
    ]
    var localized = LanguageTexts(notification: "Neues", reasons: reasons)
    localized.organization = "die Contoso AG"
    #expect(texts.localized == [austrian: localized])
  }

  /// What notices show: each value in the first of the user's languages that has it.
  @Test func theOrganizationIsReadForNotices() throws {
    let result = load([
      "policy.d/a.yaml": """
      apps: { x: {} }
      texts:
        default: { organization: Contoso, contact: Eve, contactLink: "mailto:help@contoso.com", color: "#0f6cbd" }
        de: { name: Contoso AG, contact: Eva, darkColor: "#62ABF5" }
      """
    ])
    #expect(result.diagnostics.description == "")
    let texts = try #require(result.policy).texts
    let german = [try #require(LanguageTag("de-AT"))]
    #expect(
      texts.organization(in: german)
        == Organization(
          name: "Contoso AG", contact: "Eva", contactLink: "mailto:help@contoso.com", color: "#0f6cbd",
          darkColor: "#62ABF5"))
    #expect(
      texts.organization(in: [])
        == Organization(name: "Contoso", contact: "Eve", contactLink: "mailto:help@contoso.com", color: "#0f6cbd"))
    #expect(UserTexts().organization(in: german) == nil)
  }

  @Test(arguments: [
    "javascript:alert(1)", "http://contoso.com", "https://", "mailto:", "tel:", "HTTPS://contoso.com", "tel:1 2",
    "https://contoso.com/\u{00e9}", "//contoso.com", "data:text/html,x", " https://contoso.com",
  ])
  func aLinkThatANoticeMightFollowElsewhereIsAnError(_ link: String) {
    #expect(Self.problems("de: { contactLink: \"\(link)\" }").contains("is no link to reach a person by"), "\(link)")
  }

  @Test(arguments: ["red", "#fff", "#12345", "#1234567", "#00000g", "0f6cbd", "#0f6cbd;"])
  func aColourThatIsNoneIsAnError(_ color: String) {
    #expect(Self.problems("de: { color: \"\(color)\" }").contains("is no colour"), "\(color)")
    #expect(Self.problems("de: { darkColor: \"\(color)\" }").contains("is no colour"), "\(color)")
  }

  @Test func nothingIsFilledInThere() {
    for key in ["name", "contactLink", "color"] {
      #expect(Self.problems("de: { \(key): \"{app}\" }").contains("unknown-placeholder"))
    }
  }

  /// Each text that a person may be shown, with the number of the character, and one line for all of them.
  @Test(arguments: [
    ("name", "Con\\u202Etoso", "4", "U+202E (RIGHT-TO-LEFT OVERRIDE), which nobody sees", "remove it"),
    ("organization", "\\uFEFFdie Contoso", "1", "U+FEFF (ZERO WIDTH NO-BREAK SPACE), which nobody sees", "remove it"),
    (
      "contact", "Eve\\u3164Ng", "4", "U+3164 (HANGUL FILLER), which looks like a blank",
      "write a plain blank, or remove it"
    ),
    (
      "notification", "a\\u2003b", "2", "U+2003 (EM SPACE), which looks like a blank",
      "write a plain blank, or remove it"
    ),
    ("replacement", "ab\\U000E0041", "3", "U+E0041 (TAG LATIN CAPITAL LETTER A), which nobody sees", "remove it"),
    (
      "reasons", "\\u202Da\\u202Eb\\u2800", "1",
      "U+202D (LEFT-TO-RIGHT OVERRIDE), which nobody sees, and 2 more like it follow", "remove it"
    ),
  ])
  func lettersThatNobodySeesAreToldOf(_ key: String, _ words: String, _ place: String, _ which: String, _ hint: String)
  {
    let isReason = key == "reasons"
    let text = isReason ? "de: { reasons: { printBlocked: \"\(words)\" } }" : "de: { \(key): \"\(words)\" }"
    let column = (isReason ? 41 : 18) + (isReason ? 0 : key.count)
    #expect(
      Self.problems(text) == """
        f:2:\(column): warning: character \(place) of the words is \(which) [unseen-character]
          hint: \(hint)
        """)
  }

  /// What languages need is no mistake: joiners, marks of direction, isolates, soft hyphens, their own blanks, and emoji.
  @Test(arguments: [
    "می\u{200C}خواهم", "क्\u{200D}ष", "\u{200F}שלום\u{200E}", "\u{2068}Contoso\u{2069}", "Daten\u{AD}schutz",
    "Qu'est-ce\u{A0}?",
    "1\u{202F}000", "ご連絡\u{3000}先", "葛\u{E0100}城", "\u{1F469}\u{200D}\u{1F4BB}\u{FE0F}", "ทดสอบ\u{200B}คำ", "a b",
  ])
  func wordsOfEveryLanguageAreTakenAsTheyAre(_ words: String) {
    #expect(Self.problems("de: { name: \"\(words)\", reasons: { printBlocked: \"\(words)\" } }") == "", "\(words)")
  }

  @Test func aPolicyWithoutTextsHasNone() throws {
    #expect(load(["policy.d/a.yaml": "apps: { x: {} }"]).policy?.texts == UserTexts())
  }

  @Test func oneLanguageIsStatedOnce() {
    let result = load([
      "policy.d/a.yaml": "apps: { x: {} }\ntexts: { default: {}, de-AT: {} }",
      "policy.d/b.yaml": "texts: { default: {}, DE-at: {} }",
    ])
    #expect(
      result.diagnostics.description.replacing("c/policy.d/", with: "") == """
        b.yaml:1:10: error: language `default` is defined already at a.yaml:2:10 [defined-twice]
          hint: keep one of the two
        b.yaml:1:23: error: language `DE-at` is defined already at a.yaml:2:23 [defined-twice]
          hint: keep one of the two
        """)
    #expect(Self.problems("de: {}, DE: {}").contains("language `DE` is defined already at f:2:10"))
  }

  @Test(arguments: [
    YAMLCase(
      "de_AT: {}", "f:2:10: error: `de_AT` is neither a language nor `default` [invalid-language]",
      "  hint: write `de-AT`"),
    YAMLCase(
      "d: {}, german: {}, \"de DE\": {}", "f:2:10: error: `d` is neither a language nor `default` [invalid-language]",
      "  hint: write a BCP 47 tag, such as `de` or `de-AT`",
      "f:2:29: error: `de DE` is neither a language nor `default` [invalid-language]",
      "  hint: write a BCP 47 tag, such as `de` or `de-AT`"),
    YAMLCase(
      "de: { reasons: { printBlock: a, internal: b, x: c } }",
      "f:2:27: error: `printBlock` is not a reason [unknown-reason]", "  hint: did you mean `printBlocked`?",
      "f:2:42: error: nobody is told of `internal`: nothing is refused for it [unknown-reason]", "  hint: remove it",
      "f:2:55: error: `x` is not a reason [unknown-reason]", "  hint: `docs/configuration.md` lists them"),
    YAMLCase(
      "de: { reasons: { printBlocked: \"{host}\", external: \"{hots}\" } }",
      "f:2:41: error: `{host}` may not stand here: nothing is known of it where `printBlocked` is answered "
        + "[unknown-placeholder]", "  hint: remove it",
      "f:2:61: error: `{hots}` is not a placeholder [unknown-placeholder]",
      "  hint: known here: `{host}`, `{url}`, `{app}`, `{account}`, `{organization}`, `{contact}`"),
    YAMLCase(
      "de: { organization: \"{app} AG\", contact: \"\", reasons: { locked: \"{date}\" } }",
      "f:2:30: error: `{app}` may not stand here: it goes into other texts [unknown-placeholder]",
      "  hint: remove it", "f:2:51: error: the string may not be empty [out-of-range]",
      "f:2:74: error: `{date}` may not stand here: nothing is known of it where `locked` is answered "
        + "[unknown-placeholder]", "  hint: remove it"),
    YAMLCase(
      "de: { replacement: \"{account}\", notification: \"\" }",
      "f:2:29: error: `{account}` may not stand here: a text that stands in for content names the app only "
        + "[unknown-placeholder]", "  hint: remove it",
      "f:2:56: error: the string may not be empty [out-of-range]"),
    YAMLCase(
      "de: { reasons: { printBlocked: \"a\\tb\", captureBlocked: 1 } }",
      "f:2:41: error: the text holds a line break or another control character [invalid-text]",
      "  hint: write it in one line",
      "f:2:65: error: expected a string, found the number `1` [wrong-type]", "  hint: put it in quotes: `\"1\"`"),
    YAMLCase(
      "de: { notification: \(String(repeating: "ä", count: 501)) }",
      "f:2:30: error: the text is of 501 characters, and may be of 500 [out-of-range]"),
    YAMLCase(
      "de: { message: a }, fr: b", "f:2:16: error: unknown key `message` [unknown-key]",
      "  hint: known keys: `replacement`, `notification`, `organization`, `contact`, `name`, `contactLink`, `color`, "
        + "`darkColor`, `reasons`",
      "f:2:34: error: expected a mapping, found `b` [wrong-type]"),
  ])
  func mistakesAreExplained(_ test: YAMLCase) { #expect(Self.problems(test.yaml) == test.printed) }

  /// SE-03, HS-02: loud at load, each time.
  @Test func unprotectedViewsForSigningInAreWarnedOf() throws {
    let result = load([
      "policy.d/a.yaml": "apps: { x: { authViewersUnprotected: true }, y: { authViewersUnprotected: false } }"
    ])
    #expect(
      result.diagnostics.description.replacing("c/policy.d/a.yaml", with: "f") == """
        f:1:14: warning: views for signing in are not protected in app `x`: whatever data they show may leak, and the app \
        alone says which views those are [unprotected-viewers]
          hint: let the app sign in with a view of its own class, and list the scheme of its callback in `handledSchemes`
        """)
    #expect(result.policy?.apps.map(\.authViewersUnprotected) == [true, false])
  }

  /// US-06, US-07: the one program, by its desktop file, its command, or a scheme that only it takes.
  @Test func oneProgramMayBeNamedForCallsAndMessages() throws {
    let result = load([
      "policy.d/a.yaml": """
      apps: { x: {} }
      protections:
        p:
          send: managed
          telecommunication: { desktopId: org.gnome.Calls.desktop }
          messaging: { template: "contoso-message:{url}" }
      """
    ])
    #expect(result.diagnostics.description == "")
    let policy = try #require(result.policy)
    #expect(policy.protections[0].telecommunication == .program(Program(desktopID: "org.gnome.Calls.desktop")))
    #expect(policy.protections[0].messaging == .program(Program(template: "contoso-message:{url}")))
    let settings = EffectiveProtection(policy.protections[0], policy.places).settings
    #expect(settings.first { $0.key == "telecommunication" }?.value == "{ desktopId: org.gnome.Calls.desktop }")
    #expect(settings.first { $0.key == "messaging" }?.value == "{ template: contoso-message:{url} }")
  }

  @Test(arguments: [
    YAMLCase(
      "{}", "f:2:50: error: no program is named [missing-key]",
      "  hint: write its `desktopId` or its `command`, or a `template` with a scheme that only it takes"),
    YAMLCase(
      "some", "f:2:50: error: `some` is not one of `any`, `none` [unknown-value]", "  hint: did you mean `none`?"),
    YAMLCase(
      "{ template: x }", "f:2:62: error: the template holds no `{url}` [missing-placeholder]",
      "  hint: write `{url}` where the URL belongs, as in `microsoft-edge:{url}`"),
  ])
  func mistakesInItAreExplained(_ test: YAMLCase) {
    let yaml = "apps: { x: {} }\nprotections: { p: { send: managed, telecommunication: \(test.yaml) } }"
    let found = load(["policy.d/a.yaml": yaml]).diagnostics.description.replacing("c/policy.d/a.yaml", with: "f")
    #expect(found == test.printed.replacing("f:2:50", with: "f:2:55").replacing("f:2:62", with: "f:2:67"))
  }
}
