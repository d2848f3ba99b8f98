internal import ArgumentParser
internal import JSONText
internal import PolicyFiles
internal import PolicyTools

/// `account`: the accounts of persons and apps, for administrators.
struct AccountCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "See the accounts of persons and apps, end an app's access, wipe, handle keys.",
    discussion: """
      The daemon records who asks. Names of users are those of this machine.
      """,
    subcommands: [
      AccountListCommand.self, AccountShowCommand.self, AccountStateCommand.self, AccountDeregisterCommand.self,
      AccountWipeCommand.self, AccountWipesCommand.self, AccountApproveCommand.self, AccountRestoreCommand.self,
      AccountRotateKeyCommand.self, EscrowCommand.self,
    ])
}

/// The accounts that a command speaks of.
struct AccountFilter: ParsableArguments {
  @Option(help: "Only the accounts of this app.")
  var app: String?

  @Option(help: "Only the accounts of this user, by name or number.")
  var user: String?
}

/// `account list`: all accounts.
struct AccountListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Show the accounts that apps have or show, by user, app and name.")

  @OptionGroup var filter: AccountFilter
  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let listing = try AccountListing(place, filter)
    let rows = listing.accounts.map { account in
      [
        account.user, account.app, account.name, account.state, account.reason ?? "none",
        account.times["enrolled"] ?? "never", account.times["checkedIn"] ?? "never",
      ]
    }
    let header = ["USER", "APP", "ACCOUNT", "STATE", "REASON", "ENROLLED", "CHECKED IN"]
    try options.print(listing.json, lines: rows.isEmpty ? ["none"] : TextTable(header, rows).lines)
  }
}

/// `account show`: everything about one account.
struct AccountShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show everything that is known of an account, for each user and app that has it.",
    discussion: "Ends with 1 when no app has it and no source names it.")

  @Argument(help: "One of its names: what the person signs in with, or its object id.")
  var account: String

  @OptionGroup var filter: AccountFilter
  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let listing = try AccountListing(place, filter, account: account)
    if listing.accounts.isEmpty, listing.signIns.isEmpty {
      let others = try AccountListing(place, AccountFilter.all)
      StandardError.say(others.unknown(account: account, filter))
      throw ExitCode(1)
    }
    try options.print(listing.json, lines: lines(listing))
  }

  private func lines(_ listing: AccountListing) -> [String] {
    let blocks = listing.accounts.map { TextTable($0.rows).lines }
    let signIns = listing.signIns.map(\.line)
    return Array((blocks + (signIns.isEmpty ? [] : [signIns])).joined(separator: [""]))
  }
}

/// `account state`: which accounts may work, and what would help the others.
struct AccountStateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "state", abstract: "Show for each account whether it may work, why not, and what would help.",
    discussion: "Ends with 1 when an account may not work.")

  @OptionGroup var filter: AccountFilter
  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let listing = try AccountListing(place, filter)
    let rows = listing.accounts.map { account in
      [account.state, account.reason ?? "none", account.title, account.help]
    }
    let header = ["STATE", "REASON", "ACCOUNT", "WHAT HELPS"]
    try options.print(listing.json, lines: rows.isEmpty ? ["none"] : TextTable(header, rows).lines)
    if listing.accounts.contains(where: { !$0.mayWork }) { throw ExitCode(1) }
  }
}

/// The user whose account an order is about, and its reason.
struct AccountOrderOptions: ParsableArguments {
  @Option(help: "The user, by name or number.")
  var user: String

  @Option(help: "Why, for the log.")
  var reason: String

  func validate() throws {
    guard reason.contains(where: { !$0.isWhitespace }) else { throw ValidationError("`--reason` says why") }
  }

  func uid(_ place: SocketOptions) throws -> UInt32 { try MachineUser.uid(of: user, place) }

  /// The parameters of the call: those that each such call has, and what else it says.
  func parameters(_ account: String, _ uid: UInt32, _ more: JSONTree.Member...) -> JSONTree {
    let ends: [JSONTree.Member] = [.init("uid", .int(Int64(uid))), .init("reason", .string(reason))]
    return .object([.init("account", .string(account))] + more + ends)
  }
}

/// `account deregister`: ends an app's access.
struct AccountDeregisterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deregister", abstract: "End an app's access to an account of a user.",
    discussion: """
      The app may run or not. The account is suspended there until the app registers it again, which it does when the \
      user signs in; no data is touched. The log has who and why. Ends with 1 when the daemon refuses.
      """)

  @Argument(help: "One of the names of the account.")
  var account: String

  @Option(help: "The app that loses it.")
  var app: String

  @OptionGroup var order: AccountOrderOptions
  @OptionGroup var options: FormatOptions
  @OptionGroup var place: SocketOptions

  func run() throws {
    let uid = try order.uid(place)
    let parameters = order.parameters(account, uid, .init("app", .string(app)))
    let reply = try place.askAdministrators("DeregisterAccount", parameters, words: words)
    let name = reply["account"]?.string ?? account
    try options.print(
      reply,
      lines: [
        "ended: \(app) of \(MachineUser.name(of: uid)) has no access to \(name) until it registers it again",
        "to keep it out for good, state `state: blocked` for the account in the policy",
      ])
  }

  /// A refusal, with the name that was probably meant.
  private func words(_ reply: VarlinkReply, _ error: String) -> String {
    guard error == "org.webviewguard.Admin.AccountRefused" else { return reply.errorText(error) }
    let (why, explanation) = (reply.parameters["why"]?.string ?? "", reply.parameters["explanation"]?.string ?? "")
    return (["error: not done: \(explanation) [\(why)]"] + AccountListing.lines(ofHint: hint(for: why)))
      .map(\.escapedForDisplay).joined(separator: "\n")
  }

  private func hint(for why: String) -> String? {
    guard why == "unknownApp" || why == "unknownAccount", let others = try? AccountListing(place, AccountFilter.all)
    else { return nil }
    return why == "unknownApp" ? others.hint(app: app) : others.hint(account: account)
  }
}
