import PolicyFiles
import Testing

/// Every mistake that a single rule file can hold, with the text it is told by.
@Suite struct RuleDiagnosticTests {
  /// The line of one rule, in a rule set around it; it is line 4 of the file.
  private static func rule(_ text: String) -> String { "ruleSet: s\ndefault: external\nrules:\n  - \(text)" }

  private static func problems(_ yaml: String) -> String {
    RuleFileLoader(files: MemoryFiles(["r.yaml": yaml])).load("r.yaml").diagnostics.description
  }

  @Test(arguments: [
    YAMLCase(
      "{ id: a, external: { host: a.example }, message: \"Not \\u202Esruo\" }",
      "r.yaml:4:54: warning: character 5 of the words is U+202E (RIGHT-TO-LEFT OVERRIDE), which nobody sees "
        + "[unseen-character]", "  hint: remove it"),
    YAMLCase(
      "{ id: a, external: { host: a.example }, message: \"one\\ntwo\" }",
      "r.yaml:4:54: warning: character 4 of the words is U+000A, which nobody sees [unseen-character]",
      "  hint: write the words in one line: `>-` in front of several lines makes one of them"),
    YAMLCase(
      "{ id: a, external: { regex: 'a{,3}b' } }",
      "r.yaml:4:35: error: wrong regular expression: braces that are a quantifier in some releases of PCRE2 and text in "
        + "others [invalid-regex]",
      "  hint: write `{0,3}` for up to three times, without blanks; write `\\{` for a brace in the text"),
    YAMLCase(
      "{ id: a, internal: { domain: \"*.contoso.com\" } }",
      "r.yaml:4:34: error: `domain` takes no wildcards [invalid-host]",
      "  hint: `domain` takes the sub-domains already: write `contoso.com`"),
    YAMLCase(
      "{ id: a, internal: { domain: .contoso.com } }", "r.yaml:4:34: error: `domain` takes no wildcards [invalid-host]",
      "  hint: `domain` takes the sub-domains already: write `contoso.com`"),
    YAMLCase(
      "{ id: a, internal: { host: \"*.contoso.com\" } }",
      "r.yaml:4:32: error: `host` takes no wildcards [invalid-host]",
      "  hint: write `domain: contoso.com` for the host and all below it"),
    YAMLCase(
      "{ id: a, internal: { host: \"mail*.contoso.com\" } }",
      "r.yaml:4:32: error: `host` takes no wildcards [invalid-host]",
      "  hint: use `domain` for a host and all below it, or `regex`"),
    YAMLCase(
      "{ id: a, internal: { host: \"https://contoso.com/\" } }",
      "r.yaml:4:32: error: `host` takes a host name and no URL [invalid-host]",
      "  hint: use `url` for one whole URL, or `scheme` beside `host`"),
    YAMLCase(
      "{ id: a, internal: { domain: contoso.com/mail } }",
      "r.yaml:4:34: error: `domain` takes a host name without a path [invalid-host]",
      "  hint: use `url` for one whole URL, or `regex` for a part of one"),
    YAMLCase(
      "{ id: a, internal: { host: \"contoso.com:8443\" } }",
      "r.yaml:4:32: error: `host` takes a host name without a port [invalid-host]",
      "  hint: write `port: 8443` beside it"),
    YAMLCase(
      "{ id: a, internal: { host: \"[::1]:8443\" } }",
      "r.yaml:4:32: error: `host` takes a host name without a port [invalid-host]",
      "  hint: write `port: 8443` beside it"),
    YAMLCase(
      "{ id: a, internal: { host: \"fe80::1\" } }",
      "r.yaml:4:32: error: an IPv6 address stands in brackets [invalid-host]", "  hint: write `\"[fe80::1]\"`"),
    YAMLCase(
      "{ id: a, internal: { host: me@contoso.com } }",
      "r.yaml:4:32: error: `host` takes a host name without a user name [invalid-host]",
      "  hint: leave out everything up to `@`"),
    YAMLCase(
      "{ id: a, internal: { host: \"a b\" } }", "r.yaml:4:32: error: `a b` is not a host name [invalid-host]"),
    YAMLCase(
      "{ id: a, internal: { host: 1.2.3.999 } }", "r.yaml:4:32: error: `1.2.3.999` is not a host name [invalid-host]"),
  ])
  func hostsAreExplained(_ test: YAMLCase) {
    #expect(Self.problems(Self.rule(test.yaml)) == test.printed)
  }

