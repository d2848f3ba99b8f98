internal import PolicyFiles

/// The protection as a file of `policy.d`, each line with the member that it comes from.
extension IntunePolicy {
  /// The name of the protection: letters and digits of the title, in lower case.
  package var name: String {
    var name = ""
    for character in title.lowercased() where name.utf8.count < 60 {
      if character.isASCII, character.isLetter || character.isNumber {
        name.append(character)
      } else if !name.isEmpty, name.last != "-" {
        name.append("-")
      }
    }
    while name.last == "-" { name.removeLast() }
    return name.isEmpty ? "imported" : name
  }

  /// YAML that `check` takes.
  package func protection(accounts: [String], name: String? = nil) -> String {
    let bound = accounts.map { "\"\($0)\"" }.joined(separator: ", ")
    var lines = [
      "# \(title.escapedForDisplay) (\(kind.isEmpty ? "app protection policy" : kind)), by `webviewguard import intune`.",
      "protections:", "  \(name ?? self.name):", "    accounts: [\(bound)]",
    ]
    for key in Self.order { if let value = values[key] { lines.append(Self.line("    ", key, value)) } }
    for group in Self.groups {
      let members = group.keys.compactMap { key in values["\(group.name).\(key)"].map { (key, $0) } }
      guard !members.isEmpty else { continue }
      lines.append("    \(group.name):")
      lines += members.map { Self.line("      ", $0.0, $0.1) }
    }
    if !conditions.isEmpty {
      lines.append("    conditionalLaunch:")
      lines += conditions.map { "      - \($0.value) # \($0.source)" }
      if let silence = values["notCheckedAfter"] { lines.append(Self.line("    ", "notCheckedAfter", silence)) }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static let order = [
    "webTransfer", "send", "receive", "telecommunication", "messaging", "exemptSchemes", "printing", "screenCapture",
    "contacts", "widgets", "backup", "writingTools", "inputMethods", "notifications", "encrypt",
  ]
  private static let groups: [(name: String, keys: [String])] = [
    ("clipboard", ["level", "exceptionLength"]), ("save", ["allowed", "exceptions"]),
    ("open", ["allowed", "exceptions"]),
  ]

  private static func line(_ indent: String, _ key: String, _ value: ImportedValue) -> String {
    "\(indent)\(key): \(value.value) # \(value.source.escapedForDisplay)"
  }
}
