import GuardModel

/// Rules by a text that must be found in the URL: all of these are searched for in one pass.
struct TextIndex: Sendable {
  private let search: TextSearch?
  /// The rules of each pattern.
  private let lists: [PostingList]
  /// The rules of all patterns, for a search that failed.
  private let all: PostingList
  /// The smallest number of a rule here; a rule before it need not be searched for.
  let firstRule: Int32

  /// `rules` are those of each pattern, each filed by `add`; patterns that a search cannot take must not be among them.
  init(_ search: TextSearch, _ rules: [[Int32]], add: ([Int32]) -> PostingList) {
    let everyRule = Set(rules.joined()).sorted()
    self.search = everyRule.isEmpty ? nil : search
    lists = rules.map(add)
    all = add(everyRule)
    firstRule = everyRule.first ?? .max
  }

  /// Calls `body` with the rules of each pattern that may be found in `text`.
  func forEachList(in text: Span<UInt8>, _ runner: RegexRunner, _ body: (PostingList) -> Void) {
    guard let search, !search.scan(text, runner, { body(lists[Int($0)]) }) else { return }
    body(all)
  }

  var residentBytes: Int { (search?.size ?? 0) + lists.count * MemoryLayout<PostingList>.stride }
}