  @Test(arguments: [
    YAMLCase(
      "{ id: a, internal: { url: contoso.com/x } }", "r.yaml:4:31: error: `contoso.com/x` is not a URL [invalid-url]",
      "  hint: begin with the scheme, as in `https://`"),
    YAMLCase(
      "{ id: a, internal: { url: \"https://a b/\" } }", "r.yaml:4:31: error: `https://a b/` is not a URL [invalid-url]",
      "  hint: write it as a browser shows it"),
    YAMLCase(
      "{ id: a, internal: { url: \"https://me:pw@contoso.com/\" } }",
      "r.yaml:4:31: error: a URL with a user name or password cannot be matched [invalid-url]",
      "  hint: leave out everything before `@`"),
    YAMLCase(
      "{ id: a, internal: { url: \"https://*.contoso.com/\" } }",
      "r.yaml:4:31: error: `url` takes one whole URL, and no wildcards [invalid-url]",
      "  hint: use `domain` for a host and all below it, or `regex`"),
    YAMLCase(
      "{ id: a, internal: { url: \"https://contoso.com/*\" } }",
      "r.yaml:4:31: warning: `*` in a `url` is an ordinary character [never-matches]",
      "  hint: use `regex` for wildcards"),
    YAMLCase(
      "{ id: a, internal: { scheme: \"https://\" } }",
      "r.yaml:4:34: error: `https://` is not a scheme [invalid-scheme]",
      "  hint: write `https`"),
    YAMLCase(
      "{ id: a, internal: { scheme: 9p } }", "r.yaml:4:34: error: `9p` is not a scheme [invalid-scheme]",
      "  hint: a scheme is letters, digits, `+`, `-` and `.`"),
    YAMLCase(
      "{ id: a, external: { scheme: WSS } }",
      "r.yaml:4:34: warning: no URL that is judged has the scheme `wss` [never-matches]",
      "  hint: `wss` is judged as `https`"),
    YAMLCase(
      "{ id: a, internal: { port: 0 } }",
      "r.yaml:4:32: error: expected a whole number from 1 to 65535, found `0` [out-of-range]"),
    YAMLCase(
      #"{ id: a, internal: { queryOver: 0 } }"#,
      "r.yaml:4:37: error: expected a whole number from 1 to 65535, found `0` [out-of-range]",
      "  hint: write a number of bytes, as in `queryOver: 1024`; `regex: '[?].'` takes every query"),
    YAMLCase(
      #"{ id: a, internal: { queryOver: -5 } }"#,
      "r.yaml:4:37: error: expected a whole number from 1 to 65535, found `-5` [out-of-range]",
      "  hint: write a number of bytes, as in `queryOver: 1024`; `regex: '[?].'` takes every query"),
    YAMLCase(
      #"{ id: a, internal: { queryOver: 65536 } }"#,
      "r.yaml:4:37: error: expected a whole number from 1 to 65535, found `65536` [out-of-range]",
      "  hint: write a number of bytes, as in `queryOver: 1024`; `regex: '[?].'` takes every query"),
    YAMLCase(
      #"{ id: a, internal: { queryOver: 99999999999999999999 } }"#,
      "r.yaml:4:37: error: expected a whole number from 1 to 65535, found `99999999999999999999` [out-of-range]",
      "  hint: write a number of bytes, as in `queryOver: 1024`; `regex: '[?].'` takes every query"),
    YAMLCase(
      #"{ id: a, internal: { queryOver: [9, 0] } }"#,
      "r.yaml:4:41: error: expected a whole number from 1 to 65535, found `0` [out-of-range]",
      "  hint: write a number of bytes, as in `queryOver: 1024`; `regex: '[?].'` takes every query"),
    YAMLCase(
      #"{ id: a, internal: { queryOver: long } }"#,
      "r.yaml:4:37: error: expected a whole number from 1 to 65535, found `long` [wrong-type]",
      "  hint: write a number of bytes, as in `queryOver: 1024`; `regex: '[?].'` takes every query"),
    YAMLCase(
      #"{ id: a, internal: { queryOver: { bytes: 9 } } }"#,
      "r.yaml:4:37: error: expected a whole number from 1 to 65535, found a mapping [wrong-type]",
      "  hint: write a number of bytes, as in `queryOver: 1024`; `regex: '[?].'` takes every query"),
    YAMLCase(
      #"{ id: a, internal: { queryOver: "1024" } }"#,
      "r.yaml:4:37: error: expected a whole number from 1 to 65535, found `1024` [wrong-type]",
      "  hint: remove the quotes"),
    YAMLCase(
      #"{ id: a, internal: { queryOver: 1KiB } }"#,
      "r.yaml:4:37: error: expected a whole number from 1 to 65535, found `1KiB` [wrong-type]",
      "  hint: write decimal digits only: no sign `+`, no leading zero, no separator, no fraction"),
    YAMLCase(
      "{ id: a, internal: { same: page } }",
      "r.yaml:4:32: error: `page` is not one of `document`, `documentPath`, `origin`, `site` [unknown-value]"),
  ])
  func otherValuesAreExplained(_ test: YAMLCase) {
    #expect(Self.problems(Self.rule(test.yaml)) == test.printed)
  }

