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
