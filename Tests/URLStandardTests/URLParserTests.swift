import Testing
import URLStandard

struct URLParserTests {
  @Test
  func textsAndResultsOverTheLimitAreTooLong() {
    let prefix = Array("https://a.example/".utf8)
    let limit = URLRecord.maximumLength
    #expect(read(prefix + Array(repeating: UInt8(ascii: "a"), count: limit - prefix.count)) == .valid)
    #expect(read(prefix + Array(repeating: UInt8(ascii: "a"), count: limit - prefix.count + 1)) == .tooLong)
    #expect(read(prefix + Array(repeating: UInt8(ascii: "\""), count: limit / 3)) == .tooLong)
    #expect(read(Array(repeating: UInt8(ascii: "a"), count: limit + 1)) == .tooLong)
    #expect(read(Array(repeating: UInt8(ascii: "a"), count: limit)) == .invalid)
  }

  @Test
  func aHostWithoutPathMayReachTheLimit() {
    let prefix = Array("https://".utf8)
    let label = Array(repeating: UInt8(ascii: "a"), count: URLRecord.maximumLength - prefix.count - 1)
    #expect(read(prefix + label) == .valid)
    #expect(read(prefix + label + [UInt8(ascii: "a")]) == .tooLong)
  }

  @Test(arguments: [
    ("https://exa mple.com/", URLReading.invalid), ("", .invalid), ("example.com", .invalid), ("https://", .invalid),
  ])
  func nothingIsLeftOfWhatWasReadBefore(text: String, expected: URLReading) {
    var record = URLRecord("https://user:pass@example.com:8080/path?query#fragment") ?? URLRecord()
    #expect(record.isValid)
    let reading = record.parse(text.utf8.span)
    #expect(reading == expected)
    #expect(!record.isValid)
    #expect(record == URLRecord())
    #expect(record.href == "" && record.protocol == "" && record.host == "" && record.origin == "null")
  }

  @Test
  func aRecordIsReusedWithoutStaleBytes() {
    let texts = [
      "https://user:pass@example.com:8080/path?query#fragment", "https://a", "data:x ?y", "foo:/..//p", "nonsense",
      "file:///C|/x", "https://127.1/", "HTTPS://B\u{FC}cher.example/\t?", "mailto:a", "https://[::1]:1/#",
    ]
    var parser = URLParser()
    var record = URLRecord()
    for first in texts {
      for second in texts {
        _ = parser.parse(first.utf8.span, into: &record)
        let reading = parser.parse(second.utf8.span, into: &record)
        #expect((reading == .valid ? record : nil) == URLRecord(second), "`\(second)` after `\(first)`")
      }
    }
  }

  @Test
  func theBufferStaysWhereItIs() {
    let texts = ["https://example.com/a?b", "https://e.example", "HTTPS://User@EXAMPLE.com:81/../\"", "data:x", "x"]
    var parser = URLParser()
    var record = URLRecord()
    _ = parser.parse("https://example.com/the/longest/of/them/all".utf8.span, into: &record)
    let address = record.bytes.withUnsafeBufferPointer { $0.baseAddress }
    for text in texts {
      _ = parser.parse(text.utf8.span, into: &record)
      #expect(record.bytes.withUnsafeBufferPointer { $0.baseAddress } == address)
    }
  }

  @Test(arguments: [
    ([0x61, 0xFF, 0x62], "a%EF%BF%BDb"), ([0xF0, 0x90, 0x62], "%EF%BF%BDb"), ([0xC3], "%EF%BF%BD"),
    ([0xED, 0xA0, 0x80], "%EF%BF%BD%EF%BF%BD%EF%BF%BD"), ([0xC3, 0x09, 0xA9], "%EF%BF%BD%EF%BF%BD"),
    ([0xC3, 0xA9], "%C3%A9"), ([0xF0, 0x9F, 0x92, 0xA9], "%F0%9F%92%A9"), ([0xC0, 0xAF], "%EF%BF%BD%EF%BF%BD"),
  ])
  func brokenUTF8IsReadAsReplacementCharacters(bytes: [UInt8], expected: String) {
    var record = URLRecord()
    let reading = record.parse((Array("https://a/".utf8) + bytes).span)
    #expect(reading == .valid)
    #expect(record.pathname == "/" + expected)
  }

  @Test(arguments: [
    ("java\nscript:alert(1)", "javascript:alert(1)"), (" \u{1F}https://a/ \t", "https://a/"),
    ("https://corp.example\\@evil.example/", "https://corp.example/@evil.example/"),
    ("https:\\\\evil.example", "https://evil.example/"), ("https:evil.example", "https://evil.example/"),
    ("https://corp%2eexample/", "https://corp.example/"), ("https://a/%2e%2E/.%2e/b/.", "https://a/b/"),
    ("javascript:a  #b", "javascript:a %20#b"), ("data:x  ?y", "data:x %20?y"), ("data:x  ", "data:x"),
    ("file:c|/../d", "file:///c:/d"), ("file://c|/d", "file:///c:/d"), ("foo:/..//p", "foo:/.//p"),
    ("https://a@b@c/", "https://a%40b@c/"), ("https://XN--A/", "https://xn--a/"),
  ])
  func surprisingTextsAreReadAsBrowsersDo(text: String, expected: String) {
    #expect(URLRecord(text)?.href == expected)
  }

  @Test(arguments: [
    ("//evil.example", "https://corp.example/a", "https://evil.example/"),
    ("/\\evil.example", "https://corp.example/a", "https://evil.example/"),
    ("https:b", "https://corp.example/a/c", "https://corp.example/a/b"),
    ("#x", "data:y", "data:y#x"),
    ("b", "data:y", nil),
    ("/D:/b", "file:///C:/a", "file:///D:/b"),
    ("/b", "file:///C:/a", "file:///C:/b"),
    ("..", "file:///C:/", "file:///C:/"),
    ("?q", "foo:/.//p", "foo:/.//p?q"),
    ("", "https://u:p@a:81/b?c#d", "https://u:p@a:81/b?c"),
    ("x", "https://u:p@a:81/b/c?d#e", "https://u:p@a:81/b/x"),
  ])
  func referencesAreResolved(text: String, base: String, expected: String?) throws {
    let base = try #require(URLRecord(base))
    #expect(URLRecord(text, base: base)?.href == expected)
  }

  @Test
  func anInvalidBaseCountsAsNone() {
    var record = URLRecord()
    let relative = record.parse("/a".utf8.span, base: URLRecord())
    let absolute = record.parse("https://a/".utf8.span, base: URLRecord())
    #expect(relative == .invalid && absolute == .valid)
  }

  private func read(_ bytes: [UInt8]) -> URLReading {
    var record = URLRecord()
    let reading = record.parse(bytes.span)
    #expect(record.isValid == (reading == .valid))
    return reading
  }
}
