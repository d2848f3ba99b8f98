import JSONText
import Testing

/// What people are told comes in the language that the app named in `Attach` (ledger SL-16).
@Suite struct LanguageTests {
  private static let files = DataPolicy.files().merging(
    ["policy.d/texts.yaml": "texts: { de: { reasons: { printBlocked: \"Drucken geht in {app} nicht\" } } }\n"]
  ) { $1 }

  private static let german = "Drucken geht in com.contoso.viewers nicht"
  private static let english = "Your organization does not allow printing here."

  private func attach(
    _ daemon: DaemonProcess, _ languages: [JSONTree]?, instance: JSONTree? = nil
  ) throws -> (peer: VarlinkPeer, instance: JSONTree) {
    let peer = try daemon.connect()
    var members = [JSONTree.Member("app", "com.contoso.viewers")]
    if let languages { members.append(.init("languages", .array(languages))) }
    if let instance { members.append(.init("instance", instance)) }
    let attached = try peer.ask("Attach", .object(members))
    return (peer, try #require(attached["instance"]))
  }

  private func message(_ peer: VarlinkPeer) throws -> String? {
    try peer.ask("SetIdentity", ["level": "process", "account": "work@contoso.com"])
    try peer.ask("RegisterViewer", ["viewer": "E", "class": "documents"])
    return try peer.decide("Print", ["viewer": "E"])["message"]?.string
  }

  @Test(arguments: [
    (["fr", "de-AT"], german), (["de_AT"], english), (["en"], english), (["", "\u{202e}", "de"], german), ([], english),
    (Array(repeating: "fr", count: 8) + ["de"], english),
  ])
  func theAppsLanguageChoosesTheText(_ languages: [String], _ text: String) throws {
    let daemon = try DaemonProcess(Self.files)
    #expect(try message(attach(daemon, languages.map { .string($0) }).peer) == text)
  }

  @Test func anotherConnectionMayNameOthersAndChangesNothingWithoutAny() throws {
    let daemon = try DaemonProcess(Self.files)
    let first = try attach(daemon, ["de"])
    #expect(try message(first.peer) == Self.german)
    _ = try attach(daemon, nil, instance: first.instance)
    #expect(try message(first.peer) == Self.german)
    _ = try attach(daemon, ["en"], instance: first.instance)
    #expect(try message(first.peer) == Self.english)
  }
}
