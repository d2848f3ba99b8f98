import Foundation
import JSONText
import Testing

/// What another policy would change among the events that were asked lately.
@Suite struct PreviewTests {
  /// Ten navigations to one page, of which one version of the rules allows and the other forbids.
  private func asked(_ daemon: DaemonProcess) throws -> Viewers {
    let app = try Viewers.signedIn(daemon)
    for _ in 0..<10 { _ = try app.navigation(to: "https://wiki.contoso.com/page?secret=1") }
    for _ in 0..<3 { _ = try app.navigation(to: "https://news.example/") }
    _ = try app.navigation(to: "https://mail.contoso.com/")
    return app
  }

  @Test func itTellsWhatWouldChangeAndChangesNothing() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try asked(daemon)
    let before = try daemon.status()
    try daemon.writeRules(ReloadPolicy.second)
    let reply = try daemon.reload(["preview": true])
    let preview = try #require(reply["parameters"]?["preview"], "\(reply)")
    #expect(preview["judged"] == 3)
    #expect(preview["changed"] == 2)
    let changes = try #require(preview["changes"]?.array)
    #expect(changes.map { $0["seen"] } == [10, 3], "those asked most often come first")
    let wiki = try #require(changes.first)
    #expect(wiki["app"] == "com.contoso.viewers")
    #expect(wiki["class"] == "documents")
    #expect(wiki["event"] == "navigate")
    #expect(wiki["before"]?["outcome"] == "allow")
    #expect(wiki["before"]?["rule"] == "tenant")
    #expect(wiki["after"]?["outcome"] == "block")
    #expect(wiki["after"]?["reason"] == "blockedByRule")
    #expect(wiki["after"]?["ruleLocation"]?.string?.hasSuffix("rules/documents.yaml:5:5") == true)
    #expect(wiki["url"]?.string?.contains("secret") == false, "what the log leaves out is left out here")
    #expect(changes.last?["before"]?["target"] == "managedBrowser")
    #expect(changes.last?["after"]?["outcome"] == "allow")
    let after = try daemon.status()
    #expect(after["digest"] == before["digest"])
    #expect(after["lastLoad"] == before["lastLoad"])
    #expect(preview["digest"] != before["digest"])
    #expect(try app.version() == 1)
    #expect(try daemon.reload()["parameters"]?["digest"] == preview["digest"])
  }

  /// Both policies judge with the state as it is: a paste after the copy that it depends on.
  @Test func theStateGoesAlong() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files(app: "identityMode: multi"))
    let app = try Programs.attach(daemon)
    _ = try app.copy("E")
    #expect(try app.paste("clipboard", in: "P")["outcome"] == "block")
    let policy = try #require(ExamplePolicy.files(app: "identityMode: multi")["policy.d/policy.yaml"])
    try daemon.write(policy.replacing("level: managed ", with: "level: any "), to: "policy.d/policy.yaml")
    let preview = try daemon.reload(["preview": true])["parameters"]?["preview"]
    let paste = preview?["changes"]?.array?.first { $0["event"] == "paste" }
    #expect(paste?["before"]?["reason"] == "orgData", "\(preview ?? [:])")
    #expect(paste?["after"]?["outcome"] == "allow")
    #expect(try app.paste("clipboard", in: "P")["outcome"] == "block", "the preview pasted and copied nothing")
  }

  @Test func aPreviewOfTheSameChangesNothing() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    _ = try asked(daemon)
    let preview = try daemon.reload(["preview": true])["parameters"]?["preview"]
    #expect(preview?["judged"] == 3)
    #expect(preview?["changed"] == 0)
    #expect(preview?["changes"] == [])
  }

  @Test func aPreviewOfWhatCannotBeLoadedIsNoLoad() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    try daemon.writeRules(ReloadPolicy.broken)
    #expect(try daemon.reload(["preview": true])["error"] == "org.webviewguard.Admin.LoadFailed")
    #expect(try daemon.status()["lastError"] == nil)
  }

  /// Programs that ended cannot be asked in whose name; one that asks the same again takes their place.
  @Test func whatEndedProgramsAskedIsNotJudged() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files(settings: "graceSeconds: 0"))
    do { _ = try asked(daemon) }
    let deadline = Date(timeIntervalSinceNow: 240)
    while try daemon.status()["instances"] != 0, Date() < deadline { usleep(5_000) }
    try daemon.writeRules(ReloadPolicy.second)
    let gone = try daemon.reload(["preview": true])["parameters"]?["preview"]
    #expect(gone?["judged"] == 0)
    #expect(gone?["notJudged"] == 3)
    let app = try Viewers.signedIn(daemon)
    _ = try app.navigation(to: "https://wiki.contoso.com/page?secret=1")
    let back = try daemon.reload(["preview": true])["parameters"]?["preview"]
    #expect(back?["judged"] == 1)
    #expect(back?["notJudged"] == 2)
    #expect(back?["changes"]?[0]?["seen"] == 11)
  }

  // MARK: Limits

  @Test(arguments: [
    ("maxChange", 0, false), ("maxChange", 1, true), ("maxChangePercent", 33, false), ("maxChangePercent", 34, true),
    ("maxChangePercent", 0, false),
  ])
  func aLimitKeepsTheOldPolicy(_ limit: String, _ number: Int64, _ isLoaded: Bool) throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try asked(daemon)
    try daemon.writeRules(ReloadPolicy.second)
    let reply = try daemon.reload(.object([.init(limit, .int(number))]))
    #expect((reply["error"] == nil) == isLoaded)
    #expect(reply["parameters"]?["preview"]?["changed"] == 2)
    #expect(reply["parameters"]?["preview"]?["loosened"] == 1)
    #expect(try app.version() == (isLoaded ? 2 : 1))
    guard !isLoaded else { return }
    #expect(reply["error"] == "org.webviewguard.Admin.TooManyChanges")
    let status = try daemon.status()
    #expect(status["lastError"]?.string?.hasPrefix("1 of 3 recent events would be answered less strictly") == true)
    #expect(status["lastLoad"]?["succeeded"] == false)
    #expect(try daemon.records().last { $0["type"] == "policy" }?["loaded"] == false)
  }

  /// The attack: hundreds of invented questions, so that a policy which forbids them is refused for their number.
  @Test func noInventedQuestionsRefuseAStricterPolicy() throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let app = try asked(daemon)
    for number in 0..<200 { _ = try app.navigation(to: "https://wiki.contoso.com/\(number)") }
    try daemon.writeRules(ReloadPolicy.second.replacing("- { id: news, internal: { host: news.example } }", with: ""))
    let reply = try daemon.reload(["maxChange": 0])
    #expect(reply["error"] == nil)
    let preview = reply["parameters"]?["preview"]
    #expect(preview?["changed"] == 201 && preview?["loosened"] == 0, "\(preview ?? [:])")
    // And back: that loosens, and is refused.
    try daemon.writeRules(ExamplePolicy.rules)
    #expect(try daemon.reload(["maxChangePercent": 50])["error"] == "org.webviewguard.Admin.TooManyChanges")
  }

  @Test(arguments: [
    #"{"maxChange":-1}"#, #"{"maxChangePercent":101}"#, #"{"preview":1}"#, #"{"force":"yes"}"#, #"{"max":1}"#,
  ])
  func wrongParametersAreRefused(_ parameters: String) throws {
    let daemon = try DaemonProcess(ExamplePolicy.files())
    let reply = try daemon.reload(try JSONTree(parsing: parameters))
    #expect(reply["error"] == "org.varlink.service.InvalidParameter")
  }
}
