import Foundation
import JSONText

/// A paste of a scenario: the clip is made where the scenario says, then pasted where it says.
struct ScenarioPaste {
  private let check: ScenarioCheck
  private let daemon: DaemonProcess
  private let length: JSONTree
  /// Each check has a clipboard of its own, on a display that no other uses.
  private let display = JSONTree.string(":\(UInt32.random(in: 0 ... .max))")

  init(_ check: ScenarioCheck, _ daemon: DaemonProcess) {
    self.check = check
    self.daemon = daemon
    length = .int(Int64(check.text("length") ?? "100") ?? 100)
  }

  func run() throws -> [String] {
    let app = try Viewers(daemon)
    try app.signIn(check.account(default: ScenarioPolicy.managed))
    try fill(app)
    let decision = try paste(app)
    return differences("outcome", decision["outcome"]?.string, check.decision) + check.reasonDifferences(decision)
  }

  /// Who fills the clipboard: a viewer of the app, another managed app, or a program that nobody guards.
  private func fill(_ app: Viewers) throws {
    if let viewer = check.text("source_viewer") {
      try register(viewer, app)
      try copy(viewer, app)
      _ = check.has("source_owner")
      return
    }
    let source = check.text("source")
    if check.text("source_owner") != nil || source == "managed" {
      let isOwnApp = check.text("source_app") == "same" || source == "managed"
      let owner = isOwnApp ? app : try Viewers(daemon, app: "com.contoso.other")
      try owner.register("source")
      if isOwnApp { try app.tag("source", "currentIdentity") }
      try copy("source", owner)
      return
    }
    _ = try app.peer.decide(
      "ClipboardChanged", ["selection": "clipboard", "selfOwned": false, "length": length, "display": display])
  }

  /// A copy that happens: the app reports that the selection changed.
  private func copy(_ viewer: String, _ app: Viewers) throws {
    let event: [JSONTree.Member] = [
      .init("viewer", .string(viewer)), .init("selection", "clipboard"), .init("length", length),
      .init("formats", ["text/plain"]), .init("display", display),
    ]
    let proposal = try app.peer.decide("Copy", .object(event))["proposal"]?.string ?? ""
    let report: [JSONTree.Member] = [.init("selfOwned", true), .init("proposal", .string(proposal))]
    _ = try app.peer.decide("ClipboardChanged", .object(event + report))
  }

  private func paste(_ app: Viewers) throws -> JSONTree {
    let (target, viewer) = try destination(app)
    return try target.peer.decide(
      "Paste",
      [
        "viewer": .string(viewer), "selection": "clipboard", "length": length, "formats": ["text/plain"],
        "display": display,
      ])
  }

  private func destination(_ app: Viewers) throws -> (Viewers, String) {
    if let viewer = check.text("destination_viewer") {
      try register(viewer, app)
      return (app, viewer)
    }
    switch check.text("destination") {
    case "unmanaged_app": return try other("org.example.editor")
    case "managed_app": return try other("com.contoso.other")
    case "managed", "managed_same_app":
      try app.register("target")
      try app.tag("target", "currentIdentity")
      return (app, "target")
    case let name: throw DaemonFailure(text: "unknown destination `\(name ?? "")`")
    }
  }

  private func other(_ name: String) throws -> (Viewers, String) {
    let other = try Viewers(daemon, app: name)
    try other.register("target")
    return (other, "target")
  }

  /// The viewers that the scenarios name, with the tags they stand for.
  private func register(_ viewer: String, _ app: Viewers) throws {
    try app.register(viewer)
    switch viewer {
    case "tagged_ci", "D", "E": try app.tag(viewer, "currentIdentity")
    case "tagged_um": try app.tag(viewer, "unmanaged")
    case "default", "flagged", "A", "B", "C": break
    default: throw DaemonFailure(text: "unknown viewer `\(viewer)`")
    }
  }
}
