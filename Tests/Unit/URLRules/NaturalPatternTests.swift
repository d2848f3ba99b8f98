import Bytes
import GuardModel
import TestSupport
import Testing
import URLRules
import URLStandard

/// What administrators write is decided on every ordinary URL, however long, and as PCRE2 decides it without a limit.
///
/// An external rule whose pattern is unknown takes the URL: people would be locked out of long sign-in URLs by a rule
/// that has nothing to do with them.
@Suite struct NaturalPatternTests {
  static let patterns = [
    // As in the templates, the documents and the specification.
    "^https://login[.]partner[.]example/contoso/(saml2|oauth2/authorize)[?]", "^http://[^/]+:[0-9]+/callback[?]",
    "^https://[^/]+/contoso/", "^https://[^/]+/(?:teams|rooms)/[0-9]{4}/", "^https://[a-z]+[.](com|org)/", "team",
    "^https://[a-z]+[.]cdn[.]contoso[.]net/v[0-9]+/", "^http.*://[a-z]+[.]contoso[.]com/", "/(?:a|b)/c$",
    "(?<!x)[a-z]{2}$", "(?i)/banner/.*[.]gif$", "(?i)^https?://[^/:]+/ads/.*[.]gif", "[?]token=[0-9a-f]{8}", "[0-9]+$",
    "^https?://[^/]+/[a-z]{2,9}/x[?&]q=(a|b)*", "^[^/]+//[^/]+/$", "^https://(www[.])?also[.]example(:[0-9]+)?/",
    // By the end of the path, by its parts.
    "[^/]+[.]exe$", "[^/]+[.]exe([?#]|$)", "(?i)[.](exe|msi|bat|cmd|ps1|scr)$",
    "(?i)[.](exe|msi|bat|cmd|ps1|scr)([?]|$)",
    "/[^/?]+[.](zip|rar|7z)[?]", "^https?://[^/]+(/[^/]+){3,}/download", "/([^/]+/)+attachments/[0-9]+",
    "^https://[^/]+/.*/admin/", ".*/admin/.*", "^.*[.]contoso[.]com/.*$", "/(wp-admin|phpmyadmin|xmlrpc)([./?]|$)",
    "^https?://([^/]+@)?[^/]+/login[.](php|aspx?)$",
    // By the query.
    "[a-z]+[.]example/.*state=", "[a-z]+[.]example/.*state=[0-9]+", "[?&]redirect(_ur[il])?=https?(:|%3[aA])",
    "[?&](redirect|return|continue|next|url)=[^&]*evil[.]example", "[?&](?:utm_[a-z]+|gclid|fbclid)=",
    "[?&][^=]+=[^&]*passw(or)?d",
    "(?i)[?&](access_|id_)?token=ey[a-z0-9_-]+[.]", "[?&]SAML(Request|Response)=[^&]{20,}",
    "[?].*(&|;)debug=(1|true|on)(&|$)",
    "client_id=(?!0f4e3a5c)[0-9a-f]+", "scope=([a-z]+(%20|[+]))*offline_access", "(%2F|/)(%2E|[.]){2}(%2F|/)",
    "(%25)+2[fF]",
    "=[A-Za-z0-9+/]{40,}={0,2}(&|$)", "(?:%[0-9A-Fa-f]{2}){10,}", "([?&][a-z]+=[0-9]+)+$", "\\w+@contoso[.]com",
    "\\w+(%40|@)(contoso|fabrikam)[.]com", "[0-9]{1,3}([.][0-9]{1,3}){3}", "[0-9]+[.][0-9]+[.][0-9]+[.][0-9]+",
    "[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}",
    // By the host.
    "^https?://([a-z0-9-]+[.])*contoso[.]com(:[0-9]+)?(/|$)", "^https?://[^/]*(gambl|casino|poker|bet[0-9]+)",
    "^https?://(?!([a-z0-9-]+[.])*contoso[.]com)[^/]+/", "^(?!https://)", "^https://(?!www[.])[^/]+/.*[?&]id=[0-9]+",
    "^https://[^/]+[.]partner[.]example(?=/)", "^(https|http)://([^/]+[.])?(mail|docs|drive)[.]example[.](com|net)/",
    "^https?://[0-9.]+(:[0-9]+)?/", "^https?://[^/?#]+[.](?:zip|mov|xyz|top)(?:[/:?#]|$)", "(?:evil|bad)[.][a-z]+/",
    // By words anywhere.
    "\\bads?\\b", "(?i)\\b(casino|poker|lottery)\\b", "(ad|banner|track|pixel|beacon)(s|er|ing)?[/._-]",
    "(?i)confidential|secret",
    "(?i)(upload|share|paste)[^/]*[.](php|aspx?|cgi)", "(?i)share(d)?[-_/]?(link|file|doc)", "^(?!.*[?&]sso=1).*/login",
    "^(?=.*client_id=)(?=.*redirect_uri=)(?!.*prompt=none)", "(?<=/)(draft|tmp)[^/]*(?=/|$)", "[A-Z]{12,}",

    "([a-zA-Z0-9_-]+[.]){2}[a-zA-Z0-9_-]+", "ey[A-Za-z0-9_-]+[.]ey[A-Za-z0-9_-]+[.][A-Za-z0-9_-]+",
    "^https://.*https%3A.*evil.*$",
    "[^/]+evil[^/]*x", "(a|b|c|d|e|f|g)+[.](com|net)$", "(/[a-z]+)*/?$", "^https?://[^/]+/([^?]*/)?[.]git/",
  ]

  static let lengths = [200, 500, 1_000, 2_000, 4_000, 8_000, 12_000, 16_000]

  @Test(arguments: patterns) func isDecidedOnLongURLs(_ pattern: String) throws {
    let regex = try Regex(pattern)
    let reference = try #require(UnlimitedRegex(pattern))
    for length in Self.lengths {
      for (shape, url) in LongURLs.all(bytes: length) {
        let input = MatchInput(url)
        #expect(input.url.kind == .url)
        let expected = reference.matches(Array(copying: input.url.judged.bytes.span))
        let truth = input.truth(of: .regex(regex))
        // Two of these patterns take PCRE2 a hundred million steps somewhere.
        #expect(expected == .unknown ? truth != .unknown : truth == expected, "\(shape) of \(length) bytes")
      }
    }
  }

  /// One rule of each kind, as a rule set has them: together they are as quick as one of them.
  @Test(arguments: lengths) func areDecidedTogether(_ length: Int) throws {
    let regexes = try Self.patterns.map { try Regex($0) }
    let runner = RegexRunner()
    for (shape, url) in LongURLs.all(bytes: length) {
      let input = MatchInput(url)
      runner.beginDecision(subjectBytes: input.subjectBytes)
      for regex in regexes {
        #expect(input.truth(of: .regex(regex), runner) != .unknown, "`\(regex.pattern)`: \(shape)")
      }
    }
  }
}
