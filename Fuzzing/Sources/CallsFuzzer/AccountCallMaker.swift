import FuzzSupport
import JSONText

/// Calls about accounts, and administrators' orders, made of choices. Each person has accounts that nobody else names.
enum AccountCallMaker {
  static let users: [UInt32] = [1, 2, 3]

  /// Names of a person's own accounts have it, and nobody else's.
  static func mark(of uid: UInt32) -> String { "own-\(uid)-" }

  private static func name(_ choices: inout ByteReader, of uid: UInt32) -> String {
    switch choices.below(8) {
    case 0: "work@contoso.com"
    case 1: "me@example.org"
    case 2: "someone@private.example"
    case 3: strange(choices.text())
    default: "\(mark(of: uid))\(choices.below(4))@contoso.com"
    }
  }

  private static func strange(_ text: String) -> String { text.contains("own-") ? "x" : text }

  static func call(_ choices: inout ByteReader, uid: UInt32) -> MadeCall {
    switch choices.below(16) {
    case 0...3: return named("Register", &choices, uid, ["account", "state", "result"])
    case 4, 5: return deregister(&choices, uid)
    case 6: return named("MaySignIn", &choices, uid, ["allowed", "state"])
    case 7: return named("Remediate", &choices, uid, [])
    case 8: return made("List", [:], ["accounts"])
    case 9: return config(&choices, uid)
    case 10: return signedIn(&choices, uid)
    case 11: return answer(&choices)
    case 12: return made("AllowedAccounts", [:], ["mustSignOut"])
    case 13, 14: return dataKey(&choices, uid)
    default: return ofPerson(&choices)
    }
  }

  private static func made(
    _ method: String, _ parameters: JSONTree, _ members: [String], needsInstance: Bool = true
  ) -> MadeCall {
    var call = MadeCall(
      method: method, parameters: parameters, expected: .accounts(members, needsInstance: needsInstance))
    call.interface = "Accounts"
    return call
  }

  private static func named(
    _ method: String, _ choices: inout ByteReader, _ uid: UInt32, _ members: [String]
  ) -> MadeCall {
    made(method, ["account": .string(name(&choices, of: uid))], members)
  }

  private static func deregister(_ choices: inout ByteReader, _ uid: UInt32) -> MadeCall {
    let parameters: JSONTree = [
      "account": .string(name(&choices, of: uid)), "data": .string(choices.one(of: ["keep", "remove"])),
    ]
    return made("Deregister", parameters, ["account", "state", "result"])
  }

  /// The house keeps no state, so nobody gets a key: each call ends with a refusal, whatever its ids are.
  private static func dataKey(_ choices: inout ByteReader, _ uid: UInt32) -> MadeCall {
    let digits = String(repeating: choices.one(of: ["5", "a", "F", "g"]), count: choices.one(of: [64, 64, 32, 63, 0]))
    var members: [JSONTree.Member] = [
      .init("account", .string(choices.flag() ? name(&choices, of: uid) : String(digits.prefix(32)))),
      .init("use", .string(choices.one(of: ["write", "read", "keep"]))), .init("object", .string(digits)),
    ]
    if choices.flag() { members.append(.init("keyId", .string(String(digits.prefix(32))))) }
    return made("DataKey", .object(members), ["key", "keyId", "accountId"])
  }

  private static func config(_ choices: inout ByteReader, _ uid: UInt32) -> MadeCall {
    guard choices.flag() else { return made("Config", [:], ["accounts"]) }
    let names = (0..<choices.below(4)).map { _ in JSONTree.string(name(&choices, of: uid)) }
    return made("Config", ["accounts": .array(names)], ["accounts"])
  }

  private static func signedIn(_ choices: inout ByteReader, _ uid: UInt32) -> MadeCall {
    let accounts = (0..<choices.below(4)).map { _ -> JSONTree in
      [choices.flag() ? "upn" : "objectId": .string(name(&choices, of: uid))]
    }
    let source = choices.one(of: ["broker", "broker", "broker", "app", "user"])
    return made("SignedIn", ["source": .string(source), "accounts": .array(accounts)], [], needsInstance: false)
  }

  private static func answer(_ choices: inout ByteReader) -> MadeCall {
    let request = JSONTree.string(choices.one(of: ["w-1-1", "w-2-1-1", choices.text()]))
    guard choices.flag() else {
      let result = JSONTree.string(choices.one(of: ["done", "refused", "failed"]))
      return made("Complete", ["request": request, "result": result], ["account", "state", "result"])
    }
    let report: JSONTree = ["request": request, "removed": .int(Int64(choices.byte())), "kept": .int(Int64.max)]
    return made("FilesRemoved", report, [], needsInstance: false)
  }

  private static func ofPerson(_ choices: inout ByteReader) -> MadeCall {
    guard choices.flag() else { return made("DeviceAccount", [:], [], needsInstance: false) }
    let languages = (0..<choices.below(3)).map { _ in JSONTree.string(choices.text()) }
    return made("Notices", ["languages": .array(languages)], ["notices"], needsInstance: false)
  }

  // MARK: Administrators

  static func order(_ choices: inout ByteReader) -> MadeCall {
    let uid = choices.one(of: users)
    var members: [JSONTree.Member] = [
      .init("account", .string(name(&choices, of: uid))), .init("uid", .int(Int64(uid))), .init("reason", "fuzz"),
    ]
    var method = "Accounts"
    switch choices.below(9) {
    case 0: members = []
    case 1:
      method = "DeregisterAccount"
      members.append(.init("app", .string(choices.one(of: ["mail", "portal", "none"]))))
    case 2, 3:
      method = "WipeAccount"
      if choices.flag() { members.append(.init("confirm", .string(choices.text()))) }
    case 4: method = "RestoreAccount"
    case 5: method = "RotateAccountKey"
    case 6: (method, members) = ("Escrow", [])
    case 7:
      method = "RecoverAccountKey"
      members.append(.init("copy", .string(choices.text())))
    default: (method, members) = ("Wipes", [])
    }
    return MadeCall(
      method: method, parameters: .object(members), expected: .anything, interface: "Admin")
  }
}
