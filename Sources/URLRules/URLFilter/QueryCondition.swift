/// The demand of one token of a filter's query on a URL's query, whose elements lie between `&` signs.
///
///     v=1    ->  an element `v=1`            v=1*  ->  an element that begins with `v=1`
///     flag   ->  an element `flag`           fl*   ->  an element that begins with `fl`
///     *      ->  a query, though it be empty
///
/// In an allow list every element that begins with the key (`v=`, or `flag`) must match, and there must be one. An
/// allowed `flag` is lost to `flag&flagged=1`, as in Chromium. Percent-encoding and case are compared as they are.
///
/// Source: Chromium, components/url_matcher/url_matcher.cc, `URLQueryElementMatcherCondition`.
package struct QueryCondition: Sendable, Hashable {
  /// The key, the sign `=` when there is a value, and the value.
  package var text: [UInt8]
  /// Length of the key with its `=` in the text.
  package var keyCount: Int
  /// An element need only begin with the text.
  package var isPrefix: Bool
  /// Every element with this key must match.
  package var isEvery: Bool

  /// The conditions of a filter's query; of two that Chromium takes for the same only the first.
  ///
  /// For Chromium two conditions of an allow list are the same when their keys are: `v=1&v=2` demands `v=1` alone.
  static func list(_ query: [UInt8], side: FilterSide) -> [QueryCondition] {
    var conditions: [QueryCondition] = []
    var seen = Set<QueryCondition>()
    var rest = query[...]
    while !rest.isEmpty {
      let token = rest.prefix { $0 != UInt8(ascii: "&") }
      rest = rest.dropFirst(token.count + 1)
      let condition = QueryCondition(token, side: side)
      if seen.insert(condition.identity).inserted { conditions.append(condition) }
    }
    return conditions
  }

  private init(_ token: ArraySlice<UInt8>, side: FilterSide) {
    let equals = UInt8(ascii: "=")
    let key = token.prefix { $0 != equals }
    let value = token.dropFirst(key.count + 1)
    var text = value.isEmpty ? Array(key) : Array(token)
    isPrefix = text.last == UInt8(ascii: "*")
    if isPrefix { text.removeLast() }
    keyCount = value.isEmpty ? text.count : key.count + 1
    isEvery = side == .allow && !(isPrefix && keyCount == text.count)
    self.text = text
  }

  /// The identity by which Chromium drops a second condition.
  private var identity: QueryCondition {
    var copy = self
    guard isEvery else { return copy }
    copy.text.removeSubrange(keyCount...)
    copy.isPrefix = false
    return copy
  }

  /// Whether the query fulfils this condition.
  package func holds(in query: Span<UInt8>) -> Bool {
    QueryDemand(text: text.span, keyCount: keyCount, isPrefix: isPrefix, isEvery: isEvery).holds(in: query)
  }
}

/// A ``QueryCondition`` wherever its bytes lie.
struct QueryDemand: ~Escapable {
  let text: Span<UInt8>
  let keyCount: Int
  let isPrefix: Bool
  let isEvery: Bool

  @_lifetime(copy text)
  init(text: Span<UInt8>, keyCount: Int, isPrefix: Bool, isEvery: Bool) {
    self.text = text
    self.keyCount = keyCount
    self.isPrefix = isPrefix
    self.isEvery = isEvery
  }

  /// Whether the query fulfils the demand. One pass.
  ///
  /// An empty token of an allow list is never fulfilled: the delimiter that Chromium puts behind the last element has
  /// the empty key too, and nothing follows it.
  func holds(in query: Span<UInt8>) -> Bool {
    if isEvery, keyCount == 0 { return false }
    var found = false
    var start = 0
    while start <= query.count {
      let end = endOfElement(in: query, from: start)
      let element = query.extracting(start..<end)
      if isMatch(element) {
        if !isEvery { return true }
        found = true
      } else if isEvery, begins(element, with: text.extracting(0..<keyCount)) {
        return false
      }
      start = end + 1
    }
    return found
  }

  private func isMatch(_ element: Span<UInt8>) -> Bool {
    isPrefix ? begins(element, with: text) : equal(element, text)
  }
}

/// The end of the query element that begins at `start`.
func endOfElement(in query: Span<UInt8>, from start: Int) -> Int {
  var end = start
  while end < query.count, query[end] != UInt8(ascii: "&") { end += 1 }
  return end
}

extension QueryCondition {
  package init(text: [UInt8], keyCount: Int, isPrefix: Bool, isEvery: Bool) {
    self.text = text
    self.keyCount = keyCount
    self.isPrefix = isPrefix
    self.isEvery = isEvery
  }
}