  @Test(arguments: [
    YAMLCase(
      "{ id: a, internal: { regex: '^https://(a' } }",
      "r.yaml:4:45: error: wrong regular expression: missing closing parenthesis [invalid-regex]"),
    YAMLCase(
      "{ id: a, internal: { regex: '^\\d+[z-a]' } }",
      "r.yaml:4:41: error: wrong regular expression: range out of order in character class [invalid-regex]"),
    YAMLCase(
      "{ id: a, internal: { regex: \"\\\\d[z-a]\" } }",
      "r.yaml:4:33: error: wrong regular expression: range out of order in character class [invalid-regex]"),
    YAMLCase(
      "{ id: a, external: { regex: 'a{,3}' } }",
      "r.yaml:4:35: error: wrong regular expression: braces that are a quantifier in some releases of PCRE2 and text in "
        + "others [invalid-regex]",
      "  hint: write `{0,3}` for up to three times, without blanks; write `\\{` for a brace in the text"),
    YAMLCase(
      "{ id: a, external: { regex: 'bücher' } }",
      "r.yaml:4:35: warning: URLs hold ASCII characters only, so this character is in none [non-ascii-regex]",
      "  hint: write hosts in punycode (`xn--`), and other characters percent-encoded"),
    YAMLCase(
      "{ id: a, external: { regex: \"x\\n\" } }",
      "r.yaml:4:33: warning: the pattern ends in a line break, which no URL holds [never-matches]",
      "  hint: write `>-` or `|-` instead of `>` or `|`, or put the pattern in quotes"),
    YAMLCase(
      "{ id: a, internal: { regex: [] } }", "r.yaml:4:33: error: expected at least 1 item, found none [out-of-range]"),
  ])
  func regexErrorsPointIntoThePattern(_ test: YAMLCase) {
    #expect(Self.problems(Self.rule(test.yaml)) == test.printed)
  }

