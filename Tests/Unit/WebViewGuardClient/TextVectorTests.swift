import GuardModel
import Testing
import WebViewGuardClient

/// The vectors of texts are those that the daemon ships: clients' tests compare with them.
@Suite struct TextVectorTests {
  private static let languages = ["en", "de", "fr", "es"]

  @Test(arguments: languages) func theNoticesAreTheDaemonsOwn(_ language: String) throws {
    let tags = [LanguageTag(language)].compactMap(\.self)
    let shipped = AccountNotice.allCases.map { ($0.rawValue, GuardValue.string($0.text(in: tags))) }
    let written = try Vectors.object("texts", "notices").mapValues { $0[language] ?? .null }
    #expect(written == Dictionary(uniqueKeysWithValues: shipped))
    let words = try Vectors.object("texts", "placeholders").mapValues { $0[language]?.string }
    #expect(words["organization"] == AccountNotice.organization(in: tags))
    #expect(words["contact"] == AccountNotice.contact(in: tags))
  }

  @Test func theBrowsersHaveTextsForStatesThatThereAre() throws {
    let states = try Vectors.object("texts", "browsers").keys.compactMap(AccountLifeState.init(rawValue:))
    #expect(states.count == 9 && states.allSatisfy { !$0.mayWork })
  }
}
