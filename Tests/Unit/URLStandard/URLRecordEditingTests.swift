import TestSupport
import Testing
import URLStandard

struct URLRecordEditingTests {
  @Test(arguments: [
    ("https://user:pass@example.com:8080/a?b#c", "https://example.com:8080/a?b#c"),
    ("https://user@example.com/", "https://example.com/"),
    ("https://:pass@example.com/", "https://example.com/"),
    ("foo://user@host", "foo://host"),
    ("https://example.com/", "https://example.com/"),
    ("mailto:a@example.com", "mailto:a@example.com"),
  ])
  func credentialsAreRemoved(text: String, expected: String) throws {
    var record = try #require(URLRecord(text))
    record.removeCredentials()
    #expect(record == URLRecord(expected))
    #expect(record.href == expected)
  }

  @Test(arguments: [
    ("https://example.com/a?b#c", "https://example.com/a?b"),
    ("https://example.com/#", "https://example.com/"),
    ("https://example.com/?#", "https://example.com/?"),
    ("data:x #y", "data:x%20"),
    ("https://example.com/", "https://example.com/"),
  ])
  func fragmentIsRemoved(text: String, expected: String) throws {
    var record = try #require(URLRecord(text))
    record.removeFragment()
    #expect(record.href == expected)
    #expect(record == URLRecord(expected))
  }

  @Test(arguments: [
    ("https://example.com.:8080/a.", "https://example.com:8080/a."),
    ("https://u:p@example.com./", "https://u:p@example.com/"),
    ("https://example.com/", "https://example.com/"),
    ("https://./", "https://./"),
    ("https://example.com../", "https://example.com../"),
    ("https://1../", "https://1../"),
    ("foo://example.com./", "foo://example.com./"),
    ("file://localhost./", "file://localhost./"),
  ])
  func trailingHostDotIsRemoved(text: String, expected: String) throws {
    var record = try #require(URLRecord(text))
    record.removeTrailingHostDot()
    #expect(record.href == expected)
    #expect(record == URLRecord(expected))
  }

  @Test(arguments: [
    ("ws://u@example.com:81/a?b#c", URLScheme.http, "http://u@example.com:81/a?b#c"),
    ("wss://example.com/", .https, "https://example.com/"),
    ("ws://example.com:443/x", .https, "https://example.com/x"),
    ("https://example.com:21/x?y", .ftp, "ftp://example.com/x?y"),
  ])
  func schemeIsReplaced(text: String, scheme: URLScheme, expected: String) throws {
    var record = try #require(URLRecord(text))
    let isReplaced = record.replaceScheme(with: scheme)
    #expect(isReplaced)
    #expect(record.href == expected)
    #expect(record == URLRecord(expected))
  }

  @Test(arguments: [
    ("file:///a", URLScheme.http), ("foo://a", .http), ("https://a", .file), ("https://a", .other), ("data:x", .https),
  ])
  func schemesWithoutNetworkAreNotReplaced(text: String, scheme: URLScheme) throws {
    let before = try #require(URLRecord(text))
    var record = before
    let isReplaced = record.replaceScheme(with: scheme)
    #expect(!isReplaced)
    #expect(record == before)
  }

  @Test(.enabled(if: SharedData.isExpected, Comment(rawValue: SharedData.absence)))
  func everyEditedRecordEqualsItsOwnHrefReadAgain() throws {
    print("seed of the edited URLs: \(URLCorpus.seed)")
    var generator = SeededGenerator(seed: URLCorpus.seed)
    var mutations = URLMutations(seed: URLCorpus.seed)
    let seeds = try URLCorpus.oddities() + URLCorpus.urls().prefix(1_000)
    var record = URLRecord()
    var edits = 0
    for index in 0..<30_000 {
      guard record.parse(mutations.mutate(seeds[index % seeds.count]).span) == .valid else { continue }
      for _ in 0..<3 {
        edit(&record, with: &generator)
        edits += 1
        if URLRecord(record.href) != record { Issue.record("`\(record.href)` is read in another way") }
      }
    }
    #expect(edits > 20_000)
  }

  private func edit(_ record: inout URLRecord, with generator: inout SeededGenerator) {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: record.removeCredentials()
    case 1: record.removeFragment()
    case 2: record.removeTrailingHostDot()
    default:
      let scheme = [URLScheme.http, .https, .ws, .wss, .ftp].randomElement(using: &generator) ?? .http
      _ = record.replaceScheme(with: scheme)
    }
  }
}
