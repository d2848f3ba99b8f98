internal import GuardModel
package import URLRules

/// An example URL for a warning, with the rule set's answer to it.
///
///     `https://contoso.com.evil.example/` is internal by `tenant`
package struct Witness: Sendable, Hashable {
  package var question: RuleQuestion
  /// The time of the question, in seconds since 1970; nil: now.
  package var at: Int64?
  package var isInternal: Bool
  /// The id of the rule that says so, or `default`.
  package var rule: String

  package init(_ question: RuleQuestion, at: Int64? = nil, isInternal: Bool, rule: String) {
    self.question = question
    self.at = at
    self.isInternal = isInternal
    self.rule = rule
  }
}

extension Witness: CustomStringConvertible {
  package var description: String {
    var text = "`\(question.url)`"
    if let from = question.from { text += " from `\(from)`" }
    if question.hop == true { text += " as a redirect" }
    if let document = question.document, document != question.url { text += " with the document `\(document)`" }
    if question.purpose != .page {
      let names = Purposes.names.filter { question.purpose.contains($0.purpose) }.map(\.name)
      text += " for `\(names.joined(separator: ", "))`"
    }
    return text + " is \(isInternal ? "internal" : "external") by `\(rule)`" + (at == nil ? "" : " then")
  }
}
