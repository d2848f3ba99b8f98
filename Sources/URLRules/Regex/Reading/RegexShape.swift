internal import Bytes

/// The parts of a pattern, as far as they are certain.
///
/// Two questions are answered from it: which host the pattern demands (`host`), and which literals (`literalChoices`).
package struct RegexShape: Sendable {
  let pattern: [UInt8]
  /// The alternatives at the top.
  package private(set) var branches: [[RegexItem]] = [[]]
  /// The first thing in it that no rule may hold.
  package private(set) var refusal: RegexError?
  /// Something in it is not understood in full: nothing may be concluded from the rest.
  package private(set) var isUnusual: Bool
  /// A piece of the pattern keeps its text: which texts match depends on the order of trying.
  package private(set) var givesNothingBack = false

  /// Groups in groups deeper than this are not followed; the same number is PCRE2's limit in `Regex`.
  static let maximumDepth = 100

  /// An open group: its kind, and the branches read before it.
  private struct Open {
    var branches: [[RegexItem]]
    var group: RegexToken.Group
  }

  package init(_ text: String) {
    var reader = RegexReader(text)
    pattern = reader.text
    isUnusual = !pattern.allSatisfy { (0x01...0x7F).contains($0) }
    read(&reader)
    refusal = reader.refusal
    isUnusual = isUnusual || reader.isUnusual
    givesNothingBack = reader.givesNothingBack
  }

  private mutating func read(_ reader: inout RegexReader) {
    var open: [Open] = []
    while let token = reader.next() {
      switch token {
      case .bytes(let set): append(.bytes(set), &reader)
      case .start: append(.start, &reader)
      case .end: append(.end, &reader)
      case .border(let isDenied): append(.condition(.border(isDenied: isDenied)), &reader)
      case .option: append(.option, &reader)
      case .unusual: break
      case .bar: branches.append([])
      case .open(let group):
        open.append(Open(branches: branches, group: group))
        branches = [[]]
        if open.count > Self.maximumDepth { reader.isUnusual = true }
      case .close: close(&open, &reader)
      }
    }
    if !open.isEmpty { reader.isUnusual = true }
  }

  private mutating func close(_ open: inout [Open], _ reader: inout RegexReader) {
    guard let outer = open.popLast() else {
      reader.isUnusual = true
      return
    }
    // A pattern that is given up is read on only for refused syntax; its tree could be too deep to walk.
    let inner = reader.isUnusual ? [[]] : branches
    branches = outer.branches
    guard case .look(let isBehind, let isDenied) = outer.group else { return append(.group(inner), &reader) }
    append(.condition(.look(inner, isBehind: isBehind, isDenied: isDenied)), &reader)
  }

  private mutating func append(_ node: RegexItem.Node, _ reader: inout RegexReader) {
    var item = RegexItem(node: node)
    if node != .option { item.times = reader.quantifier() }
    if item.isCondition, item.times != .once { reader.isUnusual = true }
    branches[branches.count - 1].append(item)
  }

  /// The items of a pattern that is understood and has one alternative at the top; nil for every other.
  var sequence: [RegexItem]? {
    guard !isUnusual, refusal == nil, branches.count == 1 else { return nil }
    return branches[0]
  }
}

extension RegexShape {
  /// The host that every URL has in which the pattern is found; nil when there may be others, or nothing is certain.
  ///
  ///     ^https://cdn[.]example[.]com/v1/       ->  cdn.example.com, path from /v1/
  ///     ^https?://(?:[^/]+[.])?example\.com/   ->  example.com and below, path from /
  ///     ^https://www.example.com/              ->  nil: the dots take any byte
  ///     ^https://example[.]com                 ->  nil: example.com.evil.example begins so as well
  ///
  /// It relies on the form of the judged URL: `http` and `https` ones have a small-letter host, then perhaps `:` and a
  /// number, then a path that begins with `/`; user names are gone. The text between `//` and the next `/` is therefore
  /// the host and its port, and a port has no letter and no dot.
  package var host: IndexKey? {
    guard let items = sequence, let authority = webAuthority(items[...]) else { return nil }
    guard let end = authority.firstIndex(where: { Self.canEndHost($0) }) else { return nil }
    let host = authority[..<end]
    guard let path = path(authority[end...]) else { return nil }
    let literals = host.suffix(trailingLiterals(host))
    let name = literals.compactMap(\.literalWithoutCase)
    let before = host.dropLast(name.count)
    if before.isEmpty { return Self.isHostName(name) ? .host(name, below: false, path: path) : nil }
    guard before.allSatisfy({ !$0.isCondition && $0.node != .option }) else { return nil }
    if name.first == UInt8(ascii: ".") {
      return Self.isParentName(name.dropFirst()) ? .host(Array(name.dropFirst()), below: true, path: path) : nil
    }
    guard before.count == 1, let only = before.first, Self.isSubdomains(only), Self.isParentName(name[...]) else {
      return nil
    }
    return .host(name, below: true, path: path)
  }

