internal import GuardModel

/// The page that stands in place of one that may not load: what happened, and what the user can do.
///
/// Words and template are those of clients/notice, which the clients of all languages share. The page needs no script
/// and loads nothing. Whatever is put into it becomes text, whoever wrote it.
extension GuardDecision {
  /// The page, as HTML.
  ///
  ///     decision.notice(of: url, languages: ["de-AT"], organization: guardian.organization,
  ///                     actions: [.back: "my-app:\(token)/back"])    // "<!doctype html>…"
  ///
  /// Load it as the page of the view that asked, and compare with the exact text that was loaded: an engine that does not
  /// ask about a page of the app's own must not let the next real one through.
  ///
  /// - Parameters:
  ///   - url: the URL that was asked about; empty where the event has none. It is shown without password and query.
  ///   - languages: those of the user, the preferred first.
  ///   - organization: what the policy says of it: `GuardClient.organization`.
  ///   - actions: the links of the buttons, which only the app can carry out. Those that do not fit the decision are left
  ///     out.
  public func notice(
    of url: String = "", languages: [String] = [], organization: GuardOrganization? = nil,
    actions: [NoticeAction: String] = [:]
  ) -> String {
    NoticePage(self, url: url, languages: languages, organization: organization, links: actions).html
  }

  /// What sort of notice it is. An answer that no table knows is a plain `block`; of nobody's answer, `guardAway`.
  public var noticeKind: NoticeKind {
    let words = NoticeWords.all
    let word = words["outcomes"]?[outcome.name]?.string ?? about.kind
    return NoticeKind(rawValue: word) ?? .block
  }

  /// What a user reads out at the help desk, and `webviewguard explain` takes: the id of the decision, or for one that was
  /// made here, the reason.
  ///
  ///     decision.noticeCode    // "7353-4481-5116-5139", "noAnswer"
  public var noticeCode: String {
    let digits = Array(id.utf8)
    if !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) {
      let groups = stride(from: 0, to: digits.count, by: 4).map { digits[$0..<min($0 + 4, digits.count)] }
      return groups.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }
    let word = reason.rawValue.unicodeScalars
    let isWord = (1...64).contains(word.count) && word.allSatisfy { NoticeText.isLetter($0) || NoticeText.isDigit($0) }
    return isWord ? reason.rawValue : "unknown"
  }

  /// Why, for a person: the policy's own words where it has some, else the built-in ones in the person's language.
  public func noticeSentence(in languages: [String] = []) -> String {
    let key = about.sentence
    let builtIn = NoticeWords.language("en")["sentences"]?[key]?.string
    if let message, !message.isEmpty, message != builtIn { return NoticeText.shown(message) }
    return NoticeWords.spoken(by: languages).words["sentences"]?[key]?.string ?? ""
  }

  private var about: (kind: String, sentence: String) {
    let found = NoticeWords.all["reasons"]?[reason.rawValue]
    if let kind = found?["kind"]?.string, let sentence = found?["sentence"]?.string { return (kind, sentence) }
    return isLocal ? ("guardAway", "notJudged") : ("block", "other")
  }
}

/// A sort of notice.
public enum NoticeKind: String, Sendable, Hashable, CaseIterable {
  /// It may not happen. The zero value.
  case block
  /// The user may go on after giving a reason.
  case warn
  /// It opens in another program.
  case redirect
  /// The account may not work now.
  case notCompliant
  /// The data of the account was removed.
  case wiped
  /// Nobody judged.
  case guardAway
}

/// A button of a notice.
public enum NoticeAction: String, Sendable, Hashable, CaseIterable {
  /// Opens the offer of the decision. State it only where the program is there: a button that does nothing is worse than
  /// none.
  case open
  /// Asks for an exception; without a link of the app it goes to the organisation's contact.
  case exception
  /// Asks again.
  case retry
  /// Goes back.
  case back
  /// Goes on after a warning; the link gets the user's reason as the query `justification`.
  case `continue`
}
