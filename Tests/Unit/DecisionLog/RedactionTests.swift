import Bytes
import DecisionLog
import GuardModel
import Testing

/// One URL, what is kept of it, and what the record says about that.
struct RedactionCase: Sendable, CustomTestStringConvertible {
  let url: URLText
  let kept: String
  let dropped: URLParts
  let replayable: Replayability

  init(_ url: URLText, _ kept: String, _ dropped: URLParts, _ replayable: Replayability) {
    self.url = url
    self.kept = kept
    self.dropped = dropped
    self.replayable = replayable
  }

  var testDescription: String { String(decoding: url.bytes, as: UTF8.self) }

  func check(_ settings: RedactionSettings) {
    var text = GrowingBytes()
    let result = settings.append(url, to: &text)
    #expect(text.string == kept)
    #expect(result.dropped == dropped)
    #expect(result.replayable == replayable)
  }
}

@Suite struct RedactionTests {
  private static let everything = URLText(
    "https://", credentials: "u:p@", host: "example.com:8443", path: "/a/b", query: "?q=1", fragment: "#f")

  @Test(arguments: [
    RedactionCase(everything, "https://example.com:8443/a/b", [.credentials, .query, .fragment], .no),
    RedactionCase(URLText("https://", host: "a.example", path: "/"), "https://a.example/", [], .full),
    RedactionCase(URLText("https://", host: "a.example", path: "/x", query: "?"), "https://a.example/x", .query, .path),
    RedactionCase(
      URLText("https://", host: "a.example", path: "/x", fragment: "#t=1"), "https://a.example/x", .fragment, .full),
    RedactionCase(URLText("file://", path: "/etc/hosts"), "file:///etc/hosts", [], .full),
    RedactionCase(URLText("web+x:/.", path: "//y"), "web+x:/.//y", [], .full),
    RedactionCase(URLText("about:", path: "blank"), "about:blank", [], .full),
    RedactionCase(URLText("tel:", path: "+1-201-555-0123"), "tel:+1-201-555-0123", [], .full),
    RedactionCase(URLText("mailto:", path: "a@b.example", query: "?subject=s"), "mailto:", [.path, .query], .host),
    RedactionCase(URLText("data:", path: "text/html,secret", query: "?x", fragment: "#y"), "data:", .path, .host),
    RedactionCase(URLText("javascript:", path: "send(secret)"), "javascript:", .path, .host),
    RedactionCase(URLText("javascript://", host: "secret", path: "/x"), "javascript:", .path, .host),
    RedactionCase(URLText("vbscript:", path: "secret"), "vbscript:", .path, .host),
    RedactionCase(URLText("data:"), "data:", [], .host),
    RedactionCase(URLText("blob:", path: "https://a.example/u-u-i-d"), "blob:https://a.example/u-u-i-d", [], .full),
    RedactionCase(URLText("blob:", path: "null/u-u-i-d"), "blob:null/u-u-i-d", [], .full),
    RedactionCase(URLText("blob:", path: "https://u:p@a.example/u"), "blob:", .path, .no),
    RedactionCase(
      URLText("view-source:", path: "https://a.example/x", query: "?secret"), "view-source:https://a.example/x", .query,
      .path),
    RedactionCase(URLText("view-source:", path: "data:text/html,secret"), "view-source:", .path, .no),
    RedactionCase(URLText("view-source:", path: " DATA:text/html,secret"), "view-source:", .path, .no),
    RedactionCase(URLText("view-source:", path: "javascript:secret"), "view-source:", .path, .no),
    RedactionCase(URLText("view-source:", path: "/http:u:p@a.example"), "view-source:", .path, .no),
    RedactionCase(URLText("feed:", path: "https://u:p@a.example/"), "feed:", .path, .host),
  ])
  func theDefaultKeepsSchemeHostAndPath(_ vector: RedactionCase) {
    vector.check(RedactionSettings())
  }

  @Test func everyPartHasItsOwnSetting() {
    var settings = RedactionSettings()
    (settings.credentials, settings.query, settings.fragment) = (.keep, .keep, .keep)
    RedactionCase(Self.everything, "https://u:p@example.com:8443/a/b?q=1#f", [], .full).check(settings)
    RedactionCase(URLText("mailto:", path: "a@b.example"), "mailto:a@b.example", [], .full).check(settings)
    RedactionCase(URLText("data:", path: "text/html,secret"), "data:", .path, .host).check(settings)
    settings.path = .drop
    RedactionCase(Self.everything, "https://u:p@example.com:8443?q=1#f", .path, .host).check(settings)
    RedactionCase(URLText("https://", host: "a.example", path: "/"), "https://a.example/", [], .full).check(settings)
    RedactionCase(URLText("file://", path: "/home/u"), "file://", .path, .host).check(settings)
    RedactionCase(URLText("blob:", path: "https://a.example/u"), "blob:", .path, .no).check(settings)
  }

  @Test func whatCannotBeMaskedIsLeftOutWhole() {
    let bytes = Array("https://u:p@a.example/x?q".utf8)
    let none = bytes.count..<bytes.count
    func url(_ credentials: Range<Int>, _ host: Range<Int>, _ path: Range<Int>, _ query: Range<Int>) -> URLText {
      URLText(bytes: bytes, credentials: credentials, host: host, path: path, query: query, fragment: none)
    }
    let unsound = [
      url(none, 12..<21, 21..<23, 23..<25), url(8..<12, 12..<20, 21..<23, 23..<25), url(8..<12, 12..<21, 21..<23, none),
      url(12..<21, 8..<12, 21..<23, 23..<25), url(8..<12, 12..<21, 21..<23, 23..<26), url(none, none, none, none),
      url(-4..<12, 12..<21, 21..<23, 23..<25), url(8..<12, 12..<21, 21..<23, -1..<(-1)),
      URLText("no scheme", path: "/x"), URLText(":", path: "x"), URLText("https:///", host: "a.example"),
      URLText("x:", path: "a\nb"), URLText("x:", path: "é"), URLText(""),
      URLText("x:", path: String(repeating: "a", count: 300 * 1024)),
    ]
    for url in unsound { RedactionCase(url, "", .whole, .no).check(RedactionSettings()) }
    RedactionCase(url(8..<12, 12..<21, 21..<23, 23..<25), "https://a.example/x", [.credentials, .query], .no)
      .check(RedactionSettings())
  }

  @Test func theWorseOfTwoURLsSaysHowFarARecordCanBeJudgedAgain() throws {
    let whole = LoggedURL.valid(URLText("https://", host: "a.example", path: "/"))
    let asking = LoggedURL.valid(URLText("https://", host: "a.example", path: "/", query: "?q"))
    let cases: [(LoggedURL, LoggedURL, Replayability)] = [
      (.absent, .absent, .full), (whole, .absent, .full), (whole, asking, .path), (asking, whole, .path),
      (whole, .invalid(byteCount: 1), .no), (.invalid(byteCount: 1), whole, .no),
    ]
    for (url, from, expected) in cases {
      var entry = DecisionEntry(id: "d")
      (entry.url, entry.from) = (url, from)
      var encoder = try LogEncoder.test()
      var bytes: [UInt8] = []
      encoder.encode(entry, of: Event(.navigate), as: DecisionReport(), into: &bytes)
      #expect(try text(bytes).hasSuffix("\"replayable\":\"\(expected.rawValue)\"\n"))
    }
  }

  @Test func replayabilityIsOrdered() {
    #expect(Replayability.allCases.sorted() == [.no, .host, .path, .full])
  }
}
