import Foundation
import GuardModel
import TestSupport
import Testing
import WebViewGuardClient

/// The notice: the pages that the clients of all languages write, and text that must stay text.
@Suite struct NoticeTests {
  @Test func pagesAreThoseOfTheVectors() throws {
    let cases = try Vectors.cases("notices")
    let style = try Vectors.style()
    for example in cases {
      let decision = try Self.decision(of: example)
      let actions = (example["actions"]?.object ?? [:]).map { (NoticeAction(rawValue: $0), $1.string ?? "") }
      let page = decision.notice(
        of: example["url"]?.string ?? "", languages: example["languages"]?.array?.compactMap(\.string) ?? [],
        organization: example["organization"].map(GuardOrganization.init(reading:)),
        actions: Dictionary(uniqueKeysWithValues: try actions.map { (try #require($0), $1) }))
      let lines = page.replacing(style, with: "(style)").split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.map { .string(String($0)) } == example["lines"]?.array, "\(example["name"]?.string ?? "")")
    }
    #expect(cases.count >= 18)
  }

  @Test func whatCouldDeceiveIsShownAsTheVectorsSay() throws {
    let cases = try Vectors.list("notices", "short")
    for example in cases {
      let page = try Self.decision(of: example).notice(
        of: example["url"]?.string ?? "", languages: example["languages"]?.array?.compactMap(\.string) ?? [],
        organization: example["organization"].map(GuardOrganization.init(reading:)))
      // By bytes: characters with an accent on their first sign would hide it.
      let lines = page.utf8.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
      let shown = lines.filter { line in ["<p ", "<a ", "<dt>"].contains { line.utf8.starts(with: $0.utf8) } }
      #expect(shown.map { .string($0) } == example["shown"]?.array, "\(example["name"]?.string ?? "")")
    }
    #expect(cases.count >= 45)
  }

  /// `webviewguard check` warns of every letter in words that the notice does not show.
  @Test func checkWarnsOfWhatNoticesDoNotShow() throws {
    let file = Vectors.root.appending(path: "clients/notice/notice.json")
    let notice = try #require(ValueReader.read(Array(try Data(contentsOf: file))[...]))
    var letters = 0
    for range in notice["unseen"]?["anywhere"]?.array ?? [] {
      let ends = try (range.string ?? "").split(separator: "-").map { try #require(UInt32($0, radix: 16)) }
      for scalar in (ends[0]...ends[1]).compactMap(Unicode.Scalar.init) {
        #expect(scalar.isHiddenInWords, "\(scalar.visibleNumber)")
        letters += 1
      }
    }
    #expect(letters == 0x20 + 0x21 + 2 + 2 + 6 + 1 + 3 + 0x80)
  }

  @Test(arguments: [" ", ":", ":1", "@", "/", "\u{202E}", "a ", "#"])
  func anAddressOfAMegabyteIsShort(_ part: String) throws {
    let decision = try #require(GuardDecision(reading: ["outcome": "block", "reason": "external"]))
    let page = decision.notice(of: "https://a.example\(String(repeating: part, count: 1 << 18))b")
    #expect(page.utf8.count < 20_000)
  }

  private static func decision(of example: GuardValue) throws -> GuardDecision {
    if let error = example["local"]?.string { return .refused(.init(name: error, parameters: [:])) }
    return try #require(example["decision"].flatMap(GuardDecision.init(reading:)))
  }

  /// Markup, also with a combining accent behind each of its signs: together they are one character of Swift.
  @Test(arguments: ["\"", "\"\u{301}", "<\u{301}", "&\u{301}", "'\u{301}x", ">\r\n", "{style}", "{\u{301}lang}"])
  func textNeverBecomesMarkup(_ nasty: String) throws {
    let (plain, page) = (try Self.page(saying: "x"), try Self.page(saying: nasty))
    for sign in ["<", "\"", ">", "'"] as [Unicode.Scalar] {
      func signs(_ text: String) -> Int { text.unicodeScalars.count { $0 == sign } }
      #expect(signs(page) == signs(plain), "\(sign)")
    }
    #expect(!page.unicodeScalars.contains("\r"))
    #expect(page.contains("a{style}b") == (nasty == "{style}"))
  }

  /// A page with the same text in every place that takes any.
  private static func page(saying nasty: String) throws -> String {
    let said = GuardValue.string("a\(nasty)b")
    let members: GuardValue = [
      "outcome": "warn", "reason": said, "id": said, "message": said, "identity": said, "rule": said, "ruleSet": said,
    ]
    return try #require(GuardDecision(reading: members)).notice(
      of: "https://a\(nasty)b/", languages: ["a\(nasty)"],
      organization: .init(reading: ["name": said, "contact": said, "color": said, "darkColor": said]),
      actions: [.continue: "x-app:\(nasty)", .back: "a\(nasty)b"])
  }

  @Test func kindsAndCodes() throws {
    let cases: [(GuardValue, NoticeKind, String)] = [
      (["outcome": "block", "reason": "external", "id": "7353448151165139"], .block, "7353-4481-5116-5139"),
      (["outcome": "warn", "reason": "external", "id": "12345"], .warn, "1234-5"),
      (["outcome": "handOff", "reason": "external", "id": "1"], .redirect, "1"),
      (["outcome": "block", "reason": "accountWiped", "id": "٣"], .wiped, "accountWiped"),
      (["outcome": "newer", "reason": "ö b"], .block, "unknown"),
    ]
    for (value, kind, code) in cases {
      let decision = try #require(GuardDecision(reading: value))
      #expect((decision.noticeKind, decision.noticeCode) == (kind, code))
    }
    let local = GuardDecision.refused(.init(name: "noAnswer", parameters: [:]))
    #expect((local.noticeKind, local.noticeCode) == (.guardAway, "noAnswer"))
    #expect(local.noticeSentence(in: ["ar"]) != local.noticeSentence())
    #expect(local.noticeSentence() == local.message)
  }
}

extension Vectors {
  /// The lines of the style of every notice.
  fileprivate static func style() throws -> String {
    let source = try String(contentsOf: root.appending(path: "clients/notice/notice.json"), encoding: .utf8)
    let lines = ValueReader.read(Array(source.utf8)[...])?["style"]?.array?.compactMap(\.string)
    guard let lines else { throw TestFailure("the notice has no style") }
    return lines.joined(separator: "\n")
  }
}
