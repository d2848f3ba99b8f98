/// Random texts that an engine might ask about: real-looking URLs, look-alikes, wrapped ones, and what is none.
package struct RandomURLs {
  package static let paths = ["", "inbox", "owa/x?q=1", "v2/app", "d/42", "%41", "s?", "aaaaaaaaaaaaaaaaaaaaaaaaaaaa!"]

  package init() {}

  package func text(_ random: inout SeededGenerator) -> String {
    switch random.below(20) {
    case 0...10: web(&random)
    case 11: random.one(of: ["view-source:", "view-source:view-source:", "blob:", "filesystem:"]) + web(&random)
    case 12: nested(&random)
    case 13:
      random.one(of: [
        "about:blank", "about:srcdoc", "about:blank#x", "about:config", "data:text/html,x", "blob:null/1",
      ])
    case 14: random.one(of: ["javascript:void(0)", "JavaScript:alert(1)", "view-source:javascript:1"])
    case 15: other(&random)
    case 16: random.one(of: ["file:///etc/hosts", "file:///d/42", "file://server/share", "FILE:///d/42#x"])
    case 17: invalid(&random)
    case 18: random.one(of: ["ws", "wss", "ftp"]) + "://" + authority(&random) + "/" + random.one(of: Self.paths)
    default: look(&random)
    }
  }

  /// A URL of the web that some rule may speak of.
  package func web(_ random: inout SeededGenerator) -> String {
    let scheme = random.one(of: ["https", "https", "https", "http", "HTTPS"])
    let fragment = random.oneIn(5) ? "#top" : ""
    return scheme + "://" + authority(&random) + "/" + random.one(of: Self.paths + ["s?q=%41b cü"]) + fragment
  }

  private func authority(_ random: inout SeededGenerator) -> String {
    let credentials = random.oneIn(10) ? random.one(of: ["user@", "user:pass@", ":pass@", "contoso.com@", "@"]) : ""
    let below = random.oneIn(5) ? random.one(of: ["www.", "a.b.", "x-", "-"]) : ""
    let dot = random.oneIn(10) ? random.one(of: [".", "."]) : ""
    let port = random.oneIn(6) ? ":" + random.one(of: ["80", "443", "8443", "8080", "21", ""]) : ""
    return credentials + below + random.one(of: RandomRules.hosts) + dot + port
  }

  private func nested(_ random: inout SeededGenerator) -> String {
    var text = web(&random)
    for _ in 0..<random.below(7) { text = random.one(of: ["view-source:", "blob:", "view-source:"]) + text }
    return text
  }

  private func other(_ random: inout SeededGenerator) -> String {
    random.one(of: [
      "contoso-portal://app/x", "contoso-portal:x", "mailto:someone@contoso.com", "tel:+4912345", "sms:123", "xmpp:a@b",
      "skype:echo", "onedrive://x", "snap://code", "unheard-of:thing", "sip:a@contoso.com", "TEL:1",
      "mailto:someone@contoso.com?cc=a@b", "mailto:a@b?CC=c&Subject=Plan", "mailto:?to=a@b;body=", "sms:1;body=x",
      "smsto:1:x", "smsto:1", "xmpp:a@b?message;type=chat", "mailto:a%0D%0Abody:x", "mailto:a#body=x",
      "sip:a@b?subject=x",
    ])
  }

  private func invalid(_ random: inout SeededGenerator) -> String {
    random.one(of: [
      "", " ", "contoso.com", "//contoso.com/", "https://", "https://exa mple.com/", "https://[::1/",
      "https://a:99999/",
      "http://%00/", "view-source:", "view-source:contoso.com", "https://1.2.3.256/", "blob:",
    ])
  }

  /// Hosts that look like the organisation's and are not, or do not look like it and are.
  private func look(_ random: inout SeededGenerator) -> String {
    random.one(of: [
      "https://contoso.com@evil.example/", "https://contoso.com.evil.example/", "https://evilcontoso.com/",
      "https://contoso.com\\@evil.example/", "https://evil.example#@contoso.com/",
      "https://evil.example/https://contoso.com/",
      "https://CONTOSO.com/", "https://cont%6Fso.com/", "https://contoso。com/", "https://Bücher.example/",
      "https://contoso.com../", "https://contoso.com.:443/", "https:contoso.com/", "https:/contoso.com/",
      "http://0x7f.1/", "http://2130706433/", "https://[0:0:0:0:0:0:0:1]/", "\thttps://contoso.com/\n",
      "https://con\ttoso.com/", "https://user:@contoso.com/", "https://1.2.3.4./", "https://x.1.2.3.4/",
    ])
  }
}
