extension RegexShape {
  /// Ways to look for a match without the pattern: each is a list of literals, small letters only, of which every text
  /// that the pattern is found in holds at least one, letters in any case. None when no literal is certain.
  ///
  ///     ^https?://[^/]+/ads/[0-9]+[.]gif   ->  [http], [://], [/ads/], [.gif]
  ///     (?i)/(?:click|track)/x             ->  [/], [click, track], [/x]
  ///     a|b+c                              ->  [a, bc]
  ///     [a-z]+|x                           ->  none
  package var literalChoices: [[[UInt8]]] {
    isUnusual || refusal != nil ? [] : LiteralRuns.choices(branches)
  }
}

/// Collects what stands in a row.
private struct LiteralRuns {
  private var run: [UInt8] = []
  private var choices: [[[UInt8]]] = []

  /// Longer literals tell no more; their ends differ more often than their beginnings.
  private static let longest = 32
  /// More alternatives than this are not followed.
  private static let mostAlternatives = 64

  static func choices(_ branches: [[RegexItem]]) -> [[[UInt8]]] {
    let each = branches.map { items in
      var runs = LiteralRuns()
      runs.collect(items)
      runs.close()
      return runs.choices
    }
    guard each.count > 1 else { return each.first ?? [] }
    var together: [[UInt8]] = []
    for choices in each {
      guard let best = choices.max(by: { LiteralWeight.bits($0) < LiteralWeight.bits($1) }) else { return [] }
      together += best
    }
    return together.count <= mostAlternatives ? [together] : []
  }

  private mutating func collect(_ items: [RegexItem]) {
    for item in items {
      switch item.node {
      case .bytes(let set): collect(set, item.times)
      case .group(let branches) where item.times == .once && branches.count == 1: collect(branches[0])
      case .group(let branches):
        close()
        if item.times.least > 0 { choices += Self.choices(branches) }
      // They take nothing: what stands on both sides of them touches.
      case .start, .end, .condition, .option: break
      }
    }
  }

  private mutating func collect(_ set: ByteSet, _ times: RegexRepeat) {
    guard let byte = set.onlyByteWithoutCase, times.least > 0 else { return close() }
    run.append(byte.lowercased)
    guard times != .once else { return }
    // The first of several touches what is before them, the last what is behind.
    close()
    run = [byte.lowercased]
  }

  private mutating func close() {
    if !run.isEmpty { choices.append([Array(run.suffix(Self.longest))]) }
    run = []
  }
}

/// How much it tells that a text holds a literal.
enum LiteralWeight {
  /// What is in most URLs tells nothing.
  private static let common = ["http://www.", "https://www.", ".com/", ".org/", ".net/", ".html", ".php"].map {
    Array($0.utf8)
  }

  /// Three bits a byte, for eight bytes at most.
  static func bits(_ literal: [UInt8]) -> Int { isCommon(literal) ? 1 : 3 * min(literal.count, 8) }

  /// Of a list, the least that one of it tells.
  static func bits(_ literals: [[UInt8]]) -> Int { literals.map { bits($0) }.min() ?? 0 }

  static func isCommon(_ literal: [UInt8]) -> Bool {
    common.contains { text in
      text.indices.contains { text[$0...].starts(with: literal) }
    }
  }
}

extension UInt8 {
  /// The small letter for a capital one; every other byte as it is.
  var lowercased: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }
}
