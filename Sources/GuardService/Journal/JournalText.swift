package import GuardProtocol
internal import JSONText
internal import PolicyFiles

/// Texts that are safe for the operational log, at any level. Readers of the journal need not be allowed to know who
/// works here, and which pages they read: the journal names no account, and no query of a URL (amendments, "What is
/// recorded"; ledger DC-03).
///
/// The attack: a user's program calls with accounts of others, or names its viewers and windows by accounts and
/// addresses, and the error is printed with its parameters.
package enum JournalText {
  /// A text as the journal gets it.
  ///
  /// The attack: a program reports a text with a line break and another line after it, with colours, or with characters
  /// that turn the direction of writing. All of them are written out.
  ///
  ///     JournalText.line("left\nerror: all is lost")    // left\u{A}error: all is lost
  ///
  /// - Parameter keepsLines: the text is the daemon's own, and may have several lines.
  package static func line(_ text: String, keepsLines: Bool = false) -> String {
    let shown = withoutQueries(withoutAccounts(text))
    guard keepsLines else { return shown.escapedForDisplay }
    return shown.split(separator: "\n", omittingEmptySubsequences: false).map { String($0).escapedForDisplay }
      .joined(separator: "\n")
  }

  /// The text without words that look like an account: those with an `@` inside.
  ///
  ///     JournalText.withoutAccounts("no entry of anna@contoso.com binds")    // no entry of (account) binds
  package static func withoutAccounts(_ text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
    var kept = ""
    var word = ""
    for character in text {
      if isBorder(character) {
        kept += shown(word)
        kept.append(character)
        word = ""
      } else {
        word.append(character)
      }
    }
    return kept + shown(word)
  }

  /// The text with each URL in it cut after its path.
  ///
  ///     JournalText.withoutQueries("no viewer `https://x.example/a?token=7#b`")   // no viewer `https://x.example/a(query)`
  package static func withoutQueries(_ text: String) -> String {
    guard text.contains("://") else { return text }
    var kept = String.UnicodeScalarView()
    var (isInURL, isCut) = (false, false)
    for scalar in text.unicodeScalars {
      if scalar.properties.isWhitespace || scalar == "`" || scalar == "\"" { (isInURL, isCut) = (false, false) }
      guard !isCut else { continue }
      isCut = isInURL && (scalar == "?" || scalar == "#")
      if isCut {
        kept.append(contentsOf: query.unicodeScalars)
      } else {
        kept.append(scalar)
        isInURL = isInURL || kept.suffix(3).elementsEqual("://".unicodeScalars)
      }
    }
    return String(kept)
  }

  private static let query = "(query)"

  /// A name of the app's own that may be a URL, also one of a mail or a call, and may hold blanks and quotes.
  private static func name(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let cut = scalars.firstIndex(where: { $0 == "?" || $0 == "#" }), scalars[..<cut].contains(":") else {
      return withoutAccounts(text)
    }
    return withoutAccounts(String(scalars[..<cut])) + query
  }

  /// An error as one line: its name, and its parameters with the accounts under the names that `pseudonym` gives them.
  ///
  ///     org.webviewguard.Guard.UnknownAccount {"account":"acct:ba73f6075026d25eadf5"}
  package static func line(of error: any CallError, pseudonym: (String) -> String) -> String {
    guard let parameters = try? JSONTree(parsing: error.parameters) else { return "\(error.qualifiedName)" }
    return "\(error.qualifiedName) \(masked(parameters, pseudonym).text())"
  }

  private static func masked(_ tree: JSONTree, _ pseudonym: (String) -> String) -> JSONTree {
    switch tree {
    case .object(let members):
      .object(
        members.map { member in
          let isAccount = accountMembers.contains(member.key)
          return .init(member.key, isAccount ? named(member.value, pseudonym) : masked(member.value, pseudonym))
        })
    case .array(let elements): .array(elements.map { masked($0, pseudonym) })
    case .string(let text): .string(name(text))
    default: tree
    }
  }

  private static func named(_ tree: JSONTree, _ pseudonym: (String) -> String) -> JSONTree {
    if case .string(let account) = tree { return .string(pseudonym(account)) }
    if case .array(let accounts) = tree { return .array(accounts.map { named($0, pseudonym) }) }
    return .null
  }

  private static let accountMembers: Set<String> = ["account", "accounts", "owner", "locationAccount", "peerAccount"]

  private static func isBorder(_ character: Character) -> Bool {
    character.isWhitespace || "`'\"“”‘’(),;:=<>[]{}|/".contains(character)
  }

  private static func shown(_ word: String) -> String {
    let parts = word.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count > 1 && parts.contains { !$0.isEmpty } ? "(account)" : word
  }
}
