internal import ArgumentParser
internal import JSONText
internal import PolicyFiles

/// `account wipe`: locks an account at once, and removes its data later.
struct AccountWipeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wipe", abstract: "Lock an account of a user at once, and remove its data after a delay.",
    discussion: """
      Without --confirm nothing changes: it shows what the wipe would reach, and a code for ten minutes. Data is removed \
      only where the policy has `wipe: { mode: on, causes: [admin] }`; elsewhere the account is locked. `account restore` \
      takes a wipe back until then.
      """)

  @Argument(help: "One of the names of the account.")
  var account: String

  @Option(help: "The user, by name or number.")
  var user: String

  @Option(help: "Only in this app.")
  var app: String?

  @Option(help: "Why, for the log.")
  var reason: String

  @Flag(help: "Remove the data without the delay.")
  var now = false

  @Option(help: "The code that the preview ended with.")
  var confirm: String?

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let uid = try MachineUser.uid(of: user, place)
    var members: [JSONTree.Member] = [
      .init("account", .string(account)), .init("uid", .int(Int64(uid))), .init("reason", .string(reason)),
    ]
    if let app { members.append(.init("app", .string(app))) }
    if now { members.append(.init("now", .bool(true))) }
    if let confirm { members.append(.init("confirm", .string(confirm))) }
    let reply = try place.askAdministrators("WipeAccount", .object(members), words: WipeWords.refusal)
    try options.print(reply, lines: reply["wipe"] == nil ? preview(reply, uid) : begun(reply))
  }

  private func preview(_ reply: JSONTree, _ uid: UInt32) -> [String] {
    let apps = WipeWords.list(reply["apps"])
    let directories = WipeWords.list(reply["directories"])
    var lines = [
      "account: \(reply["account"]?.string ?? account) of \(MachineUser.name(of: uid))",
      "apps: \(apps.isEmpty ? "none" : apps.joined(separator: ", "))",
    ]
    lines += directories.isEmpty ? ["files: only what the apps remove themselves"] : directories.map { "files: \($0)" }
    lines += WipeWords.list(reply["refused"]).map { "no files: \($0)" }
    if !directories.isEmpty {
      lines.append(
        "files are not counted: the daemon reads no home. The helper counts what it removes, for the log; once it is "
          + "ordered, `webviewguard wipe-files --dry-run` names its directories to \(MachineUser.name(of: uid))")
    }
    lines += WipeWords.keys(reply)
    if reply["destroys"]?.bool == true {
      lines.append("locked at once; data is removed after \(WipeWords.hours(reply["delay"])) of running time")
      if reply["needed"]?.int == 2 {
        lines.append("a second administrator has to agree: `webviewguard account approve ID`")
      }
    } else {
      lines.append("locked at once; the policy lets administrators remove no data (`wipe`)")
    }
    let code = reply["code"]?.string ?? ""
    let rest = (app.map { " --app \($0)" } ?? "") + (now ? " --now" : "")
    lines.append(
      "Nothing was changed. To do it: webviewguard account wipe \(account) --user \(user)\(rest) --reason … --confirm "
        + "\(code) (10 minutes)")
    return lines
  }

  private func begun(_ reply: JSONTree) -> [String] {
    guard let wipe = reply["wipe"] else { return [] }
    return ["locked: \(reply["account"]?.string ?? account)", WipeWords.line(wipe)]
  }
}

/// `account wipes`: the wipes under way.
struct AccountWipesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "wipes", abstract: "Show the wipes under way, the oldest first.")

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let reply = try place.askAdministrators("Wipes", .object([]), words: WipeWords.refusal)
    let lines = (reply["wipes"]?.array ?? []).map(WipeWords.line)
    try options.print(reply, lines: lines.isEmpty ? ["none"] : lines)
  }
}

/// `account approve`: a second administrator agrees to a wipe.
struct AccountApproveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve", abstract: "Agree to a wipe that another administrator began.",
    discussion: "The policy asks for it by `approvals: 2`. The user who logged in counts, not the user of the process.")

  @Argument(help: "The wipe, as `account wipes` shows it.")
  var id: String

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let reply = try place.askAdministrators(
      "ApproveWipe", .object([.init("id", .string(id))]), words: WipeWords.refusal)
    try options.print(reply, lines: reply["wipe"].map { [WipeWords.line($0)] } ?? [])
  }
}

