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

  /// The standard library repairs as the Encoding Standard says, only slower.
  @Test
  func brokenUTF8IsReadAsStringsAreDecoded() {
    let bytes: [UInt8] = [
      0x61, 0x2F, 0x80, 0xBF, 0x9F, 0xA0, 0x8F, 0x90, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1, 0xF4,
      0xF5, 0xFF,
    ]
    let lead = Array("https://a/x".utf8)
    for first in bytes {
      for second in bytes {
        for third in bytes {
          for fourth in bytes {
            let text = lead + [first, second, third, fourth]
            var record = URLRecord()
            guard record.parse(text.span) == .valid, record == URLRecord(String(decoding: text, as: UTF8.self)) else {
              Issue.record("\([first, second, third, fourth]) is read as \(record.href)")
              return
            }
          }
        }
      }
    }
  }

  /// ICU is not asked about names that no system of names could hold.
  @Test
  func internationalHostsHaveALimit() {
    let longest = String(repeating: "\u{FC}.", count: 679) + "aaa.example"
    #expect(URLRecord("https://\(longest)/") != nil)
    #expect(URLRecord("https://a\(longest)/") == nil)
    #expect(URLRecord("https://\(String(repeating: "a", count: 60_000)).example/") != nil)
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
    ("//b", "https://u:p@a:81/c", "https://b/"),
    ("//b:443", "https://u:p@a:81/c", "https://b/"),
    ("//b:", "x://a:81/c", "x://b"),
    ("//", "x://a:81/c", "x://"),
    ("//b", "file://a/c", "file://b/"),
  ])
  func referencesAreResolved(text: String, base: String, expected: String?) throws {
    let base = try #require(URLRecord(base))
    let record = URLRecord(text, base: base)
    #expect(record?.href == expected)
    // Nothing of the base is left that is not written: a port, say, or an address.
    #expect(record == expected.flatMap { URLRecord($0) })
  }

  @Test(arguments: [
    ("//evil.example", "http://corp.example:8080/a"), ("\\\\evil.example", "http://corp.example:8080/a"),
    ("http:\\\\evil.example", "http://corp.example:8080/a"), ("/\t/u@evil.example", "https://[::1]:8443/"),
    ("//evil.example:443", "https://corp.example:8443/"), ("//evil.example/", "foo://corp.example:8080/a"),
  ])
  func aReferenceWithItsOwnHostHasNotThePortOfTheBase(text: String, base: String) throws {
    let base = try #require(URLRecord(base))
    let url = try #require(URLRecord(text, base: base))
    #expect(url.hostname == "evil.example" && url.portNumber == nil)
    #expect(url.effectivePort == url.scheme.defaultPort)
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