  @Test(arguments: [
    YAMLCase(
      "{ id: a, internal: {} }", "r.yaml:4:24: error: a group without matchers would match every URL [empty-matcher]",
      "  hint: leave it to `default`, or say what is meant, as in `scheme: [http, https]`"),
    YAMLCase(
      "{ id: a, internal: { domain: a.example, not: {} } }",
      "r.yaml:4:50: error: a group without matchers would match every URL [empty-matcher]",
      "  hint: leave it to `default`, or say what is meant, as in `scheme: [http, https]`"),
    YAMLCase(
      "{ id: a, internal: { from: { hop: true } } }", "r.yaml:4:34: error: unknown key `hop` [unknown-key]",
      "  hint: `hop` is about the navigation and not about its page; put it beside this group"),
    YAMLCase(
      "{ id: a, internal: { from: { from: { port: 1 } } } }", "r.yaml:4:34: error: unknown key `from` [unknown-key]",
      "  hint: nothing is known of what led to the page; put `from` beside this group"),
    YAMLCase(
      "{ id: a, internal: { port: 1, credentials: true } }",
      "r.yaml:4:35: error: unknown key `credentials` [unknown-key]",
      "  hint: put `credentials` beside the group, at the rule"),
    YAMLCase(
      "{ id: a, external: { port: 1 }, credentials: true }",
      "r.yaml:4:37: error: `credentials` lets an internal rule take URLs with a user name [credentials-on-external]",
      "  hint: remove it: an external rule takes them anyway"),
    YAMLCase(
      "{ id: a, internal: { cidr: 10.0.0.1/8 } }",
      "r.yaml:4:32: error: `10.0.0.1/8` is not a block of addresses [invalid-network]",
      "  hint: bits behind the prefix are set: write `10.0.0.0/8`"),
    YAMLCase(
      "{ id: a, internal: { cidr: intranet } }",
      "r.yaml:4:32: error: `intranet` is not a block of addresses [invalid-network]",
      "  hint: write it as in `10.0.0.0/8` or `2001:db8::/32`; names are never resolved: use `host` for one"),
    YAMLCase(
      "{ id: a, internal: { cidr: [10.0.0.0/33, 10.0.0.0/] } }",
      "r.yaml:4:33: error: `10.0.0.0/33` is not a block of addresses [invalid-network]",
      "  hint: an IPv4 address has 32 bits, and an IPv6 address 128",
      "r.yaml:4:46: error: `10.0.0.0/` is not a block of addresses [invalid-network]",
      "  hint: behind `/` stands a number of bits, as in `10.0.0.0/8`"),
    YAMLCase(
      "{ id: a, internal: { pattern: /inbox } }",
      "r.yaml:4:35: error: wrong URL pattern: a pattern without a base begins with the scheme, as in `https://` "
        + "[invalid-pattern]"),
    YAMLCase(
      "{ id: a, internal: { pattern: { hostname: a.example, pathname: \"/:id/:id\" } } }",
      "r.yaml:4:68: error: wrong URL pattern: the group name `id` is used twice [invalid-pattern]"),
    YAMLCase(
      "{ id: a, internal: { pattern: { pathname: /a, hash: top } } }",
      "r.yaml:4:57: warning: no URL that is judged has a hash [never-matches]",
      "  hint: rules see URLs without user name, password and fragment"),
    YAMLCase(
      "{ id: a, internal: { domian: x } }", "r.yaml:4:26: error: unknown key `domian` [unknown-key]",
      "  hint: did you mean `domain`?"),
    YAMLCase(
      "{ id: a, internal: { port: 1 }, expires: soon }",
      "r.yaml:4:46: error: `soon` is not a day or a time [invalid-time]",
      "  hint: write it as in `2027-01-31` or `2027-01-31T18:00:00Z`"),
    YAMLCase(
      "{ id: a, internal: { port: 1 }, expires: \"2027-01-31T18:00:00\" }",
      "r.yaml:4:46: error: `2027-01-31T18:00:00` is not a day or a time [invalid-time]",
      "  hint: add `Z` for UTC, or an offset as in `+01:00`"),
    YAMLCase(
      "{ id: a, internal: { port: 1 }, then: block }",
      "r.yaml:4:37: error: `then` says what becomes of external URLs, and this rule is internal [then-on-internal]",
      "  hint: remove `then`, or make the rule external"),
    YAMLCase(
      "{ id: a, external: { port: 1 }, then: allow }",
      "r.yaml:4:43: error: `allow` is not one of `block`, `redirect` [unknown-value]"),
    YAMLCase(
      "{ id: default, internal: { port: 1 } }",
      "r.yaml:4:11: error: `default` names the fall-through and no rule [reserved-name]", "  hint: choose another id"),
    YAMLCase(
      "{ id: \"a b\", internal: { port: 1 } }", "r.yaml:4:11: error: `a b` is not a name [invalid-name]",
      "  hint: a name is 1 to 128 ASCII letters, digits and punctuation marks, without spaces"),
    YAMLCase(
      "{ internal: { port: 1 } }", "r.yaml:4:5: error: missing key `id` [missing-key]", "  hint: it takes a string"),
    YAMLCase(
      "{ id: a }", "r.yaml:4:5: error: one of the keys `internal`, `external` is missing [missing-key]"),
    YAMLCase(
      "{ id: a, internal: { port: 1 }, external: { port: 2 } }",
      "r.yaml:4:37: error: `external` may not stand beside `internal` [conflicting-keys]", "  hint: keep one of the two"
    ),
    YAMLCase(
      "{ id: a, internal: { port: 1 }, for: sound }",
      "r.yaml:4:42: error: `sound` is not one of `page`, `frame`, `resource`, `download`, `upload`, `paste` [unknown-value]"
    ),
    YAMLCase(
      "{ id: a, internal: { port: 1 } }\n  - { id: a, internal: { port: 2 } }",
      "r.yaml:5:11: error: rule `a` is defined already at r.yaml:4:11 [defined-twice]",
      "  hint: every rule of a rule set needs an id of its own; a file can be included once"),
    YAMLCase(
      "{ include: sso.yaml, id: a }", "r.yaml:4:16: error: there is no rule file `sso.yaml` [include-not-found]",
      "  hint: names begin below the directory `rules`", "r.yaml:4:26: error: unknown key `id` [unknown-key]",
      "  hint: known keys: `include`"),
  ])
  func rulesAreExplained(_ test: YAMLCase) {
    #expect(Self.problems(Self.rule(test.yaml)) == test.printed)
  }

