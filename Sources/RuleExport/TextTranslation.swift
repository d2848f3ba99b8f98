internal import URLRules

/// Translates a text's demand on the judged URL into a demand on the URL that an engine shows.
///
///     ^https://a[.]example/x$   ->   ^https://([^/]*@)?a\.example/x(#[^…]*)?$
///     team                      ->   ^[^#]*team
///
/// The judged URL has no fragment and no user name, and `ws` is `http`.
struct TextTranslation {
  private let wanted: StaticTerm.Wanted
  /// Maximum lines from the alternatives of one.
  private static let maximumLines = 64

  /// Lines that an engine without alternatives gets one by one, and whether each takes web sockets as it should.
  private(set) var written: [(items: [RegexItem], sockets: Bool)] = []

  init(_ branch: [RegexItem], _ wanted: StaticTerm.Wanted) throws(StaticGap) {
    self.wanted = wanted
    let lines = wanted.dialect == .webKit ? try Self.withoutAlternatives(branch) : [branch]
    for line in lines {
      guard let visible = try Self.withoutFragment(line) else { continue }
      written.append(try front(visible))
    }
  }

  /// Takes the sign of fragments out of every set; nil when nothing is left of one that must be there.
  private static func withoutFragment(_ items: [RegexItem]) throws(StaticGap) -> [RegexItem]? {
    var result: [RegexItem] = []
    for (index, item) in items.enumerated() {
      switch item.node {
      case .bytes(let set):
        let visible = set.intersection(.judged)
        if visible.count > 0 {
          result.append(RegexItem(node: .bytes(visible), times: item.times))
        } else if item.times.least > 0 {
          return nil
        }
      case .end:
        guard index == items.count - 1 else { throw .anchor }
        result += RegexItem.urlEnd
      case .group(let branches):
        guard !branches.joined().contains(where: { $0.node == .start || $0.node == .end }) else { throw .anchor }
        var left: [[RegexItem]] = []
        for branch in branches {
          if let visible = try withoutFragment(branch) { left.append(visible) }
        }
        if !left.isEmpty {
          result.append(RegexItem(node: .group(left), times: item.times))
        } else if item.times.least > 0 {
          return nil
        }
      case .start:
        guard index == 0 else { throw .anchor }
        result.append(item)
      case .condition, .option: result.append(item)
      }
    }
    return result
  }

  /// Prefixes a line with the parts that an engine shows and rules do not see.
  private func front(_ items: [RegexItem]) throws(StaticGap) -> (items: [RegexItem], sockets: Bool) {
    guard items.first?.node == .start else {
      guard !wanted.passes else { throw .userName }
      return ([RegexItem(node: .start), .except("#", .any)] + items, !Self.mayBeginInScheme(items))
    }
    guard let web = WebStart(items) else {
      guard !wanted.passes else { throw .userName }
      return (items, false)
    }
    let user = wanted.credentials ? [RegexItem.maybe([.except("/", .any), .set("@")])] : []
    let rest = wanted.passes ? try Self.withoutUser(Array(web.rest)) : Array(web.rest)
    return ([RegexItem(node: .start)] + web.scheme(sockets: wanted.sockets) + user + rest, true)
  }

  /// The rest after `https://`, so nothing in it is found in a user name.
  ///
  ///     [^/]*evil/x     ->   [^/@]*evil/x
  ///     contoso         ->   contoso[^/@]*/
  private static func withoutUser(_ items: [RegexItem]) throws(StaticGap) -> [RegexItem] {
    var result: [RegexItem] = []
    for (index, item) in items.enumerated() {
      if item.literal == UInt8(ascii: "/") { return result + items[index...] }
      guard !item.alphabet.contains(UInt8(ascii: "/")), !item.isCondition else { throw .userName }
      result.append(item.without(UInt8(ascii: "@")))
    }
    return result + [.except("/@", .any), .set("/")]
  }

  /// Whether the line may be found from a place inside the scheme on, which differs for WebSockets.
  private static func mayBeginInScheme(_ items: [RegexItem]) -> Bool {
    let sets = items.prefix { $0.times == .once }.map { item in
      if case .bytes(let set) = item.node { set } else { ByteSet.printable }
    }
    return ["http:", "https:", "ws:", "wss:"].contains { scheme in
      let bytes = Array(scheme.utf8)
      return bytes.indices.contains { start in
        zip(sets, bytes[start...]).allSatisfy { $0.contains($1) }
      }
    }
  }

  /// Every way through the alternatives that a line holds.
  private static func withoutAlternatives(_ items: [RegexItem]) throws(StaticGap) -> [[RegexItem]] {
    var lines: [[RegexItem]] = [[]]
    for item in items {
      var choices: [[RegexItem]] = [[item]]
      if case .group(let branches) = item.node {
        var inner: [[RegexItem]] = []
        for branch in branches { inner += try withoutAlternatives(branch) }
        if inner.count == 1 {
          choices = [[RegexItem(node: .group(inner), times: item.times)]]
        } else {
          guard item.times.most == 1 else { throw .alternatives }
          choices = item.times.least == 0 ? [[]] + inner : inner
        }
      }
      guard lines.count * choices.count <= maximumLines else { throw .alternatives }
      lines = lines.flatMap { line in choices.map { line + $0 } }
    }
    return lines
  }
}

/// The beginning `^http://`, `^https://` or `^https?://` of a line, and the rest after it.
private struct WebStart {
  private var secure: RegexRepeat?
  private(set) var rest: ArraySlice<RegexItem>

  init?(_ items: [RegexItem]) {
    rest = items.dropFirst()
    for byte in "http".utf8 {
      guard rest.popFirst()?.literal == byte else { return nil }
    }
    if let next = rest.first, case .bytes(let set) = next.node, set.onlyByte == UInt8(ascii: "s") {
      guard next.times == .once || next.times == .maybe else { return nil }
      secure = next.times
      rest.removeFirst()
    }
    for byte in "://".utf8 {
      guard rest.popFirst()?.literal == byte else { return nil }
    }
  }

  func scheme(sockets: Bool) -> [RegexItem] {
    let last = secure.map { [RegexItem(node: .bytes(ByteSet(0x73...0x73)), times: $0)] } ?? []
    let start: [RegexItem] =
      sockets ? [.set("hw"), .set("ts"), .set("tp", .any)] : RegexItem.literals("http")
    return start + last + RegexItem.literals("://")
  }
}

extension RegexItem {
  /// The same where it takes a byte less. An item that then takes nothing at all is found nowhere.
  fileprivate func without(_ byte: UInt8) -> RegexItem {
    switch node {
    case .bytes(let set): RegexItem(node: .bytes(set.subtracting(byte)), times: times)
    case .group(let branches):
      RegexItem(node: .group(branches.map { $0.map { $0.without(byte) } }), times: times)
    case .start, .end, .condition, .option: self
    }
  }
}
