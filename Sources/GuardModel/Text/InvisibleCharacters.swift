extension Unicode.Scalar {
  /// Whether a person cannot see it: a terminal or an editor may obey it, or show nothing, or a different text.
  ///
  /// Control and format characters (all bidirectional controls, soft hyphens and tags are among the latter), line
  /// separators, and code points without a character. This is the only definition: all code that shows foreign text
  /// escapes these, or leaves them out.
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
