import GuardModel
import PolicyEngine
import TestSupport
import Testing
import URLRules

/// What a page loads by itself: images, scripts, fetches, sockets. Only rules that are for resources speak of it.
struct ResourceTests {
  private let policy = ExamplePolicy().with {
    let named: Purposes = [.page, .resource]
    $0.rules[0].purposes = named
    $0.rules[1].purposes = named
  }

  @Test
  func aRuleThatNamesItDecides() throws {
    var example = try Example(policy)
    let blocked = example.navigate("https://cloud.evil.example/pixel.gif", frame: .resource)
    #expect(Answer(blocked) == Answer(.block, .blockedByRule))
    #expect(blocked.rule == 1 && blocked.verdict == .external)
    #expect(Answer(example.navigate("wss://cloud.evil.example/", frame: .resource)) == Answer(.block, .blockedByRule))
    let own = example.navigate("https://static.contoso.com/a.css", frame: .resource)
    #expect(Answer(own) == Answer(.allow, .internal))
  }

  /// The default is external, and speaks of pages.
  @Test
  func whatNoRuleNamesLoads() throws {
    var example = try Example(policy)
    let picture = example.navigate("https://pictures.example/cat.jpg", frame: .resource)
    #expect(Answer(picture) == Answer(.allow, .resource))
    #expect(picture.ruleSet == nil && picture.verdict == nil)
    #expect(Answer(example.navigate("https://watched.example/", frame: .resource)) == Answer(.allow, .resource))
    #expect(
      Answer(example.navigate("https://watched.example/", in: "C", frame: .resource)) == Answer(.allow, .resource))
  }

  @Test(arguments: ["data:image/png;base64,AA", "blob:https://evil.example/1", "about:blank"])
  func whatThePageMakesGoesNowhere(_ url: String) throws {
    var example = try Example(policy)
    let expected = Answer(url.hasPrefix("blob") ? .block : .allow, url.hasPrefix("blob") ? .blockedByRule : .resource)
    #expect(Answer(example.navigate(url, frame: .resource)) == expected)
  }

  /// No other program takes a part of a page.
  @Test
  func itNeverLeavesForAnotherProgram() throws {
    let isFTP = Condition.scheme(Array("ftp".utf8))
    let link = Rule(id: "files", verdict: .internal, condition: isFTP)
    var example = try Example(
      policy.with {
        $0.rules.append(Rule(id: "ftp", verdict: .external, condition: isFTP))
        $0.rules[3].purposes = .resource
        $0.links = Links(exempt: LinkList(rules: [link], programs: [Program(desktopID: "files.desktop")]))
      })
    let file = example.navigate("ftp://files.example/a", frame: .resource)
    #expect(Answer(file) == Answer(.block, .external))
    #expect(file.offered == .redirect)
    #expect(Answer(example.navigate("skype:x", frame: .resource)) == Answer(.allow, .resource))
    #expect(Answer(example.navigate("contoso-portal:x", frame: .resource)) == Answer(.allow, .handledInViewer))
    #expect(Answer(example.navigate("no url", frame: .resource)) == Answer(.block, .invalidURL))
  }

  @Test
  func nobodysAndUnregisteredViewersAreJudgedLikeElsewhere() throws {
    var example = try Example(policy)
    #expect(
      Answer(example.navigate("https://evil.example/", in: "P", frame: .resource)) == Answer(.allow, .noManagedIdentity)
    )
    let unknown = example.navigate("https://evil.example/", in: "unheard-of", frame: .resource)
    #expect(Answer(unknown) == Answer(.block, .blockedByRule))
    #expect(
      Answer(example.navigate("https://news.example/", in: "unheard-of", frame: .resource)) == Answer(.allow, .resource)
    )
  }

  /// Of several rule sets that may be asked, one that names it is not hidden behind another's default.
  @Test
  func aNamingRuleIsNotHiddenBehindADefault() throws {
    var named = Rule(id: "tracker", verdict: .external, condition: .host(Array("tracker.example".utf8)))
    named.purposes = .resource
    var example = try Example(
      policy.with {
        $0.otherRuleSets = [RuleSet(name: "named", default: .external, rules: [named])]
        $0.app.classes[1].ruleSet = 1
      })
    let unknown = example.navigate("https://tracker.example/", in: "unheard-of", frame: .resource)
    #expect(Answer(unknown) == Answer(.block, .external))
    #expect(unknown.ruleSet == 1)
  }

  /// What the page shows is another matter: it stays its document, and may become the document.
  @Test
  func itChangesNothingOfTheViewer() throws {
    var example = try Example(policy)
    _ = example.navigate("https://pictures.example/", frame: .resource)
    try example.setDocument("https://pictures.example/", "D")
  }
}
