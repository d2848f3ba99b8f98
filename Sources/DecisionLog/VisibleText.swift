internal import GuardModel

/// Text from a log as a person may see it: characters that steer a terminal, or that make text read in another order
/// than it stands, are escaped; text with a space is quoted, so that it cannot pass for two columns.
///
///     visible("a\u{202E}b")    // a\u{202E}b, nine characters in place of one
///     visible("a b")           // "a b"
package func visible(_ text: String) -> String {
  var shown = ""
  var needsQuotes = text.isEmpty
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\\": shown += "\\\\"
    case "\"":
      shown += "\\\""
      needsQuotes = true
    default:
      if scalar.isInvisible {
        shown += scalar.visibleNumber
      } else {
        shown.unicodeScalars.append(scalar)
        if scalar.properties.isWhitespace { needsQuotes = true }
      }
    }
  }
  return needsQuotes ? "\"" + shown + "\"" : shown
}
