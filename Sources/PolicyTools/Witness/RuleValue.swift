package import URLRules

/// One of several values of a matcher, of which any may hold.
///
///     internal: { host: [a.example, b.example], scheme: https }   ->   host `a.example`, host `b.example`
///
/// Values behind `not` are none of these: a rule matches because they do not hold. Nor are the lines of a list file.
package struct RuleValue: Sendable {
  /// For people: ``host `a.example` ``, or `from, group 2`.
  package let words: String
  /// The condition that holds when this value does.
  package let condition: Condition
  /// The rule's condition if this were its only value.
  let narrowed: Condition

  /// All values of all lists in a rule, in the order of the file.
  package static func all(in rule: Rule) -> [RuleValue] { all(in: rule.condition) }

  private static func all(in condition: Condition) -> [RuleValue] {
    switch condition {
    case .all(let parts):
      return parts.indices.flatMap { index in
        all(in: parts[index]).map { value in
          var narrowed = parts
          narrowed[index] = value.narrowed
          return RuleValue(words: value.words, condition: value.condition, narrowed: .all(narrowed))
        }
      }
    case .any(let parts): return parts.count > 1 ? parts.indices.flatMap { values(of: parts[$0], $0 + 1) } : []
    case .from(let part):
      return all(in: part).map { value in
        RuleValue(words: "from \(value.words)", condition: .from(value.condition), narrowed: .from(value.narrowed))
      }
    default: return []
    }
  }

  /// The value itself, and those in it where it is a group.
  private static func values(of part: Condition, _ number: Int) -> [RuleValue] {
    if let words = part.words { return [RuleValue(words: words.sentence, condition: part, narrowed: part)] }
    var words = "group \(number)"
    if case .from = part { words = "from, group \(number)" }
    return [RuleValue(words: words, condition: part, narrowed: part)] + all(in: part)
  }
}
