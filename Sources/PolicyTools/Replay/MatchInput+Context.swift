internal import GuardModel
package import URLRules
internal import URLStandard

extension MatchInput {
  /// The known context of the URL; nil is unknown.
  package init(document: String?, from: String?, hop: Bool?, purposes: Purposes) {
    self.init()
    if let from { self.from.read(from) }
    if let document { self.document = Self.record(of: document) }
    self.hop = Ternary(hop)
    self.purposes = purposes
  }

  /// Reads the URL that is judged next; false when no browser opens it. A URL that a page made is judged as that page.
  mutating func readURL(_ text: borrowing Span<UInt8>) -> Bool {
    url.read(copy text)
    guard url.kind != .invalid else { return false }
    if url.kind == .madeByPage { url.judgeAs(from) }
    return true
  }

  /// A URL with a user name is no document.
  private static func record(of document: String) -> URLRecord? {
    var subject = URLSubject()
    subject.read(document)
    return subject.kind == .url && !subject.hadCredentials ? subject.judged : nil
  }
}
