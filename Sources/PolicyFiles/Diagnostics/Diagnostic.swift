/// One thing that is wrong, or looks wrong, in a file of the configuration.
///
///     policy.d/apps.yaml:4:3: error: unknown key `sokcet` [unknown-key]
///       hint: did you mean `socket`?
///
/// Messages are lower case, without a full stop, with the user's own text in backticks (`String.quoted`).
/// An error keeps the whole configuration from being loaded; a warning does not.
package struct Diagnostic: Sendable, Hashable {
  /// How bad it is.
  package enum Severity: String, Sendable, Hashable {
    case error
    case warning
    /// Worth knowing, and most likely meant: no reason to fail, not even where warnings are one.
    case info
  }

  package var severity: Severity
  package var location: SourceLocation
  package var code: Code
  package var message: String
  /// What to write instead, when that is known.
  package var hint: String?
  /// A URL that shows it.
  package var witness: Witness?

  package init(
    _ severity: Severity, _ code: Code, at location: SourceLocation, _ message: String, hint: String? = nil,
    witness: Witness? = nil
  ) {
    self.severity = severity
    self.location = location
    self.code = code
    self.message = message
    self.hint = hint
    self.witness = witness
  }
}

extension Diagnostic: CustomStringConvertible {
  /// `file:line:column: error: message [code]`, and when there are, a line `  witness: ...` and a line `  hint: ...`.
  ///
  /// Control and bidirectional characters are escaped here once more, whatever the author of the message did: a file
  /// must not be able to move the cursor of the terminal that prints what is wrong with it.
  package var description: String {
    let line = "\(location): \(severity.rawValue): \(message.escapedForDisplay) [\(code.rawValue)]"
    let more = [("witness", witness?.description), ("hint", hint)]
    return more.reduce(line) { text, more in
      more.1.map { "\(text)\n  \(more.0): \($0.escapedForDisplay)" } ?? text
    }
  }
}

extension Diagnostic: Comparable {
  /// By location; at one place the worse comes first, then by code and text, so that the order never changes between runs.
  package static func < (one: Diagnostic, other: Diagnostic) -> Bool {
    if one.location != other.location { return one.location < other.location }
    if one.severity != other.severity { return one.severity.rank < other.severity.rank }
    if one.code != other.code { return one.code.rawValue < other.code.rawValue }
    if one.message != other.message { return one.message < other.message }
    if one.hint != other.hint { return (one.hint ?? "") < (other.hint ?? "") }
    return (one.witness?.description ?? "") < (other.witness?.description ?? "")
  }
}

extension Diagnostic.Severity {
  fileprivate var rank: Int {
    switch self {
    case .error: 0
    case .warning: 1
    case .info: 2
    }
  }
}
