import FuzzSupport
import GuardModel
import TestSupport
import URLRules
import URLStandard

/// One question made of bytes, for the compiled rule set and for the reference.
struct DecodedQuestion {
  /// Long URLs shrink what a decision may spend on regular expressions, and the reference spends for each alone.
  private static let maximumLength = 256
  private static let purposes: [[Purposes]] = [[.page], [.frame], [.page, .frame], [.resource]]

  let url: String
  private(set) var input = MatchInput()
  private(set) var reference: ReferenceQuestion

  init(_ bytes: inout ByteReader, lists: [[String]]) {
    let choice = bytes.byte()
    url = Self.text(&bytes)
    let from = choice & 1 == 0 ? nil : Self.text(&bytes)
    let document = choice & 2 == 0 ? nil : Self.text(&bytes)
    let hop = [nil, false, true, nil][Int(choice >> 2 & 3)]
    let purposes = Self.purposes[Int(choice >> 4 & 3)]
    input.url.read(url)
    if let from { input.from.read(from) }
    input.document = document.flatMap { URLSubject.judged($0) }
    if input.url.kind == .madeByPage { input.url.judgeAs(input.from) }
    input.hop = Ternary(hop)
    input.purposes = purposes.reduce(into: []) { $0.formUnion($1) }
    let fromReference = ReferenceURL(from)
    reference = ReferenceQuestion(
      url: ReferenceURL(url).judged(as: fromReference), from: fromReference, document: ReferenceURL(document),
      hop: hop, purposes: purposes, lists: lists)
  }

  /// A URL of the small world, one with a path of the input's own, or any text.
  static func text(_ bytes: inout ByteReader) -> String {
    let text: String
    switch bytes.below(4) {
    case 0, 1:
      var random = bytes.generator()
      text = RandomURLs().text(&random)
    case 2: text = bytes.one(of: ["https", "http"]) + "://" + bytes.one(of: RandomRules.hosts) + "/" + bytes.text()
    default: text = bytes.text()
    }
    return String(decoding: text.utf8.prefix(maximumLength), as: UTF8.self)
  }
}
