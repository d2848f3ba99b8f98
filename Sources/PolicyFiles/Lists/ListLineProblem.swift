/// A problem of one line of a list.
///
///     ListLineProblem("`a..b` has an empty label", at: 4)
package struct ListLineProblem: Error, Sendable, Hashable {
  package var message: String
  package var hint: String?
  /// The byte of the line with the problem.
  package var offset: Int

  package init(_ message: String, hint: String? = nil, at offset: Int = 0) {
    self.message = message
    self.hint = hint
    self.offset = offset
  }
}
