/// One piece of a pattern, as PCRE2 reads it.
enum RegexToken: Sendable, Hashable {
  /// One byte out of a set; a set of one is a literal.
  case bytes(ByteSet)
  /// `^` or `\A`.
  case start
  /// `$`, `\Z` or `\z`.
  case end
  /// `\b`, or `\B` when it is denied.
  case border(isDenied: Bool)
  case open(Group)
  case close
  case bar
  /// An option for the rest of the group: `(?i)`.
  case option
  /// Something that is not read in full; the reader says that the pattern is unusual.
  case unusual

  /// The group that a parenthesis begins.
  enum Group: Sendable, Hashable {
    /// `(`, `(?:`, `(?<name>`, `(?>`, `(?i:`
    case consuming
    /// `(?=`, `(?!`, `(?<=`, `(?<!`: matches and takes nothing.
    case look(isBehind: Bool, isDenied: Bool)
    case unusual
  }
}

/// The number of times that the piece before it may come.
package struct RegexRepeat: Sendable, Hashable {
  package var least = 1
  /// Nil: without end.
  package var most: Int? = 1

  package static let once = RegexRepeat()

  package init(least: Int = 1, most: Int? = 1) {
    self.least = least
    self.most = most
  }
}

/// One piece of a pattern with its quantifier.
package struct RegexItem: Sendable, Hashable {
  package indirect enum Node: Sendable, Hashable {
    case bytes(ByteSet)
    case start
    case end
    /// A condition on the place, which takes nothing: `\b`, look-around.
    case condition(Assertion)
    case option
    /// The alternatives of a group.
    case group([[RegexItem]])
  }

  /// A condition that must hold of a place, or, denied, must not.
  package enum Assertion: Sendable, Hashable {
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

/// Syntax that no rule may hold: releases of PCRE2 read it differently, or it undoes the limits of matching.
///
/// A rule file is checked on one machine and enforced on another. PCRE2 changed the meaning of these between 10.40 and
/// 10.47; an administrator must not find out by a URL that slipped through.
///
/// Source: PCRE2's ChangeLog, 10.43 (29, 30, 9, 24), 10.44 (3), 10.45 (6, 25, 42), 10.47 (9).
enum RefusedSyntax: Sendable, Hashable, CaseIterable {
  case looseRepeat
  case blanksInBraces
  case bareHexadecimal
  case unicode
  case anyCodeUnit
  case verb
  case callout
  case extendedClass
  case newOption
  case version
  case returnedGroups
  case longName

  var message: String {
    switch self {
    case .looseRepeat: "braces that are a quantifier in some releases of PCRE2 and text in others"
    case .blanksInBraces: "blanks inside the braces of an escape mean different things to different releases of PCRE2"
    case .bareHexadecimal: "`\\x` without a hexadecimal digit is NUL to some releases of PCRE2 and an error to others"
    case .unicode: "properties and names of Unicode are not available: the text of a URL is ASCII"
    case .anyCodeUnit: "`\\C` is not available"
    case .verb: "`(*…)` is not available: it could change limits, newlines or the character set"
    case .callout: "callouts are not available"
    case .extendedClass: "`(?[…])` is known to few releases of PCRE2"
    case .newOption: "the options `a` and `r` are known to few releases of PCRE2"
    case .version: "a condition on the release of PCRE2 makes the rule mean different things on different machines"
    case .returnedGroups: "a recursion that returns groups is known to few releases of PCRE2"
    case .longName: "the name of a group is longer than 32 characters, which few releases of PCRE2 take"
    }
  }

  var hint: String? {
    switch self {
    case .looseRepeat: "write `{0,3}` for up to three times, without blanks; write `\\{` for a brace in the text"
    case .blanksInBraces: "write it without blanks"
    case .bareHexadecimal: "write `\\x00` for NUL, or two digits"
    case .unicode: "write a class such as `[A-Za-z]`; names in other scripts appear as `xn--…` and `%C3%BC`"
    case .anyCodeUnit: "write `[\\x00-\\xFF]` for any byte"
    case .verb: "write `(?=…)`, `(?!…)`, `(?>…)` for look-around and atomic groups"
    case .extendedClass: "write a plain class, or a look-ahead before it: `(?![xyz])[a-z]`"
    case .callout, .newOption, .version, .returnedGroups, .longName: nil
    }
  }
}
