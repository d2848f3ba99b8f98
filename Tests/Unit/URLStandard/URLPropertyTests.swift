import TestSupport
import Testing
import URLStandard

/// What must hold for every URL, on real ones and on random changes of real and odd ones.
@Suite(.enabled(if: SharedData.isExpected, Comment(rawValue: SharedData.absence)))
struct URLPropertyTests {
  private static let mutationsPerSuite = 60_000

  @Test
  func commonShapeAndFullParserAgreeOnRealURLs() throws {
    let urls = try URLCorpus.urls()
    #expect(urls.count == 128_725)
    var check = Agreement()
    for url in urls { check.run(url) }
    #expect(check.valid == 125_219)
    #expect(check.disagreements == [])
  }

  @Test
  func commonShapeAndFullParserAgreeOnFileURLs() throws {
    var check = Agreement()
    for url in try URLCorpus.fileURLs() {
      check.run(url)
      check.run(Array("file:///".utf8) + url.dropFirst(7))
    }
    #expect(check.valid == 2 * 43_415)
    #expect(check.disagreements == [])
  }

  @Test(arguments: [nil, "https://user@base.example:81/a/b?c", "foo:/a/b", "file://base.example/C:/a"])
  func commonShapeAndFullParserAgreeOnChangedURLs(base: String?) throws {
    var check = Agreement(base: base.flatMap { URLRecord($0) })
    try forEachMutation { check.run($0) }
    #expect(check.valid > Self.mutationsPerSuite / 4)
    #expect(check.disagreements == [])
  }

  @Test
  func readingAnHrefGivesTheSameRecord() throws {
    var parser = URLParser()
    var record = URLRecord()
    var again = URLRecord()
    var differing: [String] = []
    let check = { (input: [UInt8]) in
      guard parser.parse(input.span, into: &record) == .valid else { return }
      if parser.parse(record.bytes.span, into: &again) != .valid || again != record { differing.append(record.href) }
    }
    for url in try URLCorpus.urls() { check(url) }
    try forEachMutation(check)
    #expect(differing == [])
  }

  @Test
  func everyRecordIsPlainASCIIWithRangesInOrder() throws {
    var parser = URLParser()
    var record = URLRecord()
    var wrong: [String] = []
    try forEachMutation { input in
      let reading = parser.parse(input.span, into: &record)
      let isFine = reading == .valid ? isWellFormed(record) : record == URLRecord()
      if !isFine { wrong.append(String(decoding: input, as: UTF8.self)) }
    }
    #expect(wrong == [])
  }

  private func isWellFormed(_ record: URLRecord) -> Bool {
    let pieces =
      record.protocol + (record.hasAuthority ? "//" : "") + credentials(of: record) + record.host + marker(of: record)
      + record.pathname + (record.queryRange.map { "?" + record.text($0) } ?? "")
      + (record.fragmentRange.map { "#" + record.text($0) } ?? "")
    return pieces == record.href && record.bytes.allSatisfy { (0x20...0x7E).contains($0) }
  }

  private func credentials(of record: URLRecord) -> String {
    guard record.hasCredentials else { return "" }
    return record.username + (record.password.isEmpty ? "" : ":" + record.password) + "@"
  }

  private func marker(of record: URLRecord) -> String {
    !record.hasAuthority && record.pathname.hasPrefix("//") ? "/." : ""
  }

  private var drives: [[UInt8]] {
    ["file:///C:/a", "file:///c|/a", "file://c|/a", "file:///c|", "file://localhost/a"].map { Array($0.utf8) }
  }

  private func forEachMutation(_ body: ([UInt8]) -> Void) throws {
    print("seed of the changed URLs: \(URLCorpus.seed)")
    let seeds = try URLCorpus.oddities() + URLCorpus.urls().prefix(2_000) + URLCorpus.fileURLs().prefix(200) + drives
    var mutations = URLMutations(seed: URLCorpus.seed)
    for index in 0..<Self.mutationsPerSuite { body(mutations.mutate(seeds[index % seeds.count])) }
  }
}

/// Compares what the parser makes of a text with and without its shortcut for common URLs.
private struct Agreement {
  private(set) var valid = 0
  private(set) var disagreements: [String] = []

  private let base: URLRecord
  private var quick = URLParser()
  private var full = URLParser(usesCommonShape: false)
  private var quickRecord = URLRecord()
  private var fullRecord = URLRecord()

  /// Without a base, an invalid one stands for it.
  init(base: URLRecord? = nil) {
    self.base = base ?? URLRecord()
  }

  mutating func run(_ input: [UInt8]) {
    let quickReading = quick.parse(input.span, base: base, into: &quickRecord)
    let fullReading = full.parse(input.span, base: base, into: &fullRecord)
    if fullReading == .valid { valid += 1 }
    if quickReading != fullReading || quickRecord != fullRecord {
      disagreements.append(String(decoding: input, as: UTF8.self))
    }
  }
}
