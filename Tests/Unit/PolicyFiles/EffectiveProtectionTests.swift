import PolicyEngine
import PolicyFiles
internal import PolicyTools
import Testing

/// What `check` prints of a protection: what is in force, and why.
@Suite struct EffectiveProtectionTests {
  private func settings(_ text: String) throws -> [String: String] {
    let result = load(["policy.d/a.yaml": "apps: { x: {} }\nprotections: { p: { \(text) } }"])
    let policy = try #require(result.policy, "\(result.diagnostics)")
    let protection = EffectiveProtection(try #require(policy.protections.first), policy.places)
    #expect(protection.name == "p")
    #expect(protection.location == "c/policy.d/a.yaml:2:16")
    #expect(Set(protection.settings.map(\.key)).count == protection.settings.count)
    return Dictionary(
      uniqueKeysWithValues: protection.settings.map {
        ($0.key, $0.sentence.replacing("c/policy.d/a.yaml", with: "f"))
      })
  }

  @Test func forcedValuesNameTheirCause() throws {
    let settings = try settings("send: none, receive: none, webTransfer: block")
    #expect(settings["save.allowed"] == "`save.allowed` is `false`, since `send` is `none` (f:2:21)")
    #expect(settings["save.exceptions"] == "`save.exceptions` is `[]`, default")
    #expect(settings["open.allowed"] == "`open.allowed` is `false`, since `receive` is `none` (f:2:33)")
    #expect(settings["open.exceptions"] == "`open.exceptions` is `[]`, since `receive` is `none` (f:2:33)")
    #expect(settings["indexing"] == "`indexing` is `block`, since `send` is `none` (f:2:21)")
    #expect(settings["assistants"] == "`assistants` is `block`, since `send` is `none` (f:2:21)")
    #expect(settings["automation"] == "`automation` is `block`, since `send` is `none` (f:2:21)")
    #expect(settings["webTransfer"] == "`webTransfer` is `block`, f:2:48")
    #expect(settings["printing"] == "`printing` is `allow`, default")
    #expect(settings["clipboard.exceptionPerMinute"] == "`clipboard.exceptionPerMinute` is `no budget`, default")
  }

  @Test func statedValuesHaveTheirPlaces() throws {
    let settings = try settings(
      "send: managed, save: { allowed: false, exceptions: [box, sharePoint] }, assistants: block, "
        + "inspection: { required: true }, clipboard: { replacement: \"\" }, managedApps: [a.desktop]")
    #expect(settings["send"] == "`send` is `managed`, f:2:21")
    #expect(settings["save.allowed"] == "`save.allowed` is `false`, f:2:44")
    #expect(settings["save.exceptions"] == "`save.exceptions` is `[sharePoint, box]`, f:2:60")
    #expect(settings["indexing"] == "`indexing` is `block`, since `send` is `managed` (f:2:21)")
    #expect(settings["assistants"] == "`assistants` is `block`, f:2:93")
    #expect(settings["automation"] == "`automation` is `block`, as `assistants`")
    #expect(settings["inspection.required"] == "`inspection.required` is `true`, f:2:126")
    #expect(settings["clipboard.replacement"] == "`clipboard.replacement` is empty, f:2:157")
    #expect(settings["managedApps"] == "`managedApps` is `[a.desktop]`, f:2:176")
    #expect(
      settings["open.exceptions"] == "`open.exceptions` is `[oneDriveForBusiness, sharePoint, photoLibrary, camera]`, "
        + "default")
  }

  @Test func automationMayGoItsOwnWay() throws {
    #expect(try settings("send: none, automation: allow")["automation"] == "`automation` is `allow`, f:2:33")
    #expect(try settings("assistants: block")["automation"] == "`automation` is `block`, as `assistants`")
    #expect(try settings("")["automation"] == "`automation` is `allow`, as `assistants`")
  }

  /// What is printed is what the engine goes by, for every pair of levels and with nothing else stated.
  @Test func printedIsWhatTheEngineUses() throws {
    for send in SendLevel.allCases {
      for receive in ReceiveLevel.allCases {
        let levels = "send: \(send.rawValue), receive: \(receive.rawValue)"
        let result = load(["policy.d/a.yaml": "apps: { x: {} }\nprotections: { p: { \(levels) } }"])
        let policy = try #require(result.policy)
        let protection = try #require(policy.protections.first)
        let printed = Dictionary(
          uniqueKeysWithValues: EffectiveProtection(protection, policy.places).settings.map { ($0.key, $0.value) })
        let effective = EffectiveSettings(protection)
        #expect(printed["save.allowed"] == String(effective.save.allowed))
        #expect(printed["open.allowed"] == String(effective.open.allowed))
        // Where every place is allowed, exceptions say nothing.
        #expect((printed["open.exceptions"] == "[]") == (effective.open.exceptions.isEmpty && !effective.open.allowed))
        #expect(printed["indexing"] == effective.indexing.rawValue)
        #expect(printed["assistants"] == effective.assistants.rawValue)
        #expect(printed["automation"] == effective.automation.rawValue)
      }
    }
  }
}
