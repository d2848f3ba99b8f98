/// Format of printed results.
package enum OutputFormat: String, CaseIterable, Sendable {
  /// For people.
  case text
  /// For programs: one JSON object a line.
  case json
}
