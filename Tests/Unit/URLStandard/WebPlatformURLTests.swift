import TestSupport
import Testing
import URLStandard

/// The URL data of the web platform tests, as synced by Ada at commit 308110b (2026-07-19), after the June 2026 change.
@Suite(.enabled(if: SharedData.isExpected, Comment(rawValue: SharedData.absence)))
struct WebPlatformURLTests {
  @Test(arguments: [
    ("wpt/url/urltestdata.json", 891), ("wpt/url/urltestdata-javascript-only.json", 1),
    ("wpt/ada-extra/ada_extra_urltestdata.json", 28), ("wpt/ada-extra/ada_long_urltestdata.json", 1),
  ])
  func everyURLIsReadAsTheStandardSays(file: String, count: Int) throws {
    let cases = try SharedData.cases(file)
    #expect(cases.count == count)
    for urlCase in cases { expectStandardResult(urlCase) }
  }

  @Test
  func everyConfusingURLHasTheBrowsersHost() throws {
    let cases = try SharedData.cases("confusion/confusion.json", in: "cases")
    #expect(cases.count == 256)
    for urlCase in cases {
      let id = Comment(rawValue: urlCase["id"] ?? "")
      let expected = try #require(urlCase.object("whatwg"))
      let record = read(urlCase["url"] ?? "", base: urlCase["base"])
      #expect((record != nil) == expected.isTrue("valid"), id)
      if let record { expectAttributes(of: record, toBe: expected, id) }
    }
  }

  @Test
  func queriesAndFragmentsArePercentEncodedAsUTF8() throws {
    let cases = try SharedData.cases("wpt/url/percent-encoding.json")
    #expect(cases.count == 7)
    for encodingCase in cases {
      let input = try #require(encodingCase["input"])
      let output = try #require(encodingCase.object("output")?["utf-8"])
      let record = URLRecord("https://doesnotmatter.invalid/?\(input)#\(input)")
      #expect(record?.search == "?" + output)
      #expect(record?.hash == "#" + output)
    }
  }

  private func expectStandardResult(_ urlCase: JSONCase) {
    let input = urlCase["input"] ?? ""
    let note = Comment(rawValue: "`\(input)` base `\(urlCase["base"] ?? "none")`")
    let record = read(input, base: urlCase["base"])
    #expect((record == nil) == urlCase.isTrue("failure"), note)
    if let record { expectAttributes(of: record, toBe: urlCase, note) }
  }

  /// Compares all attributes that `expected` names, and reads the result again. A null origin is an opaque one.
  private func expectAttributes(of record: URLRecord, toBe expected: JSONCase, _ note: Comment) {
    for (name, value) in attributes(of: record) where expected.names.contains(name) {
      let text = expected.isNull(name) ? "null" : expected[name]
      #expect(value == text, "\(note): \(name)")
    }
    #expect(URLRecord(record.href) == record, note)
  }

  private func read(_ input: String, base: String?) -> URLRecord? {
    guard let base else { return URLRecord(input) }
    return URLRecord(base).flatMap { URLRecord(input, base: $0) }
  }

  private func attributes(of record: URLRecord) -> [(String, String)] {
    [
      ("href", record.href), ("origin", record.origin), ("protocol", record.protocol), ("username", record.username),
      ("password", record.password), ("host", record.host), ("hostname", record.hostname), ("port", record.port),
      ("pathname", record.pathname), ("search", record.search), ("hash", record.hash),
    ]
  }
}
