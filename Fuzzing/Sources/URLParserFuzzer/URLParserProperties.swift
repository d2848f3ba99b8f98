import FuzzSupport
import TestSupport
import URLRules
import URLStandard

/// What holds of every text that is read as a URL. The first byte, a digit, chooses the base; the rest is the text.
enum URLParserProperties {
  private static let bases = [
    nil, "https://a.example/b/c?d#e", "http://user:pass@[::1]:8080/", "file:///C:/d/e", "file://host/x/y",
    "data:text/plain,x", "x://h/p/q?r", "x:/p/q", "mailto:a@b.example", "ftp://a.example",
  ].map { $0.flatMap { URLRecord($0) } }

  static func check(_ bytes: [UInt8]) {
    let number = Int((bytes.first ?? 0x30) &- 0x30) % bases.count
    let text = Array(bytes.dropFirst())
    let (reading, record) = read(text, bases[number], usesCommonShape: true)
    let full = read(text, bases[number], usesCommonShape: false)
    require(reading == full.0 && record == full.1, "the short way and the whole parser agree")
    if reading == .valid { checkRecord(record) } else { require(record == URLRecord(), "no URL leaves nothing") }
    checkJudged(text)
  }

  private static func read(
    _ text: [UInt8], _ base: URLRecord?, usesCommonShape: Bool
  ) -> (URLReading, URLRecord) {
    var parser = URLParser(usesCommonShape: usesCommonShape)
    var record = URLRecord()
    let reading =
      if let base { parser.parse(text.span, base: base, into: &record) } else {
        parser.parse(text.span, into: &record)
      }
    return (reading, record)
  }

  private static func checkRecord(_ record: URLRecord) {
    require(record.isValid && record.bytes.count <= URLRecord.maximumLength, "a URL is within limits")
    require(record.bytes.allSatisfy { (0x21...0x7E).contains($0) || $0 == 0x20 }, "a URL is visible ASCII")
    var end = 0
    for component in URLComponent.allCases {
      let range = record.range(of: component)
      require(range.upperBound <= record.bytes.count, "\(component) lies in the URL")
      guard !range.isEmpty else { continue }
      require(range.lowerBound >= end, "\(component) lies behind what is before it")
      end = range.upperBound
    }
    for base in bases {
      let (reading, again) = read(record.bytes, base, usesCommonShape: false)
      require(reading == .valid && again == record, "`\(record.href)` is read as itself, not as `\(again.href)`")
    }
  }

  /// What rules see of the text is seen of what rules saw, and is what the reference sees.
  private static func checkJudged(_ text: [UInt8]) {
    var subject = URLSubject()
    subject.read(text.span)
    let reference = ReferenceURL(String(decoding: text, as: UTF8.self))
    switch reference {
    case .absent, .invalid: require(subject.kind == .invalid, "\(subject.kind) where the reference sees no URL")
    case .script: require(subject.kind == .script, "\(subject.kind) where the reference sees a script")
    case .madeByPage: require(subject.kind == .madeByPage, "\(subject.kind) where the reference sees a page's own")
    case .url(let parts):
      require(subject.kind == .url, "\(subject.kind) where the reference sees `\(parts.href)`")
      require(subject.judged.href == parts.href, "`\(subject.judged.href)`, by the reference `\(parts.href)`")
      require(subject.hadCredentials == parts.hadCredentials, "credentials are noted")
      checkFixedPoint(subject.judged)
    }
  }

  private static func checkFixedPoint(_ judged: URLRecord) {
    checkRecord(judged)
    require(!judged.hasCredentials && judged.fragmentRange == nil, "judged URLs have no credentials, no fragment")
    var again = URLSubject()
    again.read(judged.bytes.span)
    require(again.kind == .url && !again.hadCredentials, "`\(judged.href)` is judged again")
    require(again.judged == judged, "`\(judged.href)` is judged as `\(again.judged.href)`")
  }
}
