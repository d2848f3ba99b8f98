import Foundation
import GuardModel
import JSONText

/// A check of accounts' life: registration, its end, and the accounts that an app takes.
struct ScenarioAccounts {
  private let check: ScenarioCheck
  private let app: VarlinkPeer

  /// A daemon whose app says itself who is signed in.
  ///
  /// - Parameter allowed: the accounts that the app takes; none for all.
  static func files(allowed: [String]) -> [String: String] {
    let list = allowed.map { "\"\($0)\"" }.joined(separator: ", ")
    let policy = """
      apps:
        com.contoso.viewers:
          peers: [{ uid: \(getuid()) }]
          identityMode: multi
          accounts: { source: [app] }
          \(allowed.isEmpty ? "" : "allowedAccounts: [\(list)]")
      accounts:
        - { upn: "\(ScenarioPolicy.managed)", protection: contoso }
        - { upn: "\(ScenarioPolicy.unmanaged)" }
        - { objectId: 3ec2c00f-b125-4519-acf0-302ac3761822, protection: contoso }
      protections: { contoso: {} }
      """
    return ["webviewguard.yaml": "policyRequired: true\n", "policy.d/policy.yaml": policy]
  }

  /// An app that is attached, and nothing more.
  static func attached(_ daemon: DaemonProcess) throws -> VarlinkPeer {
    let app = try daemon.connect()
    try app.ask("Attach", ["app": "com.contoso.viewers"])
    try app.ask("RegisterViewer", ["viewer": "v"])
    return app
  }

  init(_ check: ScenarioCheck, _ app: VarlinkPeer) { (self.check, self.app) = (check, app) }

  private func ask(_ method: String, _ members: JSONTree) throws -> JSONTree {
    try app.call("org.webviewguard.Accounts." + method, members)
  }

  /// EN-NIL: no account is a failure with the SDK's number. EN-DUP: the second time it is ignored, with a warning.
  func register() throws -> [String] {
    guard let account = check.text("account") else {
      let answer = try ask("Register", [:])
      let result = answer["result"]?.string.flatMap(EnrollmentResult.init)
      return differences("decision", result?.isSuccess == false ? "error" : "ok", check.decision)
        + differences("code", result.map { String($0.number) }, check.text("code") ?? "")
        + differences("reason", result == .noAccount ? "nilAccount" : answer["result"]?.string, check.reason ?? "")
    }
    let first = try ask("Register", ["account": .string(account)])
    let second = try ask("Register", ["account": .string(account)])
    let isIgnored = second["result"]?.string == "alreadyEnrolled" && second["state"] == first["state"]
    return differences("first result", first["result"]?.string, "newPolicies")
      + differences("decision", second["state"]?.string == "enrolled" ? "ok" : "error", check.decision)
      + differences("reason", isIgnored ? "alreadyRegistered" : second["result"]?.string, check.reason ?? "")
  }

  /// DR-NOWIPE, MI-LOGOUT-UNMANAGED: a managed account is suspended, one that no protection binds is nobody's business.
  /// Nothing asks for its data to be removed.
  func deregister() throws -> [String] {
    let account = check.text("account") ?? ""
    let registered = try ask("Register", ["account": .string(account)])
    let isManaged = registered["state"]?.string == "enrolled"
    let answer = try ask("Deregister", ["account": .string(account), "data": "keep"])
    let expected = isManaged ? "suspended unenrolled" : "unmanaged noPolicy"
    let found = "\(answer["state"]?.string ?? "") \(answer["result"]?.string ?? "")"
    return differences("wipe", check.text("wipe"), "false") + differences("answer", found, expected)
      + differences("decision", found == expected ? "ok" : found, check.decision) + (try access(to: account, isManaged))
  }

  /// What the account may do afterwards: a managed one nothing here.
  private func access(to account: String, _ isManaged: Bool) throws -> [String] {
    _ = try app.reply(
      "org.webviewguard.Guard.SetIdentity", ["level": "process", "account": .string(account)])
    let decision = try app.decide("Print", ["viewer": "v"])
    let found = "\(decision["outcome"]?.string ?? "") \(decision["reason"]?.string ?? "")"
    return differences("printing", found, isManaged ? "block policyRequired" : "allow unmanaged")
  }

  /// The other account stays what it is.
  func isManaged() throws -> [String] {
    let account = check.text("account") ?? ""
    let state = try ask("Register", ["account": .string(account)])["state"]?.string
    return differences("managed", String(state == "enrolled"), check.decision)
  }

  /// AA-LIST.
  func signIn() throws -> [String] {
    let answer = try ask("MaySignIn", ["account": .string(check.text("account") ?? "")])
    let reason = answer["reason"]?.string == "accountNotAllowed" ? "notAllowedAccount" : answer["reason"]?.string
    return differences("decision", answer["allowed"]?.bool == true ? "allow" : "block", check.decision)
      + (check.reason.map { differences("reason", reason, $0) } ?? differences("no reason", reason ?? "none", "none"))
  }

  /// CA-OBJECT-ID: the account is that of the part before the dot.
  func parseAccount() throws -> [String] {
    let answer = try ask("Register", ["account": .string(check.text("home_account_id") ?? "")])
    return differences("account", answer["account"]?.string, check.decision)
  }
}
