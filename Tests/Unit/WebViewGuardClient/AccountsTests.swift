import Foundation
import GuardModel
import TestSupport
import Testing
import WebViewGuardClient

/// The life of accounts: the vectors and the table that all clients share (EN-10, AA-04, CA-06, CA-13, ST-03, ST-04).
@Suite(.timeLimit(.minutes(10))) struct AccountsTests {
  @Test(arguments: try Vectors.cases("accounts")) func callsAndReplies(_ vector: GuardValue) async throws {
    let place = try Place()
    let reply = try #require(vector["reply"]).text
    let daemon = try FakeDaemon(at: place.socket) { $0.method == "Attach" ? Wire.usual($0) : .text(reply) }
    defer { daemon.stop() }
    let guardian = GuardClient.at(place)
    #expect(await guardian.start())
    let call = try #require(vector["call"]?.string)
    if let word = vector["fails"]?.string {
      let error = await #expect(throws: GuardError.self) { try await made(call, vector, guardian.accounts) }
      guard case .refused(let refusal) = error else { throw TestFailure("\(String(describing: error))") }
      #expect(refusal.word == word)
    } else {
      let means = try #require(vector["means"])
      #expect(chosen(try await made(call, vector, guardian.accounts), means) == means)
    }
    let sent = try #require(daemon.heard(call).first)
    #expect(sent.parameters == vector["sent"])
    #expect(sent.interface == "org.webviewguard.Accounts")
    #expect(guardian.isConnected, "the connection goes on")
  }

  /// Each method that is for apps is called in the vectors; `Config` and `DataKey` have tests of their own, and nobody
  /// labels files or asks for directories in Swift yet.
  @Test func thereIsACallForEachMethod() throws {
    let file = Vectors.root.appending(path: "Sources/GuardProtocol/Interfaces/org.webviewguard.Accounts.varlink")
    let methods = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("method ") }.map { String($0.dropFirst("method ".count).prefix { $0 != "(" }) }
    let called = Set(try Vectors.cases("accounts").compactMap { $0["call"]?.string })
    let others: Set = [
      "Config", "DataKey", "FileCreated", "FilesRemoved", "Notices", "OpenDirectory", "ReadLabel", "SetOwner",
      "SignedIn",
    ]
    #expect(methods.count >= 10 && Set(methods).subtracting(called) == others)
  }

  @Test(arguments: try Vectors.cases("ids")) func namesHaveAKey(_ vector: GuardValue) throws {
    let id = try #require(vector["id"]?.string)
    #expect(NamedAccount.key(id).utf8.elementsEqual(vector["key"]?.string?.utf8 ?? "?".utf8))
  }

  @Test func namesAreOfOneAccount() throws {
    let pairs = try Vectors.list("ids", "same")
    #expect(pairs.count > 5)
    for pair in pairs {
      let (one, other) = (pair["one"]?.string, pair["other"]?.string)
      #expect(NamedAccount.areSame(one, other) == pair["are"]?.bool, "\(pair)")
      #expect(NamedAccount.areSame(other, one) == pair["are"]?.bool, "\(pair)")
    }
  }

  @Test func resultsHaveTheNumbersOfTheTable() throws {
    let results = try Vectors.list("results", "enrollment")
    #expect(results.map { $0["word"]?.string } == EnrollmentResult.allCases.map(\.rawValue))
    for (row, result) in zip(results, EnrollmentResult.allCases) {
      #expect(row["number"]?.integer == result.number)
      #expect(row["isSuccess"]?.bool == result.isSuccess, "\(result)")
      #expect(row["mustRemove"]?.bool == result.mustRemove, "\(result)")
    }
    let statuses = try Vectors.list("results", "compliance")
    #expect(statuses.map { $0["word"]?.string } == ComplianceStatus.allCases.map(\.rawValue))
    #expect(statuses.map { $0["number"]?.integer } == ComplianceStatus.allCases.map(\.number))
  }

  @Test func unknownStatesCountAsBlocked() throws {
    let lives = try Vectors.list("results", "lives")
    #expect(lives.map { $0["word"]?.string } == AccountLifeState.allCases.map(\.rawValue))
    for row in lives { #expect(AccountLifeState(word: row["word"]?.string ?? "").mayWork == row["mayWork"]?.bool) }
    #expect(AccountLifeState(word: "enchanted") == .blocked)
    let states = try Vectors.list("results", "states")
    #expect(states.map { $0["word"]?.string } == AccountState.allCases.map(\.rawValue))
    #expect(states.filter { $0["mayWork"] == true } == [["word": "active", "mayWork": true]])
  }

  /// Makes the call of a vector; its result by the names of the wire.
  private func made(_ call: String, _ vector: GuardValue, _ accounts: GuardAccounts) async throws -> GuardValue {
    let arguments = vector["arguments"] ?? [:]
    let account = arguments["account"]?.string
    switch call {
    case "Register": return view(try await accounts.register(account))
    case "Deregister":
      let data = arguments["data"]?.string.flatMap(GuardAccounts.Data.init)
      return view(try await accounts.deregister(account ?? "", data: data))
    case "List":
      let overview = try await accounts.list()
      return ["accounts": .array(overview.accounts.map(view)), "enrolled": text(overview.enrolled)]
    case "DeviceAccount": return ["account": text(try await accounts.deviceAccount())]
    case "MaySignIn":
      let answer = try await accounts.maySignIn(account ?? "")
      return [
        "allowed": .bool(answer.isAllowed), "state": .string(answer.state.rawValue),
        "reason": text(answer.reason?.rawValue), "text": text(answer.text),
      ]
    case "AllowedAccounts":
      let taken = try await accounts.allowed()
      return ["accounts": texts(taken.accounts), "mustSignOut": texts(taken.mustSignOut)]
    case "Remediate":
      let request = try await accounts.remediate(account ?? "", silent: arguments["silent"]?.bool ?? false)
      return ["request": text(request)]
    case "Complete":
      let result = arguments["result"]?.string.flatMap(GuardAccounts.Completion.init) ?? .failed
      return view(try await accounts.complete(arguments["request"]?.string ?? "", result))
    default: throw TestFailure("no call `\(call)`")
    }
  }

  private func view(_ outcome: AccountOutcome) -> GuardValue {
    [
      "account": .string(outcome.account), "state": .string(outcome.state.rawValue),
      "result": outcome.members["result"] ?? .null, "number": number(outcome.result?.number),
      "isSuccess": .bool(outcome.isSuccess), "mustRemove": .bool(outcome.mustRemove), "mayWork": .bool(outcome.mayWork),
    ]
  }

  private func view(_ account: KnownAccount) -> GuardValue {
    [
      "account": .string(account.account), "state": .string(account.state.rawValue),
      "managed": .bool(account.isManaged),
      "protection": text(account.protection), "sources": texts(account.sources),
      "result": account.members["result"] ?? .null, "number": number(account.result?.number),
      "mayWork": .bool(account.mayWork), "registered": number(account.registered), "enrolled": number(account.enrolled),
      "checkedIn": number(account.checkedIn), "retry": number(account.retry),
      "remediation": text(account.remediation), "compliance": account.members["compliance"] ?? .null,
      "encryption": account.members["encryption"] ?? .null, "mustEncrypt": .bool(account.mustEncrypt),
    ]
  }

  private func text(_ text: String?) -> GuardValue { text.map { .string($0) } ?? .null }
  private func number(_ number: Int?) -> GuardValue { number.map { .integer($0) } ?? .null }
  private func texts(_ texts: [String]?) -> GuardValue { texts.map { .array($0.map { .string($0) }) } ?? .null }

  /// The members that a vector speaks of.
  private func chosen(_ found: GuardValue, _ means: GuardValue) -> GuardValue {
    switch (found, means) {
    case (.object(let members), .object(let wanted)):
      .object(Dictionary(uniqueKeysWithValues: wanted.map { ($0, chosen(members[$0] ?? .null, $1)) }))
    case (.array(let values), .array(let wanted)) where values.count == wanted.count:
      .array(zip(values, wanted).map { chosen($0, $1) })
    default: found
    }
  }
}
