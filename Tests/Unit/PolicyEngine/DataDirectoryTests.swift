import GuardModel
import PolicyEngine
import Testing

@Suite struct DataDirectoryTests {
  private static let guid = "3ec2c00f-b125-4519-acf0-302ac3761822"

  @Test(
    arguments: [
      ("~/.local/share/contoso/{account}", "/home/ada/.local/share/contoso/work@contoso.com"),
      ("~/.cache/contoso-{account}", "/home/ada/.cache/contoso-work@contoso.com"),
      ("~/.cache/contoso/{objectId}/{account}.d", "/home/ada/.cache/contoso/\(guid)/work@contoso.com.d"),
      ("/srv/contoso/{account}/data", "/srv/contoso/work@contoso.com/data"),
      ("~/x/{account}{objectId}", "/home/ada/x/work@contoso.com\(guid)"),
    ])
  func anAccountHasADirectory(_ text: String, _ path: String) throws {
    #expect(try DataDirectory(text).path(upn: "work@contoso.com", objectID: Self.guid, home: "/home/ada") == path)
  }

  @Test(
    arguments: [
      ("", .path(.relative)), ("contoso/{account}", .path(.relative)), ("~{account}/x", .path(.relative)),
      ("~ada/x/{account}", .path(.relative)), ("~", .path(.home)), ("~/", .path(.notPlain)), ("/", .path(.root)),
      ("/{account}", .path(.topLevel)), ("~/../ben/{account}", .path(.notPlain)), ("~/./{account}", .path(.notPlain)),
      ("~/x/{account}/", .path(.notPlain)), ("~//x/{account}", .path(.notPlain)), ("~/x/\n{account}", .path(.notPlain)),
      ("~/.local/share/contoso", .noPlaceholder), ("/srv/contoso", .noPlaceholder),
      ("~/x/{user}", .unknownPlaceholder("{user}")), ("~/x/{Account}", .unknownPlaceholder("{Account}")),
      ("~/x/{account", .unknownPlaceholder("{account")), ("~/x/account}", .unknownPlaceholder("}")),
      ("~/x/{{account}}", .unknownPlaceholder("{{account}")), ("~/{account}", .notDeepEnough),
      ("~/.{account}", .notDeepEnough), ("/home/{account}", .notDeepEnough), ("/home/{account}/x", .notDeepEnough),
      ("/srv/x{account}", .notDeepEnough),
    ] as [(String, DataDirectory.Fault)])
  func aPatternThatIsNotOneAccounts(_ text: String, _ fault: DataDirectory.Fault) {
    #expect(throws: fault) { try DataDirectory(text) }
  }

  /// A name that leads to another directory than the administrator meant.
  @Test(
    arguments: [
      "..", ".", "share", "keyrings", "", "@", "a@", "@b", "a@b@c", "../a@b", "a@b/../..", "/a@b", ".a@b", ".@b",
      "a\0@b",
      "a\n@b", "a@b\u{7F}", guid,
    ])
  func noNameLeadsAway(_ name: String) throws {
    let directory = try DataDirectory("~/.local/share/{account}")
    #expect(throws: DataDirectory.PathFault.unsafeName(name)) {
      try directory.path(upn: name, objectID: nil, home: "/home/ada")
    }
  }

  @Test(arguments: ["", "..", "3ec2c00f", "3ec2c00fb1254519acf0302ac3761822", guid + "x", guid + "." + guid, "a@b"])
  func onlyAGUIDIsAnObjectID(_ name: String) throws {
    let directory = try DataDirectory("~/.local/share/{objectId}")
    #expect(throws: DataDirectory.PathFault.unsafeName(name)) {
      try directory.path(upn: "a@b", objectID: name, home: "/home/ada")
    }
  }

  @Test func whatIsNotKnownIsNotGuessed() throws {
    let (account, object) = (try DataDirectory("~/x/{account}"), try DataDirectory("~/x/{objectId}"))
    #expect(throws: DataDirectory.PathFault.noAccount) {
      try account.path(upn: nil, objectID: Self.guid, home: "/home/ada")
    }
    #expect(throws: DataDirectory.PathFault.noObjectID) {
      try object.path(upn: "a@b", objectID: nil, home: "/home/ada")
    }
  }

  @Test(
    arguments: [
      ("", .path(.relative)), ("ada", .path(.relative)), ("/", .path(.root)), ("/home/ada/", .path(.notPlain)),
      ("/home/../ada", .path(.notPlain)),
    ] as [(String, DataDirectory.PathFault)])
  func aHomeThatIsNone(_ home: String, _ refusal: DataDirectory.PathFault) throws {
    let directory = try DataDirectory("~/x/{account}")
    #expect(throws: refusal) { try directory.path(upn: "a@b", objectID: nil, home: home) }
  }

  /// The whole path is judged once more: here an absolute pattern meets a home.
  @Test func aPatternThatMeetsAHome() throws {
    let directory = try DataDirectory("/srv/homes/{account}")
    let home = "/srv/homes/ada@contoso.com"
    #expect(throws: DataDirectory.PathFault.path(.home)) {
      try directory.path(upn: "ada@contoso.com", objectID: nil, home: home)
    }
    #expect(throws: DataDirectory.PathFault.path(.aboveHome)) {
      try directory.path(upn: "ada@contoso.com", objectID: nil, home: home + "/home")
    }
  }

  @Test func namesThatAreTooLong() throws {
    let directory = try DataDirectory("~/x/{account}")
    let name = String(repeating: "a", count: 254) + "@b"
    #expect(throws: DataDirectory.PathFault.path(.tooLong)) {
      try directory.path(upn: name, objectID: nil, home: "/home/ada")
    }
  }

  @Test func anAppTellsAllDirectoriesOfAnAccount() throws {
    var app = App(name: "a")
    app.dataDirectories = [try DataDirectory("~/x/{account}"), try DataDirectory("~/y/{objectId}")]
    let known = app.directories(upn: "Work@contoso.com", objectID: nil, home: "/home/ada")
    #expect(known.paths == ["/home/ada/x/Work@contoso.com", "/home/ada/x/work@contoso.com"])
    #expect(known.refused.map(\.reason) == [.noObjectID])
    let lower = app.directories(upn: "work@contoso.com", objectID: Self.guid, home: "/home/ada")
    #expect(lower.paths == ["/home/ada/x/work@contoso.com", "/home/ada/y/\(Self.guid)"])
  }
}