/// `account restore`: takes the wipes of an account back.
struct AccountRestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Take the wipes of an account back, before its data is removed.")

  @Argument(help: "One of the names of the account.")
  var account: String

  @Option(help: "The user, by name or number.")
  var user: String

  @Option(help: "Why, for the log.")
  var reason: String

  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let uid = try MachineUser.uid(of: user, place)
    let reply = try place.askAdministrators(
      "RestoreAccount",
      .object([
        .init("account", .string(account)), .init("uid", .int(Int64(uid))), .init("reason", .string(reason)),
      ]), words: WipeWords.refusal)
    try options.print(reply, lines: ["restored: \(account) of \(MachineUser.name(of: uid))"])
  }
}

/// `account rotate-key`: new sealed data gets a new key.
struct AccountRotateKeyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate-key", abstract: "Give an account of a user a new key for sealed data.",
    discussion: """
      New data gets the new key; data that was sealed before stays readable under the older ones. Apps hear it, and may \
      seal their files anew. A key that somebody else may have needs more: every file sealed anew, since no key is \
      destroyed here. The log has who and why. Ends with 1 when the daemon refuses.
      """)

  @Argument(help: "One of the names of the account.")
  var account: String

  @OptionGroup var order: AccountOrderOptions
  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let uid = try order.uid(place)
    let parameters = order.parameters(account, uid)
    let reply = try place.askAdministrators("RotateAccountKey", parameters, words: WipeWords.refusal)
    let name = reply["account"]?.string ?? account
    try options.print(
      reply,
      lines: [
        "new key: \(name) of \(MachineUser.name(of: uid)) seals with \(reply["keyId"]?.string ?? "an unknown key")",
        "data that was sealed before stays readable",
      ])
  }
}

/// Words about wipes.
enum WipeWords {
  /// `w-1f-2: work@contoso.com of alice in all apps, admin, pending, 72 h left, 1 of 2 agreed`
  static func line(_ wipe: JSONTree) -> String {
    let uid = wipe["uid"]?.int.flatMap { UInt32(exactly: $0) }
    var words = [
      "\(wipe["account"]?.string ?? "") of \(uid.map(MachineUser.name) ?? "") in \(wipe["app"]?.string ?? "all apps")",
      wipe["cause"]?.string ?? "", wipe["phase"]?.string ?? "",
    ]
    if wipe["remaining"] != nil { words.append("\(hours(wipe["remaining"])) left") }
    if let needed = wipe["needed"]?.int, needed > 1 {
      words.append("\(wipe["approvals"]?.int ?? 0) of \(needed) agreed")
    }
    words += (wipe["apps"]?.array ?? []).map { "\($0["app"]?.string ?? ""): \($0["step"]?.string ?? "")" }
    return "\(wipe["id"]?.string ?? ""): " + words.joined(separator: ", ")
  }

  /// The end of sealed data.
  static func keys(_ preview: JSONTree) -> [String] {
    let (keys, copies) = (preview["keys"]?.int ?? 0, preview["copies"]?.int ?? 0)
    let escrow =
      copies == 0
      ? "escrow: none was made here: nobody opens data whose key is gone"
      : "escrow: \(copies) \(copies == 1 ? "copy" : "copies") of keys stay; only the holder of the private key still opens "
        + "data with them"
    return ["keys: \(keys == 0 ? "none is destroyed" : "\(keys), destroyed with the data")", escrow]
  }

  static func list(_ tree: JSONTree?) -> [String] { (tree?.array ?? []).compactMap(\.string) }

  /// Milliseconds, as whole hours: rounded up.
  static func hours(_ tree: JSONTree?) -> String { "\(((tree?.int ?? 0) + 3_599_999) / 3_600_000) h" }

  static func refusal(_ reply: VarlinkReply, _ error: String) -> String {
    guard error == "org.webviewguard.Admin.AccountRefused" else { return reply.errorText(error) }
    let (why, explanation) = (reply.parameters["why"]?.string ?? "", reply.parameters["explanation"]?.string ?? "")
    return "error: not done: \(explanation) [\(why)]".escapedForDisplay
  }
}
