import Testing
import URLRules

/// Hosts as rule files name them.
struct HostNameTests {
  @Test(arguments: [
    ("contoso.com", "contoso.com", false), ("CONTOSO.com.", "contoso.com", false),
    ("Bücher.Example", "xn--bcher-kva.example", false),
    ("1.2.3.4", "1.2.3.4", true), ("0x7f.1", "127.0.0.1", true), ("[::1]", "[::1]", true), ("[0:0::1]", "[::1]", true),
    ("intranet", "intranet", false), ("_dmarc.contoso.com", "_dmarc.contoso.com", false),
  ])
  func hostsAreBroughtIntoTheParsersForm(_ text: String, _ bytes: String, _ isAddress: Bool) {
    let name = HostName(text)
    #expect(name.map { String(decoding: $0.bytes, as: UTF8.self) } == bytes)
    #expect(name?.isAddress == isAddress)
  }

  @Test(arguments: [
    "", " ", "contoso.com:443", "https://contoso.com", "contoso.com/", "contoso.com/x", "user@contoso.com",
    "contoso.com?q", "contoso.com#f",
    "a b", "contoso\\x", "[::1", "::1", "[::1]:443", "*.contoso.com/", "\tcontoso.com", "1.2.3.256", "%00",
  ])
  func whatIsNoHostIsRefused(_ text: String) { #expect(HostName(text) == nil) }
}
