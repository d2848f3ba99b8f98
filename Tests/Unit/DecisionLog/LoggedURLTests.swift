import DecisionLog
import GuardModel
import Testing

/// What a URL costs in the log, whatever its length, and what is written of one that must stay out.
@Suite struct LoggedURLTests {
  private static func url(_ bytes: Int, filler: String = "a") -> URLText {
    let start = "https://a.example/"
    let path =
      "/" + String(repeating: filler, count: (bytes - start.utf8.count + filler.utf8.count - 1) / filler.utf8.count)
    return URLText("https://", host: "a.example", path: path)
  }

  private func record(_ url: LoggedURL, from: LoggedURL = .absent) throws -> LogRecord {
    var entry = DecisionEntry(id: "d-1")
    (entry.url, entry.from) = (url, from)
    var event = Event(.navigate)
    event.time = testTime
    var encoder = try LogEncoder.test()
    var bytes: [UInt8] = []
    encoder.encode(entry, of: event, as: DecisionReport(), into: &bytes)
    return try #require(readRecord(try text(sealed(bytes).bytes.dropLast())))
  }

  @Test(arguments: [100, 2047, 2048])
  func aURLOfOrdinaryLengthIsWhole(length: Int) throws {
    let url = Self.url(length)
    let record = try record(.valid(url))
    #expect(record["url"] == String(decoding: url.bytes, as: UTF8.self))
    #expect(record["urlBytes"] == nil && record["urlSHA256"] == nil)
    #expect(record["replayable"] == "full")
  }

  @Test(arguments: [2049, 2050, 10_000, 65_536, 200_000])
  func ofALongOneTheBeginningIsWrittenAndItsLengthAndHash(length: Int) throws {
    let url = Self.url(length)
    let record = try record(.valid(url), from: .valid(url))
    #expect(record["url"] == String(decoding: url.bytes.prefix(2048), as: UTF8.self))
    #expect(record["urlBytes"] == String(length))
    #expect(record["urlSHA256"] == LineHash(of: url.bytes.span).hex)
    #expect(record["from"]?.utf8.count == 2048)
    #expect(record["fromBytes"] == String(length))
    #expect(record["fromSHA256"] == record["urlSHA256"])
    #expect(record["replayable"] == "host")
  }

  /// The rest of an escape would be another character.
  @Test(arguments: 0..<3)
  func noEscapeIsCutThrough(shift: Int) throws {
    let path = "/" + String(repeating: "a", count: shift) + String(repeating: "%E2", count: 2000)
    let kept = try #require(try record(.valid(URLText("https://", host: "a.example", path: path)))["url"])
    #expect((2046...2048).contains(kept.utf8.count))
    #expect(kept.hasSuffix("%E2"))
  }

  /// A query that stays out is no reason to shorten what is written.
  @Test func whatRedactionTakesAwayCostsNothing() throws {
    let url = URLText("https://", host: "a.example", path: "/x", query: "?" + String(repeating: "q", count: 60_000))
    let record = try record(.valid(url))
    #expect(record["url"] == "https://a.example/x")
    #expect(record["urlBytes"] == nil)
    #expect(record["replayable"] == "path")
  }

  @Test func aLineForPeopleSaysHowLongItWas() throws {
    let line = try record(.valid(Self.url(65_536))).line
    #expect(line.contains("aaa…(65536 bytes)"))
    #expect(line.utf8.count < 2300)
  }

  /// Of a private page nothing is there, not even its length.
  @Test func whatIsWithheldLeavesNothing() throws {
    let record = try record(.withheld, from: .withheld)
    #expect(record["url"] == nil && record["from"] == nil && record["urlBytes"] == nil)
    #expect(record["redacted"] == "url" && record["fromRedacted"] == "url")
    #expect(record["replayable"] == "no")
    #expect(try self.record(.valid(Self.url(40)), from: .withheld)["replayable"] == "no")
  }

  /// What a page may cost its user: two URLs as long as the parser takes them.
  @Test func aRecordOfTheLongestURLsIsSmall() throws {
    var entry = DecisionEntry(id: "d-1")
    (entry.url, entry.from) = (.valid(Self.url(200_000)), .valid(Self.url(200_000, filler: "%22")))
    var encoder = try LogEncoder.test()
    var bytes: [UInt8] = []
    encoder.encode(entry, of: Event(.navigate), as: DecisionReport(), into: &bytes)
    #expect(bytes.count < 5000)
  }
}
