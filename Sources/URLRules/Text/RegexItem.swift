/// One piece of a pattern with its quantifier.
package struct RegexItem: Sendable, Hashable {
  package indirect enum Node: Sendable, Hashable {
    case bytes(ByteSet)
    case start
    case end
    /// A condition on the place, which takes nothing: `\b`, look-around.
    case condition(Condition)
    case option
    /// The alternatives of a group.
    case group([[RegexItem]])
  }

  /// A condition that must hold of a place, or, denied, must not.
  package enum Condition: Sendable, Hashable {
    /// Between a letter, digit or `_` and something else.
    case border(isDenied: Bool)
    /// One of the branches matches from here on; behind, up to here.
    case look([[RegexItem]], isBehind: Bool, isDenied: Bool)
  }

  package var node: Node
  package var times = RegexRepeat.once

  package init(node: Node, times: RegexRepeat = .once) {
    self.node = node
    self.times = times
  }

  /// The one byte that stands here exactly once.
  package var literal: UInt8? {
    guard case .bytes(let set) = node, times == .once else { return nil }
    return set.onlyByte
  }

  /// The same, a letter in any case as a small one.
  var literalWithoutCase: UInt8? {
    guard case .bytes(let set) = node, times == .once else { return nil }
    return set.onlyByteWithoutCase
  }

  /// Every byte that it can take.
  package var alphabet: ByteSet {
    switch node {
    case .bytes(let set): set
    case .start, .end, .condition, .option: ByteSet()
    case .group(let branches): branches.joined().reduce(ByteSet()) { $0.union($1.alphabet) }
    }
  }

  /// Whether it demands a place and takes nothing.
  package var isCondition: Bool {
    switch node {
    case .start, .end, .condition: true
    case .bytes, .option, .group: false
    }
  }
}
