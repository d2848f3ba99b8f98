extension Unicode.Scalar {
  /// Whether it stands for nothing that a person sees: a terminal or an editor may obey it, or show nothing, or another
  /// text than the one that stands there.
  ///
  /// Control and format characters (all bidirectional controls, soft hyphens and tags are among the latter), separators of
  /// lines, and what no character is. The one place that says so: whatever shows text from others escapes these, or leaves
  /// them out.
  ///
  /// The attack: a key that holds an escape sequence, or a right-to-left override, makes a terminal show another message
  /// than the one printed ("Trojan Source", CVE-2021-42574); tags and soft hyphens make two names look like one.
  package var isInvisible: Bool {
    if value < 0x7F { return value < 0x20 }
    return switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: true
    default: false
    }
  }

  /// Its number, as text that a person sees: `\u{202E}`.
  package var visibleNumber: String { "\\u{" + String(value, radix: 16, uppercase: true) + "}" }
}
