import Foundation
import JSONText

/// A check about data that moves, or that is printed or recorded: one event, asked by a viewer of the app.
struct ScenarioTransfer {
  private let check: ScenarioCheck
  private let daemon: DaemonProcess

  init(_ check: ScenarioCheck, _ daemon: DaemonProcess) {
    self.check = check
    self.daemon = daemon
  }

  /// The method and the members of the event that a word of the file stands for; nil for what is no such event.
  static let methods = [
    "save_to": "Save", "open_from": "Open", "transfer_out": "Share", "transfer_in": "Receive", "print": "Print",
    "screenshot": "Capture",
  ]

  func run() throws -> [String] {
    let app = try Viewers(daemon)
    try showAccounts(app)
    try app.register("v", ["window": "main"])
    try app.tag("v", "currentIdentity")
    let decision = try app.peer.decide(Self.methods[check.text("event") ?? ""] ?? "", .object(members))
    return differences("outcome", decision["outcome"]?.string, check.decision) + check.reasonDifferences(decision)
  }

  /// One account in the whole app, or several in the viewer's window.
  private func showAccounts(_ app: Viewers) throws {
    let several = check.texts("identities")
    guard several.isEmpty else {
      let accounts = JSONTree.array(several.map { .string($0) })
      try app.peer.ask("SetIdentity", ["level": "window", "window": "main", "accounts": accounts])
      return
    }
    try app.signIn(check.account(default: ScenarioPolicy.managed))
  }

  private var members: [JSONTree.Member] {
    var members = [JSONTree.Member("viewer", "v")]
    if check.text("event") == "screenshot" { members.append(JSONTree.Member("capture", "screenshot")) }
    if let location = check.text("location") {
      members.append(JSONTree.Member("location", .string(Self.location(location))))
    }
    if let account = check.text("location_account") {
      members.append(JSONTree.Member("locationAccount", .string(account)))
    }
    if check.text("in_place") == "true" { members.append(JSONTree.Member("inPlace", true)) }
    if let peer = check.text("peer_app") { members.append(JSONTree.Member("peer", .string(Self.program(peer)))) }
    if let account = check.text("peer_account") { members.append(JSONTree.Member("peerAccount", .string(account))) }
    // Sending, importing and being sent something are asked alike: what matters is the direction.
    _ = check.has("mode")
    return members
  }

  /// Our word for a location of the file.
  static func location(_ name: String) -> String {
    switch name {
    case "onedrive_for_business": "oneDriveForBusiness"
    case "local_drive": "localStorage"
    default: camelCase(name)
    }
  }

  /// The program that a word of the file stands for: another app of the policy, or one that nobody manages.
  static func program(_ name: String) -> String {
    switch name {
    case "managed_app", "word": "com.contoso.other"
    default: "org.example.\(name).desktop"
    }
  }
}

/// A check that asks several questions: whose a place is, and which programs are offered.
struct ScenarioQuestions {
  private let check: ScenarioCheck
  private let app: Viewers

  init(_ check: ScenarioCheck, _ daemon: DaemonProcess) throws {
    self.check = check
    app = try Viewers(daemon)
    try app.register("v", ["window": "main"])
    try app.tag("v", "currentIdentity")
  }

  /// Whose a place is shows in what may be saved there: nobody's data may not come into a managed place that takes
  /// managed data only.
  func locationOwner() throws -> [String] {
    try app.signIn(ScenarioPolicy.unmanaged)
    var members: [JSONTree.Member] = [
      JSONTree.Member("viewer", "v"),
      JSONTree.Member("location", .string(ScenarioTransfer.location(check.text("location") ?? ""))),
    ]
    if let account = check.text("location_account") {
      members.append(JSONTree.Member("locationAccount", .string(account)))
    }
    let decision = try app.peer.decide("Save", .object(members))
    let owner = decision["reason"]?.string == "incomingRestricted" ? "managed" : "unmanaged"
    return differences("owner", owner, check.decision)
  }

  /// The programs to which a share would be allowed.
  func shareTargets() throws -> [String] {
    try app.signIn(check.account(default: ScenarioPolicy.managed))
    let allowed = try check.texts("targets").filter { target in
      let decision = try app.peer.decide(
        "Share",
        [
          "viewer": "v", "peer": .string(ScenarioTransfer.program(target)),
          "peerAccount": .string(target == "word" ? ScenarioPolicy.managed : ""),
        ])
      return decision["outcome"]?.string == "allow"
    }
    return differences("targets", allowed.joined(separator: " "), check.texts("decision").joined(separator: " "))
  }
}
