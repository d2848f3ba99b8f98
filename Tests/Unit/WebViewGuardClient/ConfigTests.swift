import GuardModel
import TestSupport
import Testing
import WebViewGuardClient

/// App configuration: the getters that all clients share (AC-04 to AC-08).
@Suite struct ConfigTests {
  @Test func gettersReadTheValuesThatCount() throws {
    let cases = try Vectors.cases("config")
    #expect(cases.count > 15)
    for test in cases {
      let account = AccountConfiguration(reading: [
        "account": "a", "state": "enrolled", "values": test["values"] ?? [],
      ])
      let means = Self.means(account.configuration["k"])
      #expect(means == test["means"]?.withoutNull, "\(test["name"]?.string ?? "")")
    }
  }

  /// What the getters give, in the form of the vectors; members without a value are left out.
  private static func means(_ values: AppConfigValues) -> GuardValue {
    var strings: [String: GuardValue] = [:]
    var numbers: [String: GuardValue] = [:]
    for choice in AppConfigValues.OrderedChoice.allCases {
      strings[choice.rawValue] = values.string(choice).map { .string($0) }
      numbers[choice.rawValue] = values.number(choice).map { GuardValue(.number($0)) }
    }
    var truths: [String: GuardValue] = [:]
    for choice in AppConfigValues.BoolChoice.allCases {
      truths[choice.rawValue] = values.bool(choice).map { .bool($0) }
    }
    return [
      "conflict": .bool(values.hasConflict), "bool": .object(truths), "number": .object(numbers),
      "string": .object(strings), "all": .array(values.layers.map { GuardValue($0.value) }),
    ]
  }

  /// Both forms send the same call, and read the same reply.
  @Test(arguments: [nil, ["a"]]) func isAskedInBothForms(_ accounts: [String]?) async throws {
    let place = try Place()
    let reply =
      #"{"parameters":{"accounts":[{"account":"a","state":"enrolled","values":"#
      + #"[{"key":"maxTabs","entry":"e","default":false,"number":3}],"conflicts":[]}]}}"#
    let daemon = try FakeDaemon(at: place.socket) { $0.method == "Config" ? .text(reply) : Wire.usual($0) }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    let awaited = try await guardian.config(accounts)
    let waited = try await onThread { try guardian.configBlocking(accounts) }
    #expect(awaited == waited)
    #expect(waited.map(\.account) == ["a"] && waited[0].configuration["maxTabs"].number(.any) == 3)
    let asked = daemon.heard("Config")
    #expect(asked.map(\.interface) == Array(repeating: "org.webviewguard.Accounts", count: 2))
    let said: GuardValue = accounts == nil ? [:] : ["accounts": ["a"]]
    #expect(asked.map(\.parameters) == [said, said])
  }

  @Test func aReplyWithoutAccountsIsNone() async throws {
    let place = try Place()
    let reply = #"{"parameters":{}}"#
    let daemon = try FakeDaemon(at: place.socket) { $0.method == "Config" ? .text(reply) : Wire.usual($0) }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    let error = await #expect(throws: GuardError.self) { try await guardian.config() }
    guard case .refused(let refusal) = error else { throw TestFailure("\(String(describing: error))") }
    #expect(refusal.word == "invalidReply")
  }

  @Test func wordsOfANewerDaemonAreNoSurprise() {
    let account = AccountConfiguration(reading: [
      "account": "a", "state": "somethingNew", "values": [["key": "k", "entry": "e", "other": 1], 7],
    ])
    #expect(account.state == .blocked)
    #expect(account.configuration.keys == [])
    #expect(AccountConfiguration(reading: [:]).state == .blocked)
  }
}

extension GuardValue {
  fileprivate init(_ value: AppConfigValue) {
    switch value {
    case .bool(let truth): self = .bool(truth)
    case .number(let number): self = Int(exactly: number).map(GuardValue.integer) ?? .number(number)
    case .string(let text): self = .string(text)
    }
  }

  /// Without members that are null.
  fileprivate var withoutNull: GuardValue {
    guard case .object(let members) = self else { return self }
    return .object(members.filter { $0.value != .null }.mapValues(\.withoutNull))
  }
}
