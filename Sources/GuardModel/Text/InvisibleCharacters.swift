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

  /// Whether nobody can see it in words, and no language needs it there: the notice shows U+FFFD in place of those that
  /// turn words around, end their line or are nothing (`unseen` in clients/notice/notice.json).
  ///
  /// Joiners, marks of direction, isolates and embeddings, which end with the text, are needed, and so are soft hyphens and
  /// places for breaks.
  ///
  ///     ("\u{202E}" as Unicode.Scalar).isHiddenInWords    // true: an override turns what follows around
  ///     ("\u{200D}" as Unicode.Scalar).isHiddenInWords    // false: a joiner of Persian, Hindi, emoji
  package var isHiddenInWords: Bool {
    switch value {
    case 0xAD, 0x61C, 0x200B...0x200F, 0x202A...0x202C, 0x2060, 0x2066...0x2069: false
    default: isInvisible
    }
  }

  /// Whether a person takes it for a blank, or for nothing: fillers, which are letters to a computer; the empty sign of
  /// Braille; blanks of a width of their own.
  ///
  /// The blanks that languages write are none of them: no-break and thin spaces, and the ideographic one.
  package var looksLikeBlank: Bool {
    switch value {
    case 0x20, 0xA0, 0x2009, 0x202F, 0x3000: false
    case 0x34F, 0x115F...0x1160, 0x17B4...0x17B5, 0x2800, 0x3164, 0xFFA0: true
    default: properties.generalCategory == .spaceSeparator
    }
  }

  /// Its number, as text that a person sees: `\u{202E}`.
  package var visibleNumber: String { "\\u{" + String(value, radix: 16, uppercase: true) + "}" }
}