  /// The items behind `^http://`, `^https://` or `^https?://`, options before it allowed.
  private func webAuthority(_ items: ArraySlice<RegexItem>) -> ArraySlice<RegexItem>? {
    let items = items.drop { $0.node == .option }
    guard items.first?.node == .start else { return nil }
    var rest = items.dropFirst()
    for byte in "http".utf8 {
      guard rest.popFirst()?.literalWithoutCase == byte else { return nil }
    }
    if let next = rest.first, case .bytes(let set) = next.node, set.onlyByteWithoutCase == UInt8(ascii: "s") {
      guard next.times == .once || next.times == RegexRepeat(least: 0, most: 1) else { return nil }
      rest.removeFirst()
    }
    for byte in "://".utf8 {
      guard rest.popFirst()?.literal == byte else { return nil }
    }
    return rest
  }

  /// Whether the host may be over with this item.
  private static func canEndHost(_ item: RegexItem) -> Bool {
    item.alphabet.contains(slash) || item.isCondition || item.node == .option || beginsWithEnd(item)
  }

  private static let slash = UInt8(ascii: "/")
  private static let hostEnds = ByteSet(0x2F...0x2F, 0x3A...0x3A)

  /// Whether the item, where it takes something, begins with the end of a host: `/`, `:` or the end of the text.
  private static func beginsWithEnd(_ item: RegexItem) -> Bool {
    switch item.node {
    case .bytes(let set): set.isSubset(of: hostEnds)
    case .end: true
    case .start, .condition, .option: false
    case .group(let branches): branches.allSatisfy { $0.first.map { $0.times.least > 0 && beginsWithEnd($0) } ?? false }
    }
  }

  /// The literal beginning of the path, read from where the host may end; nil unless it certainly ends there.
  ///
  ///     /v1/          ->  /v1/
  ///     (?::[0-9]+)?/ ->  /
  ///     (?:/|$)       ->  any
  ///     /?x           ->  nil: `x` may belong to the host
  private func path(_ items: ArraySlice<RegexItem>) -> [UInt8]? {
    let port = items.prefix { $0.times.least == 0 && Self.beginsWithEnd($0) }
    let rest = items.dropFirst(port.count)
    guard let end = rest.first, end.times.least > 0, Self.beginsWithEnd(end) else { return nil }
    // An omitted port may be the beginning of the path.
    guard end.literal == Self.slash, !port.contains(where: { $0.alphabet.contains(Self.slash) }) else { return [] }
    let literals = rest.lazy.map(\.literal).prefix { $0 != nil && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    return literals.compactMap(\.self)
  }

  private func trailingLiterals(_ items: ArraySlice<RegexItem>) -> Int {
    items.reversed().prefix { $0.literalWithoutCase != nil }.count
  }

  /// `(?:[^/]+[.])?` or `(…)*`: nothing, or something that ends with a dot.
  private static func isSubdomains(_ item: RegexItem) -> Bool {
    guard case .group(let branches) = item.node else { return false }
    return branches.allSatisfy { $0.last?.literal == UInt8(ascii: ".") }
  }

  /// Letters, digits, dots and hyphens as a judged host has them, without empty labels.
  private static func isHostName(_ name: [UInt8]) -> Bool {
    let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return labels.allSatisfy { !$0.isEmpty && $0.allSatisfy(isHostByte) }
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
  }

  /// A name that others can be below: not the end of an address, and more than one label, or half the web would be
  /// filed under it.
  private static func isParentName(_ name: ArraySlice<UInt8>) -> Bool {
    let labels = name.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.count > 1, let first = labels.last?.first else { return false }
    return isHostName(Array(name)) && !ByteSet.digits.contains(first)
  }
}
