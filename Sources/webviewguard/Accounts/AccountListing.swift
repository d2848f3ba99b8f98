internal import ArgumentParser
internal import GuardModel
internal import JSONText
internal import Platform
internal import PolicyFiles
internal import PolicyTools

/// The daemon's accounts, with the users' names of this machine.
struct AccountListing {
  let accounts: [ShownAccount]
  let signIns: [ShownSignIn]
  /// The daemon's reply, with the users' names.
  let json: JSONTree

  /// Asks the daemon for the accounts that the filter lets through.
  init(_ place: SocketOptions, _ filter: AccountFilter, account: String? = nil) throws {
    var members: [JSONTree.Member] = []
    if let app = filter.app { members.append(.init("app", .string(app))) }
    if let user = filter.user { members.append(.init("uid", .int(Int64(try MachineUser.uid(of: user, place))))) }
    if let account { members.append(.init("account", .string(account))) }
    let reply = try place.askAdministrators("Accounts", .object(members)) { $0.errorText($1) }
    self.init(reply, account: account)
  }

  /// - Parameter account: only the words of sources that name it; nil for all.
  init(_ reply: JSONTree, account: String? = nil) {
    let accounts = (reply["accounts"]?.array ?? []).map(MachineUser.naming)
    let names = (accounts.compactMap { $0["account"]?.string } + [account].compactMap(\.self)).map { $0.lowercased() }
    let signIns = (reply["signIns"]?.array ?? []).map(MachineUser.naming).filter { signIn in
      account == nil || signIn["accounts"]?.array?.contains { names.contains($0.string?.lowercased() ?? "") } ?? false
    }
    self.accounts = accounts.map(ShownAccount.init)
    self.signIns = signIns.map(ShownSignIn.init)
    json = .object([.init("accounts", .array(accounts)), .init("signIns", .array(signIns))])
  }

  // MARK: For `status`

  /// The number of accounts in each state, in the order of a life.
  private var counts: [(state: String, count: Int)] {
    var counts: [String: Int] = [:]
    for account in accounts { counts[account.state, default: 0] += 1 }
    let known = AccountLifeState.allCases.map(\.rawValue)
    let further = counts.keys.filter { !known.contains($0) }.sorted()
    return (known + further).compactMap { state in counts[state].map { (state, $0) } }
  }

  /// The rows that `status --accounts` adds.
  var statusRows: [[String]] {
    let words = counts.map { "\($0.count) \($0.state)" }.joined(separator: ", ")
    let stopped = accounts.filter { !$0.mayWork }
    return [["accounts", words.isEmpty ? "none" : words]]
      + stopped.map { ["may not work", "\($0.title): \($0.state), \($0.reason ?? "none"); helps: \($0.help)"] }
  }

  /// The same as a member of the daemon's status.
  var summary: JSONTree.Member {
    let counted = counts.map { JSONTree.Member($0.state, .int(Int64($0.count))) }
    return .init(
      "accounts",
      ["counts": .object(counted), "mayNotWork": .array(accounts.filter { !$0.mayWork }.map(\.tree))])
  }

  // MARK: Names that are not known

  /// The error for an account that does not exist.
  func unknown(account: String, _ filter: AccountFilter) -> String {
    let narrowed = [filter.app.map { "app \($0.quoted)" }, filter.user.map { "user \($0.quoted)" }].compactMap(\.self)
    let among = narrowed.isEmpty ? "" : " for " + narrowed.joined(separator: " and ")
    return (["error: there is no account \(account.quoted)\(among)"] + Self.lines(ofHint: hint(account: account)))
      .map(\.escapedForDisplay).joined(separator: "\n")
  }

  func hint(account: String) -> String? { Self.hint(account, among: accounts.map(\.name), "account list") }

  func hint(app: String) -> String? { Self.hint(app, among: accounts.map(\.app), "account list") }

  static func lines(ofHint hint: String?) -> [String] { hint.map { ["  hint: \($0)"] } ?? [] }

  static func hint(_ word: String, among known: [String], _ command: String) -> String? {
    if known.contains(where: { $0.lowercased() == word.lowercased() }) {
      return "another user or app has it: `webviewguard \(command)` shows which"
    }
    if let near = Suggestion.nearest(to: word, among: Set(known).sorted()) { return "did you mean \(near.quoted)?" }
    return known.isEmpty ? nil : "`webviewguard \(command)` shows those that are known"
  }
}

extension AccountFilter {
  static var all: AccountFilter {
    var filter = AccountFilter()
    (filter.app, filter.user) = (nil, nil)
    return filter
  }
}

/// The users of this machine, by name and number. The daemon's event loop knows numbers only: name services may hang.
enum MachineUser {
  /// `alice`, or `uid 4711` where the machine has no name.
  static func name(of uid: UInt32) -> String { Users.name(ofUser: uid) ?? "uid \(uid)" }

  /// The number of a user whom a person named, by name or number.
  static func uid(of text: String, _ place: SocketOptions) throws -> UInt32 {
    if let uid = Users.uid(ofUser: text) ?? UInt32(text) { return uid }
    let listing = try? AccountListing(place, AccountFilter.all)
    let hint = listing.flatMap { AccountListing.hint(text, among: $0.accounts.map(\.user), "account list") }
    throw CommandFailure(
      (["this machine has no user \(text.quoted)"] + AccountListing.lines(ofHint: hint)).map(\.escapedForDisplay)
        .joined(separator: "\n"))
  }

