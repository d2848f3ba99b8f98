package import PolicyFiles

/// Prints a loader's findings on standard error, with colours on a terminal.
package enum DiagnosticPrinter {
  /// Errors and warnings. Information is left to `check`, which prints on standard output.
  package static func print(_ diagnostics: Diagnostics) {
    for diagnostic in diagnostics.sorted where diagnostic.severity != .info {
      StandardError.say(text(diagnostic, StandardError.style))
    }
  }

  /// The diagnostic's own text, with its severity in colour.
  static func text(_ diagnostic: Diagnostic, _ style: Style) -> String {
    let lead = "\(diagnostic.location): "
    let severity = diagnostic.severity.rawValue
    let coloured = diagnostic.severity == .error ? style.bad(severity) : style.doubtful(severity)
    return lead + coloured + diagnostic.description.dropFirst(lead.count + severity.count)
  }
}
