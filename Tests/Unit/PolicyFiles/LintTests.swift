import PolicyFiles
internal import PolicyTools
import Testing
import URLRules

/// Every lint of rule files: what it says of rules that are wrong, and nothing of the ones beside them that are right.
@Suite struct LintTests {
  /// 2026-11-21.
  static let time: Int64 = 1_795_219_200
  static let suffixes = PublicSuffixes()

  /// What lints say of these rules; the first stands in line 4.
  static func findings(_ rules: String) -> String {
    all(
      [
        "r.yaml":
          "ruleSet: s\ndefault: external\nrules:\n\(rules)\ntests: [{ url: \"https://x.example/\", expect: external }]\n"
      ])
  }

  static func all(_ files: [String: String]) -> String {
    let checks = ListChecks(isPublicSuffix: suffixes.holds)
    let result = RuleFileLoader(files: MemoryFiles(files), checks: checks).load("r.yaml")
    var found = result.diagnostics
    if let tests = result.tests { found.merge(Lint.findings(in: LintedRules(tests, at: time, suffixes))) }
    return found.description
  }

  @Test func shadowedRulesAreFound() {
    let rules = #"""
        - { id: a, internal: { domain: contoso.com, scheme: https } }
        - { id: b, external: { host: guests.contoso.com, scheme: https } }
        - { id: c, external: { host: guests.contoso.com } }
        - { id: d, internal: { url: "https://mail.contoso.com/x" } }
        - { id: e, internal: { regex: "^https://mail[.]contoso[.]com/x" } }
        - { id: f, external: { host: [q.contoso.com, other.example], scheme: https }, then: block }
      """#
    let expected = #"""
      r.yaml:5:5: warning: `b` never answers but for URLs with a user name: `a` before it takes all of it \#
      [shadowed-rule]
        witness: `https://guests.contoso.com/` is internal by `a`
        hint: an exception stands above what it is an exception from
      r.yaml:6:5: warning: `c` comes too late for `https://guests.contoso.com/`, which `a` before it calls internal \#
      [contradicted-host]
        witness: `https://guests.contoso.com/` is internal by `a`
        hint: an exception stands above what it is an exception from; add `scheme: http` if only that is meant
      r.yaml:7:5: warning: `d` never answers: `a` before it takes all of it [shadowed-rule]
        witness: `https://mail.contoso.com/x` is internal by `a`
        hint: remove it
      r.yaml:9:5: warning: `f` calls host `q.contoso.com` external, which `a` before it calls internal \#
      [contradicted-host]
        witness: `https://q.contoso.com/` is internal by `a`
        hint: remove it here or there
      """#
    #expect(Self.findings(rules) == expected)
  }

  /// An exception below what it is an exception from keeps `http:`, and nobody notices.
  @Test func lateExceptionsAreFound() {
    let rules = #"""
        - { id: a, internal: { domain: contoso.com, scheme: https } }
        - { id: b, internal: { cidr: 10.0.0.0/8, scheme: https, port: 443 } }
        - { id: c, internal: { regex: "^https://[a-z]+[.]fabrikam[.]com/" } }
        - { id: d, external: { domain: [northwind.com, shop.contoso.com] }, then: block }
        - { id: e, external: { cidr: 10.9.0.0/16 }, then: block }
        - { id: f, external: { host: guests.fabrikam.com }, then: block }
        - { id: g, external: { host: contoso.com, pattern: { pathname: "/guests/*" } }, then: block }
      """#
    let hint = "an exception stands above what it is an exception from; add `scheme: http` if only that is meant"
    let found = [
      (7, "d", "https://shop.contoso.com/", "a"), (8, "e", "https://10.9.0.0/", "b"),
      (9, "f", "https://guests.fabrikam.com/", "c"), (10, "g", "https://contoso.com/guests/", "a"),
    ]
    let expected = found.map { line, id, url, by in
      """
      r.yaml:\(line):5: warning: `\(id)` comes too late for `\(url)`, which `\(by)` before it calls internal \
      [contradicted-host]
        witness: `\(url)` is internal by `\(by)`
        hint: \(hint)
      """
    }
    #expect(Self.findings(rules) == expected.joined(separator: "\n"))
  }

  /// Of two rules the one that takes less is the exception, and what stands above the other is meant.
  @Test func exceptionsFromExternalRulesAreNotLate() {
    let rules = #"""
        - { id: a, internal: { url: "https://shared.example/contoso/" } }
        - { id: b, internal: { host: contoso.example, scheme: https } }
        - { id: c, internal: { host: www.contoso.com, scheme: https, pattern: { pathname: "/guests/ours/*" } } }
        - { id: d, internal: { domain: fabrikam.com, scheme: https } }
        - { id: e, internal: { domain: northwind.com, scheme: https, from: { domain: contoso.com } } }
        - { id: f, internal: { domain: adventure.com, scheme: https }, expires: 2099-12-31 }
        - { id: g, internal: { domain: tailspin.com, scheme: https } }
        - { id: h, external: { host: shared.example }, then: block }
        - { id: i, external: { domain: [contoso.example, filedrop.example] }, then: block }
        - { id: j, external: { host: www.contoso.com, filter: "*/guests" }, then: block }
        - { id: k, external: { domain: [fabrikam.com, sendit.example] }, then: block }
        - { id: l, external: { host: login.northwind.com }, then: block }
        - { id: m, external: { host: guests.adventure.com }, then: block }
        - { id: n, external: { host: guests.tailspin.com, scheme: http }, then: block }
        - { id: o, external: { regex: "[?&]guest=" }, then: block }
        - { id: z, internal: { host: www.contoso.com, scheme: https, pattern: { pathname: "/team/*" } } }
      """#
    #expect(Self.findings(rules) == "")
  }

  @Test func patternsThatTakeSitesOfOthersAreFound() {
    let rules = #"""
        - { id: a, internal: { pattern: "https://*b.example" } }
        - { id: b, internal: { pattern: "https://www.contoso.*/x" } }
        - { id: c, internal: { pattern: { protocol: https, hostname: ":team-contoso.com" } } }
        - { id: d, internal: { pattern: "https://*.fabrikam.com/*" } }
        - { id: e, internal: { pattern: "https://{*.}?northwind.com/*" } }
        - { id: f, internal: { pattern: "https://app-*.contoso.com/*" } }
        - { id: g, internal: { pattern: "https://(www|mail)sendit.example/*" } }
        - { id: h, internal: { pattern: "https://*adventure.com/*", domain: adventure.com } }
        - { id: i, external: { pattern: "https://*tailspin.com/*" }, then: block }
      """#
    let hint = "put a dot between `*` and a whole name of your own, as in `*.contoso.com`, and end the host with it"
    let found = [
      (4, "a", "*b.example", "https://evilb.example/"), (5, "b", "www.contoso.*", "https://www.contoso.evil.example/x"),
      (6, "c", ":team-contoso.com", "https://evil-contoso.com/"),
    ]
    let expected = found.map { line, id, hosts, url in
      """
      r.yaml:\(line):5: warning: `\(id)` has a pattern for the hosts `\(hosts)`, which takes domains of others \
      [pattern-border]
        witness: `\(url)` is internal by `\(id)`
        hint: \(hint)
      """
    }
    #expect(Self.findings(rules) == expected.joined(separator: "\n"))
  }

  @Test func impossibleRulesAreFound() {
    let rules = #"""
        - { id: a, internal: { host: a.example, domain: b.example, scheme: https } }
        - { id: b, internal: { domain: contoso.com, scheme: ftp } }
        - { id: c, internal: { url: "https://a.example/", port: 80 } }
        - { id: d, internal: { host: a.example, not: { domain: example }, scheme: https } }
      """#
    let expected = #"""
      r.yaml:4:5: warning: `a` takes no URL: none has domain `b.example` and host `a.example` [impossible-rule]
        hint: matchers of one group must all hold; write two rules, or values in one list
      r.yaml:5:5: warning: `b` takes no URL: none has scheme `ftp` and domain `contoso.com` [impossible-rule]
        hint: matchers of one group must all hold; write two rules, or values in one list
      r.yaml:6:5: warning: `c` takes no URL: none has port `80` and url `https://a.example/` [impossible-rule]
        hint: matchers of one group must all hold; write two rules, or values in one list
      r.yaml:7:5: warning: `d` takes no URL: none has host `a.example` and not (domain `example`) [impossible-rule]
        hint: matchers of one group must all hold; write two rules, or values in one list
      """#
    #expect(Self.findings(rules) == expected)
  }

  /// A longer query is over every smaller number, too.
  @Test func lengthsThatDecideNothingAreFound() {
    let rules = #"""
        - { id: a, external: { queryOver: 9, host: a.example }, then: block }
        - { id: b, external: { queryOver: 10, host: a.example }, then: block }
        - { id: c, external: { queryOver: [12, 20], not: { queryOver: 11 }, scheme: https }, then: block }
        - { id: d, external: { queryOver: 9, url: "https://b.example/?123" }, then: block }
        - { id: e, external: { queryOver: 8, host: a.example }, then: block }
        - { id: f, internal: { queryOver: 3, hop: true, scheme: https } }
      """#
    let expected = #"""
      r.yaml:5:5: warning: `b` never answers: `a` before it takes all of it [shadowed-rule]
        witness: `https://a.example/?x=aaaaaaaaa` is external by `a`
        hint: remove it
      r.yaml:6:5: warning: `c` takes no URL: none has queryOver `12` or queryOver `20` and not (queryOver `11`) \#
      [impossible-rule]
        hint: matchers of one group must all hold; write two rules, or values in one list
      r.yaml:7:5: warning: `d` takes no URL: none has queryOver `9` and url `https://b.example/?123` [impossible-rule]
        hint: matchers of one group must all hold; write two rules, or values in one list
      r.yaml:9:5: warning: `f` makes every URL internal that is reached so [any-target]
        witness: `https://somebody-else.example/?x=aa` as a redirect is internal by `f`
        hint: name the hosts that it is about: a page of yours may lead anywhere
      """#
    #expect(Self.findings(rules) == expected)
  }

  @Test func rulesThatChangeNothingAreFound() {
    let rules = #"""
        - { id: a, internal: { domain: contoso.com, scheme: https } }
        - { id: b, external: { domain: evil.example } }
      """#
    let expected = #"""
      r.yaml:5:5: warning: `b` changes nothing: what it calls external is so by `default`, and no other rule follows \#
      [changes-nothing]
        witness: `https://evil.example/` is external by `b`
        hint: remove it; or keep it for its name, and add a test that names it
      """#
    #expect(Self.findings(rules) == expected)
  }

  /// WV-30: hosts that show whatever one asks them for. Who takes every host is told of that by others.
  @Test func whatLeadsToEveryPageIsFound() {
    let rules = #"""
        - { id: a, internal: { host: [wiki.contoso.com, web.archive.org, archive.ph], scheme: https } }
        - { id: b, external: { host: www.bing.com } }
        - { id: c, internal: { domain: translate.goog, scheme: https } }
        - { id: d, internal: { host: www.bing.com, scheme: https } }
        - { id: e, internal: { url: "https://www.google.com/contoso" } }
      """#
    let codes = Self.findings(rules).split(separator: "\n").filter { $0.contains("[indirect-reach]") }
    #expect(
      codes == [
        "r.yaml:4:5: warning: `a` takes `web.archive.org`, an archive, which shows every page under its own name "
          + "[indirect-reach]",
        "r.yaml:6:5: warning: `c` takes `www-contoso-com.translate.goog`, a translator, which shows every page under its "
          + "own name [indirect-reach]",
      ])
    #expect(!Self.findings("- { id: a, internal: { scheme: https } }").contains("indirect-reach"))
  }

  @Test func publicSuffixesAreFound() {
    let rules = #"""
        - { id: a, internal: { domain: co.uk, scheme: https } }
        - { id: b, internal: { filter: "https://github.io" } }
        - { id: c, internal: { pattern: "https://*.pages.dev/x/*" } }
        - { id: d, internal: { regex: "^https://[^/]+[.]web[.]app/" } }
        - { id: e, external: { domain: blogspot.com }, then: block }
        - { id: f, internal: { domain: contoso.co.uk, scheme: https } }
      """#
    let expected = #"""
      r.yaml:4:5: warning: `a` takes all of `co.uk`, under which anybody may register a name [public-suffix]
        witness: `https://somebody-else.co.uk/` is internal by `a`
        hint: name your own domain below it, or its hosts
      r.yaml:5:5: warning: `b` takes all of `github.io`, under which anybody may register a name [public-suffix]
        witness: `https://somebody-else.github.io/` is internal by `b`
        hint: name your own domain below it, or its hosts
      r.yaml:6:5: warning: `c` takes all of `pages.dev`, under which anybody may register a name [public-suffix]
        witness: `https://somebody-else.pages.dev/x/` is internal by `c`
        hint: name your own domain below it, or its hosts
      r.yaml:7:5: warning: `d` takes all of `web.app`, under which anybody may register a name [public-suffix]
        witness: `https://somebody-else.web.app/` is internal by `d`
        hint: name your own domain below it, or its hosts
      r.yaml:7:5: warning: `d` has the regex `^https://[^/]+[.]web[.]app/` that does not end or begin with the host \#
      [regex-host]
        witness: `https://evila.web.app/` is internal by `d`
        hint: begin the host behind `://` or `[.]` and end it with `/`; or name it with `host` beside the regex
      r.yaml:9:5: warning: `f` never answers: `a` before it takes all of it [shadowed-rule]
        witness: `https://contoso.co.uk/` is internal by `a`
        hint: remove it
      """#
    #expect(Self.findings(rules) == expected)
  }

  @Test func looseRegexesAreFound() {
    let rules = #"""
        - { id: a, internal: { regex: '^https://mail.contoso[.]com/' } }
        - { id: b, internal: { regex: 'fabrikam[.]com' } }
        - { id: c, internal: { regex: '^https://northwind[.]com' } }
        - { id: d, internal: { regex: '^http.*://[a-z]+[.]contoso[.]com/' } }
        - { id: e, internal: { regex: '^https://wide[.]contoso.com/' } }
        - { id: f, internal: { regex: '^https://[^/]*adventure[.]com/' } }
        - { id: g, internal: { regex: '^https://good[.]example/|bad[.]example/' } }
        - { id: h, internal: { host: ok.example, scheme: https, regex: 'team' } }
        - { id: i, internal: { regex: '^https?://fine[.]example/' } }
        - { id: j, internal: { regex: '^https://(www[.])?also[.]example(:[0-9]+)?/' } }
        - { id: k, internal: { regex: '(?i)^https://caseless.example/' } }
      """#
    let expected = #"""
      r.yaml:4:5: warning: `a` has the regex `^https://mail.contoso[.]com/` with a `.` that takes any letter \#
      [regex-dot]
        witness: `https://mailxcontoso.com/` is internal by `a`
        hint: write `[.]`
      r.yaml:5:5: warning: `b` takes `http:` on every port, which anybody on the way can write [plain-http]
        witness: `http://site.example:8080/fabrikam.com` is internal by `b`
        hint: add `scheme: https`, or `scheme: [http, https]` when it is meant
      r.yaml:5:5: warning: `b` has the regex `fabrikam[.]com` that is found behind any host [regex-anchor]
        witness: `https://evil.example/?fabrikam.com` is internal by `b`
        hint: begin it with `^https://` and the host, up to its `/`
      r.yaml:6:5: warning: `c` has the regex `^https://northwind[.]com` that does not end or begin with the host \#
      [regex-host]
        witness: `https://northwind.com.evil.example/` is internal by `c`
        hint: begin the host behind `://` or `[.]` and end it with `/`; or name it with `host` beside the regex
      r.yaml:7:5: warning: `d` has the regex `^http.*://[a-z]+[.]contoso[.]com/` that is found behind any host \#
      [regex-anchor]
        witness: `https://evil.example/?http://a.contoso.com/` is internal by `d`
        hint: begin it with `^https://` and the host, up to its `/`
      r.yaml:8:5: warning: `e` has the regex `^https://wide[.]contoso.com/` with a `.` that takes any letter \#
      [regex-dot]
        witness: `https://wide.contosoxcom/` is internal by `e`
        hint: write `[.]`
      r.yaml:9:5: warning: `f` has the regex `^https://[^/]*adventure[.]com/` that does not end or begin with the \#
      host [regex-host]
        witness: `https://eviladventure.com/` is internal by `f`
        hint: begin the host behind `://` or `[.]` and end it with `/`; or name it with `host` beside the regex
      r.yaml:10:5: warning: `g` takes `http:` on every port, which anybody on the way can write [plain-http]
        witness: `http://site.example:8080/bad.example/` is internal by `g`
        hint: add `scheme: https`, or `scheme: [http, https]` when it is meant
      r.yaml:10:5: warning: `g` has the regex `^https://good[.]example/|bad[.]example/` that is found behind any \#
      host [regex-anchor]
        witness: `https://evil.example/?bad.example/` is internal by `g`
        hint: begin it with `^https://` and the host, up to its `/`
      r.yaml:14:5: warning: `k` has the regex `(?i)^https://caseless.example/` with a `.` that takes any letter \#
      [regex-dot]
        witness: `https://caselessxexample/` is internal by `k`
        hint: write `[.]`
      """#
    #expect(Self.findings(rules) == expected)
  }

  @Test func plainHTTPIsFound() {
    let rules = #"""
        - { id: a, internal: { domain: contoso.com } }
        - { id: b, internal: { domain: fabrikam.com, scheme: [http, https] } }
        - { id: c, internal: { host: "127.0.0.1" } }
        - { id: d, internal: { domain: northwind.com, port: [80, 443] } }
        - { id: e, internal: { host: adventure.com, regex: "^https?://[^/]+/team/" } }
        - { id: f, internal: { pattern: "http{s}?://tailspin.com/*" } }
        - { id: g, internal: { pattern: "http*://tailspin.net/*" } }
        - { id: h, internal: { host: wingtip.com, regex: "^http" } }
        - { id: i, internal: { filter: "http://wingtip.net" } }
      """#
    let expected = #"""
      r.yaml:4:5: warning: `a` takes `http:` on every port, which anybody on the way can write [plain-http]
        witness: `http://contoso.com:8080/` is internal by `a`
        hint: add `scheme: https`, or `scheme: [http, https]` when it is meant
      r.yaml:7:5: warning: `d` takes `http:`, which anybody on the way can write [plain-http]
        witness: `http://northwind.com/` is internal by `d`
        hint: add `scheme: https`, or `scheme: [http, https]` when it is meant
      r.yaml:10:5: warning: `g` takes `http:`, which anybody on the way can write [plain-http]
        witness: `http://tailspin.net/` is internal by `g`
        hint: add `scheme: https`, or `scheme: [http, https]` when it is meant
      r.yaml:11:5: warning: `h` takes `http:` on every port, which anybody on the way can write [plain-http]
        witness: `http://wingtip.com:8080/` is internal by `h`
        hint: add `scheme: https`, or `scheme: [http, https]` when it is meant
      """#
    #expect(Self.findings(rules) == expected)
  }

  @Test func evadedPathsAreFound() {
    let rules = #"""
        - { id: a, external: { url: "https://contoso.com/guests" } }
        - { id: b, external: { filter: "contoso.com/admin" } }
        - { id: c, external: { regex: "^https://contoso[.]com/ext/" } }
        - { id: d, external: { pattern: "https://contoso.com/pub/*" } }
        - { id: f, external: { host: ext.contoso.com } }
        - { id: g, external: { host: contoso.com, regex: '^https://[^/]+/partners' } }
        - { id: h, external: { host: contoso.com, pattern: { pathname: '/visitors/*' } } }
        - { id: i, external: { host: contoso.com, filter: '*/vendors' } }
        - { id: e, internal: { domain: contoso.com, scheme: https } }
      """#
    let expected = #"""
      r.yaml:4:5: warning: `a` is passed by with an encoded letter, a doubled slash, `/x/..%2F`, another case, a \#
      slash at the end, `;x`, a query [evaded-path]
        witness: `https://contoso.com/guest%73` is internal by `e`
        hint: make an exception of a host, which has one spelling only; or call internal what is known to be
      r.yaml:5:5: warning: `b` is passed by with an encoded letter, a doubled slash, `/x/..%2F`, another case \#
      [evaded-path]
        witness: `https://contoso.com/admi%6E` is internal by `e`
        hint: make an exception of a host, which has one spelling only; or call internal what is known to be
      r.yaml:6:5: warning: `c` is passed by with an encoded letter, a doubled slash, `/x/..%2F`, another case \#
      [evaded-path]
        witness: `https://contoso.com/ex%74/` is internal by `e`
        hint: make an exception of a host, which has one spelling only; or call internal what is known to be
      r.yaml:7:5: warning: `d` is passed by with an encoded letter, a doubled slash, `/x/..%2F`, another case \#
      [evaded-path]
        witness: `https://contoso.com/pu%62/` is internal by `e`
        hint: make an exception of a host, which has one spelling only; or call internal what is known to be
      r.yaml:9:5: warning: `g` is passed by with an encoded letter, a doubled slash, `/x/..%2F`, another case \#
      [evaded-path]
        witness: `https://contoso.com/partner%73` is internal by `e`
        hint: make an exception of a host, which has one spelling only; or call internal what is known to be
      r.yaml:10:5: warning: `h` is passed by with an encoded letter, a doubled slash, `/x/..%2F`, another case \#
      [evaded-path]
        witness: `https://contoso.com/visitor%73/` is internal by `e`
        hint: make an exception of a host, which has one spelling only; or call internal what is known to be
      r.yaml:11:5: warning: `i` is passed by with an encoded letter, a doubled slash, `/x/..%2F`, another case \#
      [evaded-path]
        witness: `https://contoso.com/vendor%73` is internal by `e`
        hint: make an exception of a host, which has one spelling only; or call internal what is known to be
      """#
    #expect(Self.findings(rules) == expected)
  }

  @Test func lookAlikesAreFound() {
    let rules = #"""
        - { id: a, internal: { domain: contoso.com, scheme: https } }
        - { id: b, internal: { host: [docs.contosa.com, mail.contoso.com], scheme: https } }
        - { id: c, internal: { host: "cоntoso.com", scheme: https } }
        - { id: d, internal: { host: fabrikarn.com, scheme: https } }
        - { id: e, internal: { host: fabrikam.com, scheme: https } }
        - { id: f, internal: { host: [cdnhost1.com, cdnhost2.com], scheme: https } }
        - { id: g, internal: { host: contsoo.com, scheme: https } }
        - { id: h, internal: { host: contoso.net, scheme: https } }
      """#
    let expected = #"""
      r.yaml:5:5: warning: `b` names `contosa.com`, which looks like `contoso.com` [look-alike]
        witness: `https://docs.contosa.com/` is internal by `b`
        hint: correct it, if it is not your own
      r.yaml:6:5: warning: `c` names `cоntoso.com` (`xn--cntoso-wqf.com`), which looks like `contoso.com` [look-alike]
        witness: `https://xn--cntoso-wqf.com/` is internal by `c`
        hint: correct it, if it is not your own
      r.yaml:7:5: warning: `d` names `fabrikarn.com`, which looks like `fabrikam.com` [look-alike]
        witness: `https://fabrikarn.com/` is internal by `d`
        hint: correct it, if it is not your own
      r.yaml:10:5: warning: `g` names `contsoo.com`, which looks like `contoso.com` [look-alike]
        witness: `https://contsoo.com/` is internal by `g`
        hint: correct it, if it is not your own
      """#
    #expect(Self.findings(rules) == expected)
  }

  @Test func endingRulesAreFound() {
    let rules = #"""
        - { id: a, internal: { host: a.example, scheme: https }, expires: 2026-12-01 }
        - { id: b, external: { host: b.contoso.com }, expires: 2026-12-01 }
        - { id: c, internal: { host: c.example, scheme: https }, expires: 2026-01-31 }
        - { id: d, internal: { host: d.example, scheme: https }, expires: 2027-01-31 }
        - { id: f, external: { host: f.contoso.com }, expires: 2026-11-20T12:00:00Z }
        - { id: e, internal: { domain: contoso.com, scheme: https } }
      """#
    let expected = #"""
      r.yaml:4:5: warning: `a` expires on 2026-12-01 [expires-soon]
        witness: `https://a.example/` is external by `default` then
        hint: give it another day, or leave it and remove it then
      r.yaml:5:5: warning: `b` expires on 2026-12-01: what it calls external may be internal then [expires-soon]
        witness: `https://b.contoso.com/` is internal by `e` then
        hint: give it another day, or leave it and remove it then
      r.yaml:6:5: warning: `c` has expired on 2026-01-31 [expired]
        witness: `https://c.example/` is external by `default`
        hint: remove it, or give it another day
      r.yaml:8:5: warning: `f` has expired on 2026-11-20: what it called external may be internal now [expired]
        witness: `https://f.contoso.com/` is internal by `e`
        hint: remove it, or give it another day
      """#
    #expect(Self.findings(rules) == expected)
  }

  @Test func rulesThatTrustContextAreFound() {
    let rules = #"""
        - { id: a, external: { from: { not: { domain: contoso.com } } } }
        - { id: b, internal: { from: { domain: contoso.com }, hop: true } }
        - { id: c, internal: { from: { domain: contoso.com }, host: sso.example, scheme: https } }
        - { id: d, external: { from: { not: { domain: contoso.com } }, host: in.contoso.com } }
        - { id: e, internal: { domain: contoso.com, scheme: https } }
      """#
    let expected = #"""
      r.yaml:4:5: warning: `a` takes every URL when the app does not tell `from` and `hop` [unknown-context]
        witness: `https://contoso.com/` is external by `a`
        hint: name the hosts that it is about beside `from`
      r.yaml:5:5: warning: `b` makes every URL internal that is reached so [any-target]
        witness: `https://somebody-else.example/` from `https://contoso.com/` as a redirect is internal by `b`
        hint: name the hosts that it is about: a page of yours may lead anywhere
      r.yaml:5:5: warning: `b` takes `http:` on every port, which anybody on the way can write [plain-http]
        witness: `http://site.example:8080/` from `https://contoso.com/` as a redirect is internal by `b`
        hint: add `scheme: https`, or `scheme: [http, https]` when it is meant
      r.yaml:7:5: warning: `d` never answers: `a` before it takes all of it [shadowed-rule]
        witness: `https://in.contoso.com/` from `https://site.example/` is external by `a`
        hint: remove it
      """#
    #expect(Self.findings(rules) == expected)
  }

  @Test func patternsThatAreAlwaysTriedAreFound() {
    let rules = #"""
        - { id: a, internal: { regex: '[0-9]+$' } }
        - { id: b, internal: { regex: '^https://[a-z]+[.](com|org)/' } }
        - { id: c, internal: { regex: '(?<!x)[a-z]{2}$' } }
      """#
    let expected = #"""
      r.yaml:4:5: warning: `a` has a pattern that cannot be searched for, so it is tried on every URL [always-checked]
        witness: `https://site.example/1` is internal by `a`
        hint: name a `host` or `domain` beside it, or let it hold a few letters in a row
      r.yaml:4:5: warning: `a` takes `http:` on every port, which anybody on the way can write [plain-http]
        witness: `http://site.example:8080/1` is internal by `a`
        hint: add `scheme: https`, or `scheme: [http, https]` when it is meant
      r.yaml:4:5: warning: `a` has the regex `[0-9]+$` that is found behind any host [regex-anchor]
        witness: `https://evil.example/?1` is internal by `a`
        hint: begin it with `^https://` and the host, up to its `/`
      r.yaml:5:5: warning: `b` takes `duckduckgo.com`, a search engine, which leads everywhere and shows parts of pages \#
      itself [indirect-reach]
        witness: `https://duckduckgo.com/` is internal by `b`
        hint: leave such hosts out, or name what of them is yours by its path; where pages load in place, block them
      r.yaml:5:5: warning: `b` has the regex `^https://[a-z]+[.](com|org)/` that does not end or begin with the host \#
      [regex-host]
        witness: `https://evila.com/` is internal by `b`
        hint: begin the host behind `://` or `[.]` and end it with `/`; or name it with `host` beside the regex
      r.yaml:6:5: warning: `c` has a pattern that cannot be searched for, so it is tried on every URL [always-checked]
        witness: `https://site.example/aa` is internal by `c`
        hint: name a `host` or `domain` beside it, or let it hold a few letters in a row
      r.yaml:6:5: warning: `c` takes `http:` on every port, which anybody on the way can write [plain-http]
        witness: `http://site.example:8080/aa` is internal by `c`
        hint: add `scheme: https`, or `scheme: [http, https]` when it is meant
      r.yaml:6:5: warning: `c` has the regex `(?<!x)[a-z]{2}$` that is found behind any host [regex-anchor]
        witness: `https://evil.example/?aa` is internal by `c`
        hint: begin it with `^https://` and the host, up to its `/`
      """#
    #expect(Self.findings(rules) == expected)
  }

  @Test func networksAndListsOfHostsAreCompared() {
    let rules = #"""
        - { id: a, internal: { host: [a.example, b.example], scheme: https } }
        - { id: b, external: { host: [a.example, c.example] }, then: block }
        - { id: c, external: { domain: b.example, scheme: https }, then: redirect }
        - { id: d, internal: { cidr: 10.0.0.0/8, scheme: https } }
        - { id: e, internal: { cidr: 10.1.0.0/16, scheme: https } }
        - { id: f, internal: { host: "10.1.2.3", scheme: https }, for: [page, frame] }
      """#
    let expected = #"""
      r.yaml:8:5: warning: `e` never answers: `d` before it takes all of it [shadowed-rule]
        witness: `https://10.1.0.0/` is internal by `d`
        hint: remove it
      """#
    #expect(Self.findings(rules) == expected)
  }
}
