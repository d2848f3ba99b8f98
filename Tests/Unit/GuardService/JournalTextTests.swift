internal import GuardModel
import GuardProtocol
import Testing

import GuardService
internal import WebViewGuardClient

/// No account name and no query of a URL reaches the operational log, whatever its level (amendments, what is recorded;
/// ledger DC-03).
@Suite struct JournalTextTests {
  @Test(arguments: [
    ("notice: serving guard=/run/webviewguard/guard.sock", "notice: serving guard=/run/webviewguard/guard.sock"),
    ("no entry of anna@contoso.com binds", "no entry of (account) binds"),
    ("`anna@contoso.com` and `*@contoso.com`", "`(account)` and `(account)`"),
    ("account=anna@contoso.com,bob@contoso.com", "account=(account),(account)"),
    (#"{"viewer":"tab of änna@contoso.com"}"#, #"{"viewer":"tab of (account)"}"#),
    ("at 5 @ home", "at 5 @ home"),
    ("@contoso.com", "(account)"),
    ("", ""),
  ])
  func whatLooksLikeAnAccountIsReplaced(text: String, shown: String) {
    #expect(JournalText.withoutAccounts(text) == shown)
  }

  @Test(arguments: [
    ("no viewer `https://x.example/a?token=7#b` here", "no viewer `https://x.example/a(query)` here"),
    ("https://x.example/a#b?c", "https://x.example/a(query)"),
    ("https://a/?1 and https://b/?2", "https://a/(query) and https://b/(query)"),
    ("https://x.example/?\u{301}secret", "https://x.example/(query)"),
    ("https://x.example/a?b=c://d?e", "https://x.example/a(query)"),
    (#"url="https://x/?a" next=1"#, #"url="https://x/(query)" next=1"#),
    ("https://anna@contoso.com/?a", "https://(account)/(query)"),
    ("is it there? https://x.example/", "is it there? https://x.example/"), ("://", "://"), ("", ""),
  ])
  func queriesOfURLsAreLeftOut(text: String, shown: String) {
    #expect(JournalText.line(text) == shown)
  }

  /// A program of a user writes no line of its own, no colours, and no text that reads the other way.
  @Test(arguments: [
    ("a\nerror: all is lost", #"a\u{A}error: all is lost"#), ("\u{1B}[31mred", #"\u{1B}[31mred"#),
    ("\u{202E}back", #"\u{202E}back"#), ("\r\n\0", #"\u{D}\u{A}\u{0}"#), ("änna", "änna"),
  ])
  func whatATerminalObeysIsWrittenOut(text: String, shown: String) {
    #expect(JournalText.line(text) == shown)
    let own = text.contains("\n") ? text.replacing("\r", with: #"\u{D}"#).replacing("\0", with: #"\u{0}"#) : shown
    #expect(JournalText.line(text, keepsLines: true) == own)
  }

  /// Apps may name viewers by what they show.
  @Test(arguments: [
    "https://x.example/a?secret", "https://x.example/a?b secret", #"https://x.example/?"secret"#,
    "mailto:?body=secret", "tel:1?secret", "about:blank#secret", "tab https://x.example/#a`secret", "a:?\nsecret",
  ])
  func aNameThatIsAURLLosesItsQuery(name: String) {
    for error in [Refusal.unknownViewer(name), .unknownWindow(name), .appAmbiguous(["x", name])] {
      let line = JournalText.line(of: error) { _ in "?" }
      #expect(!line.contains("secret") && line.contains("(query)"))
      #expect(JournalText.line(line) == line)
    }
  }

  @Test(arguments: [
    Refusal.unknownAccount("anna"), .accountLocked("anna"), .secondManagedAccount("anna"),
  ])
  func anAccountOfAnErrorHasItsPseudonym(error: Refusal) {
    let line = JournalText.line(of: error) { $0 == "anna" ? "acct:1234" : "?" }
    #expect(line == "\(error.qualifiedName) {\"account\":\"acct:1234\"}")
  }

  /// Apps name viewers, windows and classes as they like.
  @Test(arguments: [
    Refusal.unknownViewer("of anna@contoso.com"), .unknownClass("anna@contoso.com"),
    .unknownWindow("anna@contoso.com"),
    .unknownParent("anna@contoso.com"), .unknownOpener("anna@contoso.com"), .unknownRuleSet("anna@contoso.com"),
    .policyLocked(viewer: "anna@contoso.com", policy: nil, ruleSet: "anna@contoso.com"),
    .unknownRequest("anna@contoso.com"), .unknownDecision("anna@contoso.com"), .appMismatch("anna@contoso.com"),
    .appAmbiguous(["anna@contoso.com", "x"]),
  ])
  func aNameThatIsAnAccountIsReplacedEverywhere(error: Refusal) {
    let line = JournalText.line(of: error) { _ in "?" }
    #expect(!line.contains("anna") && !line.contains("contoso.com"))
    #expect(line.hasPrefix("\(error.qualifiedName) {"))
  }

  @Test func whatNamesNobodyIsWhole() {
    let line = JournalText.line(of: Refusal.limitReached(.accounts, maximum: 64)) { _ in "?" }
    #expect(line == #"org.webviewguard.Guard.LimitReached {"limit":"accounts","maximum":64}"#)
  }
}