  /// An object of a reply with the name of its user behind the number.
  static func naming(_ tree: JSONTree) -> JSONTree {
    guard case .object(let members) = tree else { return tree }
    return .object(
      members.flatMap { member -> [JSONTree.Member] in
        guard member.key == "uid", let uid = member.value.int.flatMap({ UInt32(exactly: $0) }),
          let name = Users.name(ofUser: uid)
        else { return [member] }
        return [member, .init("user", .string(name))]
      })
  }
}

/// An account of the daemon's in words.
struct ShownAccount {
  let tree: JSONTree

  init(_ tree: JSONTree) { self.tree = tree }

  /// `work@contoso.com of alice in com.contoso.portal`
  var title: String { "\(name) of \(user) in \(app)" }
  var user: String { text("user") ?? tree["uid"]?.int.map { "uid \($0)" } ?? "unknown" }
  var uid: UInt32? { tree["uid"]?.int.flatMap { UInt32(exactly: $0) } }
  var app: String { text("app") ?? "unknown" }
  var name: String { text("account") ?? "unknown" }
  var state: String { text("state") ?? "unknown" }
  /// The reason of decisions; nil when it may work.
  var reason: String? { text("reason") }
  var result: String? { text("result") }
  /// How apps have to encrypt its files; nil where a daemon does not say.
  var encryption: FileEncryption? { text("encryption").flatMap { FileEncryption(rawValue: $0) } }
  var sources: [String] { tree["sources"]?.array?.compactMap(\.string) ?? [] }

  /// A state that this program does not know is no good news.
  var mayWork: Bool {
    reason == nil && (state == AccountLifeState.enrolled.rawValue || state == AccountLifeState.unmanaged.rawValue)
  }

  /// Its times for people, by their names on the wire.
  var times: [String: String] {
    let names = ["registered", "enrolled", "checkedIn", "tried", "retry", "forgotten"]
    return Dictionary(
      uniqueKeysWithValues: names.compactMap { name in tree[name].map { (name, JSONTree.time($0)) } })
  }

  /// The rows of `account show`.
  var rows: [[String]] {
    let times = times
    return [
      ["account", name], ["user", user], ["app", app], ["state", state], ["reason", reason ?? "none"],
      ["what helps", help], ["protection", text("protection") ?? "none"],
      ["encryption", text("encryption") ?? "unknown"],
      ["sources", sources.isEmpty ? "none" : sources.joined(separator: ", ")],
      ["latest result", result.map { "\($0)\(number(of: $0))" } ?? "none"],
      ["registered", times["registered"] ?? "never"], ["enrolled", times["enrolled"] ?? "never"],
      ["last attempt", times["tried"] ?? "never"], ["last check-in", times["checkedIn"] ?? "never"],
      ["next attempt", times["retry"] ?? "none"], ["forgotten", times["forgotten"] ?? "never"],
      ["running", tree["instances"]?.int.map { "\($0)" } ?? "unknown"],
    ]
  }

  /// The SDK's number of a result.
  private func number(of result: String) -> String {
    EnrollmentResult(rawValue: result).map { " (\($0.number))" } ?? ""
  }

  private func text(_ name: String) -> String? { tree[name]?.string }

  /// The step by which a person can let the account work.
  var help: String {
    AccountHelp.words(
      AccountLifeState(rawValue: state), result: result.flatMap(EnrollmentResult.init), user: user, app: app)
  }
}

/// The word of a source in words.
struct ShownSignIn {
  let user: String
  let line: String

  init(_ tree: JSONTree) {
    user = tree["user"]?.string ?? tree["uid"]?.int.map { "uid \($0)" } ?? "unknown"
    let accounts = tree["accounts"]?.array?.compactMap(\.string) ?? []
    let who = accounts.isEmpty ? "nobody" : accounts.joined(separator: ", ")
    line =
      "the source \((tree["source"]?.string ?? "unknown").quoted) says that \(who) is signed in as \(user), since "
      + "\(JSONTree.time(tree["time"])), until \(JSONTree.time(tree["until"]))"
  }
}

/// The remedies for an account that may not work: one table for all commands.
enum AccountHelp {
  static func words(
    _ state: AccountLifeState?, result: EnrollmentResult?, user: String, app: String
  ) -> String {
    switch state {
    case .enrolled: "nothing: it may work"
    case .unmanaged: "nothing: no protection binds it"
    case .registered, .policyRequired: missing(result, user, app)
    case .suspended: "\(user) signs in to \(app) again, which registers it"
    case .blocked: "the policy states `state: blocked` for it, or its enrolment is blocked"
    case .nonCompliant: "the computer or the account meets the organisation's conditions again"
    case .notAllowed: "`allowedAccounts` of \(app) takes it, or \(user) signs out there"
    case .notChecked: "a source says again that it is signed in; the last word is too old"
    case .locked: "\(user) unlocks it"
    case .wipePending, .wiped: "nothing here: its data is removed"
    case .unknown: "the app \(app.quoted) is in the policy"
    case nil: "this program is older than the daemon"
    }
  }

  private static func missing(_ result: EnrollmentResult?, _ user: String, _ app: String) -> String {
    switch result {
    case .notTargeted: "a protection binds it, by its name, a pattern or a group of \(user)"
    case .singleAccount: "\(app) gives up its other account of the organisation: it takes one at a time"
    case .blocked: "the policy lets it into \(app)"
    case .notChecked: "a source says again that it is signed in; the last word is too old"
    default: "\(user) signs in with it; or its source in `accounts.source` of \(app) says so"
    }
  }
}
