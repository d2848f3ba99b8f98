internal import URLRules

/// The regular expressions of an engine.
package enum StaticDialect: Sendable, Hashable {
  /// WebKit's content blockers: no alternatives, no counted repetitions, no classes with names.
  case webKit
  /// RE2, within the two kilobytes that Chromium allows for one.
  case re2
}

/// A regular expression that is found in the serialised URL of a request, with fragment and user name where it has them.
package struct StaticExpression: Sendable, Hashable {
  package let text: String
  /// It takes `ws` and `wss` as it takes `http` and `https`.
  package let takesSockets: Bool
  /// Its size in RE2's memory, in instructions.
  let size: Int

  /// A little less than the limit seen in Chromium 156.
  static let maximumSize = 105
}

/// Writes patterns in the words of a dialect.
struct ExpressionWriter {
  let dialect: StaticDialect
  private(set) var text = ""
  private(set) var size = 0

  private static let maximumCopies = 64

  init(_ dialect: StaticDialect) { self.dialect = dialect }

  static func expression(
    _ items: [RegexItem], _ dialect: StaticDialect, takesSockets: Bool
  ) throws(StaticGap) -> StaticExpression {
    var writer = ExpressionWriter(dialect)
    try writer.write(items)
    let size = writer.size - Self.literalStart(items)
    guard dialect == .webKit || size <= StaticExpression.maximumSize else { throw .expressionSize }
    return StaticExpression(text: writer.text, takesSockets: takesSockets, size: size)
  }

  /// RE2 compares the literal beginning of an anchored expression before it runs the rest.
  private static func literalStart(_ items: [RegexItem]) -> Int {
    guard items.first?.node == .start else { return 0 }
    return items.dropFirst().prefix { $0.literal != nil }.count
  }

  mutating func write(_ items: [RegexItem]) throws(StaticGap) {
    for (index, item) in items.enumerated() {
      switch item.node {
      case .start:
        guard index == 0, text.isEmpty else { throw .anchor }
        text += "^"
      case .end:
        guard index == items.count - 1 else { throw .anchor }
        text += "$"
      case .option: break
      case .condition(.border(let isDenied)):
        guard dialect == .re2 else { throw .look }
        text += isDenied ? "\\B" : "\\b"
        size += 1
      case .condition(.look): throw .look
      case .bytes(let set): try write(item.times) { writer throws(StaticGap) in writer.write(set) }
      case .group(let branches):
        guard branches.count == 1 || dialect == .re2 else { throw .alternatives }
        try write(item.times) { writer throws(StaticGap) in try writer.write(group: branches) }
      }
    }
  }

  private mutating func write(group branches: [[RegexItem]]) throws(StaticGap) {
    text += dialect == .re2 ? "(?:" : "("
    for (index, branch) in branches.enumerated() {
      if index > 0 { text += "|" }
      guard !branch.contains(where: { $0.node == .start || $0.node == .end }) || branch.last?.node == .end else {
        throw .anchor
      }
      guard dialect == .re2 || !branch.contains(where: { $0.node == .end }) else { throw .anchor }
      let outer = text
      text = "("
      try write(branch)
      text = outer + text.dropFirst()
    }
    text += ")"
    size += branches.count - 1
  }

  private mutating func write(
    _ times: RegexRepeat, _ once: (inout ExpressionWriter) throws(StaticGap) -> Void
  ) throws(StaticGap) {
    guard times.least + (times.most ?? 0) <= 2 * Self.maximumCopies else { throw .repetitions }
    switch (times.least, times.most) {
    case (1, 1): try once(&self)
    case (0, 1): try write(once, "?")
    case (0, nil): try write(once, "*")
    case (1, nil): try write(once, "+")
    default:
      for _ in 0..<times.least { try once(&self) }
      guard let most = times.most else { return try write(once, "*") }
      for _ in times.least..<max(times.least, most) { try write(once, "?") }
    }
  }

  private mutating func write(
    _ once: (inout ExpressionWriter) throws(StaticGap) -> Void, _ sign: String
  ) throws(StaticGap) {
    try once(&self)
    text += sign
    size += 1
  }

  private mutating func write(_ set: ByteSet) {
    if let byte = set.onlyByte {
      text += Self.isPlain(byte) ? String(Unicode.Scalar(byte)) : "\\" + String(Unicode.Scalar(byte))
      size += 1
      return
    }
    guard set != .printable else {
      text += "."
      size += 1
      return
    }
    let isDenied = set.contains(0x21) && set.contains(0x7E) && set.count > ByteSet.printable.count / 2
    let shown = isDenied ? ByteSet.printable.intersection(set.inverted) : set
    let ranges = shown.ranges
    text += isDenied ? "[^" : "["
    for range in ranges {
      text += Self.inClass(range.lowerBound)
      if range.count > 1 { text += (range.count > 2 ? "-" : "") + Self.inClass(range.upperBound) }
    }
    text += "]"
    size += isDenied ? 2 * (ranges.count + 1) - 1 : 2 * ranges.count - 1
  }

  private static func isPlain(_ byte: UInt8) -> Bool { !".+*?^${}()[]|\\".utf8.contains(byte) }

  private static func inClass(_ byte: UInt8) -> String {
    let character = String(Unicode.Scalar(byte))
    return "[]\\^-".utf8.contains(byte) ? "\\" + character : character
  }
}

extension ByteSet {
  /// Bytes of serialised URLs.
  static let printable = ByteSet(0x21...0x7E)
  /// The same without the sign that begins a fragment.
  static let judged = printable.subtracting(UInt8(ascii: "#"))
}
