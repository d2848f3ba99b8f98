import GuardModel
import PolicyEngine
import TestSupport
import Testing

/// What people are told about the life of an account, in which language, and by whose words.
@Suite struct AccountNoticeTests {
  private static let languages = ["en", "de", "fr", "es"]
  private static let placeholders = ["{app}", "{account}", "{organization}", "{contact}", "{date}"]

  private static func tags(_ texts: [String]) -> [LanguageTag] { texts.compactMap(LanguageTag.init) }

  private static func placeholders(in text: String) -> Set<String> { Set(placeholders.filter(text.contains)) }

  @Test("every message stands in every language and names the same things", arguments: AccountNotice.allCases)
  func everyLanguageSaysIt(_ notice: AccountNotice) {
    let texts = Self.languages.map { notice.text(in: Self.tags([$0])) }
    #expect(Set(texts).count == Self.languages.count)
    for text in texts {
      #expect(text.unicodeScalars.count <= 300 && !text.isEmpty)
      #expect(Self.placeholders(in: text) == Self.placeholders(in: texts[0]), "\(text)")
      #expect(text.count(where: { $0 == "{" }) == Self.placeholders(in: text).count, "no other placeholder: \(text)")
    }
  }

  @Test("every title stands in every language", arguments: ComplianceStatus.allCases)
  func everyLanguageHasATitle(_ status: ComplianceStatus) {
    let titles = Self.languages.map { status.title(in: Self.tags([$0])) }
    #expect(Set(titles).count == Self.languages.count && titles.allSatisfy { !$0.isEmpty && !$0.contains("{") })
    #expect(status.title(in: Self.tags(["nl", "de-AT"])) == titles[1] && status.title(in: []) == titles[0])
  }

  @Test("the stand-ins for an organisation and a contact stand in every language")
  func standIns() {
    #expect(Set(Self.languages.map { AccountNotice.organization(in: Self.tags([$0])) }).count == 4)
    #expect(Set(Self.languages.map { AccountNotice.contact(in: Self.tags([$0])) }).count == 4)
  }

  @Test(
    "the first language that is built in speaks, else English",
    arguments: [
      ([], "Unlock the account {account} first."), (["nl"], "Unlock the account {account} first."),
      (["de"], "Entsperren Sie zuerst das Konto {account}."),
      (["de-AT"], "Entsperren Sie zuerst das Konto {account}."),
      (["DE-x-y"], "Entsperren Sie zuerst das Konto {account}."),
      (["en", "de"], "Unlock the account {account} first."),
      (["nl", "fr-CA", "de"], "D\u{E9}verrouillez d'abord le compte {account}."),
      (["es-MX"], "Desbloquee primero la cuenta {account}."), (["den"], "Unlock the account {account} first."),
    ] as [([String], String)])
  func languageIsChosen(_ languages: [String], _ text: String) {
    #expect(AccountNotice.locked.text(in: Self.tags(languages)) == text)
    #expect(Reason.locked.userText(in: Self.tags(languages)) == text)
  }

  @Test("other reasons are built in in English only")
  func others() {
    #expect(Reason.printBlocked.userText(in: Self.tags(["de"])) == Reason.printBlocked.userText)
    #expect(Reason.internal.userText(in: Self.tags(["de"])) == nil)
    for reason in Reason.allCases { #expect(reason.userText(in: []) == reason.userText) }
  }

  private static func texts() throws -> UserTexts {
    var texts = UserTexts()
    texts.standard.contact = "Eve (5678)"
    texts.standard.reasons[.accountBlocked] = "no"
    var german = LanguageTexts(reasons: [.accountNotCompliant: "{organization} sagt nein zu {account}"])
    german.organization = "die Contoso AG"
    texts.localized[try #require(LanguageTag("de"))] = german
    return texts
  }

  @Test(
    "the policy's own text goes first, in the user's language and then as `default`; what it leaves out is built in",
    arguments: [
      (AccountState.nonCompliant, ["de"], "die Contoso AG sagt nein zu work@contoso.com"),
      (
        .nonCompliant, ["fr"],
        "Le compte work@contoso.com ne remplit pas les conditions que pose votre organisation. "
          + "Adressez-vous \u{E0} Eve (5678)."
      ),
      (
        .nonCompliant, [],
        "The account work@contoso.com does not meet the conditions of your organization. Ask Eve (5678)."
      ),
      (.blocked, ["de"], "no"),
      (
        .wiped, ["de-AT"],
        "Die Daten des Kontos work@contoso.com wurden hier entfernt. Ein Irrtum? Fragen Sie Eve (5678)."
      ),
    ] as [(AccountState, [String], String)])
  func decisionsCarryIt(_ state: AccountState, _ languages: [String], _ message: String) throws {
    var policy = ExamplePolicy()
    policy.texts = try Self.texts()
    policy.work.state = state
    var example = try Example(policy)
    try example.set(Name.work, in: example.portal)
    example.state.setLanguages(languages, of: example.portal)
    let decision = decide(.data(.print), of: example.portal, &example.state, under: example.snapshot)
    #expect(example.state.report(decision, example.snapshot, for: example.portal).message == message)
  }

  @Test("a message outside of a decision is filled in alike, and its values cannot speak for the sentence")
  func messagesOutsideOfDecisions() throws {
    var policy = ExamplePolicy()
    policy.texts = try Self.texts()
    var example = try Example(policy)
    example.state.setLanguages(["de-DE"], of: example.portal)
    let text = example.state.text(
      of: .wipeAnnounced, account: "a\u{202E}nna{contact}", date: "2026-11-27", in: example.portal, example.snapshot)
    let contoso = "Am 2026-11-27 entfernt die Contoso AG hier die Daten des Kontos anna{contact}."
    #expect(text == contoso + " Ein Irrtum? Fragen Sie Eve (5678).")
  }
}
