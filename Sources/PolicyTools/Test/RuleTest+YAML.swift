internal import PolicyFiles
internal import URLRules

extension RuleTestStep {
  /// The step as a line of `tests:` in a rule file, without the `-` before it.
  ///
  ///     { url: "https://login.example/", from: "https://contoso.com/", expect: internal, rule: sso }
  ///
  /// `at` is left out: a step that needs it cannot be written without a place for a time.
  package var yaml: String {
    var members = ["url: \(question.url.yamlQuoted)"]
    if let document = question.document { members.append("document: \(document.yamlQuoted)") }
    if let from = question.from { members.append("from: \(from.yamlQuoted)") }
    if question.hop == true { members.append("hop: true") }
    if question.purpose != .page { members.append("for: \(question.purpose.yaml)") }
    members.append("expect: \(expect.rawValue)")
    if let rule { members.append("rule: \(rule.yamlWord)") }
    return "{ \(members.joined(separator: ", ")) }"
  }
}

extension Purposes {
  fileprivate var yaml: String {
    let names = Self.names.filter { contains($0.purpose) }.map(\.name)
    return names.count == 1 ? names[0] : "[\(names.joined(separator: ", "))]"
  }
}

extension String {
  /// The text in double quotes, in ASCII: characters that a terminal or an editor might show otherwise are escaped.
  fileprivate var yamlQuoted: String {
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"", "\\": text += "\\\(scalar)"
      case " "..."~": text.unicodeScalars.append(scalar)
      default: text += Self.escape(scalar.value)
      }
    }
    return text + "\""
  }

  private static func escape(_ value: UInt32) -> String {
    let digits = String(value, radix: 16, uppercase: true)
    let (mark, width) = value <= 0xFF ? ("x", 2) : value <= 0xFFFF ? ("u", 4) : ("U", 8)
    return "\\" + mark + String(repeating: "0", count: width - digits.utf8.count) + digits
  }

  /// The text as it is where YAML reads it as that text, else in quotes.
  fileprivate var yamlWord: String {
    let isPlain = utf8.allSatisfy { Self.isLetter($0) || "0123456789-_/.".utf8.contains($0) }
    let isWord = isPlain && utf8.first.map(Self.isLetter) == true && !Self.meaningful.contains(lowercased())
    return isWord ? self : yamlQuoted
  }

  private static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

  /// Words that are something else than text in some version of YAML.
  private static let meaningful: Set<String> = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
}
