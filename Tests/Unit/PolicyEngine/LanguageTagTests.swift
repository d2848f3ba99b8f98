import GuardModel
import Testing

/// Tags of languages, and which wider one stands in for them.
struct LanguageTagTests {
  @Test(arguments: [
    ("de", "de"), ("de-AT", "de-at"), ("ZH-Hant-TW", "zh-hant-tw"), ("es-419", "es-419"), ("gsw", "gsw"),
    ("sl-rozaj-biske-1994", "sl-rozaj-biske-1994"), ("en-a-bbb-x-c", "en-a-bbb-x-c"),
  ])
  func aTagIsComparedWithoutCase(_ text: String, _ description: String) {
    #expect(LanguageTag(text)?.description == description)
    #expect(LanguageTag(text) == LanguageTag(text.uppercased()))
  }

  @Test(arguments: [
    "", "-", "d", "x-private", "*", "de_AT", "de-", "-de", "de--AT", "de-abcdefghi", "de-ä", "dé", "de AT", "1de",
    "C.UTF-8",
    "default", "DEFAULT", "aa-" + String(repeating: "b-", count: 17), "de\u{0}",
  ])
  func otherTextIsNone(_ text: String) { #expect(LanguageTag(text) == nil) }

  /// RFC 4647, section 3.4: a single letter goes with what follows it.
  @Test(arguments: [
    ("zh-Hant-CN-x-private1-private2", ["zh-hant-cn-x-private1", "zh-hant-cn", "zh-hant", "zh"]), ("de", []),
    ("de-AT", ["de"]),
  ])
  func widerTagsFollow(_ text: String, _ wider: [String]) {
    var found: [String] = []
    var next = LanguageTag(text)?.broader
    while let tag = next {
      found.append(tag.description)
      next = tag.broader
    }
    #expect(found == wider)
  }
}
