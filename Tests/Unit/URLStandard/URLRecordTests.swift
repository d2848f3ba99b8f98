import Testing
import URLStandard

struct URLRecordTests {
  @Test
  func componentsAreSlicesOfTheHref() throws {
    let record = try #require(URLRecord("wss://user:pass@example.com:8080/path?query#fragment"))
    let ranges = [
      record.schemeRange, record.usernameRange, record.passwordRange, record.hostRange, record.pathRange,
      try #require(record.queryRange), try #require(record.fragmentRange),
    ]
    #expect(ranges.map(record.text) == ["wss", "user", "pass", "example.com", "/path", "query", "fragment"])
    #expect(record.scheme == .wss)
    #expect(record.isSpecial && record.hasAuthority && record.hasCredentials && !record.hasOpaquePath)
    #expect(record.portNumber == 8080)
    #expect(record.bytesWithoutFragment.count == record.bytes.count - "#fragment".utf8.count)
    #expect(record.schemeBytes.count == 3 && record.hostBytes.count == 11 && record.pathBytes.count == 5)
  }

  @Test
  func emptyPartsAreToldFromMissingOnes() throws {
    let bare = try #require(URLRecord("https://example.com/"))
    #expect(bare.queryRange == nil && bare.fragmentRange == nil)
    let empty = try #require(URLRecord("https://@example.com/?#"))
    #expect(empty.queryRange?.isEmpty == true && empty.fragmentRange?.isEmpty == true)
    #expect(empty.search == "" && empty.hash == "" && !empty.hasCredentials)
  }

  @Test(arguments: [
    ("https://example.com", HostKind.domain), ("https://127.1", .ipv4), ("https://[::1]", .ipv6),
    ("foo://127.1", .opaque), ("foo://[::1]", .ipv6), ("foo://", .empty), ("file:///a", .empty),
    ("file://localhost/a", .empty), ("file://host/a", .domain), ("foo:/a", .none), ("data:x", .none),
    ("foo:/..//a", .none),
  ])
  func hostKindIsKnown(text: String, expected: HostKind) {
    #expect(URLRecord(text)?.hostKind == expected)
  }

  @Test(arguments: [
    ("https://127.0.0.1", 0x7F00_0001), ("https://0x7f.1", 0x7F00_0001), ("https://017700000001", 0x7F00_0001),
    ("https://2130706433", 0x7F00_0001), ("https://127.0.0.1.", 0x7F00_0001), ("https://0x", 0),
    ("https://4294967295", 0xFFFF_FFFF), ("https://1.2.0xffff", 0x0102_FFFF), ("https://\u{FF11}.1", 0x0100_0001),
    ("https://example.com", nil), ("foo://127.0.0.1", nil),
  ])
  func everyFormOfAnIPv4AddressIsRead(text: String, expected: UInt32?) {
    #expect(URLRecord(text)?.ipv4Address == expected)
  }

  @Test(arguments: [
    "https://4294967296", "https://1.2.3.256", "https://1.2.3.4.5", "https://256.1", "https://1..2", "https://.1",
    "https://09", "https://a.0x", "https://0xg.1", "https://example.1", "https://1.2.65536",
    "https://99999999999999999999999",
  ])
  func hostsThatEndInANumberAreAddressesOrNothing(text: String) {
    #expect(URLRecord(text) == nil)
  }

  @Test(arguments: [
    ("[0:0:0:0:0:0:0:0]", "[::]"), ("[1:0:0:2:0:0:0:3]", "[1:0:0:2::3]"), ("[0:f:0:0:f:f:0:0]", "[0:f::f:f:0:0]"),
    ("[1:0:2:3:4:5:6:7]", "[1:0:2:3:4:5:6:7]"), ("[::FFFF:127.0.0.1]", "[::ffff:7f00:1]"), ("[1::]", "[1::]"),
    ("[00A0::1]", "[a0::1]"), ("[1:2:3:4:5:6:7]", nil), ("[1:2:3:4:5:6:7:8:9]", nil), ("[::1::2]", nil), ("[:1]", nil),
    ("[1:]", nil), ("[::01.2.3.4]", nil), ("[::1.2.3]", nil), ("[::1.2.3.256]", nil), ("[fe80::1%25eth0]", nil),
    ("[::12345]", nil), ("[::1", nil), ("[]", nil), ("[", nil),
  ])
  func ipv6AddressesAreCompressed(host: String, expected: String?) {
    #expect(URLRecord("https://\(host)/")?.hostname == expected)
  }

  @Test(arguments: [
    ("https://a:443", nil, 443), ("https://a:80", 80, 80), ("http://a", nil, 80), ("ftp://a", nil, 21),
    ("wss://a:00443", nil, 443), ("foo://a", nil, nil), ("foo://a:443", 443, 443), ("file:///a", nil, nil),
    ("https://a:", nil, 443), ("https://a:0", 0, 0), ("https://a:65535", 65535, 65535),
  ])
  func portsAreKnown(text: String, written: UInt16?, effective: UInt16?) throws {
    let record = try #require(URLRecord(text))
    #expect(record.portNumber == written)
    #expect(record.effectivePort == effective)
  }

  @Test(arguments: ["https://a:65536", "https://a:99999999999999999999", "https://a:8a", "https://:80", "https://a:+8"])
  func badPortsAreRefused(text: String) {
    #expect(URLRecord(text) == nil)
  }

  @Test(arguments: [
    ("https://user@a:443/b", "https://a"), ("ws://a:81", "ws://a:81"), ("blob:https://a:8443/id", "https://a:8443"),
    ("blob:ftp://a/id", "null"), ("blob:blob:https://a/id", "null"), ("blob:x", "null"), ("file:///a", "null"),
    ("data:x", "null"),
  ])
  func originIsATupleOrOpaque(text: String, expected: String) {
    #expect(URLRecord(text)?.origin == expected)
  }
}
