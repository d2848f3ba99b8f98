import TestSupport
import Testing
import URLRules
import URLStandard

/// What each text is read as.
struct URLSubjectTests {
  @Test(arguments: [
    ("https://contoso.com/d/42?q=1#top", "https://contoso.com/d/42?q=1"),
    ("https://contoso.com", "https://contoso.com/"),
    ("HTTPS://USER:PASS@Mail.Contoso.COM.:443/x", "https://mail.contoso.com/x"),
    ("view-source:https://user@mail.contoso.com./x#top", "https://mail.contoso.com/x"),
    ("view-source:view-source:https://contoso.com/", "https://contoso.com/"),
    ("view-source:view-source:view-source:view-source:https://contoso.com/", "https://contoso.com/"),
    ("VIEW-SOURCE:HTTPS://contoso.com/", "https://contoso.com/"),
    ("view-source:  https://contoso.com/", "https://contoso.com/"),
    ("blob:https://contoso.com/9f8e#x", "https://contoso.com/9f8e"),
    ("blob:http://contoso.com:80/1", "http://contoso.com/1"),
    ("filesystem:https://contoso.com/temporary/a", "https://contoso.com/temporary/a"),
    ("ws://contoso.com/s", "http://contoso.com/s"), ("wss://contoso.com:443/s", "https://contoso.com/s"),
    ("wss://contoso.com:80/s", "https://contoso.com:80/s"), ("ws://contoso.com:443/s", "http://contoso.com:443/s"),
    ("view-source:wss://contoso.com/", "https://contoso.com/"), ("https://contoso.com../", "https://contoso.com../"),
    ("https://./", "https://./"), ("https://1.2.3.4./", "https://1.2.3.4/"),
    ("https://cont%6Fso.com\\x", "https://contoso.com/x"),
    ("https://contoso.com\\@evil.example/", "https://contoso.com/@evil.example/"),
    ("https://contoso.com@evil.example/", "https://evil.example/"), ("file:///etc/hosts#1", "file:///etc/hosts"),
    ("file://Server./share", "file://server./share"), ("mailto:a@contoso.com", "mailto:a@contoso.com"),
    ("tel:+49#1", "tel:+49"), ("contoso-portal://user@App/x", "contoso-portal://App/x"),
    ("about:config", "about:config"),
    ("about:BLANK", "about:BLANK"), ("ftp://user@contoso.com./", "ftp://contoso.com/"),
    ("\thttps://con\ntoso.com/ ", "https://contoso.com/"),
  ])
  func urlsAreReducedToWhatIdentifiesThem(_ text: String, _ judged: String) {
    var subject = URLSubject()
    subject.read(text)
    #expect(subject.kind == .url)
    #expect(subject.judged.href == judged)
    #expect(URLRecord(subject.judged.href) == subject.judged)
    #expect(ReferenceURL(text).parts?.href == judged)
  }

  @Test(
    arguments: [
      ("", .invalid), ("contoso.com", .invalid), ("//contoso.com", .invalid), ("https://", .invalid),
      ("https://exa mple.com/", .invalid),
      ("https://[::1/", .invalid), ("https://a:65536/", .invalid), ("view-source:", .invalid),
      ("view-source:contoso.com", .invalid),
      ("view-source:view-source:view-source:view-source:view-source:https://contoso.com/", .invalid),
      ("javascript:alert(1)", .script), ("JaVaScRiPt:1", .script), (" java\nscript:1", .script),
      ("view-source:javascript:1", .script),
      ("about:blank", .madeByPage), ("about:blank?x#y", .madeByPage), ("about:srcdoc", .madeByPage),
      ("ABOUT:blank", .madeByPage),
      ("data:text/html,x", .madeByPage), ("data:", .madeByPage), ("blob:null/1", .madeByPage), ("blob:", .madeByPage),
      ("blob:file:///x", .madeByPage), ("blob:blob:https://contoso.com/", .madeByPage),
      ("filesystem:data:,x", .madeByPage),
      ("view-source:about:blank", .madeByPage), ("view-source:data:,x", .madeByPage),
      ("blob:ftp://contoso.com/1", .madeByPage),
    ] as [(String, URLSubject.Kind)])
  func otherTextsAreWhatTheyAre(_ text: String, _ kind: URLSubject.Kind) {
    var subject = URLSubject()
    subject.read(text)
    #expect(subject.kind == kind)
  }

  @Test
  func tooLongIsInvalid() {
    var subject = URLSubject()
    subject.read("https://contoso.com/" + String(repeating: "a", count: URLRecord.maximumLength - 20))
    #expect(subject.kind == .url)
    subject.read("https://contoso.com/" + String(repeating: "a", count: URLRecord.maximumLength - 19))
    #expect(subject.kind == .invalid)
    #expect(!subject.hasText)
  }

  @Test(arguments: [
    ("https://user@contoso.com/", true), ("https://:pass@contoso.com/", true),
    ("view-source:https://u:p@contoso.com/", true),
    ("blob:https://u@contoso.com/1", true), ("wss://u@contoso.com/", true), ("https://@contoso.com/", false),
    ("https://contoso.com/@x", false), ("https://:@contoso.com/", false), ("https://contoso.com/", false),
  ])
  func credentialsAreRemembered(_ text: String, _ had: Bool) {
    var subject = URLSubject()
    subject.read(text)
    #expect(subject.kind == .url)
    #expect(subject.hadCredentials == had)
  }

  @Test
  func asReadKeepsEverything() {
    var subject = URLSubject()
    subject.read("view-source:https://user@contoso.com/#x")
    #expect(subject.asRead.href == "view-source:https://user@contoso.com/#x")
    #expect(subject.hasText)
    subject.clear()
    #expect(subject.kind == .absent)
    #expect(!subject.hasText)
  }

  @Test
  func whatAPageMadeIsJudgedAsThatPage() {
    var made = URLSubject()
    var page = URLSubject()
    made.read("data:text/html,x")
    made.judgeAs(page)
    #expect(made.kind == .madeByPage)
    page.read("about:blank")
    made.judgeAs(page)
    #expect(made.kind == .madeByPage)
    page.read("https://user@docs.contoso.com/d#1")
    made.judgeAs(page)
    #expect(made.kind == .url)
    #expect(made.judged.href == "https://docs.contoso.com/d")
    #expect(made.hadCredentials)
    #expect(made.asRead.href == "data:text/html,x")
  }

  /// One subject, many texts: nothing of one is left in the next.
  @Test
  func aSubjectForgetsWhatItReadBefore() {
    let texts = [
      "https://user@contoso.com/a#b", "javascript:1", "data:,x", "blob:null/1", "not a url",
      "view-source:https://a.example/", "mailto:x",
    ]
    var used = URLSubject()
    for first in texts {
      for second in texts {
        used.read(first)
        used.read(second)
        var fresh = URLSubject()
        fresh.read(second)
        #expect(used.kind == fresh.kind && used.hadCredentials == fresh.hadCredentials, "\(first), then \(second)")
        #expect(used.asRead == fresh.asRead)
        if fresh.kind == .url { #expect(used.judged == fresh.judged) }
      }
    }
  }
}