  @Test(arguments: [
    YAMLCase(
      "ruleSet: s\nrules: []", "r.yaml:1:1: error: missing key `default` [missing-key]",
      "  hint: it takes one of `internal`, `external`"),
    YAMLCase(
      "ruleSet: s\ndefault: internal", "r.yaml:1:1: error: missing key `rules` [missing-key]", "  hint: it takes a list"
    ),
    YAMLCase(
      "default: internal\nrules: []",
      "r.yaml:1:1: error: `default` belongs to a rule set, and this file has no `ruleSet` [missing-key]",
      "  hint: name the rule set with `ruleSet`, or remove `default` from what is only included"),
    YAMLCase(
      "rules: []\ntests: []", "r.yaml:2:1: error: a file without `ruleSet` has nothing to test [tests-in-fragment]",
      "  hint: move the tests to a rule set that includes this file"),
    YAMLCase(
      "rules: []", "r.yaml:1:1: error: the file has no `ruleSet` and can only be included [not-a-rule-set]",
      "  hint: name a file that includes it, or add `ruleSet` and `default`"),
    YAMLCase(
      "ruleSet: s\ndefault: internal\nrules: []\ntests: [{ url: \"x\", expect: internal, rule: tennant }]",
      "r.yaml:4:45: error: unknown rule `tennant` [unknown-reference]", "  hint: known: `default`"),
    YAMLCase(
      "ruleSet: s\ndefault: internal\nrules: []\ntests: [{ chain: [] }, { url: x }, { url: x, expect: blocked }]",
      "r.yaml:4:18: error: expected at least 1 item, found none [out-of-range]",
      "r.yaml:4:24: error: missing key `expect` [missing-key]",
      "  hint: it takes one of `internal`, `external`, `invalidURL`",
      "r.yaml:4:54: error: `blocked` is not one of `internal`, `external`, `invalidURL` [unknown-value]"),
    YAMLCase("[]", "r.yaml:1:1: error: expected a mapping, found a list [wrong-type]"),
  ])
  func filesAreExplained(_ test: YAMLCase) {
    #expect(Self.problems(test.yaml) == test.printed)
  }

  @Test func missingFileIsOneError() {
    #expect(
      RuleFileLoader(files: MemoryFiles([:])).load("none.yaml").diagnostics.description
        == "none.yaml:1:1: error: file does not exist [unreadable-file]")
  }
}
